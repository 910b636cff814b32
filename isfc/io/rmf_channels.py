"""Channel Path Activity: the columns of its headings, and the lines of channels below them.

Figures belong to the columns of the heading above them (`isfc.layout.columns`). Where some are
blank and the places do not tell, it decides what is known of a channel: only a shared one (SHR) has
PART, and PART is never more than TOTAL. What fits two columns is an error.
"""

import re
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import product
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.io import rmf_text
from isfc.layout.columns import Names, Word, has_places, ways

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

_NONE: Final = frozenset[str]()
_RATES: Final = (_NONE, ZHPF, ZHPF | FICON)
"""The columns of rates that a release or a line may lack."""

_HEADINGS: Final = {
    tuple(name.split()[-1] for name in names): names
    for parts, defers, rates in product((_NONE, PARTS), (_NONE, _DEFERS), _RATES)
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


class Heading(Struct, frozen=True):
    """The heading of a table of channels.

    ``names`` are its columns, or None if it is one that is not known. ``words`` are their words,
    if all stand in one line. ``mb`` is what READ and WRITE count in; ``is_monitor`` says that the
    table is that of Monitor III, with the type behind the generation and figures such as 12M.
    """

    place: str
    names: Names | None
    words: tuple[Word, ...]
    mb: float
    is_monitor: bool
    generation: Word | None

    def type_of(self, words: list[Word], at: int) -> int | None:
        """Where the type of the channel stands that begins at ``at``; None if none does."""
        if not self.is_monitor:
            return at + 1 if rmf_text.starts_channel(words, at) else None
        if not re.fullmatch(r"[0-9A-F]{2}", words[at].text):
            return None
        for place in range(at + 1, min(at + 4, len(words))):
            if words[place].line - words[at].line > 1:
                return None
            if rmf_text.CHANNEL_TYPE.fullmatch(words[place].text):
                return place
        return None


UNTITLED: Final = Heading("", COLUMNS, (), 1.0, is_monitor=False, generation=None)
"""What is assumed of lines without a heading."""


def read_heading(words: list[Word], at: int, width: int) -> tuple[Heading, int] | None:
    """The heading that begins at ``at`` with ID, and where it ends; None if it is none.

    ``width`` is that of the widest line of its page, which tells whether it was cut.
    """
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
    has_room = has_places(found) and words[end - 1].end + _ROOM <= width
    if names is not None and "SPEED" in order and not (ZHPF & {*names} or has_room):
        names = None  # releases that have SPEED mostly have ZHPF as well: the lines may be cut
    if end < len(words) and words[end].line == words[end - 1].line:
        names = None
    before = (_UNIT.match(word.text) for word in words[max(0, at - _UNIT_DISTANCE) : at])
    is_monitor = "G" in order and "TYPE" in order and order.index("G") < order.index("TYPE")
    unit = next((match[1] for match in before if match), None if is_monitor else "M")
    if unit is None:
        names = None
    whole = words[at].line == words[end - 1].line
    heading = Heading(
        place=words[at].place,
        names=names,
        words=tuple(found) if whole else (),
        mb=_MB[unit or ""],
        is_monitor=is_monitor,
        generation=next((word for word in words[at:first] if word.text == "G"), None),
    )
    return heading, end


def _printed(word: Word) -> str:
    return _AS_PRINTED.get(word.text, word.text)


def _names_of(
    row: list[Word], values: list[float | None], heading: Heading, is_shared: bool | None
) -> Names:
    """The column of each figure: the last words of ``row``."""
    assert heading.names is not None, "the caller looked"
    names = heading.names
    counted, is_whole = _blanked(names, is_shared), partial(_is_whole, names)
    found = [*ways(row[-len(values) :], heading.words, names, counted, is_whole, names)]
    left = [*dict.fromkeys(each for each in found if _is_possible(each, values))] or found[:1]
    if len(left) == 1 or (left and not any(values)):
        return left[0]  # in an idle channel all are 0, whatever they stand for
    start = row[0]
    reason = (
        f", which may be {' or '.join('those without ' + _gone(names, n) for n in left)}; "
        "expected them below their headings"
        if left
        else f"; expected {len(names)}: {', '.join(names)}"
    )
    raise start.error(f"chpid {start.text} has {len(values)} figures{reason}")


def _is_whole(names: Names, found: Names) -> bool:
    """Whether what is blank of a heading's columns is so as a whole."""
    blank = {*names}.difference(found)
    wholes = [group.intersection(names) for group in _GROUPS]
    return blank == set().union(*(whole for whole in wholes if whole <= blank))


def _blanked(names: Names, is_shared: bool | None) -> list[Names]:
    """What columns may be left of a heading's where a line has fewer figures.

    A channel without zHPF has none below it, one that is not shared none below PART, and one that
    RMF has utilization of alone none below either protocol.
    """
    parts = [_NONE] if is_shared else [_NONE, PARTS]
    return list(
        dict.fromkeys(
            tuple(name for name in names if name not in gone | part)
            for part in parts
            for gone in _RATES
        )
    )


def _is_possible(names: Names, values: list[float | None]) -> bool:
    """Whether no part is more than its total."""
    return _excess(dict(zip(names, values, strict=True))) is None


def _excess(found: dict[str, float | None]) -> str | None:
    """What a part that is more than its total is, in words; None if none is."""
    for name in sorted(PARTS & found.keys()):
        part, total = found[name], found[name.replace("PART", "TOTAL")]
        if part is not None and total is not None and part > total:
            return f"{name} {part:g} is more than TOTAL, {total:g}; expected at most as much"
    return None


def _gone(names: Names, left: Names) -> str:
    gone = [name.split()[0] for name in names if name not in left]
    return " and ".join(dict.fromkeys("PART" if n in ("READ", "WRITE") else n for n in gone))


_ROOM: Final = 8
"""Columns that a rate takes, with the blanks before it."""

_MB_PER_GBPS: Final = 125.0
"""MB/s that a link carries for each Gb/s: more than any coding leaves of it."""

_SPEED: Final = re.compile(r"(\d{1,3})G")
_GENERATION: Final = re.compile(r"[0-9A-F]{1,2}")


class ChannelLine(Struct, frozen=True):
    """A FICON channel in Channel Path Activity; percentages from 0 to 100, MB are 10**6 bytes.

    ``generation`` is the code below G and ``link_gbps`` the speed, both empty or None if the
    report has them not; ``None`` stands for a figure that RMF could not measure. ``has_zhpf`` says
    whether there are figures below ZHPF OPERATIONS.
    """

    chpid: str
    generation: str
    link_gbps: float | None
    processor_percent: float | None
    bus_percent: float | None
    read_mb_per_s: float | None
    write_mb_per_s: float | None
    ficon_io_per_s: float | None
    zhpf_io_per_s: float | None
    has_zhpf: bool = True
    part: tuple[float | None, float | None, float | None] = (None, None, None)
    """What the partition itself has of it: percent of its processor, MB/s read and written."""

    @property
    def title(self) -> str:
        """How to speak of it in a message."""
        return f"chpid {self.chpid}"

    @property
    def io_per_s(self) -> float:
        """I/Os a second of both protocols, as far as measured."""
        return (self.ficon_io_per_s or 0.0) + (self.zhpf_io_per_s or 0.0)

    @property
    def has_load(self) -> bool:
        """Whether RMF could measure what a load is made of: rates, and bytes of both ways."""
        rates = self.ficon_io_per_s, self.zhpf_io_per_s
        return None not in (*rates, self.read_mb_per_s, self.write_mb_per_s)


def read_channel(
    words: list[Word], start: int, type_at: int, heading: Heading, width: int
) -> tuple[ChannelLine | rmf_text.PassedOver, int]:
    """The channel that begins at ``start``, whose type is at ``type_at``, and where it ends.

    ``width`` is that of the wide lines: rates cannot be blank where there was no room for them.
    Raises `ConfigurationError` where a figure cannot be told from the others.
    """
    chpid, kind = words[start].text.rjust(2, "0"), words[type_at].text
    generation, at = _generation(words, start, type_at, heading)
    link_gbps, is_shared = None, None
    if at < len(words) and (speed := _SPEED.fullmatch(words[at].text)):
        link_gbps, at = float(speed[1]), at + 1
    if at < len(words) and words[at].text in ("Y", "N"):
        is_shared, at = words[at].text == "Y", at + 1
    if not rmf_text.FICON_TYPE.fullmatch(kind):
        end = rmf_text.rest_of_row(words, at, heading.type_of)
        return rmf_text.PassedOver(chpid, kind, "no FICON channel"), end
    figures = at
    while at < len(words) and words[at].text.isalpha() and words[at].line == words[start].line:
        at += 1
    if at > figures:
        return rmf_text.PassedOver(chpid, kind, "no figures"), at
    values, end = rmf_text.values_from(
        words, at, len(COLUMNS), words[start], heading.type_of, scaled=heading.is_monitor
    )
    if not values or (len(values) < len(COLUMNS) and not any(v is not None for v in values)):
        return rmf_text.PassedOver(chpid, kind, "no figures"), end
    what = f"chpid {words[start].text}"
    if heading.names is None:
        raise words[start].error(
            f"{what} stands below a heading ({heading.place}) that is not known; expected "
            f"{', '.join(COLUMNS)}"
        )
    if end < len(words) and (
        rmf_text.continues(words, end) or rmf_text.follows_row(words, end, heading.type_of)
    ):
        raise words[end].error(
            f"{what} has more than {len(COLUMNS)} figures; expected no number that a line break "
            "cuts in two"
        )
    names = _names_of(words[start : at + len(values)], values, heading, is_shared)
    found = dict(zip(names, values, strict=True))
    _expect_room(words[start:end], found.keys(), heading, width)
    if problem := _problem(found, link_gbps, heading.mb):
        raise ConfigurationError(f"{words[start].place}: {what}: {problem}: are columns shifted?")
    return ChannelLine(
        chpid=chpid,
        generation=generation,
        link_gbps=link_gbps,
        processor_percent=found["TOTAL"],
        bus_percent=found.get("BUS"),
        read_mb_per_s=_scaled(found.get("READ TOTAL"), heading.mb),
        write_mb_per_s=_scaled(found.get("WRITE TOTAL"), heading.mb),
        ficon_io_per_s=_rate(found, "FICON RATE", "ZHPF RATE"),
        zhpf_io_per_s=_rate(found, "ZHPF RATE", "FICON RATE"),
        has_zhpf="ZHPF RATE" in found,
        part=_part(found, heading.mb),
    ), end


def _expect_room(row: list[Word], names: AbstractSet[str], heading: Heading, width: int) -> None:
    """Raise `ConfigurationError` for a row that may have been cut before its rates."""
    last = row[-1]
    has_rates = not (FICON | ZHPF).isdisjoint(names)
    may_be_cut = ZHPF.isdisjoint(names) and last.end + _ROOM > width
    if may_be_cut and (has_places(heading.words) or not has_rates):
        lacking = "figures of zHPF" if has_rates else "rates"
        raise last.error(
            f"chpid {row[0].text} has no {lacking}, and no line of the text has room for them; "
            "expected whole lines: were they cut?"
        )


def _problem(found: dict[str, float | None], gbps: float | None, mb: float) -> str | None:
    """What figures of one channel cannot be; None if they can."""
    for name in ("PART", "TOTAL", "BUS"):
        if (percent := found.get(name)) is not None and percent > rmf_text.PERCENT_MAX:
            return f"{name} is {percent:g} %; expected at most 100"
    if excess := _excess(found):
        return excess
    for name in ("READ TOTAL", "WRITE TOTAL"):
        rate = _scaled(found.get(name), mb)
        if gbps and rate and rate > gbps * _MB_PER_GBPS:
            return f"{name} is {rate:g} MB/s; expected at most what {gbps:g} Gb/s carry"
    return None


def _rate(found: dict[str, float | None], name: str, other: str) -> float | None:
    """A rate; 0 where the column of one protocol is blank and the other's is not."""
    return found.get(name, 0.0 if other in found else None)


def _part(
    found: dict[str, float | None], mb: float
) -> tuple[float | None, float | None, float | None]:
    """What the partition itself has of a channel."""
    read, write = (_scaled(found.get(f"{way} PART"), mb) for way in ("READ", "WRITE"))
    return found.get("PART"), read, write


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else round(value * factor, 9)


def _generation(words: list[Word], start: int, type_at: int, heading: Heading) -> tuple[str, int]:
    """The code below G, and where the words behind it begin."""
    if heading.is_monitor:
        between = words[start + 1 : type_at]
        column = heading.generation.column if heading.generation else 0
        offs = [word.end - column for word in between]
        if not between or (len(between) == 1 and offs[0] < -1):
            if between and not has_places(words[start : type_at + 6]):
                raise between[0].error("below No or below G? expected the row with its blanks")
            if has_places(words[start : type_at + 6]) and words[start].end >= column > 0:
                raise words[start].error("below G; expected the chpid in front of it")
            return "", type_at + 1
        code = between[-1].text
        if (len(between) == 1 and offs[0] > 1) or not _GENERATION.fullmatch(code):
            raise words[start].error(f"{code!r} before the type; expected a code below G")
        return code, type_at + 1
    at = type_at + 1
    if at < len(words) and _GENERATION.fullmatch(words[at].text):
        return words[at].text, at + 1
    return "", at
