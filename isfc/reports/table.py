"""Tables and pages as every command shows them, on rich's console: figures to the right, no lines.

A terminal that is too narrow for a table gets it row by row, with nothing cut off.
Loading rich takes longer than many commands run.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

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


class PlainTable(Table):
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
            lines = Table.grid("", Column(overflow="fold"), padding=(0, 2, 0, 0))
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


class Fitted(Struct, frozen=True):
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
