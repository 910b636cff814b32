"""``isfc change``: page, record, and that a run with its script ends in the other layout."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from msgspec import structs

import isfc
from isfc.answers.change_page import change_lines
from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.edit import AddCtc, AddFibre, MoveCtc, RemoveCtc, edit
from isfc.layout.processors import Processors
from isfc.layout.write import format_collection
from isfc.reports.text import encoded
from scenarios.figures.rates import carried
from tests.decks import DECKS, LOGS
from tests.isfc.cli.change.ends import active, drawn_files, up
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded
from tools import PROJECT

pytestmark = pytest.mark.at_length


@pytest.fixture
def layouts(tmp_path: Path) -> tuple[str, str]:
    """A layout as it is imported, and one with a CTC more on the second cable, and one less."""
    before, after = tmp_path / "before.toml", tmp_path / "after.toml"
    deck = str(DECKS / "crowded.iocp")
    assert run(["import", "iocp", deck, "--partitions", "VMA,VMB", "-o", str(before)]) == 0
    changed = edit(given_collection(before), AddCtc("2"))
    after.write_text(format_collection(edit(changed, RemoveCtc("VMA-VMB", "5025"))))
    return str(before), str(after)


def test_the_page_says_what_to_do_at_each_system(
    layouts: tuple[str, str], printed: Printed
) -> None:
    page = printed("change", *layouts, "--no-rates")
    assert ": 2 steps\n\nEvery link has a CTC all the time." in page
    assert max(len(line) for line in page.splitlines()[1:]) <= 80  # the title names two files
    assert "\n- Definitions change dynamically only if " in page
    lines = [line.strip() for line in page.splitlines()]
    first = lines.index("VMA       chpid CU   UA    CU   chpid VMB")
    assert lines[first + 1 : first + 3] == ["6021      60    6020 01    6010 61    6011", ""]
    assert lines.count("5025      50    5020 05    5010 51    5015") == 2, "removed, and back"
    orders = [line for line in lines if line.startswith(("VMA: ", "VMB: "))]
    assert orders[:14] == [
        "VMA: * have 6021 defined on chpid 60, which leads to VMB 61",
        "VMB: * have 6011 defined on chpid 61, which leads to VMA 60",
        "VMA: VARY ONLINE 6021",
        "VMB: VARY ONLINE 6011",
        "VMA: ACTIVATE ISLINK 6021 NODE VMB",
        "VMB: ACTIVATE ISLINK 6011 NODE VMA",
        "VMA: QUERY ISLINK NODE VMB",
        "VMB: QUERY ISLINK NODE VMA",
        "VMA: DEACTIVE ISLINK 5025",
        "VMB: DEACTIVE ISLINK 5015",
        "VMA: VARY OFFLINE 5025",
        "VMB: VARY OFFLINE 5015",
        "VMA: BEGIN",
        "VMA: END",
    ]
    assert "    + IODEVICE ADDRESS=(6021,001),CUNUMBR=(6020),UNITADD=01,STADET=Y," in page
    assert "    -               UNITADD=((00,001)),CUADD=2,UNIT=FCTC" in page


@pytest.mark.slow
def test_the_record_has_figures_and_the_way_back(
    layouts: tuple[str, str], recorded: Recorded
) -> None:
    record = recorded("change", *layouts)
    assert [(step["kind"], step["ctcs"], step["down"]) for step in record["steps"]] == [
        ("add", 8, False),
        ("remove", 7, False),
    ]
    for step in record["steps"]:
        assert step["mb_per_s"]["range"]["likely"][0] <= step["mb_per_s"]["value"]
    assert [step["rdevs"]["VMA"] for step in record["back"]] == [["5025"], ["6021"]]
    assert [deck["name"] for deck in record["decks"]] == ["crowded"]


@pytest.mark.slow
def test_a_step_carries_what_the_link_is_said_to_carry_elsewhere(recorded: Recorded) -> None:
    """The slower direction of each layout, to the last bit, and of one CTC too."""
    *_, last = recorded("change", "published-1", "published-4")["steps"]
    rates = carried("published-4")
    assert last["mb_per_s"]["value"] == min(each.stated.value for each in rates)


def tried(words: list[str], capsys: pytest.CaptureFixture[str], runs: int = 1) -> list[set[str]]:
    """What is up at each end when runs have done the steps; each order is carried out."""
    capsys.readouterr()
    assert run(words) == ExitCode.GOOD
    told = [line.split() for line in capsys.readouterr().err.split("to try it: isfc ")[1:]]
    assert len(told) == runs
    for each in told:
        assert (
            run([*each[:4], *each[8:12], "--workload", "HS", "--pairs", "1", "--json"])
            == ExitCode.GOOD
        )
        entries = json.loads(capsys.readouterr().out)["cp"]
        assert all(each["return_code"] == 0 for each in entries if each["command"])
    return [set(up(each["lines"])) for each in entries if each["command"] == "QUERY ISLINK"][-2:]


def test_a_run_with_the_script_ends_in_the_other_layout(
    layouts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = tried(["change", *layouts, "--no-rates", "--try", str(tmp_path)], capsys)
    assert ends == active(layouts[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_runs_of_drawn_pairs_end_in_the_other_layout(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = drawn_files(tmp_path, Random(seed))
    words = ["change", *map(str, files), "--no-rates", "--try", str(tmp_path)]
    assert tried(words, capsys) == active(files[1])


def test_a_reset_is_tried_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["change", "query-islink", "query-islink", "--no-rates", "--reset", "1STI-2NDI"]
    assert tried([*words, "--try", str(tmp_path)], capsys) == active("query-islink")


def test_channels_that_both_systems_have_are_in_the_trial(tmp_path: Path) -> None:
    layout = str(tmp_path / "layout.toml")
    deck = ["import", "iocp", str(DECKS / "three-systems.iocp"), "--partitions", "VMA,VMB"]
    assert run([*deck, "--ports", "VMA:50=01", "-o", layout]) == ExitCode.GOOD
    words = ["change", layout, layout, "--no-rates", "--reset", "VMA-VMB"]
    assert run([*words, "--try", str(tmp_path)]) == ExitCode.GOOD
    assert run([*words, "--try", str(tmp_path), "--force"]) == ExitCode.GOOD
    given = given_collection(layout)
    assert given_collection(tmp_path / "change.toml").shared_channels == given.shared_channels != ()


def test_what_a_run_cannot_try_is_refused(
    layouts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Refusal
) -> None:
    moved = edit(given_collection(layouts[0]), MoveCtc("VMA-VMB", "5020", "2"))
    Path(layouts[1]).write_text(format_collection(moved))
    capsys.readouterr()
    words = ["change", *layouts, "--no-rates"]
    same = ["change", layouts[0], layouts[0], "--no-rates", "--try", str(tmp_path / "none")]
    assert "no CTC changes" in refusal(*same)
    assert refusal(*words, "--link", "VMA-VMB")
    assert run(words) == 0
    assert "* delete 5020: something new has the number" in capsys.readouterr().out
    # a folder that is not there is made, once there is something to write
    made = tmp_path / "none"
    assert not made.exists()
    assert tried([*words, "--try", str(made)], capsys) == active(layouts[1])


def test_decks_and_consoles_are_imported(
    layouts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(before: str, after: str, *options: str) -> str:
        capsys.readouterr()
        assert run(["change", before, after, "--no-rates", *options]) == 0
        return capsys.readouterr().out

    deck = str(DECKS / "crowded.iocp")
    of_layout, of_deck = (
        json.loads(told(before, layouts[1], "--json"))["steps"] for before in (layouts[0], deck)
    )
    assert of_layout == of_deck != []
    logs = ",".join(str(LOGS / name) for name in ("atlanta.txt", "boston.txt"))
    layout = str(tmp_path / "console.toml")
    assert run(["import", "islink", *logs.split(","), "-o", layout]) == ExitCode.GOOD
    for same in ((deck, deck, "--partitions", "VMA,VMB"), (logs, layout)):
        assert "No CTC changes." in told(*same)


def test_the_same_layout_takes_no_step(printed: Printed) -> None:
    assert printed("change", "query-islink", "query-islink").endswith("\n\nNo CTC changes.\n")


def test_what_the_decks_cannot_have_yet_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], printed: Printed, recorded: Recorded
) -> None:
    """A new chpid on a director, whose port nobody has told."""
    before, after = tmp_path / "before.toml", tmp_path / "after.toml"
    deck = str(DECKS / "cross-css.iocp")
    assert run(["import", "iocp", deck, "--partitions", "ALPHA,BETA", "-o", str(before)]) == 0
    wider = edit(given_collection(before), AddFibre("ALPHA-BETA", ("53", "64"), "FICON Express8S"))
    after.write_text(format_collection(wider))
    capsys.readouterr()
    assert "\nNOT in the decks yet: chpid BETA:64 leads to ALPHA:53" in printed(
        "change", str(before), str(after), "--no-rates"
    )
    record = recorded("change", str(before), str(after), "--no-rates")
    assert record["decks"] is None
    assert record["decks_problem"].startswith("chpid BETA:64 leads to")


def test_a_stuck_link_is_brought_down_and_up_and_that_is_said_first(printed: Printed) -> None:
    words = ["change", "query-islink", "query-islink", "--no-rates"]
    page = printed(*words, "--reset", "1STI-2NDI")
    assert "\n\nDOWN: 1STI-2NDI after step 1. Relocate nothing " in page
    assert "Every link has a CTC all the time." not in page
    assert page.count("DEACTIVE ISLINK") == page.count("ACTIVATE ISLINK") == 2
    assert "SYSTEM CONFIG" not in page


def test_a_reset_on_the_way_to_another_layout_has_a_way_back(recorded: Recorded) -> None:
    words = ["change", "atlanta-boston", str(PROJECT / "docs/changing/wider.toml"), "--no-rates"]
    record = recorded(*words, "--reset", "ATLANTA-BOSTON")
    steps, back = (
        [(each["kind"], len(each["rdevs"]["ATLANTA"])) for each in record[key]]
        for key in ("steps", "back")
    )
    assert steps == [("remove", 8), ("add", 8)]
    # what was varied offline is defined still: it was told to be defined
    told = [order["words"] for order in record["steps"][1]["orders"] if order["words"]]
    assert [words.partition(" defined on ")[0] for words in told] == [
        "have 6024-6025",
        "have 7024-7025",
    ]
    assert back == [("add", 2), ("remove", 2)]


def test_of_a_search_that_is_cut_the_page_says_so(
    layouts: tuple[str, str], monkeypatch: pytest.MonkeyPatch, printed: Printed
) -> None:
    monkeypatch.setattr("isfc.layout.change_search.STATES_MAX", 1)
    assert "\nThe search was cut: " in printed("change", *layouts, "--no-rates")


def test_json_is_the_answer_with_what_tries_it(
    layouts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], recorded: Recorded
) -> None:
    words = ["change", *layouts, "--no-rates"]
    capsys.readouterr()
    record = recorded(*words)
    assert record == encoded(isfc.change(*layouts, rates=False))
    for force in ([], ["--force"]):  # which was refused: no file was to be written
        assert run([*words, "--try", str(tmp_path), *force]) == ExitCode.GOOD
    (trial,) = record["trials"]
    assert (tmp_path / "change.toml").read_text() == trial["layout"]
    assert (tmp_path / "change.cp").read_text() == trial["script"]


def test_ports_that_an_export_adds_to_decks_are_cards_that_come() -> None:
    decks, ports = [DECKS / "cec-a.iocp", DECKS / "cec-b.iocp"], "ATLANTA:50=C0,ATLANTA:51=C1"
    ports += ",ATLANTA:52=C2,ATLANTA:53=C3"
    given = isfc.import_iocp(decks, partitions="ATLANTA,BOSTON", ports=[ports]).collection
    (link,) = given.links
    fewer = edit(given, RemoveCtc(link.name, link.ctcs[0].rdev_names[0]))
    change = isfc.change(given, fewer, rates=False)
    texts = isfc.export(fewer, "iocp").texts.values()
    wanted = [line for text in texts for line in text.splitlines() if "PORT=" in line]
    assert [line for deck in change.decks or () for line in deck.new] == wanted != []


def test_what_is_assumed_of_decks_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    deck = DECKS / "crowded.iocp"
    found = isfc.change(deck, deck, partitions="VMA,VMB", rates=False)
    assert not found.steps
    assert run(["change", str(deck), str(deck), "--partitions", "VMA,VMB"]) == ExitCode.GOOD
    told = " ".join(capsys.readouterr().err.split())
    assert found.assumed
    assert all(each in told for each in found.assumed)


def test_a_system_that_gets_another_machine_is_named() -> None:
    plain = load_layout("published-4")
    z13, z16 = Processors("z13"), Processors("z16 A01")
    old, new = (replace(plain, machines=(z13, on)) for on in (z13, z16))
    (told,) = isfc.change(old, new, rates=False).assumed
    assert told == "steps are run with SERVER on z13, and then it is on z16 A01"
    assert not isfc.change(plain, new, rates=False).assumed


def test_arguments_are_named_as_python_has_them() -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"^ports: of IOCP decks"):
        isfc.change("published-1", "published-1", ports=["A:50=C1"])
    with pytest.raises(isfc.ConfigurationError, match=r"^reset 'A-B': no such link"):
        isfc.change("published-1", "published-1", reset="A-B", rates=False)
    with pytest.raises(isfc.ConfigurationError, match=r"^jobs 0: "):
        isfc.change("published-1", "published-1", jobs=0)


def test_of_several_links_that_change_one_is_tried(refusal: Refusal, tmp_path: Path) -> None:
    fewer = given_collection("two-cecs")
    for link in fewer.links[:2]:
        fewer = edit(fewer, RemoveCtc(link.name, f"{link.ctcs[0].rdevs[0]:04X}"))
    after = tmp_path / "fewer.toml"
    after.write_text(format_collection(fewer))
    words = ["change", "two-cecs", str(after), "--no-rates", "--try", str(tmp_path)]
    first, second, third = (link.name for link in fewer.links[:3])
    assert f"--link '': expected one of {first}, {second}" in refusal(*words)
    assert third in refusal(*words, "--link", third)
    assert run([*words, "--link", second]) == ExitCode.GOOD
    assert given_collection(tmp_path / "change.toml").links[0].name == second


@pytest.mark.slow
def test_of_a_link_that_goes_for_good_the_page_does_not_say_that_it_stays_up() -> None:
    stays = isfc.new("A,B", "40:50", ctcs=2, rdevs="6000")
    goes = isfc.new("A,C", "41:60", ctcs=2, rdevs="6100")
    page = "\n".join(change_lines(isfc.change(Collection((stays, goes)), stays, rates=False)))
    assert "\nEvery link of both layouts has a CTC all the time." in page
    assert "\nThen there is no such link." in page


def test_what_another_change_left_beside_is_named(
    layouts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "change-2.cp").write_text("* of a longer change\n")
    words = ["change", *layouts, "--no-rates", "--try", str(tmp_path), "--force"]
    assert run(words) == ExitCode.GOOD
    assert "isfc: note: not of this change: change-2.cp\n" in capsys.readouterr().err


def test_more_ctcs_than_a_run_has_take_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("before.toml", "after.toml")]
    for file, rdev in zip(files, ("6000", "7000"), strict=True):
        layout = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=8, rdevs=rdev)
        file.write_text(format_collection(given_collection(layout)))
    words = ["change", *map(str, files), "--no-rates", "--try", str(tmp_path)]
    assert tried(words, capsys, runs=3) == active(files[1])
    assert {path.name for path in tmp_path.glob("change*")} == {
        f"change-{n}.{kind}" for n in range(1, 4) for kind in ("toml", "cp")
    }


@pytest.mark.slow
def test_a_link_that_is_renumbered_carries_what_half_of_it_carries() -> None:
    """Its numbers stay, its chpids are others: no new CTC can come before an old one goes."""
    before, after = (isfc.new("ATLANTA,BOSTON", chpids, ctcs=4) for chpids in ("40:50", "41:51"))
    found = isfc.change(before, after)
    assert [(step.kind, step.count) for step in found.steps] == [("remove", 2), ("add", 2)] * 2
    (half,) = (link.half for link in found.before)
    assert half is not None
    carried = [step.mb_per_s.value for step in found.steps if step.mb_per_s and step.between]
    assert len(carried) == 2
    assert min(carried) >= 0.9 * half.value
    assert "That is less" not in "\n".join(change_lines(found))
    slow = structs.replace(half, value=0.89 * half.value)
    steps = tuple(structs.replace(step, mb_per_s=slow) for step in found.steps)
    page = "\n".join(change_lines(structs.replace(found, steps=steps)))
    assert "\nThat is less than 90 % of it.\n" in page
