"""Tables and pages as every command shows them: no lines, figures to the right, parts apart."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table


def plain_table(
    *headings: str, gap: int = 2, no_wrap: bool = False, min_width: int | None = None
) -> Table:
    """A table with a column for each heading, ``gap`` blanks apart.

    ``>`` before a heading puts its column to the right, and gives it at least ``min_width``; ``~``
    folds what is too long for it.
    """
    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
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
