"""The words of a pasted RMF report, made plain, and its figures.

Words say where a channel, device or IOP begins, and are its figures.
"""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.layout.columns import Word
from isfc.layout.layers import Plain
from isfc.layout.pasted import is_nearly

_BREAK_IN_HEADING: Final = re.compile(r"\b(SYSTEM ID|(?<!-)DATE:?|(?<!-)TIME:?)[ ]*\n")
"""Between what a heading names and its value."""

_BREAK_IN_TITLE: Final = re.compile(
    r"(C H A N N E L(?: +P A T H)?|D I R E C T(?: +A C C E S S)?|\bI ?/ ?O)[ ]*\n"
    r"(?= *[PADQ] [A-Z] )"
)
"""Between the words of a title, whose letters stand apart."""

_BREAK_IN_CREATED: Final = re.compile(r"\bCR-[ ]*\n[ ]*(?=DATE|TIME)")
"""Within the names of when the IODF was created, which are not those of the interval."""

_OTHER_TITLE: Final = re.compile(
    r"\b(?:[A-Z] +){5,}[A-Z]\b|\bACTIVITY REPORT\b|LOGICAL CONTROL UNIT|\bLCU\b.*\bCU\b"
)
_PAGE_NUMBER: Final = re.compile(r"^ *(?:- *\d+ *-|PAGE +\d+(?: +OF +\d+)?) *$", re.MULTILINE)


def plain_text(pasted: Plain) -> str:
    """The text in capitals, with values beside the headings' names. Page numbers become blank."""
    plain = pasted.text.upper()
    plain = _PAGE_NUMBER.sub(lambda match: " " * len(match[0]), plain)
    for broken in (_BREAK_IN_HEADING, _BREAK_IN_TITLE):
        plain = broken.sub(r"\n\1 ", plain)
    return _BREAK_IN_CREATED.sub("\nCR-", plain)


def is_other_title(line: str, number: int, titles: list[str]) -> bool:
    """Whether a line is the title of another report than those of these ``titles``.

    Raises `ConfigurationError` for one of them that is not whole: all below it would be lost.
    """
    title = _OTHER_TITLE.search(line)
    if title and is_nearly("".join(title[0].split()), titles):
        raise ConfigurationError(f"line {number}: {title[0]!r}; expected a title as it was printed")
    return title is not None


PERCENT_MAX: Final = 100.5
"""More than all of a thing, by more than rounding."""

WHOLE: Final = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,21})"
"""What stands before the point of a figure: a comma parts thousands, and is no decimal sign."""

_NUMBER: Final = re.compile(rf"{WHOLE}(?:\.\d{{1,20}})?|\.\d{{1,20}}")
_SCALED: Final = re.compile(rf"({_NUMBER.pattern})([KMG]?)")
_SCALES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
"""What the letters of Monitor III stand for; that they are powers of ten is assumed."""

_MISSING: Final = re.compile(r"[-*.]{2,}")
CHPID: Final = re.compile(r"[0-9A-F]{1,2}")
CHANNEL_TYPE: Final = re.compile(
    r"(?:FC(?:P|V(?:SM)?)?|OS[A-Z]|ICP|I[QOC][DPC]|C[NVT]C|CF[PSR]|C[BS]P|CIB|CS5|CL[56]|HCA"
    r"|BL|BY|BLOCK|BYTE)"
    r"(?:_[A-Z?]{1,2})?"
)
"""Types of channels: those of IOCP (IOCP User's Guide, TYPE), as RMF prints them."""
FICON_TYPE: Final = re.compile(r"FC(?:_[A-Z?]{1,2})?")
"""A FICON channel, direct or switched. FCP and FCV, a converter to ESCON, are none."""
DEVICE: Final = re.compile(r"[0-9A-F]{4,5}")
_DEVICE_TYPE: Final = re.compile(r"(?:3380|3390|9345)\w?")
_IOP: Final = re.compile(r"[0-9A-F]{2}|SYS|SUMMARY:?")
_FOLLOWING: Final = 9
FIGURES_AT_LEAST: Final = 6
"""Of so many words after the first two, figures in a line of a report; prose has none (chosen)."""
_OF_OTHER_TYPE: Final = 3
"""The same of a channel that is no FICON channel, which has fewer columns (chosen)."""


class PassedOver(Struct, frozen=True):
    """A line that is not used: its chpid or device, its type, and why."""

    name: str
    kind: str
    reason: str


def starts_channel(words: list[Word], at: int) -> bool:
    """Whether a channel of Channel Path Activity begins here, its type behind its chpid."""
    return bool(
        at + 1 < len(words)
        and CHPID.fullmatch(words[at].text)
        and CHANNEL_TYPE.fullmatch(words[at + 1].text)
        and words[at + 1].line - words[at].line <= 1
    )


def starts_device(words: list[Word], at: int) -> bool:
    """Whether a device of Direct Access Device Activity begins here."""
    return bool(
        at + 1 < len(words)
        and DEVICE.fullmatch(words[at].text)
        and _DEVICE_TYPE.fullmatch(words[at + 1].text)
    )


def starts_iop(words: list[Word], at: int) -> bool:
    """Whether an IOP of I/O Queuing Activity begins here."""
    if at + 1 == len(words):
        return False
    is_first = at == 0 or words[at - 1].line < words[at].line
    return bool(is_first and _IOP.fullmatch(words[at].text) and "." in words[at + 1].text)


def looks_like_channel(words: list[Word], at: int) -> bool:
    """Whether a channel begins here, also without a title above it: mostly figures follow."""
    if not starts_channel(words, at):
        return False
    following = [word.text for word in words[at + 2 : at + 2 + _FOLLOWING]]
    least = FIGURES_AT_LEAST if FICON_TYPE.fullmatch(words[at + 1].text) else _OF_OTHER_TYPE
    return sum(map(is_number, following)) >= least


def rest_of_row(words: list[Word], at: int, begins: "Begins") -> int:
    """Where the figures from ``at`` on end, which are those of a row that is not used."""
    while at < len(words) and _is_cell(words[at].text):
        if words[at].line > words[at - 1].line and (begins(words, at) or not _goes_on(words, at)):
            break
        at += 1
    return at


Begins = Callable[[list[Word], int], object]
"""Whether a line of a table begins at a word."""


def values_from(
    words: list[Word], at: int, most: int, start: Word, begins: Begins, *, scaled: bool = False
) -> tuple[list[float | None], int]:
    """The figures from ``at`` on, and where they end: at ``most``, or at what is none.

    What is none may follow in another line; in the same one it is an error. A number that begins
    a line and is, as ``begins`` says, the name of the next channel, device or IOP is none.
    ``scaled`` figures are such as 12M.
    """
    values: list[float | None] = []
    number = _SCALED if scaled else _NUMBER
    while at < len(words) and len(values) < most:
        text = words[at].text
        if words[at].line > words[at - 1].line and (begins(words, at) or not _goes_on(words, at)):
            break
        if _begins_within(words, at):
            raise words[at].error(
                f"{text} {words[at + 1].text} begins in the line of {start.text}, which lacks "
                "figures; expected a line for each"
            )
        if number.fullmatch(text):
            values.append(number_of(text))
        elif _MISSING.fullmatch(text):
            values.append(None)
        elif words[at].line == start.line or (values and words[at].line == words[at - 1].line):
            raise ConfigurationError(f"{words[at].place}: {text[:40]!r}; expected a number")
        else:
            break
        at += 1
    return values, at


def _goes_on(words: list[Word], at: int) -> bool:
    """Whether a line that begins here can be the rest of one that was broken: figures follow."""
    if at + 1 == len(words) or words[at + 1].line > words[at].line:
        return True
    following = words[at + 1].text
    return _is_cell(following) or _begins_within(words, at + 1)


def _is_cell(text: str) -> bool:
    """Whether a word is a figure, or stands for one."""
    return bool(_SCALED.fullmatch(text) or _MISSING.fullmatch(text))


def _begins_within(words: list[Word], at: int) -> bool:
    """Whether a channel or device begins here, and not its line."""
    is_one_line = at + 1 < len(words) and (
        words[at - 1].line == words[at].line == words[at + 1].line
    )
    return is_one_line and (starts_channel(words, at) or starts_device(words, at))


def follows_row(words: list[Word], at: int, begins: Begins) -> bool:
    """Whether a figure with a point follows the last one of a row, and begins no other row."""
    if at == len(words) or begins(words, at):
        return False
    return "." in words[at].text and is_number(words[at].text)


def continues(words: list[Word], at: int) -> bool:
    """Whether a figure follows the last one, and not the next line of the table."""
    return words[at].line == words[at - 1].line and is_number(words[at].text)


def is_number(text: str) -> bool:
    """Whether a word is a figure, with no scale behind it."""
    return _NUMBER.fullmatch(text) is not None


def number_of(text: str) -> float:
    """The figure, its thousands parted by commas or not, and scaled by K, M or G behind it."""
    digits = text.rstrip("KMG")
    return float(digits.replace(",", "")) * _SCALES[text[len(digits) :]]


def expect(values: list[float | None], names: tuple[str, ...], start: Word, what: str) -> None:
    """Raise `ConfigurationError` unless there are as many values as names of columns."""
    if len(values) != len(names):
        raise start.error(
            f"{what} has {len(values)} figures; expected {len(names)}: {', '.join(names)}"
        )
