"""What a text is that was given for a layout and is none, nor what a layout is made of."""

import re
from typing import Final

_MEASURED: Final = "'isfc measured read FILE' reads it, and a layout is a file of its own"

_SIGNS: Final = (
    (
        re.compile(r'\A\s*\{.{0,4000}"(?:workload|node|client|devices)"\s*:', re.DOTALL),
        f"what 'isfc run --json' prints: give the layout that ran; {_MEASURED}",
    ),
    (
        re.compile(r"\A\s*[\[{]\s*[\"{\[\]}]"),
        "JSON: give a layout in TOML, such as 'isfc new' writes",
    ),
    (
        re.compile(r"\A\s*<(?:!doctype html|html|svg|\?xml)", re.IGNORECASE),
        "a page or a picture, such as 'isfc report' writes: give the layout that it is of",
    ),
    (
        re.compile(r"^\W*Logical link \S+ - \S+, seen from ", re.MULTILINE),
        f"a page that 'isfc run' printed: give the layout that ran; {_MEASURED}",
    ),
    (
        re.compile(
            r"\bFCX1\d\d\b|^\W*Addr +Type\b.*\bPend\b|TXPENDCT", re.MULTILINE | re.IGNORECASE
        ),
        f"a report of Performance Toolkit or of link activity: {_MEASURED}",
    ),
    (
        re.compile(r"C H A N N E L +P A T H|D I R E C T +A C C E S S|I +/ +O +Q U E U"),
        "an RMF report: 'isfc io size --rmf FILE' reads it",
    ),
    (
        re.compile(r"^1? *(?:TIME )?\d\d\.\d\d\b.*\bREPORT\b", re.MULTILINE),
        "a report that IOCP printed: give the deck, which 'isfc import iocp' reads",
    ),
)
"""What shows each kind, in the order of looking, and what to do with it."""


def foreign_text(text: str) -> str | None:
    """What a text is, and what to give instead; None if it may be meant as a layout."""
    return next((remedy for sign, remedy in _SIGNS if sign.search(text)), None)


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
