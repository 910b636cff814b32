"""Passes of guests that were moved, as a picture over time."""

from typing import Final

from isfc.answers.moves import GIB
from isfc.cli.output.curves import axis, labels, marks, nominal
from isfc.cli.output.picture import CURVES, HEIGHT, INK, PAPER, Spec, picture
from scenarios.moves.evacuation import EvacuationOutcome
from scenarios.moves.figures import MovesFigures

_RUNS: Final = "the guest runs"
_STOPPED: Final = "it is stopped"
_ROW: Final = 30
"""Pixels that a guest has at least in a picture."""


def passes_picture(outcome: EvacuationOutcome, figures: MovesFigures) -> Spec:
    """A bar for each pass: as wide as it took, as high as what it moved.

    Guests stand one below the other; a line is from when to when each may end by its range.
    """
    guests = outcome.guests
    title = f"Passes from {outcome.evacuation.name} to {outcome.evacuation.destination}"
    most = max(each.length + each.state_length for guest in guests for each in guest.passes) or 1
    bars = [
        {
            "from": each.begin_ns / 1e9,
            "to": each.begin_ns / 1e9 + each.seconds,
            "top": row + 0.4 - 0.8 * (each.length + each.state_length) / most,
            "foot": row + 0.4,
            "of": _STOPPED if each.quiesced else _RUNS,
        }
        for row, guest in enumerate(guests)
        for each in guest.passes
    ]
    lines = [
        {
            "from": guests[row].begin_ns / 1e9 + found.seconds.ends.low,
            "to": guests[row].begin_ns / 1e9 + found.seconds.ends.high,
            "foot": row + 0.45,
        }
        for row, found in enumerate(figures.guests)
        if found.seconds.range is not None
    ]
    said = "; line: when it ends in four of five cases" if figures.rates else ", without a range"
    x = axis("from", f"s; the highest bar is {most / GIB:.3g} GiB{said}")
    y = axis("foot", None, domain=[-0.6, len(guests) - 0.4], reverse=True, nice=False)
    y["axis"] = labels([[guest.plan.name, str(guest.end)] for guest in guests]) | {"grid": False}
    across = {"x": x, "x2": {"field": "to"}, "y": y}
    colour = nominal("of", (_RUNS, _STOPPED), (CURVES[0], CURVES[3]))
    shown = {**across, "y2": {"field": "top"}, "color": colour}
    layer = [
        marks("rect", bars, shown, stroke=PAPER, strokeWidth=0.5),
        marks("rule", lines, across, color=INK, strokeWidth=2),
    ]
    return picture(title, title=title, height=max(HEIGHT, _ROW * len(guests)), layer=layer)
