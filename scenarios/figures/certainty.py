"""How sure a figure of the model is: a range for it, and the odds that one layout is ahead.

A range is the distribution of a figure, or of the ratio of two: between what IBM's would lie, in
four of five cases and in nineteen of twenty. Odds and verdicts are read off it, and off nothing
else. It is made from what the model is off where IBM's figure is known: of suites that no constant
was fitted to, if there are such figures, else of the rows themselves. What a search for constants
finds is chance in part: so errors are of several searches. ``certainty.csv`` has them by family,
and says of which; ``make docs`` renews it (`tools.calibration.certainty`).

Choices are surer than figures: what is wrong in two figures alike is not wrong in their ratio. So
the range of a ratio comes from the errors of ratios of published rows
(`scenarios.figures.ranges.link_ratio`).

A load that is unlike those of IBM's runs is off more: a factor grows with every octave, a doubling,
that it is away from them (`growth`). Suites that were left out tell by how much.

What no published figure tells, such as a later feature, makes a range wider:
`scenarios.figures.assumptions`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.reports.figure import Figure, Interval, Range, RunFamily
from scenarios.runs.notes import shipped_lines

if TYPE_CHECKING:
    from scenarios.runs.workload import Workload

FOUR_OF_FIVE: Final = 0.8
NINETEEN_OF_TWENTY: Final = 0.95

ROWS_MIN: Final = 20
"""A family with fewer rows has no nineteen of twenty: the wider one is taken."""

LARGE_MESSAGE_LENGTH: Final = 32_768
"""Bytes, on average, from which on messages are large, as those of HL and HY."""

MANY_PAIRS: Final = 50
"""So many pairs are many, as in IBM's runs with 50 and 100."""

GROWTH_PER_OCTAVE: Final = 0.15
"""By how much of itself the logarithm of a factor grows with each octave. Calibrated: so what three
suites tell of the fourth, at its distance, covers 75 to 88 % of the MB/s of each suite and of each
number of CTCs where four of five are stated; without growth 65 to 98 %."""

COLLIDING_PER_S: Final = 2.0
"""Collisions a second, by the model, from which on a link of several CTCs collides."""


class FigureKind(StrEnum):
    """What a figure is of: errors are much the same for all of a kind."""

    RATE = "rate"
    """MB/s or messages a second; and seconds of a relocation, which follow from them."""
    RDEV_UTIL = "rdev_util"
    CPU = "cpu"
    SERVICE = "service"
    """DISC, CONN and SERV of a device that writes."""


class Differs(StrEnum):
    """What is different between two things that are compared."""

    LAYOUT = "rdevs"
    PAIRS = "pairs"
    WORKLOAD = "suite"


class Family(Struct, frozen=True):
    """Runs that are off alike. A part that is empty says nothing, so that the family is wider."""

    regime: str
    size: str = ""
    guests: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.regime, self.size, self.guests)))

    def wider(self) -> Iterator["Family"]:
        """This family, and those that hold it, the narrowest first."""
        yield self
        if self.size and self.guests:
            yield Family(self.regime, self.size)
        if self.size or self.guests:
            yield Family(self.regime)
        regime = self.regime
        while regime := _WITHIN.get(regime, ""):
            yield Family(regime)


ALL_LINKS: Final = "links of all kinds"
SEVERAL_CTCS: Final = "several CTCs"
QUIET: Final = "several CTCs, few collisions"
COLLIDING: Final = "several CTCs, many collisions"
ONE_CTC: Final = "one CTC"
APPC: Final = "APPC/VM"
APPC_ONE_CTC: Final = "APPC/VM on one CTC"

_WITHIN: Final = {
    QUIET: SEVERAL_CTCS,
    COLLIDING: SEVERAL_CTCS,
    **dict.fromkeys((SEVERAL_CTCS, ONE_CTC, APPC, APPC_ONE_CTC), ALL_LINKS),
}

SMALL: Final = "small messages"
LARGE: Final = "large messages"
FEW: Final = "few pairs"
MANY: Final = "many pairs"


def family_of(
    ctcs: int, message_length: float, pairs: int, collisions_per_s: float = 0.0, *, appc: bool
) -> Family:
    """The family of a run, by what is known of it: its link, its load, and how it went.

    ``message_length`` is the mean of what clients send, in bytes.
    """
    size = LARGE if message_length >= LARGE_MESSAGE_LENGTH else SMALL
    guests = MANY if pairs >= MANY_PAIRS else FEW
    if appc:
        return Family(APPC_ONE_CTC if ctcs == 1 else APPC, "", guests)
    if ctcs == 1:
        return Family(ONE_CTC, size, guests)
    return Family(COLLIDING if collisions_per_s > COLLIDING_PER_S else QUIET, size, guests)


class Errors(Struct, frozen=True):
    """What is known of some errors: a line of ``certainty.csv``.

    Both factors say so many times greater, or smaller, IBM's figure is than ours in so many cases.
    ``rows`` are published rows, or pairs of them, each counted once. ``source`` says what the
    errors are of.
    """

    kind: str
    of: str
    family: Family
    rows: int
    four_of_five: float
    nineteen_of_twenty: float
    source: str

    def grown(self, away: float) -> "Errors":
        """The same so many octaves away from what they are of."""
        four, nineteen = (
            each ** growth(away) for each in (self.four_of_five, self.nineteen_of_twenty)
        )
        return replace(self, four_of_five=four, nineteen_of_twenty=nineteen)


def octaves(value: float, least: float, most: float) -> float:
    """How often a value has to double, or to be halved, until it lies between two others."""
    return max(0.0, math.log2(least / value), math.log2(value / most))


def octaves_from(load: "Workload", others: Iterable["Workload"]) -> tuple[float, float]:
    """So far the messages of a load are from those of others, by their means, and its replies."""
    messages = [each.mean_length for each in others]
    replies = [each.reply_length for each in others]
    return (
        octaves(load.mean_length, min(messages), max(messages)),
        octaves(load.reply_length, min(replies), max(replies)),
    )


def growth(away: float) -> float:
    """How many times the logarithm of an error is what it is near by, so many octaves away."""
    return 1 + GROWTH_PER_OCTAVE * away


def range_of(
    kind: FigureKind, value: float, family: Family, beyond: Mapping[str, float] | None = None
) -> Range:
    """The range of a figure, so many octaves ``beyond`` what was measured, by what it is of.

    `assumptions.widened` widens it further.
    """
    away = beyond or {}
    errors = errors_of(kind, family).grown(sum(away.values()))
    wider = "" if errors.family == family else f"too few of {family}; "
    runs = RunFamily(errors.rows, str(errors.family))
    basis = f"the errors against {runs.count} of IBM's runs with {runs.family}"
    return _around(value, errors, basis, f"{wider}{errors.source}", runs, (*away,))


def ratio_range(
    ratio: float,
    differs: Differs = Differs.LAYOUT,
    beyond: Mapping[str, float] | None = None,
    *,
    one_ctc: bool = False,
) -> Range:
    """The range of how many times one rate another is, so many octaves ``beyond`` IBM's runs.

    Both are off alike, so that this is surer than either; less so where a link has ``one_ctc``.
    `scenarios.figures.ranges.link_ratio` widens it.
    """
    away = beyond or {}
    errors = ratio_errors(differs, one_ctc=one_ctc).grown(sum(away.values()))
    basis = f"the errors of {errors.rows} ratios between IBM's runs with {errors.family}"
    return _around(ratio, errors, basis, errors.source, None, (*away,))


def _around(
    value: float,
    errors: Errors,
    basis: str,
    source: str,
    runs: RunFamily | None = None,
    wider_for: tuple[str, ...] = (),
) -> Range:
    """From a value divided by a factor to one multiplied by it."""
    likely, sure = (
        Interval(value / factor, value * factor)
        for factor in (errors.four_of_five, errors.nineteen_of_twenty)
    )
    return Range(likely, sure, basis, wider_for, source, runs)


def errors_of(kind: FigureKind, family: Family) -> Errors:
    """The errors of the narrowest family that has enough rows."""
    return _narrowest("figure", kind, family)


def ratio_errors(differs: Differs, *, one_ctc: bool = False) -> Errors:
    """The errors of the ratio of two figures of links with several CTCs.

    Or of links of which at least one has ``one_ctc``.
    """
    return _narrowest("ratio", differs, Family(ONE_CTC if one_ctc else SEVERAL_CTCS))


class Odds(Struct, frozen=True):
    """How likely something is at IBM's, such as that one of two is ahead: ``share`` of 1."""

    share: float

    @property
    def percent(self) -> int:
        """So many of 100: never 0 or 100."""
        return sorted((1, 100 - round(100 * (1 - self.share)), 99))[1]

    def __str__(self) -> str:
        """``95 of 100``: all have one base."""
        return f"{self.percent} of 100"

    @property
    def leading(self) -> "Odds":
        """That of the two which is ahead by the model is ahead."""
        return Odds(max(self.share, 1 - self.share))


def odds_ahead(ratio: Figure) -> Odds:
    """The odds that the first of two is ahead, by the range of how many times the other it is.

    They are even without a range, as nothing tells.
    """
    return Odds(0.5) if ratio.range is None else odds_reached(ratio, 1.0)


def odds_reached(found: Figure, wanted: float) -> Odds:
    """The odds that a figure is ``wanted`` or more on real hardware, by its range.

    Between what is known of the range, errors are taken to be even on the scale of logarithms.
    Beyond what holds in nineteen of twenty cases nothing is known: the odds stay there.
    """
    value, is_more, within = found.value, found.value >= wanted, found.range
    if within is None or not value > 0:
        raise ValueError(f"figure {value}: expected more than 0, and a range")
    factor = max(value / wanted, wanted / value)
    least, below, share = 0.0, 1.0, NINETEEN_OF_TWENTY
    for most, each in ((FOUR_OF_FIVE, within.likely), (NINETEEN_OF_TWENTY, within.sure)):
        above = value / each.low if is_more else each.high / value
        if factor < above:
            share = least + (most - least) * math.log(factor / below) / math.log(above / below)
            break
        least, below = most, above
    return Odds(0.5 + share / 2 if is_more else 0.5 - share / 2)


def nobody_is_ahead(odds: Odds) -> bool:
    """Whether a choice is open: less than three of four such choices turn out one way."""
    return 0.25 < odds.share < 0.75


def _narrowest(kind: str, of: str, family: Family) -> Errors:
    known = _table()
    for each in family.wider():
        errors = known.get((kind, of, each))
        if errors is not None and errors.rows >= ROWS_MIN:
            return errors
    raise LookupError(f"{kind} {of}: nothing is known of {family}")


def every_errors() -> list[Errors]:
    """All that is known of errors, for whoever shows it."""
    return [*_table().values()]


@cache
def _table() -> Mapping[tuple[str, str, Family], Errors]:
    """``certainty.csv``."""
    found = map(parsed, shipped_lines(__package__, "certainty.csv"))
    return {(errors.kind, errors.of, errors.family): errors for errors in found}


COLUMNS: Final = (
    *("kind", "of", "regime", "size", "guests", "rows"),
    *("four_of_five", "nineteen_of_twenty", "source"),
)
"""Of ``certainty.csv``."""


def parsed(line: Mapping[str, str]) -> Errors:
    """A line of the table."""
    family = Family(line["regime"], line["size"], line["guests"])
    factors = float(line["four_of_five"]), float(line["nineteen_of_twenty"])
    return Errors(line["kind"], line["of"], family, int(line["rows"]), *factors, line["source"])
