"""Link activity as text: what IBM's tool makes of Monitor D9 R4, or this emulator's print of it.

IBM's names stand between underscores: ``_TXPENDCT_ _WCol/sec_ _WMB/sec__``. What stands before
TXPENDCT is the link's name and the time at which the interval ended, or one of them.
"""

import re
from typing import Final

from isfc.layout.pasted import holds_row
from isfc.site.dates import leading_stamp
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import LINK_COLUMNS, FilePlace, LinkFigures

MARK: Final = "TXPENDCT"
_MEANINGS: Final = (
    (re.compile(r"TXPENDCT"), "tx_pend_count"),
    (re.compile(r"WCOL\w*/S\w*"), "collisions_per_s"),
    (re.compile(r"([WR])MB/S\w*"), "{}_mb_per_s"),
    (re.compile(r"([WR])MSGS?/S\w*"), "{}_messages_per_s"),
    (re.compile(r"([WR])P\w*K\w*/S\w*"), "{}_packages_per_s"),
    (re.compile(r"([WR])BY\w*/P\w+"), "{}_bytes_per_package"),
    (re.compile(r"([WR])MSGS?/P\w+"), "{}_messages_per_package"),
)
"""What each heading means, by the names of the neutral table."""


_SIDES: Final = {"W": "written", "R": "read"}
_OWN: Final = LINK_COLUMNS[1:]
"""The columns of a row, in the published order."""

_NODE: Final = re.compile(r"[\w$#@/-]{1,8}", re.ASCII)
_ROW: Final = re.compile(
    rf"\s*{_NODE.pattern}\s+\d{{1,4}}[-/.]\d\d?[-/.]\d{{2,4}}\s+\d\d?[:.]\d\d", re.ASCII
)
_BEGIN: Final = re.compile(r"\W*(?:\S+\s+)?\d{3,4}[-/.]\d", re.ASCII)
_HALF_DAY: Final = re.compile(r"[AP]\.?M\.?", re.IGNORECASE)
_SECONDS: Final = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
_FIGURES_MIN: Final = 3
"""Figures from which a line is taken for a row, whole or not: prose has fewer."""


def link_heading(line: str) -> tuple[str, ...] | None:
    """The columns from TXPENDCT on of a line that is a heading of link activity, or None."""
    words = [word.strip("_").upper() for word in line.split()]
    if MARK not in words:
        return None
    names = [_meaning(word) for word in words[words.index(MARK) :]]
    known = [name for name in names if name]
    if len(known) < len(names) or len(known) < 3:
        return _OWN
    if known != sorted(known, key=_OWN.index):
        raise BadFigure("a heading of link activity in another order; expected it as printed")
    return tuple(known)


def _meaning(word: str) -> str | None:
    for pattern, name in _MEANINGS:
        if found := pattern.fullmatch(word):
            return name.format(*map(_SIDES.get, found.groups()))
    return None


def is_named(columns: tuple[str, ...]) -> bool:
    """Whether a heading named these columns, as IBM's does; all its figures have one decimal."""
    return columns is not _OWN


def link_row(
    line: str, columns: tuple[str, ...], place: FilePlace, reading: Reading
) -> tuple[str | None, LinkFigures] | None:
    """When the interval of a row ended, and its figures; None for a line that is no row."""
    words = line.split()
    figures = sum(1 for word in words if reading.is_figure(word))
    is_cut = bool(_BEGIN.match(line)) or ("." in line and figures == len(words))
    if figures < _FIGURES_MIN and not is_cut:
        return None
    if len(words) < len(columns):
        raise BadFigure(
            f"a row of link activity with {len(words)} of {len(columns)} figures; "
            "expected as many as headings: has the page been cut?"
        )
    head, cells = words[: -len(columns)], words[-len(columns) :]
    printed = [each for each in cells if "." in each or is_named(columns)]
    if len({len(each.partition(".")[2]) for each in printed}) > 1:
        raise BadFigure(f"{' '.join(cells)[:30]!r}... differ in decimals; expected as many in all")
    values = {name: reading.number(text) or 0.0 for name, text in zip(columns, cells, strict=True)}
    if missing := [name for name in _OWN if name not in values]:
        raise BadFigure(f"link activity without {', '.join(missing)}; expected all its columns")
    partner, time = _before_figures(head)
    return time, LinkFigures.of(partner and partner.upper(), values, place)


def is_link_row(line: str) -> bool:
    """Whether a line looks like a row with its link and time, even where no heading is above it."""
    return bool(_ROW.match(line)) and holds_row(line)


def _before_figures(words: list[str]) -> tuple[str | None, str | None]:
    """The link's name and the time, of what stands before the figures of a row.

    Raises `BadFigure` for anything else: a row with figures too many.
    """
    names = [word for word in words if not word[0].isdigit()]
    named = bool(names) and words[0] == names[0] and not _HALF_DAY.fullmatch(names[0])
    partner = names[0] if named else None
    if partner is not None and not _NODE.fullmatch(partner):
        raise BadFigure(f"{partner[:30]!r} is no link's name; expected 1 to 8 characters")
    rest = words[1:] if partner else words
    if len(words) == 1 and _SECONDS.fullmatch(words[0]):
        return None, None  # the emulator's own time, in s
    if not rest:
        return partner, None
    stamp, behind = leading_stamp(" ".join(rest))
    behind = behind.strip()
    if not behind:
        return partner, stamp
    if partner or " " in behind or behind[0].isdigit():
        raise BadFigure(f"{behind[:30]!r} before the figures; expected a link's name and a time")
    return behind, stamp
