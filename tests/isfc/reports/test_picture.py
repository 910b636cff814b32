"""Charts of every kind as pictures, and that what they draw can be seen on light and on dark."""

import re
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from isfc.reports.figure import Unit
from isfc.reports.html import resource, section
from isfc.reports.picture import CURVES, STYLE, chart_svg, picture_png, picture_svg
from isfc.reports.report import Bars, Chart, Column, Grid, Lines, Report, Table, bars_of, between
from tests.contrast import CONTRAST_MIN, contrast, parse_colour

WHITE: Final = "#ffffff"
DARK: Final = "#14181d"
DRAWN: Final = "write read disc pend other collision warning info".split()

RATE: Final = Column("MB/s", "rate", Unit.MB_PER_S)
ROWS: Final = [
    {"name": name, "at": at, "rate": between(10.0 * at, 9.0 * at, 12.0 * at), "busy": 2.5 * at}
    for name in ("A & B", "C")
    for at in (1, 10, 100)
]
CHARTS: Final[dict[str, Chart]] = {
    "bars": Bars("Some bars", Column("", "name"), RATE, ROWS[::3]),
    "grid": Grid("A grid", ["low", "high"], ["1", "2"], [[0, 5], [7, 10]], 10, Unit.PER_S),
    "lines": Lines(
        caption="Some lines",
        rows=ROWS,
        across=Column("pairs", "at"),
        up=[RATE, Column("busy %", "busy")],
        of=Column("", "name"),
    ),
    "steps": Lines(
        caption="Steps",
        rows=ROWS,
        across=Column("time", "at"),
        up=[RATE],
        dash=Column("", "name"),
        steps=True,
        ticks=[0, 50, 100],
        levels=[("A & B", "can send", between(500, 400, 600))],
        marks=[(20, "one more")],
    ),
}


def texts(svg: str) -> set[str]:
    return {*re.findall(r">([^<>]+)</text>", svg)}


def faint(colours: list[str], behind: str) -> list[str]:
    """Those that are hard to see."""
    back = parse_colour(behind)
    return [each for each in colours if contrast(parse_colour(each), back) < CONTRAST_MIN]


def dark_of(svg: str, what: str) -> dict[str, str]:
    return dict(re.findall(rf'\[{what}="(#\w+)"\] {{ {what}: (#\w+)', svg))


@pytest.mark.parametrize("kind", CHARTS)
def test_every_chart_is_drawn_alike_each_time_and_seen_on_light_and_dark(kind: str) -> None:
    chart = CHARTS[kind]
    svg = picture_svg(Report("All & each", [], charts=[chart]))
    assert svg == picture_svg(Report("All & each", [], charts=[chart]))
    assert ElementTree.fromstring(svg).get("aria-label") == "All & each"
    assert chart.caption in texts(svg)
    drawn = {*re.findall(r' (?:fill|stroke)="(#\w+)"', svg)} - {WHITE}
    there = dark_of(svg, "fill")
    assert there == dark_of(svg, "stroke")
    assert faint([*drawn], WHITE) == faint([there.get(each, each) for each in drawn], DARK) == []
    assert not re.search(r"style=|<image", chart_svg(chart))  # which the studio's policy forbids


def test_axes_say_what_bars_are_and_which_figures_have_none() -> None:
    shown = texts(chart_svg(CHARTS["lines"]))
    assert {"MB/s; bars: four of five cases", "busy %, without a range", "pairs"} <= shown
    assert {"1", "10", "100", "A &amp; B", "C"} <= shown  # the axis is a logarithm


def test_who_points_at_a_mark_is_told_its_figure() -> None:
    svg = chart_svg(CHARTS["lines"])
    assert "<title>A &amp; B, 10 pairs: 100 MB/s (90-120)</title>" in svg
    assert svg.count("<title>") == 2 * len(ROWS)
    assert "<title>A &amp; B: 10 MB/s (9-12)</title>" in chart_svg(CHARTS["bars"])


def test_steps_have_their_levels_and_marks() -> None:
    assert {"can send", "one more", "0", "50", "100"} <= texts(chart_svg(CHARTS["steps"]))


def test_a_grid_has_its_figures() -> None:
    assert {"0", "5", "7", "10", "low", "high"} <= texts(chart_svg(CHARTS["grid"]))


WAYS: Final = [
    {"node": "A", "way": way, "rate": replace(between(5, 3, 7), unit=Unit.MB_PER_S), "busy": 16.0}
    for way in ("sent", "received")
]
NODE, WAY = Column("node", "node"), Column("way", "way")
SPEED: Final = Column("Gb/s", "busy", Unit.GBPS)
BUSY: Final = Column("busy %", "busy", Unit.PERCENT)


@pytest.mark.parametrize(
    ("columns", "bars"),
    [
        ([NODE, WAY, BUSY, SPEED], ["A, sent", "A, received"]),
        ([WAY, BUSY], ["sent", "received"]),
        ([SPEED, BUSY], []),  # nothing names a row
        ([WAY, SPEED], []),  # a line's speed is given, and no figure
        ([WAY, Column("as said", "busy", Unit.OWN)], []),
        ([WAY, Column("number", "busy")], []),
    ],
)
def test_a_table_is_drawn_by_its_first_figures(columns: list[Column], bars: list[str]) -> None:
    drawn = bars_of(Table("Rates", columns, WAYS))
    assert [drawn.name.words(row) for row in drawn.rows] == bars if drawn else not bars


def test_a_report_without_charts_is_drawn_by_its_tables_and_those_of_its_sections() -> None:
    rates = Table("Rates", [WAY, BUSY, RATE], WAYS)
    data = Table("Data", [WAY, BUSY], WAYS, is_data=True)
    below = Report("", [], charts=[CHARTS["lines"]])
    drawn = Report("", [], [data, Table("", [WAY], WAYS), rates, rates], sections=[below]).drawn
    assert [each.caption for each in drawn] == ["Rates", CHARTS["lines"].caption]
    assert isinstance(drawn[0], Bars)
    assert drawn[0].figure is RATE  # one that has ranges goes before


def test_several_charts_are_one_picture() -> None:
    every = Report("All", [], charts=[*CHARTS.values()])
    assert {chart.caption for chart in CHARTS.values()} <= texts(picture_svg(every))
    assert picture_png(every).startswith(b"\x89PNG")


def test_a_page_has_every_chart_and_does_without_its_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = Report("All", [], charts=[*CHARTS.values()])
    assert section(every).count('<svg xmlns="http://www.w3.org/2000/svg"') == len(CHARTS)
    monkeypatch.setattr("isfc.reports.html.find_spec", lambda _: None)
    assert "<svg" not in section(every)


def test_every_curve_can_be_told_from_the_others() -> None:
    rows: list[dict[str, Any]] = [
        {"name": f"curve {number}", "at": at, "busy": at}
        for number in range(len(CURVES))
        for at in (0.0, 1.0)
    ]
    across, up, of = (Column("", field) for field in ("at", "busy", "name"))
    svg = chart_svg(Lines(caption="All", rows=rows, across=across, up=[up], of=of))
    assert {row["name"] for row in rows} <= texts(svg)  # all are in the legend
    assert all(f'stroke="{colour}"' in svg for colour in CURVES)
    assert len({*CURVES}) == 10
    assert faint([*CURVES], WHITE) == []
    there = dark_of(STYLE, "stroke")
    assert faint([there.get(own, own) for own in CURVES], DARK) == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_colour_that_a_page_draws_with_can_be_seen(place: int) -> None:
    light, *others = (
        dict(re.findall(r"--(\w+): (#\w+)", block))
        for block in re.findall(r"(?s):root \{(.*?)\}", resource("answers/page/page.css"))
    )
    colours = light | [{}, *others][place]  # on light devices, on dark ones, on paper
    assert {*DRAWN} <= {*colours}
    assert faint([colours[name] for name in DRAWN], colours["paper"]) == []
