"""Advice in words: what a rule has found, what to change, and what the model makes of that."""

from collections.abc import Mapping, Sequence

from isfc.cli.render.paces import paces
from isfc.layout.rules.rule import Finding, Untried
from scenarios.advice import AdviceVerdict, ComparedLoad, TriedAdvice
from scenarios.saturation import STATED_PAIRS


def advice_text(finding: Finding, tried: Mapping[str, Sequence[TriedAdvice]]) -> str:
    """What is so, what to change, and the model's word on it if it was asked."""
    return " ".join([finding.advice, *map(model_word, tried.get(finding.id, ()))])


def model_word(tried: TriedAdvice) -> str:
    """``Run with four CTCs, the model agrees by 12% saturated (340 to 381 MB/s) and ...``."""
    if isinstance(tried.outcome, Untried):
        return f"The model was not asked: {tried.outcome.because}."
    saturated, stated = tried.outcome
    words = _verdict(saturated), _verdict(stated)
    again = (
        words[1].removeprefix(saturated.verdict) if saturated.verdict is stated.verdict else None
    )
    second = words[1] if again is None else again.strip()
    return (
        f"Run {tried.trial.done}, the model {words[0]} saturated ({_rates(saturated)} MB/s) and "
        f"{second} with {STATED_PAIRS} pairs ({_rates(stated)})."
    ).replace("  ", " ")


def _verdict(compared: ComparedLoad) -> str:
    if compared.verdict is AdviceVerdict.ALIKE:
        return compared.verdict
    return f"{compared.verdict} by {abs(compared.share):.0%}"


def _rates(compared: ComparedLoad) -> str:
    return f"{paces(compared.before)} to {paces(compared.changed)}"
