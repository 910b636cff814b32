"""The link activity that IBM's tool makes of Monitor D9 R4, and this emulator's print of it.

IBM's names stand between underscores: ``_TXPENDCT_ _WCol/sec_ _WMB/sec__``. What stands before
TXPENDCT in a row is the link's name and the time at which the interval ended, or one of them.
"""

import re
from typing import Final

from isfc.measured.figures import BadFigure, Reading
from isfc.measured.measurement import FilePlace, LinkFigures, WayFigures

MARK: Final = "TXPENDCT"
_OWN: Final = (
    "tx_pend_count",
    "collisions_per_s",
    *(
        f"{side}_{name}"
        for side in "wr"
        for name in ("mb", "messages", "packages", "bytes_per_pkg", "messages_per_pkg")
    ),
)
"""The columns of a row, in the published order."""

_MEANINGS: Final = (
    (re.compile(r"TXPENDCT"), "tx_pend_count"),
    (re.compile(r"WCOL\w*/S\w*"), "collisions_per_s"),
    (re.compile(r"([WR])MB/S\w*"), "{}_mb"),
    (re.compile(r"([WR])MSGS?/S\w*"), "{}_messages"),
    (re.compile(r"([WR])P\w*K\w*/S\w*"), "{}_packages"),
    (re.compile(r"([WR])BY\w*/P\w+"), "{}_bytes_per_pkg"),
    (re.compile(r"([WR])MSGS?/P\w+"), "{}_messages_per_pkg"),
)
_STAMP: Final = re.compile(r"(\d{4}[-/]\d\d[-/]\d\d)?[ T]*(\d\d?:\d\d(?::\d\d)?)?", re.ASCII)


def heading_of(line: str) -> tuple[str, ...] | None:
    """The columns from TXPENDCT on of a line that is a heading of link activity, or None."""
    words = [word.strip("_").upper() for word in line.split()]
    if MARK not in words:
        return None
    names = [_meaning(word) for word in words[words.index(MARK) :]]
    known = [name for name in names if name]
    return tuple(known) if len(known) == len(names) and len(known) > 2 else _OWN


def _meaning(word: str) -> str | None:
    for pattern, name in _MEANINGS:
        if found := pattern.fullmatch(word):
            return name.format(*(side.lower() for side in found.groups()))
    return None


def read_row(
    line: str, columns: tuple[str, ...], place: FilePlace, reading: Reading
) -> tuple[str | None, LinkFigures] | None:
    """When the interval of a row ended, as it stands there, and its figures; None for no row."""
    words = line.split()
    if not words or not any(char.isdigit() for char in line):
        return None
    if not reading.is_figure(words[-1]):
        return None
    if len(words) < len(columns):
        raise BadFigure(
            f"a row of link activity with {len(words)} of {len(columns)} figures; "
            "expected as many as headings: has the page been cut?"
        )
    head, cells = words[: -len(columns)], words[-len(columns) :]
    values = {name: reading.number(text) or 0.0 for name, text in zip(columns, cells, strict=True)}
    if missing := [name for name in _OWN if name not in values]:
        raise BadFigure(f"link activity without {', '.join(missing)}; expected all its columns")
    time = " ".join(word for word in head if word[0].isdigit() and _is_time(word)) or None
    names = [word for word in head if not _is_time(word)]
    return time, LinkFigures(
        names[0] if names else None,
        values["tx_pend_count"],
        values["collisions_per_s"],
        _way(values, "w"),
        _way(values, "r"),
        place,
    )


def _is_time(word: str) -> bool:
    return bool(_STAMP.fullmatch(word)) or word.replace(".", "").isdigit()


def _way(values: dict[str, float], side: str) -> WayFigures:
    names = ("mb", "messages", "packages", "bytes_per_pkg", "messages_per_pkg")
    return WayFigures(*(values[f"{side}_{name}"] for name in names))
