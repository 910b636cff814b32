"""A link's load by the time of day: what a layout must carry, for how long, and when to move.

Rates are MB/s (2^20) one way. What the layout carries is the model's, saturated, whole and with one
piece gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import Path
from typing import Any, Final

from isfc.arguments import JOBS_MAX, checked, in_python
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_between, check_known, find_node
from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.measured.by_time import PERIODS, Slot, label_of, mean, percentile_of, since, slots_of
from isfc.measured.figures import Reading
from isfc.measured.file import read_content
from isfc.measured.intervals import CarriedInterval, carried_intervals
from isfc.measured.measurement import Measurement
from isfc.measured.seen import of_end, seen_intervals
from isfc.search.sized import LostPiece
from isfc.search.windows import Beside, Leaving, Window, guest_rate
from isfc.search.workers import each_by
from scenarios.figures.figure import Figure, NoRange, Unit
from scenarios.figures.rates import Carried, carry
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.runs.at_site import link_at
from scenarios.runs.load import SATURATED
from scenarios.runs.saturation import RunEach

MONTHS_MAX: Final = 120


@dataclass(frozen=True, slots=True)
class Carries:
    """What one node can send over some layout: ``gone`` is what that is without, if anything."""

    rate: Figure
    gone: str = ""


@dataclass(frozen=True, slots=True)
class WayLoad:
    """What ``sender`` sent over all intervals, and what it can send.

    ``mb_per_s`` is the percentile, ``busiest_mb_per_s`` the most of an interval, which began at
    ``busiest``. ``left`` is with the piece gone that costs most, None if nothing is to be gone.
    """

    sender: NodeName
    mean_mb_per_s: float
    mb_per_s: float
    busiest_mb_per_s: float
    busiest: str
    whole: Carries
    left: Carries | None

    @property
    def must(self) -> Carries:
        """What has to carry the percentile: what is left, or the whole link."""
        return self.left or self.whole

    def headroom(self, months: int = 0, growth: float = 0.0) -> float:
        """By how much more than the load of then the link carries, of 1; below 0 it does not."""
        return self._above(self.must.rate.value, months, growth)

    def headroom_likely(self, months: int = 0, growth: float = 0.0) -> tuple[float, float]:
        """Between what that lies in four of five cases."""
        ends = self.must.rate.ends
        return self._above(ends.low, months, growth), self._above(ends.high, months, growth)

    def _above(self, mb_per_s: float, months: int, growth: float) -> float:
        load = self.mb_per_s * (1 + growth) ** months
        return mb_per_s / load - 1 if load else inf

    def months_left(self, growth: float) -> tuple[int, int, int] | None:
        """After how many months the load is more than that: at least, by the model, at most.

        None where it never is in `MONTHS_MAX`; each is `MONTHS_MAX` where that end never is.
        """
        rate = self.must.rate
        low, middle, high = (
            self._months(each, growth) for each in (rate.ends.low, rate.value, rate.ends.high)
        )
        return None if low >= MONTHS_MAX else (low, middle, high)

    def _months(self, mb_per_s: float, growth: float) -> int:
        if self.mb_per_s > mb_per_s:
            return 0
        if not growth or not self.mb_per_s:
            return MONTHS_MAX
        return min(MONTHS_MAX, int(log(mb_per_s / self.mb_per_s) / log(1 + growth)) + 1)


@dataclass(frozen=True, slots=True)
class Loads:
    """The loads of a link: of its two ``ways``, and by the time of the day or the week.

    ``percentile``, ``growth`` (of 1, a month) and ``months`` are what was asked for. ``windows``
    are when the guests that are ``leaving`` may do so, the best first; without these none.
    """

    layout: Layout
    intervals: tuple[CarriedInterval, ...]
    percentile: float
    period: str
    lost: LostPiece
    ways: tuple[WayLoad, WayLoad]
    slots: tuple[Slot, ...]
    growth: float = 0.0
    months: int = 0
    leaving: Leaving | None = None
    windows: tuple[Window, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A record for each slot, as a data frame takes it."""
        names = self.layout.nodes
        return [
            {"begin": slot.label, "begin_s": slot.begin_s}
            | {f"{node}_mean_mb_per_s": slot.mean_mb_per_s[way] for way, node in enumerate(names)}
            | {f"{node}_mb_per_s": slot.mb_per_s[way] for way, node in enumerate(names)}
            for slot in self.slots
        ]


@dataclass(frozen=True, slots=True)
class LoadQuestion:
    """What is asked of a link's loads, as `loads` takes it."""

    percentile: float = 95.0
    period: str = "day"
    lost: str = "chpid"
    growth: float = 0.0
    months: int = 12
    guests: tuple[GuestPlan, ...] = ()
    together: int = 1
    source: str | None = None

    def __post_init__(self) -> None:
        check_between("percentile", self.percentile, 1, 100)
        check_between("growth", self.growth, 0, 100)
        check_between("months", self.months, 1, MONTHS_MAX)
        check_known("period", self.period, PERIODS)
        check_known("lost", self.lost, LostPiece)

    def leaving(self, link: Layout) -> Leaving | None:
        """Who leaves which system, if anybody."""
        if not self.guests:
            return None
        source = link.nodes[0]
        if self.source is not None:
            source = find_node("--from", self.source, link.nodes)
        return Leaving(source, self.guests, self.together)


def leaving_guests(guests: Sequence[GuestPlan] | GuestMemory) -> tuple[GuestPlan, ...]:
    """The guests; a memory is that of one."""
    if isinstance(guests, GuestMemory):
        return (GuestPlan("GUEST", guests),)
    return tuple(guests)


@checked
def loads(
    layout: AnyLayout,
    measurements: Sequence[Measurement] = (),
    *,
    tables: Sequence[str | Path] = (),
    percentile: float = 95.0,
    period: str = "day",
    lost: str = "chpid",
    growth: float = 0.0,
    months: int = 12,
    guests: Sequence[GuestPlan] | GuestMemory = (),
    together: int = 1,
    source: str | None = None,
    profile: SiteProfile | str | Path | None = None,
    jobs: int = 1,
) -> Loads:
    """A link's load by the time of the ``period``, ``day`` or ``week``, and what it carries.

    ``measurements`` have its link activity; ``tables`` are files of ``begin`` and what each node
    sent. ``lost`` is what may be gone: ``none``, ``ctc``, ``chpid`` or ``director``. ``growth`` is
    in percent a month. ``guests`` leave ``source``, by default the first node, so many
    ``together``; a `GuestMemory` is that of one. Raises `ConfigurationError` for what is wrong.
    """
    asked = LoadQuestion(
        percentile, period, lost, growth, months, leaving_guests(guests), together, source
    )
    check_between("jobs", jobs, 1, JOBS_MAX)
    with in_python():
        link = link_at(layout, profile)
        reading = Reading()
        contents = {path: read_content(path) for path in map(Path, tables)}
        found = link_intervals(link, measurements, contents, reading)
        return loads_of(link, found, asked, each_by(jobs))


def link_intervals(
    link: Layout,
    measurements: Sequence[Measurement],
    tables: Mapping[Path, bytes],
    reading: Reading,
) -> list[CarriedInterval]:
    """What a link carried, of measurements and of tables; raises as `carried_intervals` does."""
    seen = seen_intervals(link, [of_end(link, each) for each in measurements])
    return carried_intervals(link, tables, seen, reading)


def loads_of(
    link: Layout, found: Sequence[CarriedInterval], asked: LoadQuestion, run_each: RunEach
) -> Loads:
    """As `loads`, of intervals."""
    percentile, period, lost = asked.percentile, asked.period, LostPiece(asked.lost)
    if period == "week" and not all(each.dated for each in found):
        raise ConfigurationError(
            "--period week: some times have no day; expected dates, or Mon 09:00"
        )
    leaving = asked.leaving(link)
    slots = tuple(slots_of(found, percentile, period))
    carries = _carried(link, lost, run_each)
    first, second = (
        _way(link.nodes[way], found, way, percentile, period, carries[way]) for way in (0, 1)
    )
    windows: list[Window] = []
    if leaving is not None:
        beside = Beside(link, slots, period, leaving)
        runs = beside.runs()
        rates = dict(zip(runs, run_each(guest_rate, [*runs.values()]), strict=True))
        whole, _ = carries[link.nodes.index(leaving.source)]
        windows = beside.windows(rates, whole.rate.value)
    return Loads(
        link,
        tuple(found),
        percentile,
        period,
        lost,
        (first, second),
        slots,
        asked.growth / 100,
        asked.months,
        leaving,
        tuple(windows),
    )


def _carried(
    link: Layout, lost: LostPiece, run_each: RunEach
) -> list[tuple[Carries, Carries | None]]:
    """For each sender, what the whole link carries, and the least that a loss leaves."""
    collection = Collection.of(link)
    pieces = [each for each in losses(collection) if each.kind == lost.value]
    if lost is LostPiece.DIRECTOR and not pieces:
        raise ConfigurationError(
            "--lost director: the layout names no director; expected 'director' of its fibres, or "
            "another piece"
        )
    whole, *lefts = carry([collection, *(each.rest for each in pieces)], SATURATED, run_each)
    found = []
    for way in (0, 1):
        left = (_carries(rest, way, loss.name) for rest, loss in zip(lefts, pieces, strict=True))
        least = min(left, key=lambda each: each.rate.value, default=None)
        found.append((_carries(whole, way), least))
    return found


def _carries(carried: Carried, way: int, gone: str = "") -> Carries:
    for link in carried.links.links:  # none if it is down
        sent = (carried.ways or {})[link.name][way]
        return Carries(carried.rate_of(link, sent), gone)
    return Carries(Figure(0.0, Unit.MB_PER_S, no_range=NoRange.NOTHING_CARRIED), gone)


def _way(
    sender: NodeName,
    intervals: Sequence[CarriedInterval],
    way: int,
    percentile: float,
    period: str,
    carries: tuple[Carries, Carries | None],
) -> WayLoad:
    weighed = [(each.mb_per_s[way], each.seconds) for each in intervals]
    busiest = max(intervals, key=lambda each: each.mb_per_s[way])
    when = (
        f"{busiest.begin:%Y-%m-%d %H:%M}"
        if busiest.dated
        else label_of(since(busiest.begin, period), period)
    )
    return WayLoad(
        sender,
        mean(weighed),
        percentile_of(weighed, percentile),
        busiest.mb_per_s[way],
        when,
        *carries,
    )
