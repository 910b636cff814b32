"""Findings as other programs show them beside lines of a file: SARIF, and GitHub's workflows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from isfc import __version__
from isfc.answers.check import CheckedLink
from isfc.layout.rules.rule import LayoutRule, Severity

_SARIF_LEVELS: Final = {Severity.INFO: "note", Severity.WARNING: "warning"}
_GITHUB_COMMANDS: Final = {Severity.INFO: "notice", Severity.WARNING: "warning"}
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(checked: Sequence[CheckedLink], rules: Sequence[LayoutRule]) -> dict[str, Any]:
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
            "locations": [_location(item.layout, line) for line in finding.lines],
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
                "locations": [_location(item.layout, 1)],
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


def github_lines(checked: Iterable[CheckedLink]) -> Iterator[str]:
    """Workflow commands, one for each finding, which GitHub shows beside the line."""
    for item in checked:
        if item.error is not None:
            yield _annotation("error", item.layout, 1, "isfc", item.error)
        for finding in item.findings:
            command = _GITHUB_COMMANDS[finding.severity]
            line, *_ = finding.lines
            yield _annotation(command, item.layout, line, finding.id, finding.advice)


def _annotation(command: str, file: str, line: int, title: str, message: str) -> str:
    place = f"file={_property(file)},line={line},title={_property(title)}"
    return f"::{command} {place}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
