"""``isfc optimise`` of one link and of several: page, record, what it writes and refuses."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import Rdev
from ctc.features import find_profile
from isfc.answers import optimise
from isfc.answers.optimise import definition_changes, search_result
from isfc.answers.optimise_report import SearchResult, optimise_report
from isfc.cli.main import run
from isfc.cli.output.streams import show
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.plan import find_all
from isfc.layout.processors import Processors
from isfc.layout.write import format_collection, format_layout
from isfc.reports.terminal import page as page_of
from scenarios.runs import steady
from scenarios.runs.experiment import STATED, Load
from scenarios.runs.steady import Rate
from scenarios.runs.workload import Workload, find_workload
from scenarios.search.candidate import with_kept_numbers
from scenarios.search.scoring import Contender, Found, LinksObjective, Objective, Scoring, Task
from tests.decks import DECKS
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded

QUICK = ["--runs", "8", "--seconds", "0.02", "--pairs", "5", "--seeds", "2", "--jobs", "1"]
pytestmark = pytest.mark.at_length
LAYOUT = "docs/optimise-links.toml"
LINKS = "docs/optimise-cluster.toml"


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])


@pytest.mark.slow
def test_record_and_written_layout_agree(tmp_path: Path, recorded: Recorded) -> None:
    best = tmp_path / "best.toml"
    record = recorded("optimise", LAYOUT, *QUICK, "--ctcs", "3", "-o", str(best))
    assert record["objectives"] == ["forward"]
    written = load_layout(best)
    assert record["best"][0]["chpids"] == [ctc.fibre.name for ctc in written.device_list()]
    assert len(written.ctcs) == 3
    assert record["best"][0]["activate"]["DALLAS"]["now"][0].startswith("ACTIVATE ISLINK 50")
    assert record["best"][0]["layout"] == best.read_text("utf-8")
    assert record["simulated"] <= 8


@pytest.mark.slow
def test_page_fits_80_columns_and_shows_the_front_of_two_objectives(
    tmp_path: Path, printed: Printed
) -> None:
    picture = tmp_path / "front.svg"
    objectives = ["--objective", "forward", "--objective", "reverse"]
    out = printed("optimise", LAYOUT, *QUICK, *objectives, "--plot", str(picture))
    assert max(map(len, out.splitlines())) <= 80
    assert "front" in out
    assert "forward, MB/s" in picture.read_text("utf-8")


OF_ONE = "of one link, and the file has 2 links; expected --link with one of AUSTIN-DALLAS, DALLAS-"
REFUSED = {
    LAYOUT: {
        "--objective sum": "--objective 'sum': expected one of forward",
        "--of-links sum": "--of-links is gone: use --objective",
        "--jobs 0": "--jobs 0: expected 1 to 1024",
        "--fixed 9999": "--fixed 9999: no such device at DALLAS",
        "--workload XX": "workload 'XX' is unknown",
        "--ctcs 17": "--ctcs 17: expected 1 to 16",
        "-o nowhere/best.toml": "-o nowhere/best.toml: there is no folder nowhere",
    },
    LINKS: {
        "--ctcs 4": f"--ctcs: {OF_ONE}",
        "--objective forward": "--objective 'forward': expected one of sum, worst-",
        "--objective sum --objective worst-link": f"--objective: {OF_ONE}",
        "--workload HX": "workload 'HX' is unknown",  # was not looked at
        "--pairs 5 --traffic DALLAS-TULSA:HL:5": "--traffic and --pairs: exp",
        "--traffic DALLAS-X:HL:5": "--traffic DALLAS-X:HL:5: no link joins",
    },
    "published-4": {"--traffic A-B:HL:5": "--traffic: of several links; expected it"},
}


@pytest.mark.parametrize(
    ("layout", "options"), [(layout, each) for layout, of in REFUSED.items() for each in of]
)
def test_bad_options_are_refused(layout: str, options: str, refusal: Refusal) -> None:
    assert REFUSED[layout][options] in refusal("optimise", layout, *options.split())


def test_device_numbers_that_are_new_or_move_are_named() -> None:
    now = load_layout(LAYOUT)
    first, second, *others = now.ctcs
    elsewhere = structs.replace(second, fibre=others[0].fibre)
    new = CtcPair(first.fibre, (Rdev(0x5002), Rdev(0x6002)))
    assert definition_changes(now, replace(now, ctcs=(first, *others))) == []
    assert definition_changes(now, replace(now, ctcs=(first, elsewhere, new))) == [
        "5001 at DALLAS goes from chpid 50 to 51",
        "5002 at DALLAS is new",
        "6001 at TULSA goes from chpid 60 to 61",
        "6002 at TULSA is new",
    ]


GIVEN = load_layout(str(Path(__file__).parents[3] / LAYOUT))
FEWER = GIVEN.with_ctcs(GIVEN.ctcs[1:])
NEW = replace(GIVEN, ctcs=(*GIVEN.ctcs[2:], CtcPair(GIVEN.fibres[0], (Rdev(0x5030), Rdev(0x6030)))))
LOAD = Load(find_workload("HL"), 10)
TASK = Task(Collection.of(GIVEN), Scoring((Objective.FORWARD,), LOAD, 0.1), 6, runs=1)


def contender(layout: Layout, mb_per_s: float, spread_percent: float = 1.0) -> Contender:
    rate = Rate(mb_per_s, mb_per_s * spread_percent / 100)
    return Contender(Collection.of(layout), (rate,), {}, STATED)


def result(best: Layout, mb_per_s: float, defined: float = 100.0) -> Found:
    """What a search has found that has found 100 MB/s of the layout given, known within 1 %."""
    now = contender(GIVEN, 100.0)
    chosen = now if defined == 100 else contender(FEWER, defined)
    return Found((contender(best, mb_per_s),), now, chosen, 1, 9, 0, 3)


def answer(found: Found) -> SearchResult:
    return search_result(found, TASK, format_collection)


def page(found: Found, capsys: pytest.CaptureFixture[str], *, notes: bool = False) -> str:
    show(page_of(optimise_report(answer(found)), notes=notes))
    return " ".join(capsys.readouterr().out.split())


def test_both_answers_are_on_the_page_and_what_to_do_for_the_better_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = page(result(NEW, 130.0, defined=110.0), capsys)
    assert "Best +30 % over the layout given (odds " in text
    assert "with a change of the IODF" in text
    assert "As defined +10 % over the layout given (odds " in text
    assert "DALLAS IODF 5030 is new" in text
    assert "DALLAS now ACTIVATE ISLINK 5010 5011 5020 5021 NODE TULSA" in text
    assert "DALLAS after IODF ACTIVATE ISLINK 5030 NODE TULSA" in text
    assert "DALLAS leave out 5000 5001" in text
    assert answer(result(NEW, 130.0, defined=110.0)).defined.activate["DALLAS"].now == (
        "ACTIVATE ISLINK 5001 5010 5011 5020 5021 NODE TULSA",
    )


def test_on_machines_what_limits_the_best_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    on = Processors("z10 BC"), Processors("z10 BC")
    task = structs.replace(TASK, collection=Collection.of(replace(GIVEN, machines=on)))
    found = search_result(result(replace(NEW, machines=on), 130.0), task, format_collection)
    show(page_of(optimise_report(found), notes=False))
    assert found.limits is not None
    assert f"Limited by {found.limits.named}" in " ".join(capsys.readouterr().out.split())
    assert answer(result(NEW, 130.0)).limits is None


def test_ctcs_that_need_the_iodf_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(NEW, 130.0)
    text = page(found, capsys)
    assert "2 on s2, 2 on f, 1 new on s1" in text
    assert "; new CTCs need a change of the IODF" in text
    record = answer(found)
    assert record.best[0].needs_iodf == (False, False, False, False, True)
    assert not any(record.given.needs_iodf)
    assert not record.defined.gains
    assert record.profile is msgspec.UNSET


FAST = structs.replace(GIVEN.fibres[2], profile=find_profile("FICON Express8S", None))
FASTER = replace(GIVEN, fibres=(FAST,), ctcs=(structs.replace(GIVEN.ctcs[4], fibre=FAST),))


@pytest.mark.parametrize(
    ("found", "said", "unsaid"),
    [
        (result(NEW, 110.2, defined=110.0), "IODF a change of it gains nothing more", "5030"),
        (result(NEW, 100.4), "Nothing to gain", "ACTIVATE"),
        (result(NEW, 104.0), "No winner +4 % over the layout given (odds ", "ACTIVATE"),
        (result(GIVEN.with_ctcs(GIVEN.ctcs[4:]), 130.0), "with the devices that are def", "IODF"),
        (result(GIVEN.with_ctcs(GIVEN.ctcs[4:]), 130.0), "finds, other than now, ", "Nothing"),
        (result(FASTER, 130.0), "The model is extrapolated", "Nothing"),
    ],
)
def test_page_says(
    found: Found, said: str, unsaid: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page(found, capsys)
    assert said in text
    assert unsaid not in text


@given(st.lists(st.integers(0, 2), min_size=1, max_size=16))
def test_warning_that_a_proposal_brings_is_said_beside_it(candidate: list[int]) -> None:
    layout = with_kept_numbers(GIVEN, [tuple(candidate)])
    assert layout is not None
    found = answer(result(layout, 130.0))
    known = {finding.id for finding in find_all(GIVEN)}
    new = {finding.id for finding in find_all(layout)} - known
    assert {f"+{name}" for name in new} <= {*found.best[0].rules}
    said = dict(optimise_report(found).answer).get("isfc check", "")
    assert all(name in said for name in new)


AS_MANY = replace(NEW, ctcs=(*NEW.ctcs, GIVEN.ctcs[0]))


@pytest.mark.parametrize(
    ("found", "which", "kept"),
    [
        (result(AS_MANY, 130.0), "first", AS_MANY),
        (result(AS_MANY, 130.0, defined=110.0), "first", AS_MANY),
        (result(AS_MANY, 110.2, defined=110.0), "defined", FEWER),
        (result(AS_MANY, 100.4), "given", GIVEN),
    ],
)
def test_what_is_written_is_what_the_page_advises(
    found: Found,
    which: str,
    kept: Layout,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # a layout 0.4 % ahead was written below "Nothing to gain"
    monkeypatch.setattr(optimise, "search", lambda *_: found)
    path, given = tmp_path / "best.toml", tmp_path / "given.toml"
    given.write_text(f"# Ours.\n{format_layout(load_layout(LAYOUT))}")
    assert run(["optimise", str(given), "-o", str(path)]) == 0
    capsys.readouterr()
    assert path.read_text("utf-8") == f"# Ours.\n{format_layout(kept)}"
    assert ("nothing to gain" in page(found, capsys, notes=True)) == (which == "given")
    assert answer(found).written == which


def test_layout_of_another_number_of_ctcs_is_written_whatever_it_gains() -> None:
    found = result(FEWER, 60.0)
    assert found.proposed.layout == FEWER
    assert answer(found).written == "first"


BY_LINK = {"AUSTIN-DALLAS": Rate(50.0), "DALLAS-TULSA": Rate(50.0)}


def test_links_are_written_as_they_were_where_nothing_is_to_gain() -> None:
    links = given_collection(LINKS)
    now = Contender(links, (Rate(100.0, 1.0),), BY_LINK, STATED)
    for score, which in ((100.4, "given"), (130.0, "first")):
        best = Contender(links, (Rate(score, 1.0),), BY_LINK, STATED)
        goal = Scoring((LinksObjective.SUM,), STATED, 0.1)
        found = Found((best,), now, now, 1)
        assert search_result(found, Task(links, goal), format_collection).written == which


def test_page_says_how_far_figures_are_known_and_which_have_two_paces(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = result(NEW, 130.0)
    two = structs.replace(found.best[0], rates=(Rate(130.0, 2.6, 150.0),))
    text = page(structs.replace(found, best=(two,)), capsys, notes=True)
    assert "of runs until what they carry was steady, and is known within 2 %." in text
    assert "once, for 0.1 s of virtual time." in text
    assert "Two paces, of which a run keeps the one it falls into: 1 forward 130 or 150" in text
    (best,) = answer(structs.replace(found, best=(two,))).best
    assert best.score.second == 150.0


def test_layout_is_ahead_beyond_spreads_of_every_pace_and_by_the_odds() -> None:
    given = contender(GIVEN, 100.0, 3.0)
    for rate, gains in (
        (Rate(104.9, 4.0), False),
        (Rate(105.1, 4.0), False),  # by the odds it is open
        (Rate(111.0, 12.0), False),
        (Rate(111.0, 4.0), True),
        (Rate(94.0, 1.0), False),
        (Rate(120.0, 1.0, 101.0), False),
    ):
        assert structs.replace(given, rates=(rate,)).gains(given) is gains


@pytest.mark.slow
def test_nothing_is_ahead_and_has_odds_with_messages_that_are_too_far(
    capsys: pytest.CaptureFixture[str],
) -> None:
    far = Load(Workload("own", 64, 64, 0, 64))
    best, given = (
        structs.replace(contender(*each), load=far) for each in ((NEW, 130.0), (GIVEN, 100.0))
    )
    text = page(Found((best,), given, given, 1), capsys)
    assert "No winner +30 % over the layout given (no odds, as its messages are too far" in text


def test_what_else_the_file_says_is_written_too(tmp_path: Path) -> None:
    """Without its shared channels the layout that is written here would be refused."""
    given, written = tmp_path / "given.toml", tmp_path / "written.toml"
    deck = ["import", "iocp", str(DECKS / "three-systems.iocp"), "--partitions", "VMA,VMB"]
    assert run([*deck, "--ports", "VMA:50=01", "-o", str(given)]) == 0
    quick = "--runs 2 --seconds 0.01 --pairs 2 --seeds 1 --jobs 1".split()
    assert run(["optimise", str(given), "--ctcs", "3", *quick, "-o", str(written)]) == 0
    before, after = given_collection(given), given_collection(written)
    assert (after.cecs, after.decks) == (before.cecs, before.decks)
    assert {*after.shared_channels} <= {*before.shared_channels} != set()
    assert len(after.links[0].ctcs) == 3


QUICK_LINKS = ["optimise", LINKS, *"--runs 4 --seconds 0.02 --seeds 1 --jobs 1".split()]


@pytest.mark.slow
def test_all_links_are_moved_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, printed: Printed
) -> None:
    monkeypatch.setattr(steady, "BATCH_NS", 40_000_000)  # long enough to tell them apart
    file = tmp_path / "best.toml"
    text = " ".join(printed(*QUICK_LINKS, "-o", file).split())
    assert text.startswith("Best places of CTCs by MB/s sum, DALLAS-TULSA:HL:10, DALLAS-AUSTIN:HL:")
    assert "Best +" in text
    assert "IODF AUSTIN " in text or "IODF DALLAS " in text
    assert "to 51-61" in text
    assert [len(link.ctcs) for link in given_collection(file).links] == [4, 4]


def test_the_record_has_each_link(recorded: Recorded) -> None:
    traffic = ["--objective", "worst-link", "--traffic", "DALLAS-TULSA:HL:5"]
    record = recorded(*QUICK_LINKS, *traffic)
    assert (record["objectives"], record["traffic"]) == (["worst-link"], ["DALLAS-TULSA:HL:5"])
    assert list(record["given"]["links"]) == ["DALLAS-TULSA"]
    best, given = (one["figures"]["worst-link"] for one in (record["best"][0], record["given"]))
    assert best["value"] >= given["value"]
    assert all(move["before"] != move["after"] for move in record["moves"])
