"""The model beside what a site measured: how far each figure is off, and what may explain that."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Annotated, Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.answers.beside import DEVICE_NAMES, BesideRow, across, beside_table
from isfc.answers.measured_read import AboutFiles, From, Measured, WhatRan, measurements_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.errors.in_words import counted, find_node, first_listed
from isfc.layout.catalogue import AnyLayout
from isfc.layout.layout import Layout
from isfc.layout.pasted import lines_read
from isfc.layout.site import GivenSite, SiteProfile
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Note, NoteKind, Reported, Unit
from isfc.reports.report import Column, Lines, Report, Table
from isfc.reports.units import factor_line, range_note, shown
from isfc.site.seen import SeenInterval, SeenLink, seen_intervals
from scenarios.figures.certainty import FigureKind
from scenarios.figures.ranges import figure_of
from scenarios.figures.site_compare import MeasuredFigure, figures_and_reasons
from scenarios.figures.site_exchanges import QuietLink
from scenarios.figures.site_workload import Derived
from scenarios.runs.at_site import given_site, link_of, opened_at
from scenarios.runs.experiment import Load
from scenarios.search.site_cluster import Channels, Cluster
from scenarios.search.workers import each_by

_DETAILED_MAX: Final = 3
"""Intervals of which the page has the figures; of more it has their medians."""

_REMARKS_MAX: Final = 2
_RAN_MAX: Final = 2
_REASONS_MAX: Final = 2
"""So many the page has without notes."""

OFF_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "MB/s": ("written_mb_per_s", "read_mb_per_s"),
    "I/O/s": ("io_per_s",),
    "Serv": ("serv_ms",),
    "Busy": ("busy_percent",),
}
"""Of what there is a median error, and what figures it is of."""


class ComparedInterval(Struct, frozen=True):
    """An interval beside the run of what it is taken to be."""

    place: str
    """file and line"""
    measured: tuple[str, ...]
    """what was measured, in words, for each end"""
    systems: tuple[NodeName, ...]
    """the ends that were measured"""
    begin: str | None
    end: str | None
    zone: str | None
    ran: str
    """what is taken to have run, in words"""
    workload: str
    pairs: int | None
    """null of a light load, which is emulated at its rate"""
    client: NodeName
    offered_per_s: float | None
    """of an open loop; null if no link activity says it"""
    assumed: tuple[str, ...]
    """what of that nobody said"""
    doubts: tuple[str, ...]
    """reasons to take it for something else"""
    notes: tuple[str, ...]
    """what is left out or missing"""
    figures: tuple[MeasuredFigure, ...]
    median_errors: dict[str, float | None]
    """of the judged figures, in percent and with its sign: of `MB/s`, `I/O/s`, `Serv` and `Busy`;
    null where none is judged"""
    beyond_tolerance: int | None
    """how many judged figures are, null without `--tolerance`"""
    reasons: tuple[str, ...]
    """what may explain the errors"""
    rate_range: Figure | None
    """how many times the model's a rate is with the profile; null without one"""

    def judged(self) -> list[MeasuredFigure]:
        """The figures that count."""
        return [*filter(_counts, self.figures)]


class MeasuredComparison(Reported, Struct, frozen=True):
    """The model beside what a site measured in some intervals."""

    reported_by = "isfc.answers.measured_compare.measured_compare_report"

    intervals: tuple[ComparedInterval, ...]
    left_out: tuple[str, ...]
    """intervals in which the link was quiet, in words"""
    passed: tuple[str, ...]
    """what files have that is left out, as of `isfc measured read --json`"""
    accounts: tuple[str, ...]
    """what became of each line of each text"""
    tolerance: float | None
    """the percent that a judged figure may be off"""
    beyond_tolerance: int | None
    """how many judged figures are further off, null without `--tolerance`"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""
    profile: SiteProfile | UnsetType = UNSET
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each figure, as a data frame takes them."""
        return [
            {"place": each.place, **asdict(figure)}
            for each in self.intervals
            for figure in each.figures
        ]


@checked
def compare(
    layout: AnyLayout,
    measured: Measured,
    *,
    link: str | None = None,
    from_: From = None,
    ran: WhatRan = (),
    channels: Channels = (),
    about: AboutFiles | None = None,
    profile: GivenSite = None,
    tolerance: Annotated[
        float | None,
        Argument("PERCENT", "End with 1 if a judged figure is further off.", 0.1, 1000),
    ] = None,
    jobs: int = 1,
) -> MeasuredComparison:
    """Hold the model against what a site measured.

    What ran is inferred from link activity, or told with --ran; it is emulated on the layout,
    and its figures laid beside the measured ones, with signed errors in percent; those of both
    ends beside one run. Of several intervals there is a line for each. Ends with 1 if
    a judged figure is further off than --tolerance.

    Intervals in which the link was quiet are left out, and told. Raises `ConfigurationError` for
    what is not of the link, and where it was quiet in every interval.
    """
    site = given_site(profile)
    links, _ = opened_at(layout, site)
    of_link = link_of(links, layout, link)
    client = None if from_ is None else find_node(spelt("from_"), from_, of_link.nodes)
    said = measurements_of(measured, about, ran, client)
    cluster = Cluster.of(links, of_link, said.measurements, channels)
    left_out = [*said.left_out]
    seen = seen_intervals(of_link, cluster.own, left_out, client)
    every = each_by(jobs)(partial(_compared, cluster, tolerance), seen)
    found = tuple(each for each in every if isinstance(each, ComparedInterval))
    quiet = tuple(each for each in every if isinstance(each, str))
    if not found:
        first = f": {quiet[0]}" if quiet else ""
        raise ConfigurationError(f"nothing to compare: the link was quiet in every interval{first}")
    features = [fibre.profile.feature for fibre in of_link.fibres]
    of_site = () if site is None else (Note(NoteKind.PROFILE, site.describe(features)),)
    notes = (*of_link.notes, *of_site)
    beyond = None if tolerance is None else sum(each.beyond_tolerance or 0 for each in found)
    about_files = tuple(left_out), said.accounts
    return MeasuredComparison(found, quiet, *about_files, tolerance, beyond, notes, site or UNSET)


def _compared(
    cluster: Cluster, tolerance: float | None, seen: SeenInterval
) -> ComparedInterval | str:
    """An interval beside a run of what it is taken to be; or why it says nothing."""
    try:
        derived = cluster.derived(seen)
        figures, reasons = figures_and_reasons(cluster.link, seen, derived)
    except QuietLink as error:
        return str(error)
    one = seen.ends[0].measurement
    beyond = None
    if tolerance is not None:
        beyond = sum(_size(each) > tolerance for each in filter(_counts, figures))
    return ComparedInterval(
        str(one.place),
        tuple(map(_heading, seen.ends)),
        tuple(end.node for end in seen.ends),
        *(one.begin, one.end, one.zone),
        f"{derived}, clients on {derived.client}",
        derived.workload.name,
        None if derived.is_light else derived.pairs,
        derived.client,
        derived.offered_per_s,
        *(derived.uncertain, derived.doubts),
        tuple(seen.notes()),
        figures,
        {name: _median_error(figures, measures) for name, measures in OFF_BY.items()},
        beyond,
        reasons,
        _rate_range(cluster.link, derived),
    )


def _heading(end: SeenLink) -> str:
    """Which end, which interval, and whether the emulator's."""
    one = end.measurement
    return f"{one.place}: {end.node}, {one.interval}{', emulated' * one.emulated}"


def _rate_range(layout: Layout, derived: Derived) -> Figure | None:
    """How far a rate is known by the fit to a site, as a multiple of the model's."""
    if layout.site is None:
        return None
    load = Load(derived.workload, derived.pairs)
    return figure_of(FigureKind.RATE, 1.0, layout, load, unit=Unit.TIMES)


def _counts(figure: MeasuredFigure) -> bool:
    return _judged_error(figure) is not None


def _size(figure: MeasuredFigure) -> float:
    """How far it is off either way, in percent."""
    return abs(figure.error_percent or 0.0)


def _median_error(figures: Sequence[MeasuredFigure], measures: Sequence[str]) -> float | None:
    """The median of the errors of some measures, with its sign; None if there is none."""
    errors = [f.error_percent or 0.0 for f in figures if _counts(f) and f.measure in measures]
    return median(errors) if errors else None


def measured_compare_failure(found: MeasuredComparison) -> str:
    """How many figures are too far off; nothing if none is."""
    beyond = found.beyond_tolerance
    return f"{counted(beyond, 'figure')} off by more than {found.tolerance:g} %" if beyond else ""


def measured_compare_report(found: MeasuredComparison) -> Report:
    """How far the model is off, what was emulated, what may explain it; then every figure."""
    first = found.intervals[0]
    several = len(found.intervals) > 1
    doubts = dict.fromkeys(f"Doubtful: {each}." for one in found.intervals for each in one.doubts)
    told = [*doubts, *(f"Left out: {each}." for each in found.passed)]
    return Report(
        f"{len(found.intervals)} intervals, from {first.place} on"
        if several
        else " and ".join(first.measured),
        [*_answer(found)],
        [*([_over_time(found)] if several else []), *_figures(found.intervals)],
        remarks=told[:_REMARKS_MAX],
        notes=[*told[_REMARKS_MAX:], *_known(found), *found.left_out],
        known=found.notes,
        read=lines_read(found.accounts),
        charts=[_errors(found)],
    )


def _errors(found: MeasuredComparison) -> Lines:
    """The errors: of one interval each judged figure's, of several their medians over time."""
    first, *others = found.intervals
    if others:  # where nothing is judged the line has a gap
        ends = [each.end or each.place for each in found.intervals]
        places = ends if len({*ends}) == len(ends) else [each.place for each in found.intervals]
        rows = [
            {"of": name, "at": place, "off": each.median_errors[name]}
            for name in OFF_BY
            for place, each in zip(places, found.intervals, strict=True)
        ]
    else:
        rows = [
            {
                "of": _name(figure.measure),
                "at": figure.of if len(first.systems) == 1 else f"{figure.node} {figure.of}",
                "off": figure.error_percent,
            }
            for measure in ("io_per_s", "conn_ms", "serv_ms", "busy_percent")
            for figure in first.judged()
            if figure.measure == measure
        ]
    return Lines(
        caption="Errors of the emulation",
        rows=rows,
        across=Column("end of interval" if others else "RDEV", "at"),
        up=[Column("emulated against measured, % off", "off", Unit.OFF)],
        of=Column("", "of"),
        joined=None if others else (),  # devices are in no order
    )


def _answer(found: MeasuredComparison) -> Iterator[tuple[str, str]]:
    """How far the model is off, and what may explain that."""
    off = _off_by(found)
    yield "Model is off", f"{off}, by the median" if off else "not known"
    if found.tolerance is not None:
        judged = [each for one in found.intervals for each in one.judged()]
        said = f"{found.beyond_tolerance} of {len(judged)} judged figures are further off than "
        said += f"{found.tolerance:g} %"
        worst = max(judged, key=_size, default=None)
        if worst is not None and found.beyond_tolerance:
            name = _name(worst.measure)
            said += f"; the furthest is {name} of {worst.of}, {_off(worst.error_percent or 0.0)}"
        yield "Tolerance", said
    ran = first_listed([*dict.fromkeys(each.ran for each in found.intervals)], _RAN_MAX, "; ")
    yield "Emulated", ran
    if reasons := [*dict.fromkeys(each for one in found.intervals for each in one.reasons)]:
        yield "May be why", first_listed(reasons, _REASONS_MAX, "; ")
    if found.left_out:
        quiet = f"{len(found.left_out)} of {len(found.intervals) + len(found.left_out)} intervals"
        yield "Left out", f"{quiet}: the link was quiet"


def _off_by(found: MeasuredComparison) -> str:
    """``MB/s +3 %, Serv -12 %``: medians of the judged errors of all intervals."""
    figures = [each for one in found.intervals for each in one.figures]
    medians = ((name, _median_error(figures, each)) for name, each in OFF_BY.items())
    return ", ".join(f"{name} {_off(error)}" for name, error in medians if error is not None)


def _off(percent: float) -> str:
    return f"{shown(percent, Unit.CHANGE)} %"


def _over_time(found: MeasuredComparison) -> Table:
    """A row for each interval: the medians of the judged figures' errors."""
    rows = [
        {"interval": each.end or each.place}
        | {f"{name} % off": error for name, error in each.median_errors.items()}
        for each in found.intervals
    ]
    columns = [
        Column("interval", "interval"),
        *(Column(f"{e}\n%", f"{e} % off", Unit.CHANGE) for e in OFF_BY),
    ]
    return Table(
        "Each interval: how far the model is off, by the median", columns, rows, "over-time"
    )


def _figures(intervals: Sequence[ComparedInterval]) -> Iterator[Table]:
    """Of each end of each interval, unless they are many: its devices and its link."""
    ends = [(each, node) for each in intervals for node in each.systems]
    for place, (each, node) in enumerate(ends if len(intervals) <= _DETAILED_MAX else (), start=1):
        of = f"{node}, {each.end or each.place}: " if len(ends) > 1 else ""
        number = str(place) if len(ends) > 1 else ""
        figures = [figure for figure in each.figures if figure.node == node]
        devices = [figure for figure in figures if figure.of != "link"]
        if devices:
            yield across(
                f"{of}As measured, and the % that the model is off where that is judged",
                [("{}", Unit.COUNT), ("{}\n%", Unit.CHANGE)],
                [(e.of, e.measure, (e.measured, _judged_error(e))) for e in devices],
                f"devices{number}",
                detail=len(ends) > 1,
            )
        if rows := [_beside(figure) for figure in figures if figure.of == "link"]:
            caption = f"{of}The link as a whole; % where that is judged"
            sides = "measured", "emulated"
            yield beside_table(caption, sides, rows, f"link{number}", detail=len(ends) > 1)


def _beside(each: MeasuredFigure) -> BesideRow:
    more = each.emulated - each.measured
    return BesideRow(_name(each.measure), each.measured, each.emulated, more, _judged_error(each))


def _judged_error(figure: MeasuredFigure) -> float | None:
    return figure.error_percent if figure.judged else None


def _name(measure: str) -> str:
    """``written MB/s``: a measure as pages call it."""
    if measure in DEVICE_NAMES:
        return DEVICE_NAMES[measure]
    return measure.replace("_per_s", "/s").replace("_", " ").replace("mb/s", "MB/s")


def _known(found: MeasuredComparison) -> Iterator[str]:
    """Of each interval what it is, what was assumed and left out; how far rates are known."""
    for each in found.intervals if len(found.intervals) <= _DETAILED_MAX else ():
        yield f"{' and '.join(each.measured)}. Emulated: {each.ran}."
        yield from (f"Assumed: {one}." for one in each.assumed)
        yield from (f"{one}." for one in each.notes)
        yield from (f"May be why: {one}." for one in each.reasons[_REASONS_MAX:])
    if len(found.intervals) > _DETAILED_MAX:
        yield f"The figures of each of the {len(found.intervals)} intervals are in --json."
    rates = [each.rate_range for each in found.intervals if each.rate_range is not None]
    if any(each.range for each in rates):
        yield f"Range of the model's rates: {factor_line(rates)}. {range_note(rates)}"
