"""Decisions from Python: what the commands find, and errors that name the argument."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isfc
from isfc.cli.main import run
from isfc.cli.output.exits import ExitCode
from isfc.reports.text import encoded
from isfc.testing.cluster import mesh
from scenarios.figures.changed import after_losses
from scenarios.runs.notes import cluster_notes
from scenarios.search import report_runs

pytestmark = pytest.mark.at_length


LOGS = Path(__file__).parents[2] / "data" / "logs"
GUEST = isfc.GuestPlan("LINUX1", isfc.GuestMemory(size=2**20, touched=2**20))
any_call: Any = isfc


def of_command(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert run([*words, "--json"]) == ExitCode.GOOD
    return json.loads(capsys.readouterr().out)


def text_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(words) == ExitCode.GOOD
    return capsys.readouterr().out


def test_layout_that_is_exported_can_be_imported(capsys: pytest.CaptureFixture[str]) -> None:
    layout = isfc.load_layout("atlanta-boston")
    decks = isfc.export(layout, "iocp").texts
    assert "".join(decks.values()) == text_of(capsys, "export", "atlanta-boston", "--as", "iocp")
    found = isfc.import_iocp([*decks.values()], partitions="ATLANTA,BOSTON")
    assert (found.collection.links, found.unpaired) == ((layout,), ())
    assert found.to_dict()["links"][0]["nodes"] == ["ATLANTA", "BOSTON"]
    statements = isfc.export("atlanta-boston", "activate", system="atlanta").texts
    kept = isfc.import_config({"ATLANTA": statements["ATLANTA.config"]}, layout).collection
    assert kept.links == (layout,)
    (text,) = isfc.export("two-cecs", "toml").texts.values()
    assert text == text_of(capsys, "export", "two-cecs", "--as", "toml")


def test_console_makes_the_layout_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    logs = [LOGS / "atlanta.txt", LOGS / "boston.txt"]
    chpids = "BOSTON:50=7000-7001,51=7020-7021"
    text = text_of(capsys, "import", "islink", *map(str, logs), "--chpids", chpids)
    assert isfc.import_islink(logs, chpids=[chpids]).collection == isfc.parse_links(text)
    named = {each.stem: each.read_text("utf-8") for each in logs}
    found = isfc.import_islink(named, chpids=[chpids], cec=["EAST=ATLANTA,BOSTON"])
    assert found.collection.cecs[0].systems == ("ATLANTA", "BOSTON")
    assert "chpids have one number" not in " ".join(found.remarks)


def test_new_layout_drawing_and_schema_are_those_of_the_commands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=2, feature="FICON Express16S@8")
    words = ["--systems", "ATLANTA,BOSTON", "--chpids", "40:50,41:51", "--ctcs", "2"]
    assert made == isfc.parse_layout(
        text_of(capsys, "new", *words, "--feature", "FICON Express16S@8")
    )
    drawn = tmp_path / "drawn.svg"
    text_of(capsys, "show", "two-cecs", "-o", str(drawn))
    assert isfc.drawing("two-cecs") == drawn.read_text("utf-8")
    assert isfc.schema() == json.loads(text_of(capsys, "new", "--schema"))


def test_replay_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = isfc.replay("stop_short")
    shown = of_command(capsys, "replay", "stop_short")
    assert encoded(found) == shown
    assert found.within


@pytest.mark.slow
def test_collisions_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    options: dict[str, Any] = {"offer_out": 20.0, "offer_in": 20.0, "steps": 1}
    options |= {"seconds": 0.01, "seeds": 1}
    words = (
        word
        for name, value in options.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    )
    shown = of_command(capsys, "collide", "published-4", *words)["outcomes"]
    assert isfc.collide("published-4", **options).rows() == shown


@pytest.mark.exhaustive
def test_page_of_a_record_is_that_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_runs, "PAIRS", (1,))
    monkeypatch.setattr(report_runs, "after_losses", lambda *lost: after_losses(*lost[:2]))
    monkeypatch.setattr(report_runs, "try_advice", lambda *_: {})
    layout = isfc.load_layout("published-1")
    told: list[str] = []
    page = isfc.report(layout, workload="HS", progress=told.append)
    text = isfc.format_collection(isfc.Collection((layout,)))
    assert page == isfc.report(text, workload="HS")
    assert "ISFC link CLIENT - SERVER" in page
    assert told[0] == "throughput over pairs, each way"


@pytest.mark.slow
def test_losses_are_by_the_model_or_by_rule() -> None:
    by_rule = isfc.losses("published-1", rule=True)
    whole, *left = by_rule.losses
    assert repr(left[0]) == "<Left chpid 40 (mate 50) gone: 0 % left, 0 MB/s>"
    assert whole.kind is by_rule.load is None
    assert all(each.kind and each.rate.no_range for each in left)
    (_, without) = isfc.losses("atlanta-boston", without=["40"]).losses
    assert without.rate.range is not None
    assert without.share.range is not None
    assert 0 < without.rate.value < 350


@pytest.mark.slow
def test_best_layout_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    options: dict[str, Any] = {"pairs": 2, "seconds": 0.01, "runs": 2, "seeds": 1}
    words = (word for name, value in options.items() for word in (f"--{name}", str(value)))
    shown = of_command(capsys, "optimise", "published-4", *words)
    found = isfc.optimise("published-4", **options)
    for one, ours in ((shown["best"][0], found.best[0]), (shown["given"], found.given)):
        assert one["figures"]["forward"]["value"] == ours.score.value


@pytest.mark.slow
def test_guests_leave_as_by_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    guests = tmp_path / "guests.csv"
    guests.write_text("name,memory,change_rate\nLINUX1,1M,0\n")
    words = ["evacuate", "published-1", "CLIENT", "--guests", str(guests)]
    outcome = isfc.evacuate("published-1", "client", [GUEST])
    assert of_command(capsys, *words)["seconds"]["value"] == outcome.seconds.value
    named = isfc.evacuate("published-1", "CLIENT", [isfc.Tenant(GUEST, to=isfc.NodeName("SERVER"))])
    assert named == outcome


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: isfc.compare(["published-1"]), "^layouts: 1; expected two or more$"),
        (
            lambda: isfc.compare(["two-cecs", "published-1"]),
            "^published-1: has CLIENT-SERVER; expected the",
        ),
        (
            lambda: isfc.optimise("published-4", objective=["best"]),
            "^objective 'best': expected ",
        ),
        (lambda: isfc.optimise("two-cecs", objective=["su"]), "^objective 'su': did you mean sum"),
        (lambda: isfc.optimise("published-4", jobs=0), "^jobs 0: expected 1 to 1024$"),
        (lambda: isfc.optimise("published-4", fixed="XX"), "^fixed: 'XX' is not a device number"),
        (lambda: isfc.losses("published-4", without=["99"]), "99"),
        (lambda: isfc.size(mb_per_s=0.5), r"^mb_per_s 0.5: expected 1 to 1000000 MB/s$"),
        (lambda: isfc.size(mb_per_s=9, km=-1.0), r"^km -1: expected 0 to 10000 km$"),
        (lambda: isfc.size(mb_per_s=9, jobs=0), "^jobs 0: expected 1 to 1024$"),
        (lambda: isfc.size(mb_per_s=9, lost="chpids"), "^lost 'chpids': did you mean chpid"),
        (
            lambda: isfc.size(mb_per_s=9, feature=["Express9"]),
            "^feature: 'Express9' is not",
        ),
        (lambda: isfc.size(mb_per_s=9, systems="A,a"), "^systems 'A,a': expected two systems"),
        (lambda: isfc.size(mb_per_s=9, workload="XX"), "XX"),
        (lambda: any_call.size(mb_per_s="9"), r"^size\(mb_per_s='9'\): expected a number$"),
        (lambda: isfc.import_iocp(["\n"]), "^partitions: missing; "),
        (lambda: isfc.import_islink([]), "^logs: none; expected one or more$"),
        (lambda: isfc.export("two-cecs", "toml", ports=["A:50=C1"]), "^ports: of IOCP decks"),
        (lambda: isfc.new("ATLANTA", "40"), "^systems 'ATLANTA': expected two systems"),
        (lambda: isfc.replay("transport", pairs=[3]), "^pairs 3: not in the table"),
        (lambda: isfc.collide("published-1", offer_out=-1, offer_in=1), "^offer_out -1: expected"),
        (lambda: isfc.evacuate("published-1", "CLEINT", [GUEST]), "CLEINT.*CLIENT"),
        (lambda: isfc.evacuate("published-1", "CLIENT", []), "^guests 0: expected 1 to 500"),
        (
            lambda: any_call.check(None),
            r"^check\(layout=None\): expected a Layout, a Collection, a Decks, a text or a Path$",
        ),
        (lambda: any_call.evacuate("published-1", 1, [GUEST]), r"^evacuate\(system=1\): expected"),
    ],
)
def test_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(isfc.ConfigurationError, match=message):
        call()


def test_a_link_of_a_file_brings_the_notes_that_the_command_has(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "three.toml"
    file.write_text(mesh(3, shared=True, ctcs=1))
    short = {"pairs": 1, "seconds": 0.01, "warmup": 0.0, "interval": 0.01}
    words = "--link S1-S2 --workload HS --pairs 1 --seconds 0.01 --warmup 0 --json".split()
    assert run(["run", str(file), *words]) == 0
    printed = json.loads(capsys.readouterr().out)["notes"]
    for layout in (
        isfc.load_layout(file, "S1-S2"),
        isfc.parse_layout(file.read_text(), link="S1-S2"),
    ):
        found = isfc.simulate(layout, "HS", **short).notes  # type: ignore[arg-type]
        assert {note.kind for note in found} >= {"alone", "one-channel"}
        known = [note["text"] for note in printed if note["kind"] != "no-range"]
        assert [note.text for note in found] == known


def test_links_that_are_asked_about_together_are_not_said_to_be_alone() -> None:
    """What Python answered of links that were parsed first said so, and the command did not."""
    links = isfc.parse_links(mesh(3, shared=True, ctcs=1))
    assert "alone" in {note.kind for link in links.links for note in link.notes}
    assert "alone" not in {note.kind for note in cluster_notes(links)}


def test_imports_have_the_types_of_their_arguments_and_files_may_be_called_as_they_like(
    tmp_path: Path,
) -> None:
    """Any argument was let pass, and a path was parted at an equals sign."""
    with pytest.raises(isfc.ConfigurationError, match="partitionz"):
        isfc.import_iocp([], partitionz="A,B")  # type: ignore[call-arg]
    log = tmp_path / "run=1.txt"
    with pytest.raises(isfc.ConfigurationError, match=re.escape(f"{log}: cannot be read")):
        isfc.import_islink([str(log)])
