"""How a figure is written: one format for each unit, for cells and sentences alike; and its range.

A range is between what IBM's figure would lie.
"""

from collections.abc import Iterable
from math import floor, log10
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.errors.in_words import listed
from isfc.reports.figure import Figure, Interval, Range, Unit, rounded


class UnitFormat(Struct, frozen=True):
    """How people read a unit: ``name`` beside the number, of which there are ``places``.

    The number is ``factor`` times the record's. Ends of a range have three digits if
    ``by_digits``: they are known no better, whatever the places. A ``signed`` one has a + if it is
    more than nothing. With ``digits`` a small number has so many, and is not shown as none. A
    number that is ``parted`` has commas between its thousands.
    """

    name: str
    places: int = 0
    factor: float = 1.0
    by_digits: bool = False
    signed: bool = False
    digits: int = 0
    parted: bool = False


FORMATS: Final = {
    Unit.MB_PER_S: UnitFormat("MB/s", by_digits=True),
    Unit.PER_S: UnitFormat("/s", by_digits=True),
    Unit.GBPS: UnitFormat("Gb/s"),
    Unit.SECONDS: UnitFormat("s", 2),
    Unit.MINUTES: UnitFormat("min", factor=1 / 60),
    Unit.MS: UnitFormat("ms", 2),
    Unit.US: UnitFormat("us", 1),
    Unit.PERCENT: UnitFormat("%", by_digits=True),
    Unit.SHARE: UnitFormat("%", factor=100.0),
    Unit.TIMES: UnitFormat("times", 2),
    Unit.COUNT: UnitFormat("", 1),
    Unit.CHANGE: UnitFormat("%", signed=True),
    Unit.ANY: UnitFormat("", digits=4),
    Unit.OWN: UnitFormat("", digits=3),
    Unit.DIFFERENCE: UnitFormat("", digits=4, signed=True),
    Unit.OFF: UnitFormat("%", digits=2, signed=True),
    Unit.CPU: UnitFormat("%", 5, by_digits=True),
    Unit.BYTES: UnitFormat("GiB", 3, factor=2**-30),
    Unit.SPREAD: UnitFormat("%", 1),
    Unit.COUNTED: UnitFormat("", parted=True),
}


def shown(value: float, unit: Unit) -> str:
    """``654``: a number in a unit, as people read it."""
    form = FORMATS[unit]
    sign, places = "+" if form.signed and value else "", form.places
    if form.digits and value:
        places = max(0, form.digits - 1 - floor(log10(abs(value))))
    text = f"{form.factor * value:{sign}z{',' * form.parted}.{places}f}"
    return text.rstrip("0").rstrip(".") if form.digits and places else text


def amount(value: float, unit: Unit) -> str:
    """``50 %``: a number with its unit."""
    return f"{shown(value, unit)} {FORMATS[unit].name}"


def fitted(value: float, width: int, places: int = 1) -> str:
    """``1027.5``: a number in so many characters, with at most so many places, or thousands."""
    for fewer in range(places, -1, -1):
        if len(text := f"{value:.{fewer}f}") <= width:
            return text
    return f"{value / 1000:.0f}k"


def bytes_words(length: float) -> str:
    """``2 GiB``, or MiB of less than one."""
    is_small = length < 2**30
    return f"{length / (2**20 if is_small else 2**30):,.4g} {'MiB' if is_small else 'GiB'}"


def range_of(figure: Figure) -> str:
    """``562-761``: between what a figure lies in four of five cases; nothing without a range."""
    if figure.range is None:
        return ""
    ends = figure.range.likely.low, figure.range.likely.high
    if FORMATS[figure.unit].by_digits:
        return "-".join(f"{rounded(end):.10g}" for end in ends)
    return "-".join(shown(end, figure.unit) for end in ends)


CEILING: Final = "IBM's ceiling of command mode"
"""What a figure is if the model carries more."""


LONG_S: Final = 600.0
"""From here on sentences say minutes. Chosen: a minute is a tenth of it, which ranges exceed."""


def with_unit(figure: Figure) -> str:
    """``50 % (45-56)``: for a sentence."""
    if figure.unit is Unit.SECONDS and figure.value >= LONG_S:
        figure = replace(figure, unit=Unit.MINUTES)
    return f"{amount(figure.value, figure.unit)}{between(figure)}"


def beside(figure: Figure, other: Figure) -> str:
    """The same beside another: ``as much``, where runs do not tell the two apart."""
    return with_unit(figure) if figure.differs(other) else "as much"


def between(figure: Figure) -> str:
    """`` (640-1100)``: behind a figure, or also whose it is; nothing without a range."""
    more = f"{CEILING}, {shown(figure.modelled, figure.unit)} by the model"
    said = "; ".join(filter(None, (range_of(figure), more * (figure.by_model is not None))))
    return f" ({said})" if said else ""


def plain(interval: Interval) -> str:
    """``640-1100``, without commas."""
    return str(interval).replace(",", "")


def percent_range(ratio: Figure) -> str:
    """``-6 to +17``: of a figure that is so many times another, by how many percent it is more."""
    low, high = (100 * (end - 1) for end in (ratio.ends.low, ratio.ends.high))
    return f"{low:+.0f} to {high:+.0f}" if ratio.range else "no range"


def gain_words(ratio: Figure) -> str:
    """``+2 % (-6 to +17)``: the same with how much it is."""
    return f"{shown(100 * (ratio.value - 1), Unit.CHANGE)} % ({percent_range(ratio)})"


def range_note(figures: Iterable[Figure | None]) -> str:
    """From what ranges are made, each of them once; nothing if there are none."""
    found = _ranges(figures)
    if not found:
        return ""
    wider = dict.fromkeys(what for each in found for what in each.wider_for)
    allowed = f", wider for {listed([*wider])}" if wider else ""
    return f"A range holds in four of five cases, by {_bases(found)}{allowed}."


def _ranges(figures: Iterable[Figure | None]) -> list[Range]:
    return [each.range for each in figures if each is not None and each.range is not None]


def _bases(ranges: Iterable[Range]) -> str:
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


def share_note(shares: Iterable[Figure]) -> str:
    """How far percents of the whole are known, and from what; nothing if there are none."""
    found = [each for each in shares if each.range is not None]
    if not found:
        return ""
    return (
        f"The range of a percentage is {factor_line(found)}, as errors that both figures share "
        f"cancel: by {_bases(_ranges(found))}."
    )


def factor_line(figures: Iterable[Figure]) -> str:
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
