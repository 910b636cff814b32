"""What losses leave as a part of a page: the same table for a link, for several and the studio."""

from collections.abc import Sequence

from markupsafe import Markup

from isfc.cli.html.template import greatest, ranged, table
from isfc.cli.judgement.losses import Column, losses_caption, losses_columns
from scenarios.figures.losses import AfterLoss


def losses_table(lefts: Sequence[AfterLoss]) -> Markup:
    """A row for each loss, with ranges as bars; the whole is first of ``lefts``."""
    columns = losses_columns(lefts)
    cells = (_with_bars(column) if column.ranges else column.cells for column in columns)
    heads = [column.heading for column in columns]
    return table(losses_caption(lefts), heads, zip(*cells, strict=True))


def _with_bars(column: Column) -> list[Markup]:
    most = greatest(column.ranges)
    both = zip(column.cells, column.ranges, strict=True)
    return [ranged(cell, within, most) for cell, within in both]
