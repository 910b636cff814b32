"""What a link carries once it is changed: as advice has it, or by a loss.

Of advice the verdict counts, and the odds leave open what differs by some per cent. So a first look
at a changed layout will do: of 252 verdicts on changes of 40 layouts, shipped and drawn, one is
another than that of steady runs, on 10.5 % more where those have 8.2 % and 10 % count.

What is left after a loss is a share of what the whole carries with one load.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from isfc.errors.in_words import number
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss, loss_of, losses
from isfc.layout.rules.rule import ChangedLayout, Finding, Untried, warnings_first
from isfc.reports.figure import Figure, NoRange, Unit
from scenarios.figures.certainty import Odds, nobody_is_ahead, odds_ahead
from scenarios.figures.ranges import link_rate, link_ratio, links_ratio
from scenarios.figures.rates import Carried, ModelledRate, Rates, carry, limited, slower_rates
from scenarios.runs.experiment import SATURATED, STATED, Load, RunEach
from scenarios.runs.steady import Rate

LAYOUTS_MAX: Final = 4
"""So many changed layouts are run at most: each takes a quarter as long as the layout itself."""

_IMPOSSIBLE: Final = Untried("these CTCs cannot be so arranged")
_TOO_MANY: Final = Untried(f"it tries {LAYOUTS_MAX} changes at most; 'isfc run' tries any")


class AdviceVerdict(StrEnum):
    """What the model says to an advice, at one load."""

    AGREES = "agrees"
    """So changed, the link carries more."""
    ALIKE = "sees no difference"
    CONTRADICTS = "contradicts"
    """So changed, the link carries less."""


class ComparedLoad(Struct, frozen=True):
    """What the slower direction carries, as it is and with an advice carried out.

    ``layouts`` are both.
    """

    before: Rate
    changed: Rate
    layouts: tuple[Layout, Layout]
    load: Load

    @property
    def figures(self) -> tuple[Figure, Figure]:
        """Both, in MB/s (2^20)."""
        was, comes = (
            link_rate(rate.modelled, layout, self.load).of_run(rate)
            for rate, layout in zip((self.before, self.changed), self.layouts, strict=True)
        )
        return was, comes

    @property
    def ratio(self) -> Figure:
        """How many times what it carries as it is the changed layout carries."""
        before, changed = self.before.mb_per_s, self.changed.mb_per_s
        ratio = max(1e-9, changed) / max(1e-9, before)
        return link_ratio(ratio, *self.layouts, loads=self.load.each)

    @property
    def odds(self) -> Odds:
        """The odds that the changed layout is ahead on real hardware."""
        return odds_ahead(self.ratio)

    @property
    def verdict(self) -> AdviceVerdict:
        """Whether the model agrees: what is within its spread, or open by the odds, is alike."""
        if not self.changed.differs(self.before) or nobody_is_ahead(self.odds):
            return AdviceVerdict.ALIKE
        return AdviceVerdict.AGREES if self.ratio.value > 1 else AdviceVerdict.CONTRADICTS


class TriedAdvice(Struct, frozen=True):
    """A trial, and what it gave: at saturation and at the stated load, or why it was not run."""

    trial: ChangedLayout
    outcome: tuple[ComparedLoad, ComparedLoad] | Untried


def changed_layouts(layout: Layout, findings: Sequence[Finding]) -> tuple[Layout, ...]:
    """What is to be run of the changes that findings advise, each once.

    Warnings come first, and no more than `LAYOUTS_MAX` layouts come in all.
    """
    changed = (
        trial.carried_out(layout)
        for finding in warnings_first(findings)
        if not isinstance(finding.rule.trials, Untried)
        for trial in finding.rule.trials
    )
    return tuple(dict.fromkeys(each for each in changed if each is not None))[:LAYOUTS_MAX]


def try_advice(
    layout: Layout,
    findings: Sequence[Finding],
    figures: Sequence[ModelledRate],
    changed: Mapping[Layout, Rates],
) -> dict[str, tuple[TriedAdvice, ...]]:
    """By the rule's id: what the model makes of each finding that promises that more is carried.

    ``figures`` are those of the layout as it is, ``changed`` what a first look at each of
    `changed_layouts` shows.
    """
    before = slower_rates(figures)
    found = {}
    for finding in warnings_first(findings):
        trials = finding.rule.trials
        if isinstance(trials, Untried):
            continue
        found[finding.id] = tuple(_try(trial, layout, before, changed) for trial in trials)
    return found


def _try(
    trial: ChangedLayout, layout: Layout, before: Rates, runs: Mapping[Layout, Rates]
) -> TriedAdvice:
    changed = trial.carried_out(layout)
    if changed is None:
        return TriedAdvice(trial, _IMPOSSIBLE)
    if changed not in runs:
        return TriedAdvice(trial, _TOO_MANY)
    saturated, stated = (
        ComparedLoad(was, comes, (layout, changed), load)
        for was, comes, load in zip(before, runs[changed], (SATURATED, STATED), strict=True)
    )
    return TriedAdvice(trial, (saturated, stated))


class AfterLoss(Struct, frozen=True):
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
        load = self.carried.load
        found = links_ratio(share, *links, load.each)
        return Figure(share, Unit.SHARE, found.range, found.no_range, load)

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
