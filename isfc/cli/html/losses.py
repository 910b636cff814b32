"""What losses leave as a part of a page: the same table for a link, for several and the studio."""

from collections.abc import Sequence

from markupsafe import Markup

from isfc.cli.html.template import greatest, panel, ranged, table
from isfc.cli.judgement.losses import (
    LossColumn,
    losses_answer,
    losses_caption,
    losses_columns,
    losses_known,
    losses_notes,
)
from isfc.layout.collection import Collection
from isfc.layout.lost import check_pieces, known_pieces
from isfc.layout.sharing import only
from scenarios.figures.losses import AfterLoss, after_losing
from scenarios.runs.saturation import RunEach


def losses_table(lefts: Sequence[AfterLoss]) -> Markup:
    """A row for each loss, with ranges as bars; the whole is first of ``lefts``."""
    columns = losses_columns(lefts)
    cells = (_with_bars(column) if column.figures else column.cells for column in columns)
    heads = [column.heading for column in columns]
    return table(losses_caption(lefts), heads, zip(*cells, strict=True))


def losses_panel(
    links: Collection, link: str, pieces: Sequence[str], run_each: RunEach | None
) -> Markup:
    """``isfc plan --lose``: the worst loss, then what each leaves, or ``pieces`` together.

    Of one ``link`` if it is named; by rule of thumb without ``run_each``. Raises
    `ConfigurationError` for a piece that is not there.
    """
    if link:
        links = only(links, links.link(link))
    check_pieces(pieces, known_pieces(links.links, links.cecs), "Without")
    lefts = after_losing(links, pieces, run_each)
    notes = (losses_known(lefts), *(note.text for note in losses_notes(lefts)))
    return panel(losses_answer(lefts), notes, figures=losses_table(lefts))


def _with_bars(column: LossColumn) -> list[Markup]:
    most = greatest(column.figures)
    both = zip(column.cells, column.figures, strict=True)
    return [ranged(cell, figure, most) for cell, figure in both]
