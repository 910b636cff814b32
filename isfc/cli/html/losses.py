"""What losses leave as a panel of the studio."""

from collections.abc import Sequence

from markupsafe import Markup

from isfc.answers.losses import losses, losses_report
from isfc.layout.collection import Collection
from isfc.reports.html import section
from isfc.reports.template import panel
from isfc.search.workers import running_by
from scenarios.runs.experiment import RunEach


def losses_panel(
    links: Collection, link: str, pieces: Sequence[str], run_each: RunEach | None
) -> Markup:
    """``isfc plan --lose``: the worst loss, then what each leaves, or ``pieces`` together.

    Of one ``link`` if it is named; by rule of thumb without ``run_each``. Raises
    `ConfigurationError` for a piece that is not there.
    """
    with running_by(run_each):
        found = losses(links, link=link or None, without=pieces, rule=run_each is None)
    return section(losses_report(found))


def worst_by_rule(links: Collection) -> Markup:
    """The worst loss by IBM's rule of thumb, which is known without a run."""
    worst = losses(links, rule=True).worst_line
    return panel([("Worst loss:", worst)] if worst else [])
