"""What ``isfc check`` prints: for people, as SARIF, and as annotations of GitHub's workflows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.output.table import plain_table
from isfc.layout.layout import Fibre
from isfc.layout.rules.book import RULES
from isfc.layout.rules.rule import Finding, Severity
from isfc.link.name import NodeName

SEVERITY_STYLES: Final = {Severity.INFO: "green", Severity.WARNING: "yellow"}
_SARIF_LEVELS: Final = {Severity.INFO: "note", Severity.WARNING: "warning"}
_GITHUB_COMMANDS: Final = {Severity.INFO: "notice", Severity.WARNING: "warning"}
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True, slots=True)
class Checked:
    """One link of a layout and what was found in it; ``lines`` are its file's, if it has one.

    ``nodes`` are the ends of the link; ``error`` says why the layout could not be read.
    """

    name: str
    findings: tuple[Finding, ...]
    lines: Sequence[str] = ()
    nodes: tuple[NodeName, NodeName] | None = None
    error: str | None = None

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


def check_page(checked: Sequence[Checked]) -> list[RenderableType]:
    """For people: each layout's findings, and how many there are."""
    parts: list[RenderableType] = _summed_up(checked)
    links = Counter(item.name for item in checked)
    for item in checked:
        if item.error is not None:
            continue
        link = f" {' - '.join(item.nodes)}" if item.nodes and links[item.name] > 1 else ""
        parts.append(Text(f"{item.name}{link}: {_count(item.findings)}", "bold"))
        if item.findings:
            parts.append(_findings(item.findings))
        parts.append("")
    return parts[:-1]


def _summed_up(checked: Sequence[Checked]) -> list[RenderableType]:
    """Of several links or layouts: how many findings there are, and which, before each of them."""
    if len(checked) < 2:
        return []
    every = [finding for item in checked for finding in item.findings]
    names = {item.name for item in checked}
    read = {item.name for item in checked if item.error is None}
    table = plain_table("severity", "finding", ">links")
    found = Counter((finding.severity, finding.id) for finding in every)
    for (severity, name), count in sorted(found.items(), key=lambda each: each[0][0] == "info"):
        table.add_row(Text(severity, SEVERITY_STYLES[severity]), name, str(count))
    total = f"{len(read)} of {len(names)} layouts read: {_count(every)}"
    return [total, *([table] if found else []), ""]


def _findings(findings: Iterable[Finding]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for finding in findings:
        style = SEVERITY_STYLES[finding.severity]
        table.add_row(Text(finding.severity, style), Text(finding.id, "bold"))
        table.add_row("", finding.text)
        table.add_row("", Text(f"-> {finding.remedy}"))
    return table


def _count(findings: Iterable[Finding]) -> str:
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


def sarif_log(checked: Sequence[Checked]) -> dict[str, Any]:
    """SARIF 2.1.0, with all rules; a layout that could not be read is a notification."""
    indexes = {rule.id: index for index, rule in enumerate(RULES)}
    errors = [item for item in checked if item.error is not None]
    driver = {
        "name": "isfc",
        "version": version("isfc"),
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": f"{rule.reason} Source: {rule.source}."},
                "help": {"text": rule.remedy},
                "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
            }
            for rule in RULES
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
