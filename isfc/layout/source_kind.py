"""What a text of a site is: a layout, or something that a command makes a layout of."""

import re
from enum import StrEnum
from typing import Final

from isfc.arguments import checked


class SourceKind(StrEnum):
    """What a site may have: a layout in TOML, or one of three that ``isfc import`` reads."""

    LAYOUT = "toml"
    DECK = "iocp"
    CONSOLE_LOG = "islink"
    CONFIGURATION = "config"


_SIGNS: Final = {
    SourceKind.LAYOUT: re.compile(r"^\[deck\.", re.MULTILINE),  # which holds the cards of a deck
    SourceKind.DECK: re.compile(  # also of a deck whose column 1 was lost, and IOCP's reports of it
        r"^(?!#[ \t])(?:\S{0,8}[ \t]{1,40})?"
        r"(?:RESOURCE|CHPID|CNTLUNIT|IODEVICE)[ \t]{1,40}[A-Z]{1,20}[=,]"
        r"|^.{0,130}\b(?:PARTITION|CHPID SUMMARY|I/O DEVICE|CHANNEL PATH) REPORT {1,40}PAGE\b",
        re.MULTILINE | re.IGNORECASE,
    ),
    SourceKind.CONSOLE_LOG: re.compile(
        r"^(?![ \t]*#).*\bLink device:", re.MULTILINE | re.IGNORECASE
    ),
    SourceKind.CONFIGURATION: re.compile(  # abbreviated as CP allows, behind what a console shows
        r"^(?:#CP)?[^#\n]*\b"
        r"(?:(?:ACT|DEA)[A-Z]{0,7}[ \t]{1,40}ISL(?:I|IN|INK)?|System_Identifier|CP_Owned)\b",
        re.MULTILINE | re.IGNORECASE,
    ),
}
"""What shows each kind, in the order of looking. A comment of TOML shows none."""


@checked
def source_kind(text: str) -> SourceKind:
    """What ``text`` is, by the first sign in it; a layout if there is none."""
    found = (kind for kind, sign in _SIGNS.items() if sign.search(text))
    return next(found, SourceKind.LAYOUT)
