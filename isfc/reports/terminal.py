"""A report on the terminal: what is answered, then tables of at most 80 columns, then the rest.

Tables and pages are as every command shows them, on rich's console: figures to the right, no lines.
A terminal that is too narrow for a table gets it row by row, with nothing cut off. Loading rich
takes longer than many commands run.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from isfc.reports.report import Column, Grid, Report, Styled, Table, legend
from isfc.reports.units import shown

PIPED_WIDTH = 80
"""Columns of an output that is no terminal, whatever the shell says its window has."""
_GLUE = "\ue000"
"""A character of no meaning that is as wide as a blank (private use)."""
_CUT = "\N{HORIZONTAL ELLIPSIS}"
"""What rich ends a cell with that it cuts off."""


class _OutputConsole(Console):
    """A console that leaves a broken pipe to its caller, and no per cent without its figure.

    rich breaks lines at every blank, a no-break space too: `_GLUE` stands for it meanwhile.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as it is printed, or put into a cell."""
        return super().render_str(text.replace(" %", f"{_GLUE}%"), **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(buffer).replace(_GLUE, " ")

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def open_console(*, stderr: bool = False) -> Console:
    """A console on stdout, or on stderr, as they are now.

    Text is shown as it is: square brackets, colons and numbers in it mean nothing special.
    """
    stream = sys.stderr if stderr else sys.stdout
    is_terminal = stream is not None and stream.isatty()
    return _OutputConsole(
        stderr=stderr,
        force_terminal=is_terminal,  # whatever FORCE_COLOR says
        width=None if is_terminal else PIPED_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )


class PlainTable(RichTable):
    """A table that a narrow terminal gets row by row: each heading with its cell, one a line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol: what is printed."""
        if (side_by_side := self._lines(console, options)) is not None:
            yield from side_by_side
            return
        if _has_room(options) or _measured(console, options, self).minimum <= options.max_width:
            whole = [*super().__rich_console__(console, options)]
            if not any(isinstance(each, Segment) and _CUT in each.text for each in whole):
                yield from whole
                return
        first, *heads = (str(column.header).replace("\n", " ").strip() for column in self.columns)
        if first:
            yield first
        for name, *cells in zip(*(column.cells for column in self.columns), strict=True):
            yield name
            lines = RichTable.grid("", RichColumn(overflow="fold"), padding=(0, 2, 0, 0))
            for head, cell in zip(heads, cells, strict=True):
                if cell:
                    lines.add_row(f"  {head}", cell)
            if lines.row_count:
                yield lines

    def _lines(self, console: Console, options: ConsoleOptions) -> list[Segment] | None:
        """Its lines where each cell is a line of ASCII, with room for all, and no colours; or None.

        rich prints the same, but takes five times as long: each cell is a page of its own to it.
        """
        if console.color_system is not None or self.show_footer:
            return None
        gap, last = self.padding[1], self.columns[-1]
        columns: list[list[str]] = []
        for column in self.columns:
            texts: list[str] = []
            for cell in (*[column.header] * self.show_header, *column.cells):
                text = console.render_str(cell) if isinstance(cell, str) else cell
                if not isinstance(text, Text) or text.justify is not None:
                    return None
                plain = text.plain.replace(_GLUE, " ")
                if not (plain.isascii() and plain.isprintable()):
                    return None
                texts.append(plain)
            width = max(column.min_width or int(column is last), *map(len, texts))
            columns.append([_justified(text, width, column.justify) for text in texts])
        lines = [(" " * gap).join(row) + "\n" for row in zip(*columns, strict=True)]
        return [*map(Segment, lines)] if len(lines[0]) <= options.max_width + 1 else None


def _justified(text: str, width: int, justify: str) -> str:
    """A text with blanks, as rich puts them; `str.center` has the odd one before it at times."""
    if justify not in ("right", "center"):
        return text.ljust(width)
    text = text.rstrip()
    return text.rjust(width if justify == "right" else (width + len(text)) // 2).ljust(width)


class WideOrNarrow(Struct, frozen=True):
    """``wide`` where a terminal has room for it, else ``narrow``."""

    wide: RenderableType
    narrow: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol: what is printed."""
        most = options.max_width
        fits = _has_room(options) or _measured(console, options, self.wide).maximum <= most
        yield self.wide if fits else self.narrow


def _has_room(options: ConsoleOptions) -> bool:
    """Whether there are as many columns as everything is made for: then nothing is measured."""
    return options.max_width >= PIPED_WIDTH


def _measured(console: Console, options: ConsoleOptions, part: RenderableType) -> Measurement:
    """How wide a part is where it has room."""
    return Measurement.get(console, options.update(max_width=PIPED_WIDTH), part)


def plain_table(
    *headings: str, gap: int = 2, no_wrap: bool = False, min_width: int | None = None
) -> PlainTable:
    """A table with a column for each heading, ``gap`` blanks apart.

    ``>`` before a heading puts its column to the right, and gives it at least ``min_width``; ``~``
    folds what is too long for it.
    """
    table = PlainTable(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
    for heading in headings:
        if heading.startswith(">"):
            table.add_column(heading[1:], justify="right", no_wrap=no_wrap, min_width=min_width)
        elif heading.startswith("~"):
            table.add_column(heading[1:], overflow="fold")
        else:
            table.add_column(heading, no_wrap=no_wrap)
    return table


def apart(parts: Sequence[RenderableType]) -> Group:
    """The parts of a page with an empty line between them."""
    return Group(parts[0], *(line for part in parts[1:] for line in ("", part)))


def page(report: Report, *, notes: bool) -> RenderableType:
    """The whole report; without ``notes`` a line that says how to ask for them."""
    answer = PlainTable("", "", box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    for label, said in report.answer:
        answer.add_row(Text(label, "bold"), said)
    more = report.notes or any(table.detail for table in report.shown)
    shown_now = [table for table in report.shown if notes or not table.detail]
    where = "" if notes or not more else f"{report.asked}: --notes."
    known = " ".join(filter(None, (legend(shown_now), where)))
    rest = [*filter(None, [known]), *(report.notes if notes else ())]
    drawn = [] if report.drawing is None else [report.drawing]
    grids = [*map(_shaded, report.grids)] if notes else []
    title = Text(report.title, "bold")
    answers = [answer] * bool(report.answer)
    below = [part for each in report.sections for part in _below(page(each, notes=notes))]
    return apart(
        [title, *answers, *map(table_of, shown_now), *drawn, *grids, *report.remarks, *rest, *below]
    )


def _below(section: RenderableType) -> Iterator[RenderableType]:
    from rich.rule import Rule  # few pages have sections

    yield Rule(style="dim")
    yield section


SHADES: Final = " ·░▒▓█"
"""From nothing to the most of all cells; a space means that there is nothing at all."""


def _shaded(grid: Grid) -> RenderableType:
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
    return WideOrNarrow(_table(table), _table(replace(table, columns=kept)))


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
