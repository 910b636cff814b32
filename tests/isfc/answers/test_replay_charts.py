"""What a replay draws: its charts, and what is refused."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from isfc.answers.replay_charts import part_charts
from isfc.cli.main import run
from isfc.reports.figure import Figure
from isfc.reports.picture import chart_svg
from isfc.reports.report import Lines
from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.replay import ComparedFigure, Part, choose, figures_by_cell
from scenarios.published.table import PublishedTable
from tests.isfc.cli.conftest import Refusal

MEASURES = ["mb_per_s", "collisions_per_s", "rdev_util_percent"]
ONE_RUN = ["--suite", "HL", "--rdevs", "12", "--pairs", "1", "--seconds", "0.01"]


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


@pytest.fixture(scope="module")
def parts(table: PublishedTable) -> list[Part]:
    return choose([table], {"suite": ["HS", "HL"], "rdevs": [1, 8, 16], "pairs": [1, 50]})


def emulated(parts: Sequence[Part], *factors: float) -> list[ComparedFigure]:
    """What a model gives that is off by each of the ``factors`` everywhere, one after another."""
    return [
        ComparedFigure(
            *(part.table.name, row.key, measure, row.number(measure)),
            *(factor * row.number(measure), None, row.role, None),
        )
        for factor in factors
        for part in parts
        for row in part.rows
        for measure in part.table.measures
        if row.has_number(measure)
    ]


def charts(parts: Sequence[Part], *factors: float) -> list[Lines]:
    figures = figures_by_cell(emulated(parts, *factors))
    return [chart for part in parts for chart in part_charts(part, figures)]


def test_a_chart_for_each_suite_and_two_lines_for_each_number_of_pairs(parts: list[Part]) -> None:
    shown = charts(parts, 2.0)
    assert [chart.caption[:3] for chart in shown] == ["HS:", "HL:"]
    assert [column.field for column in shown[0].up] == MEASURES
    published = [
        (f"{pairs} pair{'s' * (pairs > 1)}", row.number("rdevs"), row.number("mb_per_s"))
        for row in parts[0].rows[:6]
        for pairs in [int(row.number("pairs"))]
    ]
    for whose, factor in (("IBM", 1), ("ours", 2)):
        rows = [row for row in shown[0].rows if isinstance(row, dict) and row["whose"] == whose]
        drawn = [(row["pairs"], row["rdevs"], row["mb_per_s"]) for row in rows]
        assert drawn == [(pairs, x, factor * y) for pairs, x, y in published]


def test_several_seeds_give_their_mean_with_a_bar_from_least_to_greatest(parts: list[Part]) -> None:
    ibm, ours, *_ = (row for row in charts(parts, 1.0, 1.5, 0.8)[0].rows if isinstance(row, dict))
    published, mean = ibm["mb_per_s"], ours["mb_per_s"]
    assert isinstance(mean, Figure)
    assert [mean.ends.low, mean.value, mean.ends.high] == pytest.approx(
        [0.8 * published, 1.1 * published, 1.5 * published]
    )


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_every_grid_is_drawn_and_the_rest_left_out() -> None:
    parts = choose([load_table(name) for name in TABLES], {})
    drawn = "".join(map(chart_svg, charts(parts, 1.1)))
    for said in ("messages/s, both ways", "bytes of a reply", "IBM", "ours", "100 pairs"):
        assert said in drawn
    assert "FCX108" not in drawn


def test_table_that_is_no_grid_is_refused(refusal: Refusal) -> None:
    assert "--plot: there is nothing to draw" in refusal("replay", "stop_short", "--plot", "x.svg")


def test_missing_library_is_named_with_its_extra_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr("isfc.answers.replay.run", None)
    assert run(["replay", *ONE_RUN, "--plot", str(tmp_path / "a.svg")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "isfc: --plot needs vl-convert-python, which is not installed; "
        "install it (or all that commands need, 'isfc[all]') with\n"
        f"{sys.executable} -m pip install 'isfc[plot]'\n"
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_command_draws_what_it_ran(tmp_path: Path) -> None:
    picture, page = tmp_path / "a.SVG", tmp_path / "a.html"
    run(["replay", *ONE_RUN, "--plot", str(picture), "--html", str(page)])
    assert "HL" in picture.read_text("utf-8")
    assert page.read_text("utf-8").count('class="picture"') == 1


def test_pairs_have_the_same_colour_in_every_picture(table: PublishedTable) -> None:
    chosen = choose([table], {"suite": ["HL"], "rdevs": [8], "pairs": [50]})
    (alone,) = charts(chosen, 1.0)
    assert "#d62728" in chart_svg(alone)  # the fourth of IBM's


def test_kinks_are_marked_where_the_link_gets_a_chpid(parts: list[Part]) -> None:
    (first, _) = charts(parts, 1.0)
    counts = sorted({row.number("rdevs") for row in parts[0].rows})
    assert first.marks
    assert all(min(counts) < at < max(counts) for at, _ in first.marks)
    assert {name for _, name in first.marks} <= {"2 chpids", "3 chpids", "4 chpids"}
    assert "4 chpids" in chart_svg(first)
