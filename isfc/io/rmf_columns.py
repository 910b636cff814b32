"""The columns of RMF's Channel Path Activity: the heading of a table, and what stands below it.

Figures belong to the columns of the heading above them. Where a line has one for each column, their
order is enough; where some are blank, the places decide, or what is known of a channel: only a
shared one (SHR) has PART, and PART is never more than TOTAL. What fits two columns is an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from isfc.errors import ConfigurationError
from isfc.io.rmf_words import Word, is_channel_type, is_chpid, starts_channel

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


def _without(*left_out: frozenset[str]) -> tuple[str, ...]:
    gone = frozenset[str]().union(*left_out)
    return tuple(name for name in COLUMNS if name not in gone)


_HEADINGS: Final = {
    tuple(name.split()[-1] for name in names): names
    for names in (
        _without(*choice)
        for choice in product(
            (frozenset[str](), PARTS),
            (frozenset[str](), _DEFERS),
            (frozenset[str](), ZHPF, ZHPF | FICON),
        )
    )
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
        if not is_chpid(words[at]):
            return None
        for place in range(at + 1, min(at + 4, len(words))):
            if words[place].line - words[at].line > 1:
                return None
            if is_channel_type(words[place]):
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
    named = {word.text for word in words[at:first]}
    if names is not None and "SPEED" in named and not ZHPF & {*names}:
        names = None  # releases that have SPEED have ZHPF as well: the lines were cut
    if end < len(words) and words[end].line == words[end - 1].line:
        names = None
    before = (_UNIT.match(word.text) for word in words[max(0, at - _UNIT_DISTANCE) : at])
    unit = next((match[1] for match in before if match), "M")
    order = [word.text for word in words[at:first]]
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
    raise ConfigurationError(
        f"{start.place}: chpid {start.text} has {len(values)} figures{separator}{reason}"
    )


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
