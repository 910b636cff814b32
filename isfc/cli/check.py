"""``isfc check``: several layouts, and what a pipeline is told of them.

Findings as other programs show them beside lines of a file: SARIF, and GitHub's workflows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import typer

from ctc.address import CtcError
from isfc.answers import check as answers
from isfc.cli.capability import command_of
from isfc.cli.options.formats import AnswerPrinted, Files, RenderedFiles, file_options
from isfc.cli.options.option import expect_one
from isfc.cli.output.streams import ExitCode, show_error, show_json, show_lines
from isfc.errors import ConfigurationError
from isfc.errors.loading import named
from isfc.layout.catalogue import Decks
from isfc.layout.rules.rule import LayoutRule, Severity
from isfc.reports.report import Report

_FAILING: Final = {"info": {*Severity}, "warning": {Severity.WARNING}, "never": set[Severity]()}


class CheckPrinted(AnswerPrinted, frozen=True):
    """How findings are printed, and from which on the command fails."""

    as_: Annotated[
        Literal["text", "sarif", "github"],
        typer.Option(
            "--format", help="For people, as SARIF 2.1.0, or as annotations of GitHub's workflows."
        ),
    ] = "text"
    fail_on: Annotated[
        Literal["info", "warning", "never"],
        typer.Option(help="The least severity that makes the command end with 1."),
    ] = "warning"
    files: Annotated[RenderedFiles, file_options(of_charts=False)] = MappingProxyType({})

    def check(self, own: Files) -> None:
        """Raise for two forms, and as any answer does."""
        super().check(own)
        form = ["--format"] if self.as_ != "text" else []
        expect_one(*form, *filter(None, [self.instead, "--notes" * self.notes]))

    def show(self, found: Sequence[answers.CheckedLink], report: Callable[[Any], Report]) -> None:
        """Print what is found; end with 1 for what is to fail, with 2 for what is no layout."""
        if self.as_ == "sarif":
            show_json(sarif_log(found, answers.CHECK_RULES))
        elif self.as_ == "github":
            show_lines(github_lines(found))
        elif self.format == "json" or any(each.error is None for each in found):
            super().show(found, report)
        unread = [each.error for each in found if each.error is not None]
        for error in unread:
            show_error(error)
        if unread:
            raise typer.Exit(ExitCode.BAD_INPUT)
        severities = {finding.severity for each in found for finding in each.findings}
        if severities & _FAILING[self.fail_on]:
            raise typer.Exit(ExitCode.FAILED)


def _check_each(layouts: Sequence[str | Decks]) -> list[answers.CheckedLink]:
    """Check layouts by IBM's advice, to gate a change.

    It says by which scheme CTCs are numbered, too, and what breaks it; 'isfc export --scheme' gives
    them other numbers. Ends with 1 if there is a warning (see --fail-on), and with 2 if a layout
    cannot be read; the others are checked all the same. docs/check.md lists the rules.
    """
    found: list[answers.CheckedLink] = []
    for layout in layouts:
        try:
            found += answers.check(layout)
        except (ConfigurationError, CtcError) as error:
            found.append(answers.CheckedLink(str(layout), None, str(error), (), None))
    return found


check = command_of(_check_each, report=answers.check_report, printed=CheckPrinted)


_SARIF_LEVELS: Final = {Severity.INFO: "note", Severity.WARNING: "warning"}
_GITHUB_COMMANDS: Final = {Severity.INFO: "notice", Severity.WARNING: "warning"}
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(
    checked: Sequence[answers.CheckedLink], rules: Sequence[LayoutRule]
) -> dict[str, Any]:
    """SARIF 2.1.0, with all ``rules``; a layout that could not be read is a notification."""
    indexes = {rule.id: index for index, rule in enumerate(rules)}
    errors = [item for item in checked if item.error is not None]
    driver = {
        "name": "isfc",
        "version": named("isfc.__version__"),
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


def github_lines(checked: Iterable[answers.CheckedLink]) -> Iterator[str]:
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
