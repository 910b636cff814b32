"""What ``isfc check`` prints: for people, as SARIF, and as annotations of GitHub's workflows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from isfc import __version__
from isfc.layout.in_words import first_listed
from isfc.layout.layout import Fibre
from isfc.layout.rules.rule import Finding, LayoutRule, Severity, warnings_first
from isfc.link.name import NodeName
from isfc.reports.table import plain_table

if TYPE_CHECKING:
    from isfc.deck.scheme import Numbering
    from scenarios.figures.advice import TriedAdvice

_TEXTS_MAX: Final = 6
_TEXTS: Final = 3
_PLACES: Final = 6
"""Of what a rule finds in many links, so much is shown: all of up to six, or the first three."""

SEVERITY_STYLES: Final = {Severity.INFO: "green", Severity.WARNING: "yellow"}
_SARIF_LEVELS: Final = {Severity.INFO: "note", Severity.WARNING: "warning"}
_GITHUB_COMMANDS: Final = {Severity.INFO: "notice", Severity.WARNING: "warning"}
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


class Checked(Struct, frozen=True):
    """One link of a layout and what was found in it; ``lines`` are its file's, if it has one.

    ``nodes`` are the ends of the link; ``error`` says why the layout could not be read; ``numbers``
    is the scheme of all numbers in it.
    """

    name: str
    findings: tuple[Finding, ...]
    lines: Sequence[str] = ()
    nodes: tuple[NodeName, NodeName] | None = None
    error: str | None = None
    numbers: "Numbering | None" = None

    def lines_of(self, finding: Finding) -> list[int]:
        """The lines, from 1 on, of the tables that a finding is about; 1 if about the whole."""
        lines = [self._line_of(fibre) for fibre in finding.fibres]
        return sorted(set(lines)) or [1]

    def _line_of(self, fibre: Fibre) -> int:
        name = re.escape(fibre.name)
        header = re.compile(rf"""\s*\[\s*fibre\s*\.\s*["']?{name}["']?\s*\]""")
        for number, line in enumerate(self.lines, start=1):
            if header.match(line):
                return number
        return 1


def advice_text(finding: Finding, tried: "Mapping[str, Sequence[TriedAdvice]]") -> str:
    """What is so, what to change, and the model's word on it if it was asked."""
    if finding.id not in tried:
        return finding.advice
    from isfc.answers.advice import model_word  # it loads the model

    return " ".join([finding.advice, *map(model_word, tried[finding.id])])


def check_page(checked: Sequence[Checked]) -> list[RenderableType]:
    """For people: how many findings there are, then each, warnings first.

    Of several links or layouts each rule comes once, with all that it finds.
    """
    read = [item for item in checked if item.error is None]
    if len(checked) > 1:
        return [*_page_of_several(checked, read), *_numbers(read)]
    return [part for item in read for part in _page_of_one(item)] + _numbers(read)


def _page_of_one(item: Checked) -> Iterator[RenderableType]:
    yield Text(f"{item.name}: {count_of(item.findings)}", "bold")
    if item.findings:
        yield _findings_at([("", item)])


def _numbers(read: Sequence[Checked]) -> list[RenderableType]:
    """By which scheme CTCs are numbered, by layout if there are several."""
    said: dict[str, list[str]] = {}
    for name, found in {item.name: item.numbers for item in read}.items():
        if found is not None:
            said.setdefault(found.said, []).append(name)
    names = sum(map(len, said.values())) > 1
    lines = [f"{first_listed(of, _PLACES)}: {text}" if names else text for text, of in said.items()]
    return ["", *lines] if lines else []


def _page_of_several(checked: Sequence[Checked], read: Sequence[Checked]) -> list[RenderableType]:
    """Each rule once: a text that is of several places with their names, a remedy below all."""
    names = {item.name for item in checked}
    places = [
        " - ".join(item.nodes or ()) if len(names) == 1 else _place(item, read) for item in read
    ]
    every = [finding for item in read for finding in item.findings]
    layouts = f"{len({item.name for item in read})} of {len(names)} layouts read"
    quiet = [place for place, item in zip(places, read, strict=True) if not item.findings]
    parts: list[RenderableType] = [Text(f"{layouts}: {count_of(every)}", "bold")]
    if every and quiet:
        parts.append(f"Nothing found: {', '.join(quiet)}")
    if every:
        parts += [*findings_table(read), "", _findings_at(zip(places, read, strict=True))]
    return parts


def _findings_at(placed: Iterable[tuple[str, Checked]]) -> Table:
    """What is found at each place, by rule, warnings first."""
    found: dict[tuple[Severity, str], dict[str, dict[str, list[str]]]] = {}
    rules: dict[tuple[Severity, str], Finding] = {}
    for place, item in placed:
        for finding in item.findings:
            key = finding.severity, finding.id
            texts = found.setdefault(key, {}).setdefault(finding.remedy, {})
            texts.setdefault(finding.text, []).append(place)
            rules.setdefault(key, finding)
    table = Table.grid(padding=(0, 2, 0, 0))
    for finding in warnings_first(rules.values()):
        style = SEVERITY_STYLES[finding.severity]
        table.add_row(Text(finding.severity, style), Text(finding.id, "bold"))
        for line in _lines(found[finding.severity, finding.id]):
            table.add_row("", Text(line))
    return table


def findings_table(read: Sequence[Checked]) -> list[RenderableType]:
    """How many links each rule finds something in, warnings first; a line if none does."""
    rules = {(each.severity, each.id): each for item in read for each in item.findings}
    links = Counter((each.severity, each.id) for item in read for each in item.findings)
    if not rules:
        return ["Nothing."]
    table = plain_table("severity", "finding", ">links")
    for finding in warnings_first(rules.values()):
        count = str(links[finding.severity, finding.id])
        table.add_row(Text(finding.severity, SEVERITY_STYLES[finding.severity]), finding.id, count)
    return [table]


def _place(item: Checked, read: Sequence[Checked]) -> str:
    """A layout, and which of its links if it has several."""
    links = sum(other.name == item.name for other in read)
    return f"{item.name} {' - '.join(item.nodes)}" if item.nodes and links > 1 else item.name


def _lines(remedies: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    """What a rule finds, where, and below it what to do."""
    for remedy, texts in remedies.items():
        shown = [*texts.items()][: len(texts) if len(texts) <= _TEXTS_MAX else _TEXTS]
        for text, places in shown:
            more = len(places) - _PLACES
            named = first_listed(places, len(places) if more <= 1 else _PLACES)
            yield f"{named}: {text}" if named else text
        if len(shown) < len(texts):
            yield f"And {len(texts) - len(shown)} more of this kind: --json has all."
        yield f"-> {remedy}"


def count_of(findings: Iterable[Finding]) -> str:
    """``2 warnings, 1 info``."""
    counts = Counter(finding.severity for finding in findings)
    if not counts:
        return "nothing found"
    named = {Severity.WARNING: ("warning", "warnings"), Severity.INFO: ("remark", "remarks")}
    return ", ".join(
        f"{counts[severity]} {words[counts[severity] > 1]}"
        for severity, words in named.items()
        if counts[severity]
    )


def sarif_log(checked: Sequence[Checked], rules: Sequence[LayoutRule]) -> dict[str, Any]:
    """SARIF 2.1.0, with all ``rules``; a layout that could not be read is a notification."""
    indexes = {rule.id: index for index, rule in enumerate(rules)}
    errors = [item for item in checked if item.error is not None]
    driver = {
        "name": "isfc",
        "version": __version__,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": f"{rule.reason} Source: {rule.source}."},
                "help": {"text": rule.remedy},
                "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
            }
            for rule in rules
        ],
    }
    results = [
        {
            "ruleId": finding.id,
            "ruleIndex": indexes[finding.id],
            "level": _SARIF_LEVELS[finding.severity],
            "message": {"text": finding.advice},
            "locations": [_location(item.name, line) for line in item.lines_of(finding)],
        }
        for item in checked
        for finding in item.findings
    ]
    invocation = {
        "executionSuccessful": not errors,
        "toolConfigurationNotifications": [
            {
                "level": "error",
                "message": {"text": item.error},
                "locations": [_location(item.name, 1)],
            }
            for item in errors
        ],
    }
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _location(name: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": name.replace("\\", "/").replace(" ", "%20")},
            "region": {"startLine": line},
        }
    }


def github_lines(checked: Iterable[Checked]) -> Iterator[str]:
    """Workflow commands, one for each finding, which GitHub shows beside the line."""
    for item in checked:
        if item.error is not None:
            yield _annotation("error", item.name, 1, "isfc", item.error)
        for finding in item.findings:
            command = _GITHUB_COMMANDS[finding.severity]
            line, *_ = item.lines_of(finding)
            yield _annotation(command, item.name, line, finding.id, finding.advice)


def _annotation(command: str, file: str, line: int, title: str, message: str) -> str:
    place = f"file={_property(file)},line={line},title={_property(title)}"
    return f"::{command} {place}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
