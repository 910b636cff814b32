"""What a loss leaves of one link or of several: a share of what the whole carries with one load."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isfc.errors.in_words import number
from isfc.layout.collection import Collection
from isfc.layout.loss import Loss, loss_of, losses
from isfc.reports.figure import Figure, NoRange, Unit
from scenarios.figures.ranges import links_ratio
from scenarios.figures.rates import Carried, carry, limited
from scenarios.runs.experiment import STATED, Load, RunEach


@dataclass(frozen=True, slots=True, repr=False)
class AfterLoss:
    """What is left of the ``whole`` after a loss; the whole itself without one."""

    loss: Loss | None
    carried: Carried
    whole: Carried

    @property
    def gone(self) -> str:
        """What is gone, as each end names it."""
        return "nothing" if self.loss is None else self.loss.name

    @property
    def ctc_count(self) -> int:
        """CTCs of all links that are left."""
        return sum(len(link.ctcs) for link in self.carried.links.links)

    @property
    def rate(self) -> Figure:
        """MB/s (2^20) of the slower direction of each link that is left, in all."""
        return self.carried.rate

    @property
    def share(self) -> Figure:
        """What is left of the whole, of 1; its range is the widest of links that lost something."""
        left, whole = self.rate.value, self.whole.rate.value
        share = left / whole if whole else 1.0
        if self.loss is None:
            return Figure(share, Unit.SHARE, no_range=NoRange.WHOLE)
        if self.carried.ways is None:
            return Figure(share, Unit.SHARE, no_range=NoRange.BY_RULE)
        if not left:
            return Figure(share, Unit.SHARE, no_range=NoRange.NOTHING_CARRIED)
        links = self.whole.links.links, self.carried.links.links
        found = links_ratio(share, *links)
        return Figure(share, Unit.SHARE, found.range, load=self.carried.load)

    def __repr__(self) -> str:
        left = f"{number(100 * self.share.value)} % left, {number(self.rate.value, 1)} MB/s"
        return f"<AfterLoss {self.gone} gone: {left}>"

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20) of the slower direction.

        ``low`` and ``high`` are between what IBM's would lie in four of five cases; ``left`` is of
        1.
        """
        within = self.rate.range
        return {
            "gone": "" if self.loss is None else self.gone,
            "mb_per_s": self.rate.value,
            "low_mb_per_s": None if within is None else within.likely.low,
            "high_mb_per_s": None if within is None else within.likely.high,
            "left": self.share.value,
        }


def after_losses(
    collection: Collection,
    lost: Iterable[Loss] | None = None,
    run_each: RunEach | None = None,
    load: Load = STATED,
    *,
    each_limit: bool = True,
) -> list[AfterLoss]:
    """The whole first, then what each loss leaves; by rule of thumb alone without ``run_each``.

    Every piece of hardware is lost by itself if it is not said what is. What limits is found of the
    whole, and if ``each_limit`` of what each loss leaves.
    """
    every = [*(losses(collection) if lost is None else lost)]
    whole, *lefts = carry(
        [collection, *(loss.rest for loss in every)], load.of(collection), run_each
    )
    if run_each is not None:
        (whole,) = limited([whole], run_each, with_added=True)
        lefts = limited(lefts, run_each) if each_limit else lefts
    after = (AfterLoss(loss, left, whole) for loss, left in zip(every, lefts, strict=True))
    return [AfterLoss(None, whole, whole), *after]


def left_of(
    whole: Carried, lost: Sequence[Loss], run_each: RunEach | None = None
) -> list[AfterLoss]:
    """The same of a whole that is known, without what limits."""
    lefts = carry([loss.rest for loss in lost], whole.load, run_each)
    after = (AfterLoss(loss, left, whole) for loss, left in zip(lost, lefts, strict=True))
    return [AfterLoss(None, whole, whole), *after]


def after_losing(
    collection: Collection, pieces: Sequence[str] = (), run_each: RunEach | None = None
) -> list[AfterLoss]:
    """The same of ``pieces`` together, named as in `isfc.layout.loss`; of each if none is named."""
    return after_losses(collection, [loss_of(collection, pieces)] if pieces else None, run_each)


def worst_of(lefts: Sequence[AfterLoss]) -> AfterLoss | None:
    """The loss that leaves least of the whole, which is first; None if there is none.

    That of a system or a CEC counts only where nothing else may be lost: no layout survives it.
    """
    after = lefts[1:]
    survived = [left for left in after if left.loss and not left.loss.takes_systems]
    return min(survived or after, key=lambda left: left.share.value, default=None)
