"""What the rules for layouts find, in words and in rows, and by which scheme CTCs are numbered."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from isfc.answers.given import links_of
from isfc.deck import scheme
from isfc.deck.allowed import DECK_RULES
from isfc.errors.arguments import checked
from isfc.errors.in_words import first_listed, grouped
from isfc.layout import catalogue, plan
from isfc.layout.capacity import directions_of
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.rules.rule import Finding, Judged, Severity, count_of
from isfc.link.name import Nodes
from isfc.reports.figure import Reported
from isfc.reports.report import Column, Report, Table, headed

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
    Column("severity", "severity", value=lambda rule: rule.severity.noun),
    *headed(finding="finding", count="count"),
    Column("what is so, and what to do", "said", folds=True),
)


def by_rule(found: Iterable[tuple[str, CheckFinding]]) -> list[RuleFound]:
    """Each rule once, warnings first, of findings behind the name of the place that each is of."""
    rules = grouped(((each.severity, each.id), (place, each)) for place, each in found)
    return [
        RuleFound(*rule, len(rules[rule]), _sentences(rules[rule]))
        for rule in sorted(rules, key=lambda each: each[0] is Severity.INFO)
    ]


def rules_table(rules: Sequence[RuleFound], *, with_texts: bool) -> Table:
    """A row for each rule; or a detail of a page, of many links, without what is so."""
    caption = f"What is found{': nothing' * (not rules)}"
    return Table(caption, _RULE_COLUMNS[: None if with_texts else -1], rules, detail=not with_texts)


def _sentences(found: Sequence[tuple[str, CheckFinding]]) -> dict[str, list[str]]:
    """By remedy: a text that is of several places comes once, with their names."""
    places = grouped(((each.remedy, each.text), place) for place, each in found)
    return grouped(
        (remedy, f"{first_listed(where, _PLACES)}: " * bool(where[0]) + text)
        for (remedy, text), where in places.items()
    )


CHECK_RULES: Final = (*plan.LAYOUT_RULES, *DECK_RULES, *scheme.NUMBER_RULES.values())
"""All that layouts are checked by."""

_BY_ID: Final = {rule.id: rule for rule in CHECK_RULES}


class CheckedLink(Reported, Struct, frozen=True):
    """What is found in a link of a layout; of a layout that cannot be read why."""

    reported_by = "isfc.answers.check.check_report"

    layout: str
    """as it was given"""
    nodes: Nodes | None
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
        collection = catalogue.given_collection(layout)
    else:
        document = catalogue.given_document(layout)
        collection = links_of(document)
        name = "layout" if "\n" in str(layout) else str(layout)
        lines = [] if layout in catalogue.shipped_layouts() else document.text.splitlines()
    catalogue.check_devices(collection, name)
    numbers, breaking = scheme.numbering_of(collection)
    of_decks = {
        link.name: plan.found_by(DECK_RULES, Judged(link, directions_of(link), (), collection))
        for link in collection.links
    }
    return tuple(
        CheckedLink(
            name,
            collection.link(link).nodes,
            None,
            tuple(_finding(each, lines) for each in (*findings, *of_decks[link], *breaking[link])),
            numbers,
        )
        for link, findings in plan.find_in(collection).items()
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
    rules = by_rule((_place(each, read, one), one) for each in read for one in each.findings)
    return Report(
        "".join(given) if len(given) == 1 else f"{len(known)} of {len(given)} layouts read",
        [*_answer(read)],
        [rules_table(rules, with_texts=True)],
        notes=[*_notes(rules)],
        asked="Why each matters, and every case",
    )


def _answer(read: Sequence[CheckedLink]) -> Iterator[tuple[str, str]]:
    """How much is found, in what nothing is, and how CTCs are numbered."""
    yield "Found", count_of(finding.severity for each in read for finding in each.findings)
    quiet = [_place(each, read) for each in read if not each.findings]
    if 0 < len(quiet) < len(read):
        yield "Nothing in", first_listed(quiet, _PLACES)
    numbers = {each.layout: each.numbers for each in read}
    said = grouped((each.text, name) for name, each in numbers.items() if each is not None)
    sentences = [f"{first_listed(names, _PLACES)}: {text}" for text, names in said.items()]
    yield "Numbers", " ".join(sentences if len(said) > 1 else said)


def _place(each: CheckedLink, read: Sequence[CheckedLink], one: CheckFinding | None = None) -> str:
    """A layout, and which of its links if it has several; nothing if there is nothing else.

    Of ``one`` finding about several links the layout alone: it names them itself.
    """
    named = [each.layout] * (len({other.layout for other in read}) > 1)
    of_file = one is not None and _BY_ID[one.id].of_file
    if not of_file and sum(other.layout == each.layout for other in read) > 1:
        named.append(" - ".join(each.nodes or ()))
    return " ".join(named)


def _notes(rules: Sequence[RuleFound]) -> Iterator[str]:
    """Why each rule is one, and what the page leaves out."""
    for each in rules:
        rule = _BY_ID[each.finding]
        yield f"{rule.id}: {rule.reason} Source: {rule.source}."
        yield from each.left_out
