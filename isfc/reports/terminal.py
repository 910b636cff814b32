"""A report on the terminal: what is answered, then tables of at most 80 columns, then the rest."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.text import Text

from isfc.reports.report import Column, Report, Styled, Table, unranged
from isfc.reports.table import Fitted, PlainTable, apart, plain_table
from isfc.reports.units import shown

if TYPE_CHECKING:
    from isfc.reports.chart import Grid


def page(report: Report, *, notes: bool) -> RenderableType:
    """The whole report; without ``notes`` a line that says how to ask for them."""
    answer = PlainTable("", "", box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    for label, said in report.answer:
        answer.add_row(Text(label, "bold"), said)
    more = report.notes or any(table.detail for table in report.shown)
    rest = report.notes if notes else [f"{report.asked}: --notes."] * bool(more)
    shown_now = [table for table in report.shown if notes or not table.detail]
    tables = [*map(table_of, shown_now), *filter(None, [unranged(shown_now)])]
    drawn = [] if report.drawing is None else [report.drawing]
    grids = [*map(_shaded, report.grids)] if notes else []
    title = Text(report.title, "bold")
    answers = [answer] * bool(report.answer)
    below = [part for each in report.sections for part in _below(page(each, notes=notes))]
    return apart([title, *answers, *tables, *drawn, *grids, *report.remarks, *rest, *below])


def _below(section: RenderableType) -> Iterator[RenderableType]:
    from rich.rule import Rule  # few pages have sections

    yield Rule(style="dim")
    yield section


SHADES: Final = " ·░▒▓█"
"""From nothing to the most of all cells; a space means that there is nothing at all."""


def _shaded(grid: "Grid") -> RenderableType:
    """Each figure with two characters of its shade."""
    table = plain_table(">", *(f">{head}" for head in grid.across), gap=1)
    for head, cells in zip(grid.down, grid.cells, strict=True):
        texts = (f"{shown(cell, grid.unit)} {_shade(cell, grid.most)}" for cell in cells)
        table.add_row(head, *texts)
    return Group(grid.caption, table)


def _shade(value: float, most: float) -> str:
    if not value:
        return 2 * SHADES[0]
    return 2 * SHADES[1 + round((len(SHADES) - 2) * value / most)]


def table_of(table: Table) -> RenderableType:
    """A table below its caption, if it has one; of no rows the caption alone."""
    if not table.rows:
        return table.caption
    return Group(*[table.caption] * bool(table.caption), _fitted(table))


def _fitted(table: Table) -> RenderableType:
    """All columns; those that are not spare where there is no room for more."""
    kept = [column for column in table.columns if not column.spare]
    if len(kept) == len(table.columns):
        return _table(table)
    return Fitted(_table(table), _table(replace(table, columns=kept)))


def _table(table: Table) -> PlainTable:
    ranged = {column for column in table.columns if column.has_ranges(table.rows)}
    heads = [(column, head) for column in table.columns for head in _heads(column, table, ranged)]
    found = plain_table(*(head for _, head in heads), gap=1, no_wrap=True)
    for drawn, (column, _) in zip(found.columns, heads, strict=True):
        drawn.style = drawn.header_style = column.style
        drawn.min_width = column.width or None
    for row in table.rows:
        found.add_row(*(cell for column in table.columns for cell in _cells(column, row, ranged)))
    return found


def _heads(column: Column, table: Table, ranged: Collection[Column]) -> Iterator[str]:
    folds = column.folds or not any(each.folds for each in table.columns)
    side = ">" if column.is_number(table.rows) else "~" * folds
    yield f"{side}{column.heading}"
    if column in ranged:
        yield "~range"


def _cells(column: Column, row: object, ranged: Collection[Column]) -> Iterator[str | Text]:
    value = column.of(row)
    yield Text(value.text, value.style) if isinstance(value, Styled) else column.words(row)
    if column in ranged:
        yield column.range_words(row)
