"""A figure of the model: what it comes to, with which load, and between what IBM's would lie.

And the notes on figures: what a reader has to know to take them for what they are; and records of
answers that hold them (`Reported`): a notebook shows the page of each.
"""

from enum import StrEnum
from math import hypot
from typing import Any, ClassVar, Protocol, Self, TypeVar

from msgspec import Struct, convert
from msgspec.structs import replace

from isfc.errors.in_words import exact
from isfc.errors.loading import named


class NoRange(StrEnum):
    """Why a figure has no range."""

    NOTHING_CARRIED = "nothing is carried"
    BY_RULE = "IBM's rule of thumb states none"
    WHOLE = "the whole is 100 %"
    NO_RATE = "it does not follow from a rate"
    TOO_FAR = "its messages are too far from any that IBM measured"
    OWN_RULES = "its rules are of one's own"


KNOWN = ("", NoRange.NOTHING_CARRIED, NoRange.WHOLE)
"""Of a figure without doubt: one that has a range, or is so by definition."""


class Unit(StrEnum):
    """What a figure counts; MB are 2^20 bytes."""

    MB_PER_S = "MB/s"
    PER_S = "/s"
    SECONDS = "s"
    MINUTES = "min"
    """in which sentences say many seconds"""
    MS = "ms"
    US = "us"
    PERCENT = "%"
    GBPS = "Gb/s"
    SHARE = "of 1"
    TIMES = "times"
    COUNT = "1"
    CHANGE = "% more"
    ANY = "any"
    """that of what the row is of"""
    DIFFERENCE = "more"
    """the same, of a difference"""
    OFF = "% off"
    CPU = "% for 1/s"
    BYTES = "bytes"
    SPREAD = "% of it"
    COUNTED = "counted"
    """one by one, however many"""
    OWN = "as said"
    """What a column beside it says, or the name of a measure."""


class Interval(Struct, frozen=True):
    """From ``low`` to ``high``, both in the unit of the figure."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{exact(rounded(self.low))}-{exact(rounded(self.high))}"


class RunFamily(Struct, frozen=True):
    """So many of IBM's runs, of a ``family``, against which errors are."""

    count: int
    family: str


class Range(Struct, frozen=True):
    """Between what a figure of IBM's, or the ratio of two, would lie.

    ``likely`` holds in four of five cases, ``sure`` in nineteen of twenty. ``basis`` says what both
    are made from, ``source`` more of it for whoever looks closely, and ``wider_for`` what else was
    allowed for. Errors of figures are against ``runs``.
    """

    likely: Interval
    sure: Interval
    basis: str
    wider_for: tuple[str, ...] = ()
    source: str = ""
    runs: RunFamily | None = None

    def describe(self) -> str:
        """In words: what it is made from."""
        wider = f"; wider for {', '.join(self.wider_for)}" if self.wider_for else ""
        source = f" ({self.source})" if self.source else ""
        return f"four of five cases; from {self.basis}{source}{wider}"

    def to_dict(self) -> dict[str, Any]:
        """Its record for JSON."""
        likely, sure = self.likely, self.sure
        ends = {"likely": (likely.low, likely.high), "sure": (sure.low, sure.high)}
        return {**ends, "basis": self.describe()}


def are_apart(one: tuple[float, ...], other: tuple[float, ...], *spreads: float) -> bool:
    """Whether the paces of two rates are farther apart than their spreads explain."""
    return all(abs(a - b) > hypot(*spreads) for a in one for b in other)


class OfLoad(Protocol):
    """What a figure is of: `scenarios.runs.experiment.Load`, without the model that it loads."""

    @property
    def words(self) -> str:
        """The load, as every page says it."""

    @property
    def pairs(self) -> int:
        """Of guests, over each link."""


class OfRun(Protocol):
    """A rate and how well its run knows it: `scenarios.runs.steady.Rate`, without the model."""

    @property
    def mb_per_s(self) -> float:
        """MB/s (2^20): by the model, or what of it is to be counted on."""

    @property
    def spread_mb_per_s(self) -> float:
        """Within what of it an endless run's would be."""

    @property
    def second_mb_per_s(self) -> float | None:
        """The other pace that the link may keep."""

    def no_more_than(self, most: float) -> Self:
        """The same, or so much of it."""


class Figure(Struct, frozen=True):
    """A figure of the model, with its range, or with ``no_range``: why it has none.

    ``load`` is what ran, None of what is said of several loads; ``sender`` is whose direction it
    is of, None of the slower one and of all together. Of a run that went on until it was steady,
    ``spread`` is within what of it an endless run's would be, with 95 % confidence, and ``second``
    the other pace that the link may keep, if it has one. All are in ``unit``.
    """

    value: float
    unit: Unit
    """that of all the others"""
    range: Range | None = None
    """as of [a range](#a-range): between what it would lie on real hardware, null if not known"""
    no_range: str = ""
    """why there is no range, empty if there is one"""
    load: OfLoad | None = None
    """what ran, in words; null of what is said of several loads"""
    sender: str | None = None
    """whose direction it is of; null of the slower one and of all together"""
    spread: float = 0.0
    """within what of it an endless run's would be, with 95 % confidence"""
    second: float | None = None
    """[the other pace](run.md#a-link-with-two-paces) that the link may keep, null if it has one"""
    by_model: float | None = None
    """what the model carries, where `value` is IBM's ceiling of command mode; else null"""

    def __post_init__(self) -> None:
        if (self.range is None) != bool(self.no_range):
            raise ValueError(f"{self}: expected a range, or why there is none")

    @property
    def ends(self) -> Interval:
        """Between what it lies in four of five cases; the figure itself where it has no range."""
        return Interval(self.value, self.value) if self.range is None else self.range.likely

    @property
    def modelled(self) -> float:
        """What the model carries, whatever IBM states."""
        return self.value if self.by_model is None else self.by_model

    @property
    def paces(self) -> tuple[float, ...]:
        """What the link carries at each pace, the figure first."""
        return (self.value,) if self.second is None else (self.value, self.second)

    def differs(self, other: "Figure") -> bool:
        """Whether the two are farther apart than both spreads together explain, at any pace."""
        return are_apart(self.paces, other.paces, self.spread, other.spread)

    def of_run(self, rate: OfRun, sender: str | None = None) -> "Figure":
        """The same with how well the run knows it, and no more than is to be counted on.

        Its range holds that too.
        """
        second = rate.second_mb_per_s
        found = replace(self, spread=rate.spread_mb_per_s, second=second, sender=sender)
        most, within = rate.mb_per_s, self.range
        if most >= self.value:
            return found
        if within is not None:
            both = (within.likely, within.sure)
            likely, sure = (Interval(min(most, each.low), each.high) for each in both)
            within = replace(within, likely=likely, sure=sure)
        return replace(found, value=most, range=within, by_model=self.modelled)

    def __str__(self) -> str:
        """``1,430 (1,220 to 1,740)``."""
        if self.range is None:
            return exact(rounded(self.value))
        low, high = rounded(self.range.likely.low), rounded(self.range.likely.high)
        return f"{exact(rounded(self.value))} ({exact(low)} to {exact(high)})"

    def __repr__(self) -> str:
        load = "" if self.load is None else f" {self.load.words}"
        return f"<Figure {self} {self.unit}{load}>"


def rounded(value: float) -> float:
    """To three digits: no range is known better."""
    return float(f"{value:.3g}")


class NoteKind(StrEnum):
    """What a note is about."""

    EXTRAPOLATED = "extrapolated"
    """No published figure says what the model should come to."""
    RULE = "rule"
    """IBM's rule of thumb is taken further than it was published."""
    ALONE = "alone"
    """Other links use the same channels, and are not in the figures."""
    OTHERS = "others"
    """Links that the file does not have use the same channels, and what is left beside them."""
    ONE_CHANNEL = "one-channel"
    """Two chpids may be one channel, and the figures are of two."""
    JOINED = "joined"
    """Two directors are on the way, and the file does not say how they are joined."""
    LEFT_OUT = "left-out"
    """Decks have devices that are in no link."""
    ELSEWHERE = "elsewhere"
    """A piece that is lost is part of other links alone."""
    DISKS = "disks"
    """Disks use the same channels, and are in the figures."""
    MACHINE = "machine"
    """CP is as fast as on a z10, though no z10 has had a feature of the layout; or a machine has a
    feature only carried forward."""
    PROFILE = "profile"
    """The model was fitted to a site."""
    OFFERED = "offered"
    """Not all of an open load is carried."""
    IN_STEP = "in-step"
    """Few pairs keep a rhythm that the distance decides: a shorter fibre may be slower."""
    TREND = "trend"
    """A run of a fixed length had not come to rest."""
    ASSUMED = "assumed"
    """The layout was made of decks or console logs, which do not say all of it."""
    MEMORY = "memory"
    """What is free where guests go is not known."""
    CEILING = "ceiling"
    """IBM states less of FICON in command mode than the model carries."""
    NO_RANGE = "no-range"
    """Nothing says how far some of the figures are off."""


class Note(Struct, frozen=True):
    """One note, in a sentence."""

    kind: NoteKind
    """[one of these](extrapolation.md#notes)"""
    text: str
    """the same in words"""


_Record = TypeVar("_Record", bound=Struct)


class Reported:
    """A record with a report, of which a notebook shows the page, and Python a line.

    That has what the report is called, and what it answers first.
    """

    __slots__ = ()

    reported_by: ClassVar[str]
    """The function that makes its report, which is above it, or loads more than it does."""

    def __repr__(self) -> str:
        made = named(self.reported_by)(self)
        said = "".join(f": {said}" for _, said in made.answer[:1])
        return f"<{type(self).__name__} {' '.join(made.title.split())}{said}>"

    def _repr_html_(self) -> str:
        return str(named("isfc.reports.html.cell")(named(self.reported_by)(self)))

    def _repr_markdown_(self) -> str:
        return str(named("isfc.reports.text.markdown")(named(self.reported_by)(self)))


class Drawn:
    """A layout, of which a notebook shows the drawing."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(named("isfc.answers.drawing.drawing")(self))


def record_of(kind: type[_Record], source: object, /, **own: object) -> _Record:
    """The record of a source: its attributes by their names, but for what is the record's own."""
    names = [name for name in kind.__struct_fields__ if name not in own and hasattr(source, name)]
    found = {name: getattr(source, name) for name in names} | own
    return convert(found, kind, from_attributes=True)
