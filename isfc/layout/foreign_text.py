"""What a text of a site is: a layout, what a command makes a layout of, or neither."""

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


_KINDS: Final = {
    SourceKind.LAYOUT: r"(?m)^\[(?:\[(?:ctc|link)\]|deck\.|fibre\.)",  # with cards of a deck
    # also of a deck whose column 1 was lost, and IOCP's reports of it
    SourceKind.DECK: (
        r"(?mi)^(?!#[ \t])(?:\S{0,8}[ \t]{1,40})?"
        r"(?:RESOURCE|CHPID|CNTLUNIT|IODEVICE)[ \t]{1,40}[A-Z]{1,20}[=,]"
        r"|^.{0,130}\b(?:PARTITION|CHPID SUMMARY|I/O DEVICE|CHANNEL PATH) REPORT {1,40}PAGE\b"
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
    """What ``text`` is, by the first sign in it; a layout if there is none."""
    found = (kind for kind, sign in _KINDS.items() if re.search(sign, text))
    return next(found, SourceKind.LAYOUT)


_REMEDIES: Final = {
    SourceKind.DECK: "an IOCP deck, or a report of one; 'isfc import iocp FILE --partitions "
    "NAME,NAME' makes a layout of it",
    SourceKind.CONSOLE_LOG: "a console log; 'isfc import islink NODE=FILE' makes a layout of it",
    SourceKind.CONFIGURATION: "SYSTEM CONFIG or commands; 'isfc import config FILE --layout "
    "LAYOUT' keeps of a layout what they activate",
}
"""Texts that are often given where a layout is expected, each with its remedy."""

_MEASURED: Final = "'isfc measured read FILE' reads it, and a layout is a file of its own"

_SIGNS: Final = {
    r'(?s)\A\s*\{.{0,4000}"(?:workload|node|client|devices)"\s*:': (
        f"what 'isfc run --json' prints: give the layout that ran; {_MEASURED}"
    ),
    r"\A\s*[\[{]\s*[\"{\[\]}]": "JSON: give a layout in TOML, such as 'isfc new' writes",
    r"(?i)\A\s*<(?:!doctype html|html|svg|\?xml)": (
        "a page or a picture, such as 'isfc report' writes: give the layout that it is of"
    ),
    r"(?m)^\W*Logical link \S+ - \S+, seen from ": (
        f"a page that 'isfc run' printed: give the layout that ran; {_MEASURED}"
    ),
    r"(?mi)\bFCX1\d\d\b|^\W*Addr +Type\b.*\bPend\b|TXPENDCT": (
        f"a report of Performance Toolkit or of link activity: {_MEASURED}"
    ),
    r"C H A N N E L +P A T H|D I R E C T +A C C E S S|I +/ +O +Q U E U": (
        "an RMF report: 'isfc io size --rmf FILE' reads it"
    ),
    r"(?mi)^[0-9A-F]{3,5} {1,40}CTCE\b": (
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


def refuse_iocp_report(text: str, source: str) -> None:
    """Raise `ConfigurationError` if a text without anything of use is a report of IOCP's."""
    if found := iocp_report(text):
        raise ConfigurationError(f"{source}: is {found[0]}; expected {THE_DECK}")


def foreign_text(text: str) -> str | None:
    """What a text is, and what to give instead; None if it may be meant as a layout."""
    if known := _REMEDIES.get(source_kind(text)):
        return known
    for sign, remedy in _SIGNS.items():
        if re.search(sign, text):
            return remedy
    report = iocp_report(text)
    return report and f"{report[0]}: give {THE_DECK}"


def is_ebcdic(data: bytes) -> bool:
    """Whether bytes are text in EBCDIC: it has X'40' where ASCII has X'20', and no other blank."""
    blanks = data.count(0x40)
    if blanks * 20 < len(data) or data.count(0x20) * 20 > blanks:
        return False
    text = data.decode("cp037")
    readable = sum(
        char.isascii() and (char.isalnum() or char in " .,:;-_/()<>=*'%+") for char in text
    )
    return readable * 10 > len(text) * 9


def read_json(text: str, file: str) -> object:
    """What a text says as JSON; raises `ConfigurationError` if it is none."""
    import json  # little that is read is JSON

    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"{file}: is not JSON: {error}") from None
    return found
