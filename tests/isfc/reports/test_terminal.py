"""Pages in a narrow terminal: row by row, with nothing cut off."""

import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, JustifyMethod, RenderableType

from isfc.answers.plan_link import plan_report, planned_by_rule
from isfc.cli.show import cluster_drawing_page, drawing_page
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.plan import make_plan
from isfc.reports.terminal import open_console, page, plain_table


def shown(page: RenderableType, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as capture:
        console.print(page)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_table_that_does_not_fit_is_shown_row_by_row() -> None:
    table = plain_table("link", ">alone\n->", "~traffic", no_wrap=True)
    table.add_row("ALPHA-BETA", "673", "HL:50")
    table.add_row("ALPHA-GAMMA", "684", "")
    assert shown(table, 40)[:2] == ["             alone", "link            ->  traffic"]
    assert shown(table, 20) == [
        "link",
        "ALPHA-BETA",
        "  alone ->  673",
        "  traffic   HL:50",
        "ALPHA-GAMMA",
        "  alone ->  684",
    ]


def cells(least: int) -> st.SearchStrategy[str]:
    """What tables hold, and what they seldom do: wide characters, ends of lines, tabs."""
    return st.text("aB%1 -\u4e2d\u0301\n\t\N{HORIZONTAL ELLIPSIS}", min_size=least, max_size=9)


@given(
    st.integers(1, 4).flatmap(
        lambda count: st.lists(st.tuples(*[cells(0)] * count).map(list), min_size=1, max_size=4)
    ),
    st.lists(st.sampled_from(["", ">", "~"]), min_size=4, max_size=4),
    st.lists(st.sampled_from(["left", "right", "center"]), min_size=4, max_size=4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([None, 5]),
    st.integers(8, 90),
)
def test_without_colours_a_table_has_the_lines_that_it_has_with_them(
    rows: list[list[str]],
    marks: list[str],
    justified: list[JustifyMethod],
    gap: int,
    no_wrap: bool,
    min_width: int | None,
    width: int,
) -> None:
    heads = [mark + head for mark, head in zip(marks, rows[0], strict=False)]
    table = plain_table(*heads, gap=gap, no_wrap=no_wrap, min_width=min_width)
    for column, justify in zip(table.columns, justified, strict=False):
        column.justify = justify
    for row in rows[1:]:
        table.add_row(*row)
    lines = []
    for colours in (None, "standard"):
        console = Console(
            file=StringIO(), width=width, force_terminal=True, color_system=colours, markup=False
        )
        with console.capture() as capture:
            console.print(table)
        lines.append(re.sub(r"\x1b\[[0-9;]*m", "", capture.get()).splitlines())
    assert lines[0] == lines[1]


def test_no_line_begins_with_the_per_cent_of_the_figure_before() -> None:
    for width in range(8, 40):
        console = open_console()
        console.width = width
        with console.capture() as capture:
            console.print("the lines of the chpids (busy 100 %); a fifth gains 46 % more")
        lines = [line.strip() for line in capture.get().splitlines()]
        assert " ".join(lines) == "the lines of the chpids (busy 100 %); a fifth gains 46 % more"
        assert not any(line.startswith("%") for line in lines)


@pytest.mark.parametrize("no_wrap", [False, True])
def test_no_cell_is_cut_off_in_any_width(no_wrap: bool) -> None:
    heads = [">MB/s", "range", "what it is limited by", ">odds"]
    table = plain_table("feature", *heads, "~links", no_wrap=no_wrap)
    cells = "1098.25", "940-1760", "its software's lock", "97 of 100", "ZVMPROD1-ZVMTEST1"
    table.add_row("FICON Express32-4P", *cells)
    for width in (*range(40, 130), 300):
        text = " ".join(" ".join(shown(table, width)).split())
        assert "\N{HORIZONTAL ELLIPSIS}" not in text
        assert {*" ".join(cells[:4]).split()} <= {*text.split()}


@pytest.mark.parametrize(
    "page",
    [
        page(plan_report(planned_by_rule(make_plan("published-14"))), notes=False),
        drawing_page(load_layout("published-14")),
        cluster_drawing_page(given_collection("two-cecs")),
    ],
)
def test_pages_lose_nothing_in_forty_columns(page: RenderableType) -> None:
    lines = shown(page, 40)
    assert not any("\u2026" in line for line in lines)
    assert max(map(len, lines)) <= 40
    wide, narrow = (
        {word for line in page for word in line.split() if word.isdigit()}
        for page in (shown(page, 80), lines)
    )
    assert wide <= narrow
