"""What IBM's advice finds in a layout, and by which scheme its CTCs are numbered."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from isfc.answers.findings import CheckFinding, RuleFound, by_rule, rules_table
from isfc.arguments import checked
from isfc.deck import scheme
from isfc.layout.catalogue import AnyLayout, given_collection, given_document, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.file import collection_of
from isfc.layout.in_words import first_listed
from isfc.layout.layout import Layout
from isfc.layout.rules import book
from isfc.layout.rules.rule import Finding, count_of
from isfc.link.name import NodeName
from isfc.reported import Reported
from isfc.reports.report import Report
from scenarios.runs.traffic import checked_traffic

RULES: Final = (*book.RULES, *scheme.RULES.values())
"""All that layouts are checked by."""

_PLACES: Final = 6
"""So many are named, of which the same is said."""


class CheckedLink(Reported, Struct, frozen=True):
    """What is found in a link of a layout; of a layout that cannot be read why."""

    reported_by = "isfc.answers.check.check_report"

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
    numbers, breaking = scheme.numbering_of(collection)
    return tuple(
        CheckedLink(
            name,
            collection.link(link).nodes,
            None,
            tuple(_finding(each, lines) for each in (*findings, *breaking[link])),
            numbers,
        )
        for link, findings in book.find_in(collection).items()
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


def check_report(found: CheckedLink | Sequence[CheckedLink]) -> Report:
    """How much is found and by which rules, warnings first, and how CTCs are numbered."""
    links = [found] if isinstance(found, CheckedLink) else found
    read = [each for each in links if each.error is None]
    given, known = ({each.layout: None for each in some} for some in (links, read))
    rules = by_rule((_place(each, read), finding) for each in read for finding in each.findings)
    return Report(
        "".join(given) if len(given) == 1 else f"{len(known)} of {len(given)} layouts read",
        [*_answer(read)],
        [rules_table(rules, with_texts=True)],
        notes=[*_notes(rules)],
        asked="Why it matters, and all of a kind",
    )


def _answer(read: Sequence[CheckedLink]) -> Iterator[tuple[str, str]]:
    """How much is found, in what nothing is, and how CTCs are numbered."""
    yield "Found", count_of(finding.severity for each in read for finding in each.findings)
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


def _notes(rules: Sequence[RuleFound]) -> Iterator[str]:
    """Why each rule is one, and what the page leaves out."""
    known = {rule.id: rule for rule in RULES}
    for each in rules:
        rule = known[each.finding]
        yield f"{rule.id}: {rule.reason} Source: {rule.source}."
        yield from each.left_out
