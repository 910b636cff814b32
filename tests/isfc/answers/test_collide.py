"""``isfc collide``: the page, the JSON and what is refused."""

import re
from collections.abc import Sequence
from io import StringIO

import pytest
from rich.console import Console

import isfc
from isfc.answers.collide import RUNS, STEPS, Collisions, collide_report
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from isfc.reports.terminal import page as report_page
from scenarios.figures.collide import SEEDS, CollisionOutcome, loads_up_to, trials
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded

SMALL = "published-4 --offer-out 40 --offer-in 80 --steps 2 --seconds 0.02 --seeds 1".split()


@pytest.mark.at_length
@pytest.mark.slow
def test_page_has_a_table_and_a_heat_map_for_each_rule(printed: Printed) -> None:
    short = printed("collide", *SMALL)
    assert max(map(len, short.splitlines())) <= 80
    assert short.count("\nupward ") == 1
    assert "Collisions/s, " not in short
    page = printed("collide", *SMALL, "--notes")
    assert max(map(len, page.splitlines())) <= 80
    assert page.count("Collisions/s, ") == 6
    rows = page.partition("Collisions/s, upward")[2].splitlines()[1:4]
    assert rows[0].split() == ["40", "80"]
    assert [row.split()[0] for row in rows[1:]] == ["20", "40"]


@pytest.mark.at_length
@pytest.mark.slow
def test_json_has_every_run(recorded: Recorded) -> None:
    record = recorded("collide", *SMALL, "--steps", "1")
    assert record["ctcs"] == 4
    loads = [(each["offered_out"], each["offered_in"]) for each in record["outcomes"]]
    assert loads == [(40, 80)] * 6


def test_absurd_loads_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", "published-4", "--offer-out", "-1", "--offer-in", "1"]) == 2
    assert "--offer-out -1: expected 0 to 2000 MB/s" in capsys.readouterr().err


def test_without_a_load_it_says_what_one_is(refusal: Refusal) -> None:
    told = refusal("collide", "published-4")
    assert told.startswith("no load: expected --offer-out and --offer-in")
    assert re.search(r"such as --offer-out [1-9]\d* --offer-in [1-9]\d* ", told)
    with pytest.raises(isfc.IsfcError, match=r"offer_out and offer_in, such as offer_out \d"):
        isfc.collide("published-4")


def answer(*figures: float, seeds: int = 1, spread: float = 0) -> Collisions:
    """What upward scans do, by the load in; ISFC's own rule has no collision."""
    loads = (5, 10, 15)
    own = [CollisionOutcome("stop-short 1", 10, load, 0, 0, 1, 1, 1, 0, 0) for load in loads]
    outcomes = [
        CollisionOutcome("upward", 10, load, figure, 0, 1, 1, 1, spread, 0.5)
        for load, figure in zip(loads, figures, strict=True)
    ]
    return answered([*outcomes, *own], seeds)


def answered(outcomes: Sequence[CollisionOutcome], seeds: int = 1) -> Collisions:
    nodes = load_layout("published-4").nodes
    return Collisions(nodes, 8, 32_768, 0.5, 1, 1, seeds, (), tuple(outcomes))


def page(*figures: float, seeds: int = 1, spread: float = 0) -> str:
    return shown(answer(*figures, seeds=seeds, spread=spread))


def shown(found: Collisions) -> str:
    console = Console(file=StringIO(), width=80)
    console.print(report_page(collide_report(found), notes=True))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def map_of(page: str) -> list[str]:
    """The lines of the map of upward scans."""
    return page.partition("Collisions/s, upward")[2].partition("\n\n")[0].splitlines()


def test_page_says_how_far_its_figures_are_known() -> None:
    shown = " ".join(page(0, 1, 400, seeds=3, spread=7).split())
    assert "Each figure is the mean of 3 runs with different seeds, each of 0.5 s of " in shown
    assert "warm-up, 18 runs in all. Their spread" in shown
    assert "differ most for upward at 10 and 5 MB/s: by 7." in shown
    row, *_ = re.findall(r"^upward .*$", page(0, 1, 400, seeds=3, spread=7), re.MULTILINE)
    assert row.split() == ["upward", "400", "7", "0", "2", "0", "1", "1", "10", "and", "5"]
    assert "Each figure is of one run" in page(0, 1, 400)


def test_help_says_how_many_runs_are_made_if_nothing_is_said(printed: Printed) -> None:
    loads = loads_up_to(160, STEPS)
    runs = trials(load_layout("published-4"), loads, loads, 0.5, 32_768, range(SEEDS))
    assert len(runs) == RUNS
    assert f"each way; {STEPS} make {RUNS} runs. [default: {STEPS}]" in " ".join(
        printed("collide", "-h").split()
    )


@pytest.mark.parametrize(("spread", "is_said"), [(0.4, True), (1.2, False)])
def test_no_rule_is_ahead_by_less_than_its_runs_differ(*, spread: float, is_said: bool) -> None:
    rules = [("stop-short 1", 100.0), ("random", 101.0)]
    found = [CollisionOutcome(name, 10, 10, 4, 1, rate, 0, 1, 3, spread) for name, rate in rules]
    answers = dict(collide_report(answered(found, seeds=3)).answer)
    assert answers["ISFC's rule"].startswith("stop-short 1: 100 MB/s together (spread ")
    assert answers["Carries most"].startswith(
        "random: 101 MB/s" if is_said else "no rule clearly more than"
    )
    assert "Collides least" not in answers


def test_the_load_up_to_which_nothing_collides_is_one_that_ran() -> None:
    found = [
        CollisionOutcome("stop-short 1", out, back, 5 * (out == 30), 0, 1, 1, 1)
        for out in (10, 20, 30)
        for back in (20, 40, 60)
    ]
    (table, _) = collide_report(answered(found)).tables
    assert [column.of(row) for row in table.rows for column in table.columns][-1] == "20 and 40"


def test_shades_go_from_none_to_the_most() -> None:
    row = map_of(page(0, 1, 400))[-1]
    assert row.split() == ["10", "0", "1", "··", "400", "██"]


def test_no_collisions_at_all_have_no_shade() -> None:
    assert map_of(page(0, 0, 0))[-1].split() == ["10", "0", "0", "0"]


def test_figures_with_a_trend_are_named() -> None:
    outcomes = [
        CollisionOutcome("upward", 10, load, 1, 0, 1, 1, 1, drifts=load != 3) for load in range(6)
    ]
    own = CollisionOutcome("stop-short 1", 10, 5, 1, 0, 1, 1, 1)
    said = " ".join(shown(answered([*outcomes, own])).split())
    assert "A trend is left in 5 of 7 figures" in said
    assert "upward at 10 and 0, upward at 10 and 1, upward at 10 and 2 and 2 more." in said
    assert "A trend" not in page(0, 1, 400)
