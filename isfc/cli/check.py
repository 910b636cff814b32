"""``isfc check``: what the rules for layouts find in one or more of them."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

import typer
from msgspec import Struct

from ctc.errors import CtcError
from isfc.cli.judgement.findings import Checked, check_page, github_lines, sarif_log
from isfc.cli.options.layout import JsonOption, checked_traffic, complete_layout, read_layout
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show, show_error, show_json, show_lines
from isfc.deck import scheme
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import layout_path
from isfc.layout.document import parse_document
from isfc.layout.file import collection_of
from isfc.layout.rules import book
from isfc.layout.rules.rule import Severity

RULES: Final = (*book.RULES, *scheme.RULES.values())
"""All that layouts are checked by."""


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    SARIF = "sarif"
    GITHUB = "github"


class FailOn(StrEnum):
    """From which severity on a finding makes the command end with 1."""

    INFO = "info"
    WARNING = "warning"
    NEVER = "never"


_FAILING = {
    FailOn.INFO: {Severity.INFO, Severity.WARNING},
    FailOn.WARNING: {Severity.WARNING},
    FailOn.NEVER: set[Severity](),
}


def check(
    layouts: Annotated[
        list[str],
        typer.Argument(
            metavar="LAYOUT...",
            help="Layout files (TOML), or names of shipped layouts such as published-12; - for "
            "standard input.",
            autocompletion=complete_layout,
        ),
    ],
    *,
    as_: Annotated[
        Format,
        typer.Option(
            "--format", help="For people, as SARIF 2.1.0, or as annotations of GitHub's workflows."
        ),
    ] = Format.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option(help="The least severity that makes the command end with 1.")
    ] = FailOn.WARNING,
    json: JsonOption = False,
) -> None:
    """Check layouts by IBM's advice, to gate a change.

    It says by which scheme CTCs are numbered, too, and what breaks it; 'isfc export --scheme' gives
    them other numbers. Ends with 1 if there is a warning (see --fail-on), and with 2 if a layout
    cannot be read; the others are checked all the same. docs/check.md lists the rules.
    """
    if json and as_ is not Format.TEXT:
        raise ConfigurationError(f"--json and --format {as_}: expected one of them")
    checked = [item for name in layouts for item in _check(name)]
    if json:
        show_json([check_json(item) for item in checked])
    elif as_ is Format.SARIF:
        show_json(sarif_log(checked, RULES))
    elif as_ is Format.GITHUB:
        show_lines(github_lines(checked))
    elif page := check_page(checked):
        show(*page)
    unread = [item.error for item in checked if item.error is not None]
    for error in unread:
        show_error(error)
    severities = {finding.severity for item in checked for finding in item.findings}
    if unread:
        raise typer.Exit(ExitCode.BAD_INPUT)
    if severities & _FAILING[fail_on]:
        raise typer.Exit(ExitCode.FAILED)


class FindingJson(Struct, frozen=True):
    """What a rule has found in a link."""

    id: str
    """the rule's"""
    severity: str
    """info or warning"""
    text: str
    remedy: str
    reason: str
    source: str
    fibres: list[str]
    """the names of those that it is about; none if it is about the whole link"""
    lines: list[int]
    """of the fibres' tables in the file"""


class NumbersJson(Struct, frozen=True):
    """By which scheme the CTCs of a file are numbered."""

    scheme: str | None
    """`alike`, `traded`, `cuadd` or `target`; null if most numbers keep none"""
    fitting: dict[str, int]
    """by scheme, how many ends of CTCs keep it"""
    ends: int
    """of CTCs there are so many"""


class CheckJson(Struct, frozen=True):
    """One entry of ``isfc check --json``. Names and meanings of the keys stay."""

    layout: str
    """as it was given"""
    nodes: tuple[str, str] | None
    """the two ends of the link, or null if the layout could not be read"""
    error: str | None
    """why it could not be read, or null"""
    findings: list[FindingJson]
    """a list"""
    numbers: NumbersJson | None
    """of all links of the layout together, or null if it could not be read"""


def check_json(checked: Checked) -> CheckJson:
    """The record of one link."""
    findings = [
        FindingJson(**each.to_dict(), lines=checked.lines_of(each)) for each in checked.findings
    ]
    numbers = None if checked.numbers is None else _numbers_json(checked.numbers)
    return CheckJson(checked.name, checked.nodes, checked.error, findings, numbers)


def _numbers_json(found: scheme.Numbering) -> NumbersJson:
    fitting = {each.value: count for each, count in found.fitting.items()}
    return NumbersJson(found.scheme and found.scheme.value, fitting, found.count)


def _check(name: str) -> Sequence[Checked]:
    """What is found in each link of a layout, or why it cannot be read."""
    try:
        content, source = read_layout(name)
        collection = checked_traffic(collection_of(parse_document(content, source)), source)
    except (ConfigurationError, CtcError) as error:
        return [Checked(name, (), error=str(error))]
    is_shipped = layout_path(name) is None
    lines: Sequence[str] = () if is_shipped else content.decode("utf-8-sig").splitlines()
    found, numbers = scheme.find_every(collection)
    return [
        Checked(name, findings, lines, collection.link(link).nodes, numbers=numbers)
        for link, findings in found.items()
    ]
