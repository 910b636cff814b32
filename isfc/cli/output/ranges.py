"""Ranges in words, in columns and as records: between what IBM's figure would lie."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from isfc.layout.in_words import listed

if TYPE_CHECKING:
    from scenarios.figures.certainty import Interval, Range


def likely(within: "Range | None") -> str:
    """``640-1100``: a column."""
    return "" if within is None else plain(within.likely)


def plain(interval: "Interval") -> str:
    """``640-1100``, without commas."""
    return str(interval).replace(",", "")


def percent(share: "Range") -> str:
    """``50 % (45-56)``: of a share of 1."""
    low, high = (100 * end for end in (share.likely.low, share.likely.high))
    return f"{100 * share.value:.0f} % ({low:.0f}-{high:.0f})"


def percent_range(within: "Range") -> str:
    """``-6 to +17``: of a figure that is so many times another, by how many percent it is more."""
    low, high = (100 * (end - 1) for end in (within.likely.low, within.likely.high))
    return f"{low:+.0f} to {high:+.0f}"


def range_note(ranges: "Iterable[Range | None]") -> str:
    """From what ranges are made, each of them once; nothing if there are none."""
    found = [each for each in ranges if each is not None]
    if not found:
        return ""
    wider = dict.fromkeys(what for each in found for what in each.wider_for)
    allowed = f", wider for {listed([*wider])}" if wider else ""
    return f"A range holds in four of five cases, by {_bases(found)}{allowed}."


_BASIS: Final = re.compile(r"the errors against (\d+) of IBM's runs with (.+)")


def _bases(ranges: "Iterable[Range]") -> str:
    """What errors ranges are made from: each family of runs once, after one that holds it."""
    rows: dict[str, list[int]] = {}
    others = []
    for basis in dict.fromkeys(each.basis.partition(" (")[0] for each in ranges):
        if found := _BASIS.fullmatch(basis):
            rows.setdefault(found[2], []).append(int(found[1]))
        else:
            others.append(basis)
    against, before = [], ""
    for family in sorted(rows, key=len):
        few, many = min(rows[family]), max(rows[family])
        count = f"{few}" if few == many else f"{few} to {many}"
        rest = family.removeprefix(f"{before}, ")
        runs = "those" if rest != family else "IBM's runs"
        against.append(f"against {count} of {runs} with {rest}")
        before = family
    if against:
        others.insert(0, f"the errors {', and '.join(against)}")
    return ", and by ".join(others)


def share_note(shares: "Iterable[Range | None]") -> str:
    """How far percents of the whole are known, and from what; nothing if there are none."""
    found = [each for each in shares if each is not None and each.value]
    if not found:
        return ""
    return (
        f"The range of a percentage is {factor_line(found)}, as errors that both figures share "
        f"cancel: by {_bases(found)}."
    )


def factor_line(ranges: "Iterable[Range]") -> str:
    """``0.88 to 1.14 times it``: the widest of ranges that are known alike for many figures."""
    factors = [
        end / each.value
        for each in ranges
        if each.value
        for end in (each.likely.low, each.likely.high)
    ]
    return f"{min(factors):.2f} to {max(factors):.2f} times it" if factors else ""


class RangeJson(Struct, frozen=True):
    """Between what a figure would lie on real hardware; in the unit of the figure."""

    likely: tuple[float, float]
    """in four of five cases"""
    sure: tuple[float, float]
    """in nineteen of twenty"""
    basis: str
    """what both are made from, and what else they allow for"""


def range_json(within: "Range") -> RangeJson:
    """The record of a range."""
    likely, sure = within.likely, within.sure
    return RangeJson((likely.low, likely.high), (sure.low, sure.high), within.describe())
