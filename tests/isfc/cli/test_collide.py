"""``isfc collide``: the page, the JSON and what is refused."""

import json
import re
from io import StringIO

import pytest
from rich.console import Console

from isfc.cli.collide import collide_page
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from scenarios.figures.collide import CollisionOutcome, trials
from tests.isfc.cli.conftest import Refusal

SMALL = [
    "published-4",
    "--offer-out",
    "40",
    "--offer-in",
    "80",
    "--steps",
    "2",
    "--seconds",
    "0.02",
    "--seeds",
    "1",
]


@pytest.mark.at_length
@pytest.mark.slow
def test_page_has_a_table_and_a_heat_map_for_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", *SMALL]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    assert page.count("Collisions/s, ") == 6
    assert page.count("\nupward ") == 1
    rows = page.partition("Collisions/s, upward")[2].splitlines()[1:4]
    assert rows[0].split() == ["40", "80"]
    assert [row.split()[0] for row in rows[1:]] == ["20", "40"]


@pytest.mark.at_length
@pytest.mark.slow
def test_json_has_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", *SMALL, "--steps", "1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ctcs"] == 4
    loads = [(each["offered_out"], each["offered_in"]) for each in record["outcomes"]]
    assert loads == [(40, 80)] * 6


def test_absurd_loads_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", "published-4", "--offer-out", "-1", "--offer-in", "1"]) == 2
    assert "--offer-out -1: expected 0 to 2000 MB/s" in capsys.readouterr().err


def test_without_a_load_it_says_what_one_is(refusal: Refusal) -> None:
    told = refusal("collide", "published-4")
    assert told.startswith("no load: expected --offer-out and --offer-in")
    assert re.search(r"isfc collide published-4 --offer-out [1-9]\d* --offer-in [1-9]\d*", told)


def page(*figures: float, seeds: int = 1, spread: float = 0) -> str:
    outcomes = [
        CollisionOutcome("upward", 10, load, figure, 0, 1, 1, 1, spread, 0.5)
        for load, figure in zip((5, 10, 15), figures, strict=True)
    ]
    console = Console(file=StringIO(), width=80)
    layout = load_layout("published-4")
    (trial, *_) = trials(layout, [10], [5], 0.5, 32_768, [1])
    console.print(collide_page(layout, outcomes, trial, seeds))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def maps(shown: str) -> list[str]:
    """The lines above what is said of all figures."""
    return shown.partition("\n\nEach figure")[0].splitlines()


def test_page_says_how_far_its_figures_are_known() -> None:
    shown = " ".join(page(0, 1, 400, seeds=3, spread=7).split())
    assert "Each figure is the mean of 3 runs with different seeds, of 0.5 s of virtual" in shown
    assert "differ most for upward at 10 and 5 MB/s: by 7." in shown
    (row,) = re.findall(r"^upward .*$", page(0, 1, 400, seeds=3, spread=7), re.MULTILINE)
    assert row.split() == ["upward", "400.0", "7.0", "0.00", "%", "1.0", "1.0", "2.0", "0.5", "1"]
    assert "Each figure is of one run" in page(0, 1, 400)


def test_shades_go_from_none_to_the_most() -> None:
    row = maps(page(0, 1, 400))[-1]
    assert row.split() == ["10", "0", "1", "··", "400", "██"]


def test_no_collisions_at_all_have_no_shade() -> None:
    assert maps(page(0, 0, 0))[-1].split() == ["10", "0", "0", "0"]


def test_figures_with_a_trend_are_named() -> None:
    (trial, *_) = trials(load_layout("published-4"), [10], [5], 0.5, 32_768, [1])
    outcomes = [
        CollisionOutcome("upward", 10, load, 1, 0, 1, 1, 1, drifts=load != 3) for load in range(6)
    ]
    console = Console(file=StringIO(), width=80)
    console.print(collide_page(load_layout("published-4"), outcomes, trial, 1))
    assert isinstance(console.file, StringIO)
    shown = " ".join(console.file.getvalue().split())
    assert "A trend is left in 5 of 6 figures" in shown
    assert "upward at 10 and 0, upward at 10 and 1, upward at 10 and 2 and 2 more." in shown
    assert "A trend" not in page(0, 1, 400)
