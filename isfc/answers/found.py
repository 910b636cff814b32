"""What rules find, in words that a plan and a check share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from isfc.layout.rules.rule import Finding, Severity

if TYPE_CHECKING:
    from scenarios.figures.advice import TriedAdvice


def advice_text(finding: Finding, tried: "Mapping[str, Sequence[TriedAdvice]]") -> str:
    """What is so, what to change, and the model's word on it if it was asked."""
    if finding.id not in tried:
        return finding.advice
    from isfc.answers.advice import model_word  # it loads the model

    return " ".join([finding.advice, *map(model_word, tried[finding.id])])


def count_of(severities: Iterable[Severity]) -> str:
    """``2 warnings, 1 remark``."""
    counts = Counter(severities)
    if not counts:
        return "nothing"
    named = {Severity.WARNING: ("warning", "warnings"), Severity.INFO: ("remark", "remarks")}
    return ", ".join(
        f"{counts[severity]} {words[counts[severity] > 1]}"
        for severity, words in named.items()
        if counts[severity]
    )
