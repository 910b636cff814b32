"""Findings of the rules for layouts, in words and in rows: what a plan and a check say alike."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from isfc.layout.in_words import first_listed
from isfc.layout.rules.rule import Finding, Severity
from isfc.reports.report import Column, Table

if TYPE_CHECKING:
    pass

_PLACES: Final = 6
_TEXTS: Final = 2
"""Of what a rule finds in many links, so many places are named, and so many texts are shown."""


class CheckFinding(Struct, frozen=True):
    """What a rule has found in a link."""

    id: str
    """the rule's"""
    severity: Severity
    """`info` or `warning`"""
    text: str
    remedy: str
    reason: str
    source: str
    fibres: tuple[str, ...]
    """the names of those that it is about; none if it is about the whole link"""
    lines: tuple[int, ...]
    """of the fibres' tables in the file, from 1 on; 1 if it is about the whole"""

    @property
    def advice(self) -> str:
        """What is so, and what to change."""
        return f"{self.text} {self.remedy}"


Found = Finding | CheckFinding


class RuleFound(Struct, frozen=True):
    """A rule, how often it finds something, and by what is to be done what is so, and where."""

    severity: Severity
    finding: str
    count: int
    sentences: Mapping[str, Sequence[str]]

    @property
    def said(self) -> str:
        """What is so, but for what many others say alike, and below it what to do."""
        lines: list[str] = []
        for remedy, said in self.sentences.items():
            more = len(said) - _TEXTS
            lines += said[:_TEXTS]
            lines += [f"And {more} more of this kind in the notes."] * (more > 0)
            lines.append(f"-> {remedy}")
        return "\n".join(lines)

    @property
    def left_out(self) -> list[str]:
        """What is so and not said."""
        return [text for said in self.sentences.values() for text in said[_TEXTS:]]


_RULE_COLUMNS: Final = (
    Column("severity", "severity"),
    Column("finding", "finding"),
    Column("found", "count"),
    Column("what is so, and what to do", "said", folds=True),
)


def by_rule(found: Iterable[tuple[str, Found]]) -> list[RuleFound]:
    """Each rule once, warnings first, of findings behind the name of the place that each is of."""
    rules: dict[tuple[Severity, str], list[tuple[str, Found]]] = {}
    for place, each in found:
        rules.setdefault((each.severity, each.id), []).append((place, each))
    return [
        RuleFound(*rule, len(rules[rule]), _sentences(rules[rule]))
        for rule in sorted(rules, key=lambda each: each[0] is Severity.INFO)
    ]


def rules_table(rules: Sequence[RuleFound], *, with_texts: bool) -> Table:
    """A row for each rule; of many links perhaps without what is so."""
    caption = f"What is found{': nothing' * (not rules)}"
    return Table(caption, _RULE_COLUMNS[: None if with_texts else -1], rules)


def _sentences(found: Sequence[tuple[str, Found]]) -> dict[str, list[str]]:
    """By remedy: a text that is of several places comes once, with their names."""
    places: dict[tuple[str, str], list[str]] = {}
    for place, each in found:
        places.setdefault((each.remedy, each.text), []).append(place)
    said: dict[str, list[str]] = {}
    for (remedy, text), where in places.items():
        named = f"{first_listed(where, _PLACES)}: " * bool(where[0])
        said.setdefault(remedy, []).append(f"{named}{text}")
    return said
