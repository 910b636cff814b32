"""What the model makes of advice: the layout run as it is, and with the advice carried out.

What counts is the verdict, and the odds leave open what differs by some per cent. So a first look
at a changed layout will do: of 252 verdicts on changes of 40 layouts, shipped and drawn, one is
another than that of steady runs, on 10.5 % more where those have 8.2 % and 10 % count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from isfc.layout.layout import Layout
from isfc.layout.rules.rule import ChangedLayout, Finding, Untried, warnings_first
from isfc.reports.figure import Figure
from scenarios.figures.certainty import Odds, nobody_is_ahead, odds_ahead
from scenarios.figures.ranges import link_rate, link_ratio
from scenarios.figures.rates import ModelledRate, Rates, slower_rates
from scenarios.runs.experiment import SATURATED, STATED, Load
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


@dataclass(frozen=True, slots=True)
class ComparedLoad:
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
            link_rate(rate.mb_per_s, layout, self.load).of_run(rate)
            for rate, layout in zip((self.before, self.changed), self.layouts, strict=True)
        )
        return was, comes

    @property
    def ratio(self) -> Figure:
        """How many times what it carries as it is the changed layout carries."""
        before, changed = self.before.mb_per_s, self.changed.mb_per_s
        return link_ratio(max(1e-9, changed) / max(1e-9, before), *self.layouts)

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


@dataclass(frozen=True, slots=True)
class TriedAdvice:
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
