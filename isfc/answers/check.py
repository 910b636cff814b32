"""What IBM's advice finds in a layout, and by which scheme its CTCs are numbered."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from isfc.answers.findings import count_of
from isfc.arguments import checked
from isfc.deck import scheme
from isfc.layout.catalogue import AnyLayout, given_collection, given_document, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.file import collection_of
from isfc.layout.in_words import first_listed
from isfc.layout.layout import Layout
from isfc.layout.rules import book
from isfc.layout.rules.rule import Finding, Severity, warnings_first
from isfc.link.name import NodeName
from isfc.reports.report import Column, Report, Table
from scenarios.runs.traffic import checked_traffic

RULES: Final = (*book.RULES, *scheme.RULES.values())
"""All that layouts are checked by."""

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


class CheckedLink(Struct, frozen=True):
    """What is found in a link of a layout; of a layout that cannot be read why."""

    layout: str
    """as it was given"""
    nodes: tuple[NodeName, NodeName] | None
    """the two ends of the link, or null if the layout could not be read"""
    error: str | None
    """why it could not be read, or null"""
    findings: tuple[CheckFinding, ...]
    numbers: scheme.Numbering | None
    """of all links of the layout together, or null if it could not be read"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each finding, as a data frame takes them."""
        return [
            {"id": each.id, "severity": str(each.severity), "text": each.text}
            | {"remedy": each.remedy}
            for each in self.findings
        ]


@checked
def check(layout: AnyLayout) -> tuple[CheckedLink, ...]:
    """What IBM's advice finds in each link of a layout, and by which scheme CTCs are numbered.

    Raises `ConfigurationError` for what is no layout.
    """
    name, lines = "layout", list[str]()
    if isinstance(layout, Layout | Collection):
        collection = given_collection(layout)
    else:
        document = given_document(layout)
        collection = checked_traffic(collection_of(document), document.source)
        name = "layout" if "\n" in str(layout) else str(layout)
        lines = [] if layout in shipped_layouts() else document.text.splitlines()
    found, numbers = scheme.find_every(collection)
    return tuple(
        CheckedLink(
            name,
            collection.link(link).nodes,
            None,
            tuple(_finding(each, lines) for each in findings),
            numbers,
        )
        for link, findings in found.items()
    )


def _finding(found: Finding, lines: Sequence[str]) -> CheckFinding:
    fibres = tuple(fibre.name for fibre in found.fibres)
    places = sorted({_line_of(fibre, lines) for fibre in fibres}) or [1]
    why = found.rule.reason, found.rule.source
    return CheckFinding(
        found.id, found.severity, found.text, found.remedy, *why, fibres, tuple(places)
    )


def _line_of(fibre: str, lines: Sequence[str]) -> int:
    """Where the table of a fibre begins."""
    header = re.compile(rf"""\s*\[\s*fibre\s*\.\s*["']?{re.escape(fibre)}["']?\s*\]""")
    return next((number for number, line in enumerate(lines, 1) if header.match(line)), 1)


class _RuleRow(Struct, frozen=True):
    """A rule, how often it finds something, what that is, and what to do."""

    severity: Severity
    finding: str
    count: int
    said: str


_COLUMNS: Final = (
    Column("severity", "severity"),
    Column("finding", "finding"),
    Column("found", "count"),
    Column("what is so, and what to do", "said", folds=True),
)


def check_report(found: Sequence[CheckedLink]) -> Report:
    """How much is found and by which rules, warnings first, and how CTCs are numbered."""
    read = [each for each in found if each.error is None]
    given, known = ({each.layout: None for each in some} for some in (found, read))
    rules = _rules(read)
    return Report(
        "".join(given) if len(given) == 1 else f"{len(known)} of {len(given)} layouts read",
        [*_answer(read)],
        [Table("What is found", _COLUMNS, [*map(_row, rules)])] * bool(rules),
        notes=[*_notes(rules)],
        asked="Why it matters, and all of a kind",
    )


def _answer(read: Sequence[CheckedLink]) -> Iterator[tuple[str, str]]:
    """How much is found, in what nothing is, and how CTCs are numbered."""
    yield "Found", count_of(finding for each in read for finding in each.findings)
    quiet = [_place(each, read) for each in read if not each.findings]
    if 0 < len(quiet) < len(read):
        yield "Nothing in", first_listed(quiet, _PLACES)
    said: dict[str, list[str]] = {}
    for name, numbers in {each.layout: each.numbers for each in read}.items():
        if numbers is not None:
            said.setdefault(numbers.text, []).append(name)
    sentences = [f"{first_listed(names, _PLACES)}: {text}" for text, names in said.items()]
    yield "Numbers", " ".join(sentences if len(said) > 1 else said)


def _place(each: CheckedLink, read: Sequence[CheckedLink]) -> str:
    """A layout, and which of its links if it has several; nothing if there is nothing else."""
    named = [each.layout] * (len({other.layout for other in read}) > 1)
    if sum(other.layout == each.layout for other in read) > 1:
        named.append(" - ".join(each.nodes or ()))
    return " ".join(named)


class _Rule(Struct, frozen=True):
    """A rule that finds something, and by what is to be done what it says of which places."""

    first: CheckFinding
    count: int
    sentences: Mapping[str, Sequence[str]]

    @property
    def severity(self) -> Severity:
        """The rule's."""
        return self.first.severity


def _rules(read: Sequence[CheckedLink]) -> list[_Rule]:
    """Each once, warnings first."""
    by_id: dict[str, list[tuple[str, CheckFinding]]] = {}
    for each in read:
        for finding in each.findings:
            by_id.setdefault(finding.id, []).append((_place(each, read), finding))
    return warnings_first(
        _Rule(found[0][1], len(found), _sentences(found)) for found in by_id.values()
    )


def _sentences(found: Sequence[tuple[str, CheckFinding]]) -> dict[str, list[str]]:
    """By remedy: a text that is of several places comes once, with their names."""
    places: dict[tuple[str, str], list[str]] = {}
    for place, finding in found:
        places.setdefault((finding.remedy, finding.text), []).append(place)
    said: dict[str, list[str]] = {}
    for (remedy, text), where in places.items():
        named = f"{first_listed(where, _PLACES)}: " * bool(where[0])
        said.setdefault(remedy, []).append(f"{named}{text}")
    return said


def _row(rule: _Rule) -> _RuleRow:
    """What is so, but for what many others say alike, and below it what to do."""
    lines: list[str] = []
    for remedy, said in rule.sentences.items():
        more = len(said) - _TEXTS
        lines += said[:_TEXTS]
        lines += [f"And {more} more of this kind: --notes."] * (more > 0)
        lines.append(f"-> {remedy}")
    return _RuleRow(rule.severity, rule.first.id, rule.count, "\n".join(lines))


def _notes(rules: Sequence[_Rule]) -> Iterator[str]:
    """Why each rule is one, and what a row leaves out."""
    for rule in rules:
        yield f"{rule.first.id}: {rule.first.reason} Source: {rule.first.source}."
        yield from (each for said in rule.sentences.values() for each in said[_TEXTS:])
