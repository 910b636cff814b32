"""Which kind a text from people is: a layout, or one of those that a command of its own reads.

What cannot use a text names it, with that command (`foreign_text`).
"""

import re
from enum import StrEnum
from typing import Final

from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked


class SourceKind(StrEnum):
    """What a site may have: a layout in TOML, or one of three that ``isfc import`` reads."""

    LAYOUT = "toml"
    DECK = "iocp"
    CONSOLE_LOG = "islink"
    CONFIGURATION = "config"


_READ_AS_DECK: Final = (
    r"(?mi)^(?!#[ \t])(?:\S{0,8}[ \t]{1,40})?"
    r"(?:RESOURCE|CHPID|CNTLUNIT|IODEVICE)[ \t]{1,40}[A-Z]{1,20}[=,]"
    r"|^.{0,130}\b(?:I/O DEVICE|CHANNEL PATH) REPORT {1,40}PAGE\b"
)
_SIGN_OF: Final = {
    # also of a deck whose column 1 was lost, and IOCP's reports of it
    SourceKind.DECK: (
        rf"{_READ_AS_DECK}|^.{{0,130}}\b(?:PARTITION|CHPID SUMMARY) REPORT {{1,40}}PAGE\b"
    ),
    SourceKind.CONSOLE_LOG: r"(?mi)^(?![ \t]*#).*\bLink device:",
    # abbreviated as CP allows, behind what a console shows
    SourceKind.CONFIGURATION: (
        r"(?mi)^(?:#CP)?[^#\n]*\b"
        r"(?:(?:ACT|DEA)[A-Z]{0,7}[ \t]{1,40}ISL(?:I|IN|INK)?|System_Identifier|CP_Owned)\b"
    ),
}
"""What shows each kind, in the order of looking. A comment of TOML shows none. Here and below each
is compiled where it is looked for, as most texts are layouts."""


@checked
def source_kind(text: str) -> SourceKind:
    """What ``text`` is, by the first sign in it, or once it is plain; a layout if there is none."""
    return _known_kind(text) or SourceKind.LAYOUT


def _known_kind(text: str) -> SourceKind | None:
    if kind := _kind_of(text):
        return kind
    from isfc.layout.layers import plain  # what is pasted is seldom a layout

    return _kind_of(plain(text).text)


_TABLES: Final = ("[[ctc]]", "[[link]]", "[deck.", "[fibre.")
"""A layout's sign, with cards of a deck too; no pattern, as most texts are layouts."""


def _kind_of(text: str) -> SourceKind | None:
    if any(f"\n{table}" in f"\n{text}" for table in _TABLES):
        return SourceKind.LAYOUT
    return next((kind for kind, sign in _SIGN_OF.items() if re.search(sign, text)), None)


_REMEDIES: Final = {
    SourceKind.LAYOUT: "a layout, which 'isfc plan' and most others take as it is",
    SourceKind.DECK: "an IOCP deck, or a report of one; 'isfc import iocp FILE --partitions "
    "NAME,NAME' makes a layout of it",
    SourceKind.CONSOLE_LOG: "a console log; 'isfc import islink NODE=FILE' makes a layout of it",
    SourceKind.CONFIGURATION: "SYSTEM CONFIG or commands; 'isfc import config FILE --layout "
    "LAYOUT' keeps of a layout what they activate",
}
"""Each with its remedy where it is given in place of another."""

_MEASURED: Final = "'isfc measured read FILE' reads it"

_SIGNS: Final = {
    r'(?s)\A\s*[\[{].*"partition-(?:links|uri)"': "a file of DPM: 'isfc import dpm FILE' reads it",
    r'(?s)\A\s*\{.{0,4000}"(?:workload|node|client|devices)"\s*:': (
        f"what 'isfc run --json' prints: give the layout that ran; {_MEASURED}"
    ),
    r"\A\s*[\[{]\s*[\"{\[\]}]": "JSON of another kind: a layout is TOML, such as 'isfc new' writes",
    r"(?i)\A\s*<(?:!doctype html|html|svg|\?xml)": (
        "a page or a picture, such as 'isfc report' writes: give the layout that it is of"
    ),
    r"(?m)^\W*Logical link \S+ - \S+, seen from ": (
        f"a page that 'isfc run' printed: give the layout that ran; {_MEASURED}"
    ),
    r"(?mi)^\W*1?FCX1\d\d\b|^\W*Addr +Type\b.*\bPend\b|TXPENDCT": (
        f"a report of Performance Toolkit or of link activity: {_MEASURED}"
    ),
    r"C H A N N E L +P A T H|D I R E C T +A C C E S S|I +/ +O +Q U E U": (
        "an RMF report: 'isfc io size --rmf FILE' reads it"
    ),
    r"\b(?:IXC356I|IST1230I)\b": f"what z/OS shows of CTCs of its own: {_MEASURED}",
    r"(?i)\bENTRY +LINK +ADDRESS\b|\bSEQUENCE#": (
        "what shows a director's ports: --ports NODE=FILE takes it, beside a deck"
    ),
    r"(?mi)^ {0,40}[0-9A-F]{3,5} {1,40}CTCE\b": (
        "the configuration of a Hercules: 'isfc ctce FILE FILE' takes those of both"
    ),
}
"""What shows each kind, in the order of looking, and what to do with it."""


_IOCP_NAME: Final = (
    r"(?P<name>IOCDS TOTALS|PARTITION|(?:FID|PCHID|CHPID|CHANNEL PATH IDENTIFIER) SUMMARY"
    r"|CHANNEL PATH|I/O DEVICE)"
)
_IOCP_REPORT: Final = (
    rf"(?mi)^(?!\*)(?:.* )?{_IOCP_NAME} {{1,40}}REPORT\b"
    rf"|^[ 1]? *(?:TIME *)?\d\d[.:]\d\d\b.*\b{_IOCP_NAME.replace('name', 'named')}\b"
    r"|^[ 1]? *(?:TIME *)?\d\d[.:]\d\d\b.*\b(?:REPORT|IOCP|CONFIGURATION PROGRAM)\b"
    r"|^[ 01-]? *(?:PCHID {1,40})?CHPID {1,40}(?:\S{1,20} {1,40})?TYPE {1,40}SWITCH\b"
    r"|^[ 01-]? *DEVICE NUMBERS? {1,40}UNIT ADDRESS"
)
"""Headings of IOCP's reports, with the time in front and the name of the report, or of columns:
Input/Output Configuration Program User's Guide for ICP IOCP, configuration reports."""


def iocp_report(text: str) -> tuple[str, int] | None:
    """What to call a report that IOCP printed, and where it begins in a text that holds one."""
    found = re.search(_IOCP_REPORT, text)
    if found is None:
        return None
    name = found["name"] or found["named"]
    called = f" ({name.upper()})" if name else ""
    return f"a report that IOCP printed{called}", found.start()


THE_DECK: Final = (
    "the deck that it was made of, or its CHANNEL PATH or I/O DEVICE report with titles, for "
    "'isfc import iocp'"
)
"""What to give instead of IOCP's reports."""


def refuse_foreign(text: str, source: str, own: str) -> None:
    """Raise `ConfigurationError` if a text without anything of use is one that others read."""
    if found := foreign_text(text, own):
        raise ConfigurationError(f"{source}: is {found}")


def foreign_text(text: str, own: str = "isfc plan") -> str | None:
    """What a text is, and what to give or call instead; None if that may be what reads it.

    ``own`` is a word of the remedy of which that is so.
    """
    report, kind = iocp_report(text), _known_kind(text)
    signs = (each for sign, each in _SIGNS.items() if re.search(sign, text))
    is_unread = kind is SourceKind.DECK and report and not re.search(_READ_AS_DECK, text)
    found = None if is_unread else _REMEDIES[kind] if kind else next(signs, None)
    if found is None and report:
        found = f"{report[0]}: give {THE_DECK}"
    return None if found is None or own in found else found
