"""A channel of RMF's Channel Path Activity, as printed or as Monitor III shows it on its screen."""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from isfc.errors import ConfigurationError
from isfc.io.rmf_columns import COLUMNS, FICON, PARTS, ZHPF, Heading, has_places, names_of
from isfc.io.rmf_words import Word, continues, follows_row, values_from

_ROOM: Final = 8
"""Columns that a rate takes, with the blanks before it."""

_PERCENT_MAX: Final = 100.5
_MB_PER_GBPS: Final = 125.0
"""MB/s that a link carries for each Gb/s: more than any coding leaves of it."""

_SPEED: Final = re.compile(r"(\d{1,3})G")
_GENERATION: Final = re.compile(r"[0-9A-F]{1,2}")
_FICON_TYPE: Final = re.compile(r"FC(?:_[A-Z?]{1,2})?")
"""A FICON channel, direct or switched. FCP and FCV, a converter to ESCON, are none."""


@dataclass(frozen=True, slots=True)
class ChannelLine:
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

    @property
    def io_per_s(self) -> float:
        """I/Os a second of both protocols, as far as measured."""
        return (self.ficon_io_per_s or 0.0) + (self.zhpf_io_per_s or 0.0)

    @property
    def has_load(self) -> bool:
        """Whether RMF could measure what a load is made of: rates, and bytes of both ways."""
        return None not in (
            self.ficon_io_per_s,
            self.zhpf_io_per_s,
            self.read_mb_per_s,
            self.write_mb_per_s,
        )


LINES_MISSING: Final = "lines missing"
"""Why a total is passed over: those that make it are not all there."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A line that is not used: its chpid or device, its type, and why."""

    name: str
    kind: str
    reason: str


def read_channel(
    words: list[Word], start: int, type_at: int, heading: Heading, width: int
) -> tuple[ChannelLine | PassedOver, int]:
    """The channel that begins at ``start``, whose type is at ``type_at``, and where it ends.

    ``width`` is that of the widest line: rates cannot be blank where there was no room for them.
    Raises `ConfigurationError` where a figure cannot be told from the others.
    """
    chpid, kind = words[start].text.rjust(2, "0"), words[type_at].text
    generation, at = _generation(words, start, type_at, heading)
    link_gbps, is_shared = None, None
    if at < len(words) and (speed := _SPEED.fullmatch(words[at].text)):
        link_gbps, at = float(speed[1]), at + 1
    if at < len(words) and words[at].text in ("Y", "N"):
        is_shared, at = words[at].text == "Y", at + 1
    if not _FICON_TYPE.fullmatch(kind):
        return PassedOver(chpid, kind, "no FICON channel"), at
    if at < len(words) and words[at].text.isalpha() and words[at].line == words[start].line:
        while at < len(words) and words[at].text.isalpha() and words[at].line == words[start].line:
            at += 1
        return PassedOver(chpid, kind, "no figures"), at
    values, end = values_from(
        words, at, len(COLUMNS), words[start], heading.type_of, scaled=heading.is_monitor
    )
    if not values or (len(values) < len(COLUMNS) and not any(v is not None for v in values)):
        return PassedOver(chpid, kind, "no figures"), end
    what = f"chpid {words[start].text}"
    if heading.names is None:
        raise ConfigurationError(
            f"{words[start].place}: {what} stands below a heading ({heading.place}) that is not "
            f"known; expected {', '.join(COLUMNS)}"
        )
    if end < len(words) and (continues(words, end) or follows_row(words, end, heading.type_of)):
        raise ConfigurationError(
            f"{words[end].place}: {what} has more than {len(COLUMNS)} figures; expected no number "
            "that a line break cuts in two"
        )
    names = names_of(words[start : at + len(values)], values, heading, is_shared)
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
    ), end


def _expect_room(row: list[Word], names: AbstractSet[str], heading: Heading, width: int) -> None:
    """Raise `ConfigurationError` for a row that may have been cut before its rates."""
    last = row[-1]
    has_rates = not (FICON | ZHPF).isdisjoint(names)
    may_be_cut = ZHPF.isdisjoint(names) and last.column + len(last.text) + _ROOM > width
    if may_be_cut and (has_places(heading.words) or not has_rates):
        lacking = "figures of zHPF" if has_rates else "rates"
        raise ConfigurationError(
            f"{last.place}: chpid {row[0].text} has no {lacking}, and no line of the text has "
            "room for them; expected whole lines: were they cut?"
        )


def _problem(found: dict[str, float | None], gbps: float | None, mb: float) -> str | None:
    """What figures of one channel cannot be; None if they can."""
    for name in ("PART", "TOTAL", "BUS"):
        if (percent := found.get(name)) is not None and percent > _PERCENT_MAX:
            return f"{name} is {percent:g} %; expected at most 100"
    for name in sorted(PARTS & found.keys()):
        part, total = found[name], found[name.replace("PART", "TOTAL")]
        if part is not None and total is not None and part > total:
            return f"{name} {part:g} is more than TOTAL, {total:g}; expected at most as much"
    for name in ("READ TOTAL", "WRITE TOTAL"):
        rate = _scaled(found.get(name), mb)
        if gbps and rate and rate > gbps * _MB_PER_GBPS:
            return f"{name} is {rate:g} MB/s; expected at most what {gbps:g} Gb/s carry"
    return None


def _rate(found: dict[str, float | None], name: str, other: str) -> float | None:
    """A rate; 0 where the column of one protocol is blank and the other's is not."""
    return found.get(name, 0.0 if other in found else None)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else round(value * factor, 9)


def _generation(words: list[Word], start: int, type_at: int, heading: Heading) -> tuple[str, int]:
    """The code below G, and where the words behind it begin."""
    if heading.is_monitor:
        between = words[start + 1 : type_at]
        column = heading.generation.column if heading.generation else 0
        found = [word.text for word in between if len(between) == 2 or _ends_at(word, column)]
        return (found[-1] if found and _GENERATION.fullmatch(found[-1]) else ""), type_at + 1
    at = type_at + 1
    if at < len(words) and _GENERATION.fullmatch(words[at].text):
        return words[at].text, at + 1
    return "", at


def _ends_at(word: Word, column: int) -> bool:
    return abs(word.column + len(word.text) - 1 - column) <= 1
