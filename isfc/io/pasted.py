"""A report that was pasted, made plain: what mail and printers do to it is undone."""

import re
from typing import Final

_BREAK_IN_HEADING: Final = re.compile(r"\b(SYSTEM ID|(?<!-)DATE:?|(?<!-)TIME:?)[ ]*\n")
"""Between what a heading names and its value."""

_BREAK_IN_TITLE: Final = re.compile(
    r"(C H A N N E L(?: +P A T H)?|D I R E C T(?: +A C C E S S)?|\bI ?/ ?O)[ ]*\n"
    r"(?= *[PADQ] [A-Z] )"
)
"""Between the words of a title, whose letters stand apart."""

_QUOTED: Final = re.compile(r"^ *[>|][>| ]*", re.MULTILINE)
_PAGE_NUMBER: Final = re.compile(r"^ *(?:- *\d+ *-|PAGE +\d+(?: +OF +\d+)?) *$", re.MULTILINE)
_DASHES: Final = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")
"""What programs make of a hyphen."""


def plain_text(text: str) -> str:
    """The text with plain blanks and hyphens, and with values beside the headings' names.

    Marks of quotation and page numbers become blank, so that places in the text stay what they are.
    """
    lines = ("".join(" " if c.isspace() else c for c in line) for line in text.splitlines())
    plain = "\n".join(lines).upper().translate(_DASHES)
    for blank in (_QUOTED, _PAGE_NUMBER):
        plain = blank.sub(lambda match: " " * len(match[0]), plain)
    for broken in (_BREAK_IN_HEADING, _BREAK_IN_TITLE):
        plain = broken.sub(r"\n\1 ", plain)
    return plain
