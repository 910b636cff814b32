"""Pages in a narrow terminal: row by row, with nothing cut off."""

from io import StringIO

import pytest
from rich.console import Console, RenderableType

from isfc.cli.drawing.cluster import cluster_drawing_page
from isfc.cli.drawing.terminal import drawing_page
from isfc.cli.output.table import open_console, plain_table
from isfc.cli.plan.page import plan_page
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.plan import make_plan


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
        plan_page(make_plan("published-14")),
        drawing_page(load_layout("published-14")),
        cluster_drawing_page(load_collection("two-cecs")),
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
