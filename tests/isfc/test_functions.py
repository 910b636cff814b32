"""Decisions from Python: what commands find, of records, texts and files."""

import re
from pathlib import Path

import pytest

import isfc
from scenarios.figures import changed
from scenarios.figures.changed import after_losses
from scenarios.runs.notes import cluster_notes
from scenarios.search import report_runs
from tests.isfc.cli.conftest import own_process as own_process
from tests.isfc.printed import Printed, Recorded
from tests.isfc.printed import printed as printed
from tests.isfc.printed import recorded as recorded
from tests.layouts import mesh

pytestmark = pytest.mark.at_length


LOGS = Path(__file__).parents[1] / "data" / "logs"


def test_layout_that_is_exported_can_be_imported() -> None:
    layout = isfc.load_layout("atlanta-boston")
    decks = isfc.export(layout, "iocp").texts
    found = isfc.import_iocp([*decks.values()], partitions="ATLANTA,BOSTON")
    assert (found.collection.links, found.unpaired) == ((layout,), ())
    assert found.to_dict()["links"][0]["nodes"] == ["ATLANTA", "BOSTON"]
    statements = isfc.export("atlanta-boston", "activate", system="atlanta").texts
    kept = isfc.import_config({"ATLANTA": statements["ATLANTA.config"]}, layout).collection
    assert kept.links == (layout,)


def test_consoles_may_be_files_or_texts_with_their_names() -> None:
    logs = [LOGS / "atlanta.txt", LOGS / "boston.txt"]
    chpids = "BOSTON:50=7000-7001,51=7020-7021"
    named = {each.stem: each.read_text("utf-8") for each in logs}
    found = isfc.import_islink(named, chpids=[chpids], cec=["EAST=ATLANTA,BOSTON"])
    assert found.collection.links == isfc.import_islink(logs, chpids=[chpids]).collection.links
    assert found.collection.cecs[0].systems == ("ATLANTA", "BOSTON")
    assert "chpids have one number" not in " ".join(found.remarks)


def test_drawing_is_that_of_the_command(printed: Printed, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.svg"
    printed("show", "two-cecs", "-o", drawn)
    assert isfc.drawing("two-cecs") == drawn.read_text("utf-8")


@pytest.mark.exhaustive
def test_page_of_a_record_is_that_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_runs, "PAIRS", (1,))
    monkeypatch.setattr(changed, "after_losses", lambda *lost: after_losses(*lost[:2]))
    monkeypatch.setattr(changed, "try_advice", lambda *_: {})
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


def test_a_link_of_a_file_brings_the_notes_that_the_command_has(
    recorded: Recorded, tmp_path: Path
) -> None:
    file = tmp_path / "three.toml"
    file.write_text(mesh(3, shared=True, ctcs=1))
    short = {"pairs": 1, "seconds": 0.01, "warmup": 0.0, "interval": 0.01}
    words = "--link S1-S2 --workload HS --pairs 1 --seconds 0.01 --warmup 0".split()
    printed = recorded("run", file, *words)["notes"]
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
