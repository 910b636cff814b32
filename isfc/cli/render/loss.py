"""What ``isfc plan --lose`` shows: what is left, each way, with each chpid and CTC gone."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType

from isfc.cli.render.table import plain_table
from isfc.layout.capacity import directions_of
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss
from isfc.layout.lost import LostTogether
from scenarios.steady import Rate

Rates = tuple[float, float]
"""MB/s that the first node sends, and that the second does."""

AnyLoss = Loss | LostTogether
"""One thing that is gone, or several together."""

SteadyRates = tuple[Rate, Rate]
"""The same by runs, each until it was steady."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is left after a loss, or of the whole link if ``loss`` is None.

    ``measured`` is what runs gave, if there were any.
    """

    loss: AnyLoss | None
    ctc_count: int
    estimated: Rates
    measured: SteadyRates | None

    @property
    def measured_mb_per_s(self) -> Rates | None:
        """What runs gave, without their spreads."""
        if self.measured is None:
            return None
        first, second = self.measured
        return first.mb_per_s, second.mb_per_s


def left_after(layout: Layout, loss: AnyLoss | None, measured: SteadyRates | None) -> Left:
    """What the rule of thumb says of a loss, beside what was measured."""
    rest = layout if loss is None else loss.left
    if rest is None:
        return Left(loss, 0, (0, 0), measured)
    down, up = directions_of(rest)
    return Left(loss, len(rest.ctcs), (down.estimated_mb_per_s, up.estimated_mb_per_s), measured)


def loss_page(layout: Layout, lefts: Sequence[Left], load: str) -> RenderableType:
    """The whole page; ``load`` describes the runs, if there were any."""
    first, second = layout.nodes
    runs = lefts[0].measured_mb_per_s
    run = (">\nrun",) if runs is not None else ()
    table = plain_table("gone", ">CTCs left", f">{first}\nrule", *run, f">{second}\nrule", *run)
    for left in lefts:
        cells: list[str] = []
        for way in (0, 1):
            cells.append(_rate(left.estimated[way], lefts[0].estimated[way]))
            if left.measured_mb_per_s is not None and runs is not None:
                cells.append(_rate(left.measured_mb_per_s[way], runs[way]))
        table.add_row(gone_name(left.loss), str(left.ctc_count), *cells)
    what = "one chpid or CTC" if all(isinstance(one.loss, Loss) for one in lefts[1:]) else "this"
    heading = (
        f"MB/s that {first} and {second} can each send, with {what} gone; "
        "percent of the whole link."
    )
    notes = [load] if runs is not None else []
    return Group(heading, *notes, "", table)


def _rate(rate: float, whole: float) -> str:
    return f"{rate:.0f} {rate / whole * 100:3.0f} %" if whole else f"{rate:.0f}"


def gone_name(loss: AnyLoss | None) -> str:
    """What is gone, in a word and as each end names it."""
    if loss is None:
        return "nothing"
    here, there = loss.names
    if isinstance(loss, LostTogether):
        return here
    named = here if here == there else f"{here} ({there})"
    return f"{'chpid' if loss.kind == 'chpid' else 'CTC'} {named}"
