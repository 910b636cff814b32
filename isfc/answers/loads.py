"""A link's load by the time of day: what a layout must carry, for how long, and when to move.

Rates are MB/s (2^20) one way. What the layout carries is the model's, saturated, whole and with one
piece gone.
"""

from collections.abc import Mapping, Sequence
from math import inf, log
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.answers.guest import leaving as leaving_of
from isfc.answers.measured_read import AboutFiles, Measurements, files_and_records, read_files
from isfc.answers.relocate import Together, tenants_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.in_words import check_known, find_node
from isfc.layout.capacity import End, StatedOfChpids, end_to_count_on
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.layout.site import GivenSite
from isfc.link.name import NodeName, Nodes
from isfc.reports.figure import Figure, NoRange, Note, Reported, Unit
from isfc.site import intervals as times
from isfc.site.figures import Reading
from isfc.site.file import read_content
from isfc.site.measurement import Measurement
from isfc.site.seen import seen_intervals
from scenarios.figures.rates import Carried, carry
from scenarios.moves.guest import GuestMemory, GuestPlan, large_guests
from scenarios.moves.leaving import Tenant
from scenarios.runs.at_site import named_link
from scenarios.runs.experiment import SATURATED, RunEach
from scenarios.runs.steady import Rate
from scenarios.search.sizing import LostPiece
from scenarios.search.windows import Beside, Leaving, Window, guest_rate
from scenarios.search.workers import each_by

MONTHS_MAX: Final = 120

_LITTLE: Final = 0.01
"""Of what the other way sends: a way with less has no part of what is stated of chpids. Chosen."""


class Carries(Struct, frozen=True):
    """What a node can send over a layout."""

    rate: Figure
    """by the model, saturated: [a figure](#a-figure)"""
    gone: str = ""
    """what it is without; empty if nothing"""


class WayLoad(Struct, frozen=True):
    """What a node sent, and what it can send."""

    sender: NodeName
    mean_mb_per_s: float
    """of all intervals"""
    percentile_mb_per_s: float
    """for so many percent of the time it sent no more"""
    busiest_mb_per_s: float
    """the most of an interval"""
    busiest: str
    """when that began"""
    whole: Carries
    left: Carries | None
    """with the piece gone that costs most; null with `--lost none`"""
    headroom: tuple[float | None, ...]
    """by month from now on: by how much more than the percentile it carries then, of 1; null if
    nothing was sent"""
    headroom_likely: tuple[tuple[float, float] | None, ...]
    """between what that lies in four of five cases"""
    months_left: int | None
    """after how many months it does not carry the percentile; null if never in ten years"""
    months_left_likely: tuple[int, int] | None
    """between what that lies in four of five cases; 120 is never"""

    @property
    def must(self) -> Carries:
        """What has to carry the percentile: what is left, or the whole link."""
        return self.left or self.whole


class Loads(Reported, Struct, frozen=True):
    """The loads of a link: of its two ways, and by the time of the day or the week."""

    reported_by = "isfc.answers.loads_report.loads_report"

    name: str
    """of the link"""
    nodes: Nodes
    intervals: int
    """how many were read"""
    days: float
    """how long they are in all"""
    begin: str
    """of the first, as its source prints it"""
    end: str
    """of the last"""
    dated: bool
    """whether these times have a day"""
    gaps: tuple[str, ...]
    """times between intervals of which nothing is known"""
    percentile: float
    period: str
    lost: LostPiece
    growth_percent: float
    """a month"""
    months: int
    """for how many headroom is told"""
    ways: tuple[WayLoad, WayLoad]
    """by sender, in the order of `nodes`"""
    slots: tuple[times.Slot, ...]
    """quarters of an hour of the period that some interval is in; rates in the order of `nodes`"""
    leaving: Leaving | None
    """`guests` that leave `source`, so many `together`; null without `--guests` or `--move`"""
    windows: tuple[Window, ...]
    """when they may begin to: first where fewest stay, of these the shortest"""
    left_out: tuple[str, ...]
    """rows that cannot be right, with `--usable`"""
    accounts: tuple[str, ...]
    """what became of each line of each text"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, Any]]:
        """A record for each slot, as a data frame takes it."""
        return [
            {"begin": slot.label, "begin_s": slot.begin_s}
            | self._by_node("mean_mb_per_s", slot.mean_mb_per_s)
            | self._by_node("mb_per_s", slot.mb_per_s)
            for slot in self.slots
        ]

    def _by_node(self, name: str, rates: tuple[float, float]) -> dict[str, float]:
        return {f"{node}_{name}": rate for node, rate in zip(self.nodes, rates, strict=True)}


Measured = Annotated[
    Measurements | Sequence[Measurement | str | Path],
    Argument(
        "MEASUREMENT...",
        "Files with link activity of any format, or tables of begin, end and MB/s of each node.",
    ),
]
Percentile = Annotated[
    float, Argument("PERCENT", "Of the time: what is to be carried for so much of it.", 1, 100)
]
Period = Annotated[str, Argument("day|week", "What the load repeats after: a day, or a week.")]
Lost = Annotated[str, Argument("|".join(LostPiece), "What may be gone while it is carried.")]
Growth = Annotated[float, Argument("PERCENT", "By how much the load grows each month.", 0, 100)]
Months = Annotated[int, Argument("N", "For how many months headroom is shown.", 1, MONTHS_MAX)]


Source = Annotated[str | None, Argument("NODE", "The system that they leave; else the first.")]


@checked
def loads(
    layout: AnyLayout,
    measured: Measured,
    *,
    link: str | None = None,
    profile: GivenSite = None,
    about: AboutFiles | None = None,
    percentile: Percentile = 95.0,
    period: Period = "day",
    lost: Lost = "chpid",
    growth: Growth = 0.0,
    months: Months = 12,
    guests: Sequence[GuestPlan | Tenant] | GuestMemory | Path | str | None = None,
    together: Together = 1,
    from_: Source = None,
    jobs: Jobs = 1,
) -> Loads:
    """Show a link's load by the time of day, and what is left.

    Link activity of any format, or a CSV table of begin, end and a column for each node with the
    MB/s that it sent, is held against what the layout carries by the model, with one piece gone.
    Ends with 1 if the layout does not carry the percentile.

    Raises `ConfigurationError` for what is wrong. ``measured`` may have records too; ``about`` says
    of files what they do not. ``guests`` are plans, a file, or the memory of one.
    """
    check_known(spelt("period"), period, times.PERIODS)
    check_known(spelt("lost"), lost, LostPiece)
    opened = named_link(layout, link, profile)
    leaving = _leaving(opened, tenants_of(guests or ()), together, from_)
    reading = (about := about or AboutFiles()).reading()
    _check_dated(period, found := _intervals(opened, measured, about, reading))
    slots = (*times.slots_of(found, percentile, period),)
    sent = [_sent(found, way, percentile) for way in (0, 1)]
    carries = _carried(opened, LostPiece(lost), [each[1] for each in sent], each_by(jobs))
    first, second = (
        _way(opened.nodes[way], sent[way], carries[way], growth, months) for way in (0, 1)
    )
    return Loads(
        name=opened.name,
        nodes=opened.nodes,
        intervals=len(found),
        days=sum(each.seconds for each in found) / 86_400,
        begin=times.said(found[0].begin, dated=found[0].dated),
        end=times.said(found[-1].end, dated=found[-1].dated),
        dated=found[0].dated,
        gaps=tuple(times.gaps_of(found)),
        percentile=percentile,
        period=period,
        lost=LostPiece(lost),
        growth_percent=growth,
        months=months,
        ways=(first, second),
        slots=slots,
        leaving=leaving,
        windows=tuple(_windows(opened, slots, period, leaving, carries, each_by(jobs))),
        left_out=(*reading.notes, *reading.problems),
        accounts=tuple(reading.accounts),
        notes=(*opened.notes, *large_guests(leaving.guests if leaving else ())),
    )


def _leaving(
    link: Layout, guests: Sequence[Tenant], together: int, source: str | None
) -> Leaving | None:
    """Which of a link's systems the guests leave, if there are any."""
    name = spelt("from_")
    if guests:
        said = None if source is None else find_node(name, source, link.nodes)
        node, plans = leaving_of(guests, link.nodes, said)
        return Leaving(node, tuple(plans), together)
    if source is not None:
        raise ConfigurationError(
            f"{name}: expected who leaves it as well, as with {spelt('guests')} FILE.csv"
        )
    return None


def _check_dated(period: str, intervals: Sequence[times.CarriedInterval]) -> None:
    """Raise `ConfigurationError` for a week of times that have no day."""
    if period == "week" and not all(each.dated for each in intervals):
        raise ConfigurationError(
            f"{spelt('period')} week: some times have no day; expected dates, or Mon 09:00"
        )


def _windows(
    link: Layout,
    slots: Sequence[times.Slot],
    period: str,
    leaving: Leaving | None,
    carries: Sequence[tuple[Carries, Carries | None]],
    run_each: RunEach,
) -> list[Window]:
    """When guests may leave beside the loads, the best first."""
    if leaving is None:
        return []
    beside = Beside(link, slots, period, leaving)
    runs = beside.runs()
    rates = dict(zip(runs, run_each(guest_rate, [*runs.values()]), strict=True))
    whole, _ = carries[link.nodes.index(leaving.source)]
    most = end_to_count_on(Rate(whole.rate.modelled), link, leaving.source)
    return beside.windows(rates, most.mb_per_s)


def _intervals(
    link: Layout, measured: Measured, about: AboutFiles, reading: Reading
) -> list[times.CarriedInterval]:
    """What the link carried, of tables and of what else there is."""
    paths, records = files_and_records(measured)
    contents = {path: read_content(path) for path in paths}
    tables = {path: data for path, data in contents.items() if times.is_interval_table(data, link)}
    rest = [path for path in paths if path not in tables]
    if rest:
        records += read_files(rest, reading, about, contents=contents)
        if not records:
            raise ConfigurationError(f"{rest[0]}: nothing usable is left")
    seen = seen_intervals(link, records, reading.notes)
    return times.carried_intervals(link, tables, seen, reading)


def _carried(
    link: Layout, lost: LostPiece, mb_per_s: Sequence[float], run_each: RunEach
) -> list[tuple[Carries, Carries | None]]:
    """For each sender, what the whole link carries, and the least that a loss leaves.

    Where both share what is stated of chpids, each has its part of that, by what both send.
    """
    collection, sent = Collection.of(link), dict(zip(_ends(link), mb_per_s, strict=True))
    pieces = [each for each in losses(collection) if each.kind == lost.value]
    if lost is LostPiece.DIRECTOR and not pieces:
        raise ConfigurationError(
            f"{spelt('lost')} director: the layout names no director; expected 'director' of its "
            "fibres, or another piece"
        )
    whole, *lefts = carry([collection, *(each.rest for each in pieces)], SATURATED, run_each)
    found = []
    for way, end in enumerate(_ends(link)):
        most = [
            _carries(each, way, _most(each, sent, end), gone)
            for each, gone in zip([whole, *lefts], ["", *(p.name for p in pieces)], strict=True)
        ]
        found.append((most[0], min(most[1:], key=lambda each: each.rate.value, default=None)))
    return found


def _ends(link: Layout) -> tuple[End, End]:
    return link.nodes, link.nodes[::-1]


def _most(carried: Carried, sent: Mapping[End, float], end: End) -> float:
    """MB/s of an end if both send as much more as what is stated of their chpids lets through.

    Of one that sends next to nothing, nothing is known by that.
    """
    links, is_little = carried.links.links, sent[end] <= _LITTLE * max(sent.values())
    return inf if is_little or not links else sent[end] * StatedOfChpids(links).room(sent)


def _carries(carried: Carried, way: int, most: float, gone: str) -> Carries:
    for link in carried.links.links:  # none if it is down
        sent = (carried.ways or {})[link.name][way]
        rate = carried.rate_of(link, sent)
        return Carries(rate.of_run(sent.rate.no_more_than(most)), gone)
    return Carries(Figure(0.0, Unit.MB_PER_S, no_range=NoRange.NOTHING_CARRIED), gone)


def _sent(
    intervals: Sequence[times.CarriedInterval], way: int, percentile: float
) -> tuple[float, float, float, str]:
    """What one node sent: in the mean, the percentile, the most, and when that began."""
    weighed = [(each.mb_per_s[way], each.seconds) for each in intervals]
    busiest = max(intervals, key=lambda each: each.mb_per_s[way])
    when = times.said(busiest.begin, dated=busiest.dated)[: len("2026-11-02 00:00")]
    return (
        times.mean(weighed),
        times.percentile_of(weighed, percentile),
        busiest.mb_per_s[way],
        when,
    )


def _way(
    sender: NodeName,
    sent: tuple[float, float, float, str],
    carries: tuple[Carries, Carries | None],
    growth: float,
    months: int,
) -> WayLoad:
    """Beside what it can send, now and later."""
    whole, left = carries
    rate, load, factor = (left or whole).rate, sent[1], 1 + growth / 100
    each = [load * factor**month for month in range(months + 1)]
    ends = rate.ends.low, rate.value, rate.ends.high
    low, middle, high = (_months(end, load, factor) for end in ends)
    return WayLoad(
        *(sender, *sent, whole, left),
        tuple(rate.value / then - 1 if then else None for then in each),
        tuple(
            (rate.ends.low / then - 1, rate.ends.high / then - 1) if then else None for then in each
        ),
        *((None, None) if low >= MONTHS_MAX else (middle, (low, high))),
    )


def _months(mb_per_s: float, load: float, factor: float) -> int:
    """After how many months a load is more than that; `MONTHS_MAX` where it never is."""
    if load > mb_per_s:
        return 0
    if factor == 1 or not load:
        return MONTHS_MAX
    return min(MONTHS_MAX, int(log(mb_per_s / load) / log(factor)) + 1)
