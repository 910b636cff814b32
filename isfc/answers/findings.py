"""Findings of the rules for layouts, in words and in rows: what a plan and a check say alike."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from isfc.layout.rules.rule import Finding, Found, Severity, warnings_first
from isfc.reports.report import Column, Table

if TYPE_CHECKING:
    from scenarios.figures.advice import TriedAdvice

SEVERITY_STYLES: Final = {Severity.INFO: "green", Severity.WARNING: "yellow"}


def advice_text(finding: Finding, tried: "Mapping[str, Sequence[TriedAdvice]]") -> str:
    """What is so, what to change, and the model's word on it if it was asked."""
    if finding.id not in tried:
        return finding.advice
    from isfc.answers.advice import model_word  # it loads the model

    return " ".join([finding.advice, *map(model_word, tried[finding.id])])


class _RuleRow(Struct, frozen=True):
    """A rule, and how many findings it has."""

    severity: Severity
    finding: str
    count: int


_RULE_COLUMNS: Final = (
    Column("severity", "severity"),
    Column("finding", "finding"),
    Column("links", "count"),
)


def findings_table(findings: Iterable[Finding]) -> Table:
    """In how many links each rule finds something, warnings first."""
    counts = Counter((each.severity, each.id) for each in findings)
    rows = warnings_first(_RuleRow(*rule, count) for rule, count in counts.items())
    return Table(f"What is found{': nothing' * (not rows)}", _RULE_COLUMNS, rows, "findings")


def count_of(findings: Iterable[Found]) -> str:
    """``2 warnings, 1 remark``."""
    counts = Counter(finding.severity for finding in findings)
    if not counts:
        return "nothing"
    named = {Severity.WARNING: ("warning", "warnings"), Severity.INFO: ("remark", "remarks")}
    return ", ".join(
        f"{counts[severity]} {words[counts[severity] > 1]}"
        for severity, words in named.items()
        if counts[severity]
    )
