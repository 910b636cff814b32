"""Ranges in words, in columns and as records: between what IBM's figure would lie."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from isfc.errors.in_words import listed
from isfc.reports.units import range_of

if TYPE_CHECKING:
    from isfc.reports.figure import Figure, Interval, Range


def between(figure: "Figure") -> str:
    """`` (640-1100)``: behind a figure; nothing without a range."""
    within = range_of(figure)
    return f" ({within})" if within else ""


def plain(interval: "Interval") -> str:
    """``640-1100``, without commas."""
    return str(interval).replace(",", "")


def percent_range(ratio: "Figure") -> str:
    """``-6 to +17``: of a figure that is so many times another, by how many percent it is more."""
    low, high = (100 * (end - 1) for end in (ratio.ends.low, ratio.ends.high))
    return f"{low:+.0f} to {high:+.0f}"


def range_note(figures: "Iterable[Figure | None]") -> str:
    """From what ranges are made, each of them once; nothing if there are none."""
    found = _ranges(figures)
    if not found:
        return ""
    wider = dict.fromkeys(what for each in found for what in each.wider_for)
    allowed = f", wider for {listed([*wider])}" if wider else ""
    return f"A range holds in four of five cases, by {_bases(found)}{allowed}."


def _ranges(figures: "Iterable[Figure | None]") -> "list[Range]":
    return [each.range for each in figures if each is not None and each.range is not None]


def _bases(ranges: "Iterable[Range]") -> str:
    """What errors ranges are made from: each family of runs once, after one that holds it."""
    rows: dict[str, list[int]] = {}
    others: dict[str, None] = {}
    for each in ranges:
        if each.runs is None:
            others[each.basis] = None
        else:
            rows.setdefault(each.runs.family, []).append(each.runs.count)
    against, before = [], ""
    for family in sorted(rows, key=len):
        few, many = min(rows[family]), max(rows[family])
        count = f"{few}" if few == many else f"{few} to {many}"
        rest = family.removeprefix(f"{before}, ")
        runs = "those" if rest != family else "IBM's runs"
        against.append(f"against {count} of {runs} with {rest}")
        before = family
    errors = [f"the errors {', and '.join(against)}"] * bool(against)
    return ", and by ".join((*errors, *others))


def share_note(shares: "Iterable[Figure]") -> str:
    """How far percents of the whole are known, and from what; nothing if there are none."""
    found = [each for each in shares if each.range is not None]
    if not found:
        return ""
    return (
        f"The range of a percentage is {factor_line(found)}, as errors that both figures share "
        f"cancel: by {_bases(_ranges(found))}."
    )


def factor_line(figures: "Iterable[Figure]") -> str:
    """``0.88 to 1.14 times it``: the widest of ranges that are known alike for many figures."""
    factors = [
        end / each.value
        for each in figures
        if each.value and each.range is not None
        for end in (each.ends.low, each.ends.high)
    ]
    return f"{min(factors):.2f} to {max(factors):.2f} times it" if factors else ""


class RangeRecord(Struct, frozen=True):
    """Between what a figure would lie on real hardware; in the unit of the figure."""

    likely: tuple[float, float]
    """in four of five cases"""
    sure: tuple[float, float]
    """in nineteen of twenty"""
    basis: str
    """what both are made from, and what else they allow for"""
