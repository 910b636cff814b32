"""What losses leave as a panel of the studio."""

from collections.abc import Sequence

from markupsafe import Markup

from isfc.answers.losses import losses_of, losses_report
from isfc.layout.collection import Collection
from isfc.layout.loss import check_pieces, known_pieces
from isfc.layout.sharing import only
from isfc.reports.html import section
from isfc.reports.template import panel
from scenarios.figures.losses import after_losing
from scenarios.runs.experiment import RunEach


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
    return section(losses_report(losses_of(after_losing(links, pieces, run_each))))


def worst_by_rule(links: Collection) -> Markup:
    """The worst loss by IBM's rule of thumb, which is known without a run."""
    worst = losses_of(after_losing(links, (), None)).worst_line
    return panel([("Worst loss:", worst)] if worst else [])
