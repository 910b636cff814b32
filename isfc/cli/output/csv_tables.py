"""Tables of a page as CSV: their cells, and what is between them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from isfc.cli.output.table import Fitted, PlainTable, Rows

_THOUSANDS: Final = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
"""A figure in which commas would part it into cells, or make a text of it."""


def parted(parts: Sequence[RenderableType]) -> Iterator[RenderableType]:
    """The tables of a page, and what is between them, each by itself."""
    for part in parts:
        if isinstance(part, Group):
            yield from parted(part.renderables)
        elif isinstance(part, Fitted):
            yield from parted([part.wide])
        elif isinstance(part, Rows):
            yield part.table
        else:
            yield part


def cells_of(table: PlainTable, console: Console) -> Iterator[list[str]]:
    """The headings of a table, then its rows."""
    yield [_plain(column.header, console) for column in table.columns]
    figures = [column.justify == "right" for column in table.columns]
    for row in zip(*(column.cells for column in table.columns), strict=True):
        texts = [_plain(cell, console) for cell in row]
        yield [
            _figure(text) if is_figure else text
            for text, is_figure in zip(texts, figures, strict=True)
        ]


def _plain(cell: RenderableType, console: Console) -> str:
    if isinstance(cell, Text):
        cell = cell.plain
    if not isinstance(cell, str):
        with console.capture() as capture:
            console.print(cell)
        cell = capture.get()
    return " ".join(cell.split())


def _figure(text: str) -> str:
    """A figure as a program reads it: nothing for what is not known."""
    if text in {"-", "..."}:
        return ""
    return text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
