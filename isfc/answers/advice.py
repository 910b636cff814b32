"""Advice and rates in words: what to change, what the model makes of that, a second pace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from isfc.layout.rules.rule import Finding, Severity, Untried, count_of, warnings_first
from isfc.reports.figure import Figure, Unit
from isfc.reports.units import CEILING, gain_words, range_of, shown
from scenarios.figures.changed import AdviceVerdict, ComparedLoad, TriedAdvice
from scenarios.figures.rates import ModelledRate
from scenarios.figures.resources import CREDITS, PORTS
from scenarios.runs.experiment import SATURATED, STATED_PAIRS
from scenarios.runs.steady import Rate


def paces(rate: Rate | Figure) -> str:
    """``340``, or ``340 or 380`` where there is a second pace."""
    return " or ".join(shown(each, Unit.MB_PER_S) for each in rate.paces)


def two_paces(rates: Iterable[tuple[str, Rate | Figure]]) -> str:
    """A sentence on all rates that have a second pace, each with what it is of; nothing if none."""
    each = [f"{what} {paces(rate)} MB/s" for what, rate in rates if rate.paces[1:]]
    if not each:
        return ""
    return (
        f"Two paces, of which a run keeps the one it falls into: {'; '.join(each)}. "
        "The first is that of guests that begin together, the second that of guests that begin "
        "one after the other."
    )


_ABOUT: Final = {"port-beyond-reach": PORTS, "credits-too-few": CREDITS}
"""By the rule's id, the resource that its advice gives more of."""


def to_do(
    findings: Sequence[Finding],
    tried: Mapping[str, Sequence[TriedAdvice]],
    figures: Sequence[ModelledRate],
    where: str,
) -> str:
    """What helps, warnings before remarks, and how much advice there is ``where``.

    If nothing is known to help, it is a warning that the model does not contradict, with the reason
    why to heed it all the same. No other remark has to be on the first screen.
    """
    ordered = warnings_first(findings)
    warnings = [each for each in ordered if each.severity is Severity.WARNING]
    counts = count_of(each.severity for each in ordered)
    if not ordered:
        return "Nothing."
    helping = (each for each in ordered if _helps(each, tried.get(each.id, ()), figures))
    heeded = (each for each in warnings if not _contradicted(tried.get(each.id, ())))
    first = next(chain(helping, heeded), None)
    if first is None:
        what = "Nothing that the model agrees with" if warnings else "Nothing has to change"
        return f"{what} ({counts}: {where})."
    begin = "" if warnings else "Nothing has to change. "
    why = _why(first, tried.get(first.id, ()), figures)
    return f"{begin}{first.rule.title} {first.remedy} {why}({first.id}; {counts}: {where}.)"


def _helps(finding: Finding, tried: Sequence[TriedAdvice], figures: Sequence[ModelledRate]) -> bool:
    """Whether the model agrees; of warnings also whether they are about another thing than MB/s."""
    if not isinstance(finding.rule.trials, Untried):
        return any(_agreeing(tried))
    return finding.severity is Severity.WARNING and not _is_slack(finding, figures)


def _is_slack(finding: Finding, figures: Sequence[ModelledRate]) -> bool:
    """Whether it is about a resource that has no share in what limits."""
    about = _ABOUT.get(finding.id)
    limits = [each.limit for each in figures if each.limit]
    shares = (share.resource.kind for limit in limits for share in limit.shares)
    return about is not None and bool(limits) and about not in shares


def _why(finding: Finding, tried: Sequence[TriedAdvice], figures: Sequence[ModelledRate]) -> str:
    """What the model says to advice about MB/s; where that is no gain, why to heed it."""
    if isinstance(finding.rule.trials, Untried):
        return "It is not what limits this link. " if _is_slack(finding, figures) else ""
    if gains := [*_agreeing(tried)]:
        best = max(gains, key=lambda load: load.ratio.value)
        return f"Gain: {gain_words(best.ratio)}{' saturated' * (best.load == SATURATED)}. "
    if not [*_verdicts(tried)]:
        return ""
    reason = finding.rule.reason
    why = f"{reason[0].lower()}{reason[1:]}"
    return f"No gain is known, but {why} "


def _contradicted(tried: Sequence[TriedAdvice]) -> bool:
    """Whether the model carries less at either load after each change that is advised."""
    verdicts = [verdicts == {AdviceVerdict.CONTRADICTS} for verdicts in _verdicts(tried)]
    return bool(verdicts) and all(verdicts)


def _agreeing(tried: Sequence[TriedAdvice]) -> Iterator[ComparedLoad]:
    """Of each change after which the model carries more and at no load less, where it does so.

    That is the stated load, or else the saturated link.
    """
    for each in tried:
        loads = () if isinstance(each.outcome, Untried) else each.outcome
        if all(load.verdict is not AdviceVerdict.CONTRADICTS for load in loads):
            agree = (load for load in reversed(loads) if load.verdict is AdviceVerdict.AGREES)
            yield from islice(agree, 1)


def _verdicts(tried: Sequence[TriedAdvice]) -> Iterator[set[AdviceVerdict]]:
    """What the model says at both loads to each change that was run."""
    for each in tried:
        if not isinstance(each.outcome, Untried):
            yield {load.verdict for load in each.outcome}


def advice_text(finding: Finding, tried: Mapping[str, Sequence[TriedAdvice]]) -> str:
    """What is so, what to change, and the model's word on it if it was asked."""
    return " ".join([finding.advice, *map(model_word, tried.get(finding.id, ()))])


def model_word(tried: TriedAdvice) -> str:
    """``The model agrees: run with four CTCs, the slower direction goes from 340 to 381 ...``."""
    if isinstance(tried.outcome, Untried):
        return f"The model was not asked: {tried.outcome.because}."
    saturated, stated = tried.outcome
    pairs = f"with {STATED_PAIRS} pairs"
    verdict = _verdict(saturated)
    if saturated.verdict is not stated.verdict:
        verdict = f"{verdict} saturated, {_verdict(stated)} {pairs}"
    return (
        f"The model {verdict}: run {tried.trial.done}, the slower direction goes from "
        f"{_rates(saturated)} MB/s saturated and from {_rates(stated)} {pairs}."
        f"{_odds(tried.outcome)}"
    )


def _verdict(compared: ComparedLoad) -> str:
    """The verdict; of what the odds leave open, that they do, and what ends a gain."""
    if compared.verdict is not AdviceVerdict.ALIKE:
        return compared.verdict
    if compared.changed.differs(compared.before):
        return "leaves it open"
    is_capped = any(each.by_model_mb_per_s for each in (compared.before, compared.changed))
    return f"{compared.verdict}{f' up to {CEILING}' * is_capped}"


def _odds(loads: Iterable[ComparedLoad]) -> str:
    """The odds of what the model says at each load; nothing where it sees no difference."""
    said = [str(each.odds.leading) for each in loads if each.verdict is not AdviceVerdict.ALIKE]
    return f" Odds that it is so: {' and '.join(dict.fromkeys(said))}." if said else ""


def _rates(compared: ComparedLoad) -> str:
    within = range_of(compared.figures[1])
    return f"{paces(compared.before)} to {paces(compared.changed)} ({within})"
