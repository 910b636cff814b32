"""The words of a pasted report, made plain, and the columns of RMF's Channel Path Activity.

Words say where a channel, device or IOP begins, and are its figures. Figures belong to the columns
of the heading above them. Where a line has one for each column, their order is enough; where some
are blank, the places decide, or what is known of a channel: only a shared one (SHR) has PART, and
PART is never more than TOTAL. What fits two columns is an error.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from isfc.errors import ConfigurationError

_BREAK_IN_HEADING: Final = re.compile(r"\b(SYSTEM ID|(?<!-)DATE:?|(?<!-)TIME:?)[ ]*\n")
"""Between what a heading names and its value."""

_BREAK_IN_TITLE: Final = re.compile(
    r"(C H A N N E L(?: +P A T H)?|D I R E C T(?: +A C C E S S)?|\bI ?/ ?O)[ ]*\n"
    r"(?= *[PADQ] [A-Z] )"
)
"""Between the words of a title, whose letters stand apart."""

_BREAK_IN_CREATED: Final = re.compile(r"\bCR-[ ]*\n[ ]*(?=DATE|TIME)")
"""Within the names of when the IODF was created, which are not those of the interval."""

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
    return _BREAK_IN_CREATED.sub("\nCR-", plain)


WHOLE: Final = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,21})"
"""What stands before the point of a figure: a comma parts thousands, and is no decimal sign."""

_NUMBER: Final = re.compile(rf"{WHOLE}(?:\.\d{{1,20}})?|\.\d{{1,20}}")
_SCALED: Final = re.compile(rf"({_NUMBER.pattern})([KMG]?)")
_SCALES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
"""What the letters of Monitor III stand for; that they are powers of ten is assumed."""

_MISSING: Final = re.compile(r"[-*.]{2,}")
_CHPID: Final = re.compile(r"[0-9A-F]{1,2}")
_CHANNEL_TYPE: Final = re.compile(
    r"(?:FC[A-Z0-9]{0,3}|OS[A-Z]|ICP|I[QOC][DPC]|C[NVT]C|CF[PSR]|C[BS]P|CIB|CS5|CL[56]|HCA"
    r"|BL|BY|BLOCK|BYTE)"
    r"(?:_[A-Z?]{1,2})?"
)
"""Types of channels: those of IOCP (IOCP User's Guide, TYPE), as RMF prints them."""
DEVICE: Final = re.compile(r"[0-9A-F]{4,5}")
_DEVICE_TYPE: Final = re.compile(r"(?:3380|3390|9345)\w?")
_IOP: Final = re.compile(r"[0-9A-F]{2}|SYS|SUMMARY:?")
_FOLLOWING: Final = 9
_FIGURES_AT_LEAST: Final = 6
"""Of so many words after the first two, figures in a line of a report; prose has none (chosen)."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, and where it stands; lines and columns count from 1."""

    text: str
    line: int
    column: int

    @property
    def place(self) -> str:
        """How to speak of it in a message."""
        return f"line {self.line} column {self.column}"

    def error(self, text: str) -> ConfigurationError:
        """What is wrong where it stands."""
        return ConfigurationError(f"{self.place}: {text}")


def starts_channel(words: list[Word], at: int) -> bool:
    """Whether a channel of Channel Path Activity begins here, its type behind its chpid."""
    return bool(
        at + 1 < len(words)
        and _CHPID.fullmatch(words[at].text)
        and _CHANNEL_TYPE.fullmatch(words[at + 1].text)
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
    following = [word.text for word in words[at + 2 : at + 2 + _FOLLOWING]]
    return starts_channel(words, at) and sum(map(is_number, following)) >= _FIGURES_AT_LEAST


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
    return bool(_SCALED.fullmatch(following) or _MISSING.fullmatch(following)) or (
        _begins_within(words, at + 1)
    )


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


COLUMNS: Final = (
    *("PART", "TOTAL", "BUS", "READ PART", "READ TOTAL", "WRITE PART", "WRITE TOTAL"),
    *("FICON RATE", "FICON ACTIVE", "FICON DEFER", "ZHPF RATE", "ZHPF ACTIVE", "ZHPF DEFER"),
)
"""The columns of figures, from the left."""

PARTS: Final = frozenset(name for name in COLUMNS if name.endswith("PART"))
_DATA: Final = frozenset(("BUS", "READ TOTAL", "WRITE TOTAL"))
FICON: Final = frozenset(name for name in COLUMNS if name.startswith("FICON"))
ZHPF: Final = frozenset(name for name in COLUMNS if name.startswith("ZHPF"))
_DEFERS: Final = frozenset(name for name in COLUMNS if name.endswith("DEFER"))
_GROUPS: Final = (PARTS, _DATA, FICON, ZHPF)
"""What is blank is blank as a whole."""


_HEADINGS: Final = {
    tuple(name.split()[-1] for name in names): names
    for parts, defers, rates in product(
        (frozenset[str](), PARTS),
        (frozenset[str](), _DEFERS),
        (frozenset[str](), ZHPF, ZHPF | FICON),
    )
    for names in (tuple(name for name in COLUMNS if name not in parts | defers | rates),)
}
"""From the words of a heading, from the left, to its columns: all that releases have printed."""

_AS_PRINTED: Final = {"TOT": "TOTAL", "ACTV": "ACTIVE"}
"""Words of Monitor III and those of the printed report."""

_FIGURE_WORDS: Final = frozenset(("PART", "TOTAL", "BUS", "RATE", "ACTIVE", "DEFER"))
_NAME_WORDS: Final = frozenset(("ID", "NO", "G", "TYPE", "SPEED", "SHR", "S"))
_UNIT: Final = re.compile(r"READ\(([KMG]?)B/S")
_MB: Final = {"": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3}
_UNIT_DISTANCE: Final = 12
"""Words between READ(MB/SEC) and the heading below it: other headings of that line."""

_OFF_MAX: Final = 2
"""Characters by which a figure may end beside its column; columns are four apart at least."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a table of channels.

    ``names`` are its columns, or None if it is one that is not known. ``words`` are their words,
    if all stand in one line. ``mb`` is what READ and WRITE count in; ``is_monitor`` says that the
    table is that of Monitor III, with the type behind the generation and figures such as 12M.
    """

    place: str
    names: tuple[str, ...] | None
    words: tuple[Word, ...]
    mb: float
    is_monitor: bool
    generation: Word | None

    def type_of(self, words: list[Word], at: int) -> int | None:
        """Where the type of the channel stands that begins at ``at``; None if none does."""
        if not self.is_monitor:
            return at + 1 if starts_channel(words, at) else None
        if not _CHPID.fullmatch(words[at].text):
            return None
        for place in range(at + 1, min(at + 4, len(words))):
            if words[place].line - words[at].line > 1:
                return None
            if _CHANNEL_TYPE.fullmatch(words[place].text):
                return place
        return None


UNTITLED: Final = Heading("", COLUMNS, (), 1.0, is_monitor=False, generation=None)
"""What is assumed of lines without a heading."""


def read_heading(words: list[Word], at: int) -> tuple[Heading, int] | None:
    """The heading that begins at ``at`` with ID, and where it ends; None if it is none."""
    if words[at].text != "ID":
        return None
    end = at
    while end < len(words) and words[end].text in _NAME_WORDS:
        end += 1
    first = end
    while end < len(words) and _printed(words[end]) in _FIGURE_WORDS:
        end += 1
    found = words[first:end]
    if "PART" not in (word.text for word in found) and "TOTAL" not in map(_printed, found):
        return None
    names = _HEADINGS.get(tuple(map(_printed, found)))
    order = [word.text for word in words[at:first]]
    if names is not None and "SPEED" in order and not ZHPF & {*names}:
        names = None  # releases that have SPEED have ZHPF as well: the lines were cut
    if end < len(words) and words[end].line == words[end - 1].line:
        names = None
    before = (_UNIT.match(word.text) for word in words[max(0, at - _UNIT_DISTANCE) : at])
    unit = next((match[1] for match in before if match), "M")
    whole = words[at].line == words[end - 1].line
    heading = Heading(
        place=words[at].place,
        names=names,
        words=tuple(found) if whole else (),
        mb=_MB[unit],
        is_monitor="G" in order and "TYPE" in order and order.index("G") < order.index("TYPE"),
        generation=next((word for word in words[at:first] if word.text == "G"), None),
    )
    return heading, end


def _printed(word: Word) -> str:
    return _AS_PRINTED.get(word.text, word.text)


def names_of(
    row: list[Word], values: list[float | None], heading: Heading, is_shared: bool | None
) -> tuple[str, ...]:
    """The column of each figure: the last words of ``row``."""
    assert heading.names is not None, "the caller looked"
    if len(values) == len(heading.names):
        return heading.names
    start = row[0]
    if has_places(row) and has_places(heading.words):
        names = _by_place(row[-len(values) :], heading)
        if names is not None and _is_possible(names, values):
            return names
    left = [
        names
        for names in _blanked(heading.names, is_shared)
        if len(names) == len(values) and _is_possible(names, values)
    ]
    if len(left) == 1:
        return left[0]
    if left and not any(values):
        return left[0]  # an idle channel: all are 0, whatever they stand for
    reason = (
        f"which may be {' or '.join('those without ' + _gone(heading.names, n) for n in left)}; "
        "expected them below their headings"
        if left
        else f"expected {len(heading.names)}: {', '.join(heading.names)}"
    )
    separator = ", " if left else "; "
    raise start.error(f"chpid {start.text} has {len(values)} figures{separator}{reason}")


def has_places(words: Sequence[Word]) -> bool:
    """Whether they are where they were printed: in one line, whose blanks were not squeezed."""
    return (
        any(
            one.line == other.line and other.column - one.column - len(one.text) > 1
            for one, other in pairwise(words)
        )
        and len({word.line for word in words}) == 1
    )


def _by_place(figures: list[Word], heading: Heading) -> tuple[str, ...] | None:
    """The columns that the figures end below; None if one ends below none, or some are missing."""
    assert heading.names is not None, "the caller looked"
    ends = [word.column + len(word.text) for word in heading.words]
    names: list[str] = []
    for figure in figures:
        offs = [abs(figure.column + len(figure.text) - end) for end in ends]
        nearest = min(range(len(offs)), key=offs.__getitem__)
        name = heading.names[nearest]
        if offs[nearest] > _OFF_MAX or name in names:
            return None
        names.append(name)
    blank = set(heading.names).difference(names)
    wholes = [group.intersection(heading.names) for group in _GROUPS]
    if blank != set().union(*(whole for whole in wholes if whole <= blank)):
        return None
    return tuple(names)


def _blanked(names: tuple[str, ...], is_shared: bool | None) -> list[tuple[str, ...]]:
    """What columns may be left of a heading's where a line has fewer figures.

    A channel without zHPF has none below it, one that is not shared none below PART, and one that
    RMF has utilization of alone none below either protocol.
    """
    parts = [frozenset[str]()] if is_shared else [frozenset[str](), PARTS]
    return list(
        dict.fromkeys(
            tuple(name for name in names if name not in gone | part)
            for part in parts
            for gone in (frozenset[str](), ZHPF, ZHPF | FICON)
        )
    )


def _is_possible(names: tuple[str, ...], values: list[float | None]) -> bool:
    """Whether no part is more than its total."""
    found = dict(zip(names, values, strict=True))
    return all(
        part <= total
        for name in PARTS.intersection(names)
        if (part := found[name]) is not None
        and (total := found[name.replace("PART", "TOTAL")]) is not None
    )


def _gone(names: tuple[str, ...], left: tuple[str, ...]) -> str:
    gone = [name.split()[0] for name in names if name not in left]
    return " and ".join(dict.fromkeys("PART" if n in ("READ", "WRITE") else n for n in gone))
