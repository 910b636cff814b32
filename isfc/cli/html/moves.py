"""Guests that were moved as a part of a page: what became of each, then its passes."""

from markupsafe import Markup

from isfc.answers.moves import (
    PASS_HEADS,
    each_guest,
    guest_line,
    moving_line,
    pass_rows,
    ranges_line,
    what_became,
    would_line,
)
from isfc.reports.template import details, panel, table
from scenarios.moves.evacuation import EvacuationOutcome


def moves_panel(outcome: EvacuationOutcome) -> Markup:
    """``isfc relocate``: what it says of each guest, and its passes, folded."""
    figures = outcome.figures
    answers, passes = [], []
    for guest, would, within in each_guest(outcome, figures):
        ways = "" if would is None else would_line(would)
        answers.append((what_became(guest), f"{guest_line(guest, within)} {ways}".strip()))
        passes.append(table(f"Passes of {guest.plan.name}", PASS_HEADS, pass_rows(guest.passes)))
    evacuation = outcome.evacuation
    way = f"{evacuation.name} to {evacuation.destination}"
    return panel(
        [*answers, ("", moving_line(outcome))],
        (ranges_line(figures), *(note.text for note in outcome.notes)),
        below=details(f"The passes from {way}", Markup().join(passes)),
    )
