"""What a run of one link measured: its rate first, and what limits it; then all figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from msgspec import UNSET, UnsetType

from isfc.answers.limit import LimitedBy, limits_answer, limits_of, resources_table, rests_on_table
from isfc.answers.shared import Shared, disks_answer, disks_tables
from isfc.errors.in_words import exact
from isfc.errors.loading import named
from isfc.layout.capacity import End, to_count_on
from isfc.layout.layout import Layout
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, NoRange, Note, NoteKind, Reported, Unit
from isfc.reports.measures import RUN_ROWS, seed_words
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import CEILING, factor_line, gain_words, range_note, shown, with_unit
from scenarios.figures.certainty import FigureKind
from scenarios.figures.limit import Limit, RestsOn
from scenarios.figures.ranges import figure_of, mostly_writes, run_figures
from scenarios.runs.experiment import Experiment, Load
from scenarios.runs.notes import BUSY, beyond_measured_run, run_notes, unranged
from scenarios.runs.operation import ConsoleEntry
from scenarios.runs.result import Provenance, Result, mean, provenance, spreads
from scenarios.runs.steady import Rate, sum_of
from scenarios.runs.timeline import Timeline
from scenarios.runs.workload import Workload

_VIRTUAL: Final = "virtual time"

SERVICE: Final = "disc_conn_serv_factor"
"""The times of each device that mostly writes: their range is a factor of them."""

_UNRANGED: Final = (
    f"packages, collisions and TXPENDCT, of a device's I/O/s, Pend and Busy %, and of {BUSY}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRun(Reported, Result):
    """What one end of a link saw of a run; means, if it was repeated with several seeds."""

    reported_by = "isfc.answers.link_run.run_report"

    partner: str | UnsetType = UNSET
    """of `isfc up` of a system with several links: the one at the other end"""
    nodes: tuple[str, str]
    """in the order of their names"""
    client: str
    """the node of the clients"""
    workload: str
    messages: str
    """those of the workload, in words"""
    pairs: int
    """of guests"""
    seconds: float
    """time that was measured"""
    warmup: float
    """time before that"""
    time: str
    """what the seconds are, such as virtual time"""
    seed: int
    figures: dict[str, Figure]
    """`mb_per_s`, `messages_per_s`, `rdev_util_percent`, `cpu_percent_per_msg` with their ranges,
    and `disc_conn_serv_factor`, that of the times of each device that mostly writes; none of what
    is 0, nor of a live run"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""
    notes: list[Note]
    profile: SiteProfile | UnsetType = UNSET
    """as of `isfc plan --json`"""
    provenance: Provenance
    """what it was made with"""
    seeds: int | UnsetType = UNSET
    """with `--seeds`: how many; the figures are means"""
    spread_percent: dict[str, float | None] | UnsetType = UNSET
    """with `--seeds`, by measure: (greatest - least) / mean x 100, or null where the mean is 0"""
    limits: LimitedBy | UnsetType = UNSET
    """both ways together, of a run that is [long enough](layouts.md#what-limits), all `--seeds`
    together, and with `--why`; not with `--cp`"""
    upgrade: Figure | UnsetType = UNSET
    """with `--release 6.1`: how many times as much z/VM 6.2 carries over all CTCs"""
    rests_on: list[RestsOn] | UnsetType = UNSET
    """as of `isfc plan --json`, with `--why`"""
    cp: list[ConsoleEntry] | UnsetType = UNSET
    """with `--cp`"""
    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on its chpids"""
    timelines: tuple[Timeline, ...] = field(default=(), repr=False, compare=False)
    """every I/O, if it was kept"""


def link_run(
    experiment: Experiment,
    results: Sequence[Result],
    layout: str | None = None,
    *,
    repeated: bool = False,
    time: str = _VIRTUAL,
    command: str = "",
    **more: Any,
) -> LinkRun:
    """The record of a run, or of one that was ``repeated`` with several seeds: of the means.

    ``layout`` is what a ``command`` line called it, ``time`` what the seconds are, ``more`` further
    fields.
    """
    seen, link = mean(results), experiment.layout
    load = experiment.workload, experiment.pairs
    is_model = time == _VIRTUAL
    return LinkRun(
        nodes=link.nodes,
        **experiment.settings(),
        messages=described(experiment.workload),
        time=time,
        **asdict(seen) | {"devices": seen.devices},
        figures=figures_of_run(experiment, seen) if is_model else {},
        extrapolated=beyond_measured_run(link, *load, seen.mb_per_s),
        notes=list(measured_notes(experiment, seen) if is_model else link.notes),
        profile=link.site or UNSET,
        provenance=provenance(
            experiment, version=named("isfc.__version__"), name=layout, command=command
        ),
        seeds=len(results) if repeated else UNSET,
        spread_percent=spreads(results) if repeated else UNSET,
        **more,
    )


def limit_fields(limit: Limit | None, mb_per_s: float) -> dict[str, Any]:
    """The field of a record that says what limits a rate; none where it is not known."""
    return {} if limit is None else {"limits": limits_of(limit, mb_per_s)}


def figures_of_run(experiment: Experiment, result: Result) -> dict[str, Figure]:
    """The figures whose errors are known, by name; none that is 0."""
    figures = {name: value for name, value in asdict(result).items() if name != "devices" and value}
    figures["collisions_per_s"] = result.collisions_per_s
    found = run_figures(experiment, figures)
    if any(map(mostly_writes, result.devices)):
        run = experiment.layout, Load(experiment.workload, experiment.pairs)
        how = result.collisions_per_s, Unit.TIMES
        found[SERVICE] = figure_of(FigureKind.SERVICE, 1.0, *run, *how)
    return found


def measured_notes(experiment: Experiment, result: Result) -> tuple[Note, ...]:
    """The notes of what a run has measured."""
    layout, workload, pairs = experiment.layout, experiment.workload, experiment.pairs
    here = NodeName(result.node)
    both = (here, layout.partner(here)), (layout.partner(here), here)
    sent = dict(zip(both, (result.mb_per_s_out, result.mb_per_s_in), strict=True))
    known = run_notes(layout, workload, pairs, result.mb_per_s)
    return (*known, *ceiling_notes([layout], sent), unranged(_UNRANGED))


def ceiling_notes(links: Sequence[Layout], sent: Mapping[End, float]) -> Iterator[Note]:
    """That less is to be counted on than what ends sent in a run, in MB/s, if that is so."""
    rates = {end: Rate(each) for end, each in sent.items() if each}
    every = sum_of([*to_count_on(links, rates).values()])
    if every.by_model_mb_per_s is not None:
        counted, modelled = (shown(r, Unit.MB_PER_S) for r in (every.mb_per_s, every.modelled))
        text = f"Count on {counted} of these {modelled} MB/s both ways, which is {CEILING}."
        yield Note(NoteKind.CEILING, text)


def described(workload: Workload) -> str:
    """A workload in words."""
    if workload.programs is not None:
        return (
            f"{workload.name}: messages of {exact(round(workload.mean_length))} bytes in the mean"
        )
    lengths = exact(workload.max_length)
    if workload.min_length != workload.max_length:
        lengths = f"{exact(workload.min_length)} ({workload.min_percent:g} %) or {lengths}"
    replies = exact(workload.reply_length)
    if workload.replies_max < workload.window:
        replies += ", acknowledged"
    return (
        f"{workload.name}: messages of {lengths} bytes, "
        f"replies of {replies}, window {workload.window}"
    )


def run_report(found: LinkRun) -> Report:
    """What it carries and what limits it; what was sent, received, and each device."""
    many = "s" * (found.pairs > 1)
    return Report(
        f"{' - '.join(found.nodes)}: {found.pairs} pair{many} of {found.workload}, "
        f"clients on {found.client}, seen from {found.node}"
        f"{', on z/VM 6.1 over one CTC' * (found.upgrade is not UNSET)}",
        [*_answer(found)],
        [
            Table("Traffic; MB are 2^20 bytes", _WAYS, [*_ways(found)], "traffic"),
            Table("The link as a whole", _WHOLE, [found], "link"),
            Table("Devices, times in ms", _DEVICES, [*_devices(found)], "devices", detail=True),
            *_spreads(found),
            *(() if found.disks is UNSET else disks_tables(found.disks)),
            *_why(found),
        ],
        notes=[*_known(found)],
        known=found.notes,
    )


def _answer(found: LinkRun) -> Iterator[tuple[str, str]]:
    out, back = (shown(each, Unit.MB_PER_S) for each in (found.mb_per_s_out, found.mb_per_s_in))
    rate = with_unit(_figure(found, "mb_per_s", Unit.MB_PER_S))
    yield "Carries", f"{rate} both ways: {out} sent, {back} received"
    if found.seeds is not UNSET and found.spread_percent is not UNSET:
        spread = found.spread_percent["mb_per_s"]
        yield "Seeds", seeds_differ(found.seeds, spread)
    yield from limits_answer(found.limits)
    if found.upgrade is not UNSET:
        yield "Upgrade", f"z/VM 6.2 carries {gain_words(found.upgrade)} over all CTCs"
    if found.disks is not UNSET:
        yield from disks_answer(found.disks)


def seeds_differ(seeds: int, spread: float | None) -> str:
    """How far the MB/s of so many seeds differ, in percent; None where nothing was carried."""
    if spread is None:
        return f"nothing was carried with any of {seeds}"
    by = f"{shown(spread, Unit.PERCENT)} %" if spread >= 1 else "less than 1 %"
    return f"the mean of {seeds}, which differ by {by}"


def _why(found: LinkRun) -> Iterator[Table]:
    """What it rests on, if that was asked for."""
    if found.rests_on is not UNSET:
        assert found.limits is not UNSET, "it was asked for too"
        yield resources_table(found.limits.resources)
        yield rests_on_table(found.rests_on)


def _figure(found: LinkRun, name: str, unit: Unit) -> Figure:
    """A figure, which has no range where nothing was carried, or where it was measured live."""
    return found.figures.get(name) or Figure(getattr(found, name), unit, no_range=NoRange.NO_RATE)


_WAYS: Final = (
    *headed(way="", mb_per_s="MB/s", messages_per_s="messages/s"),
    Column("packages/s", "packages_per_s", Unit.PER_S),
    Column("messages\n/package", "messages_per_package", Unit.TIMES),
    Column("bytes\n/package", "bytes_per_package", Unit.PER_S),
)


def _ways(found: LinkRun) -> Iterator[dict[str, Any]]:
    """What was sent, and received, and both together, which says no more than rates."""
    rates = {"mb_per_s": Unit.MB_PER_S, "messages_per_s": Unit.PER_S}
    packages = ("packages_per_s", "messages_per_package", "bytes_per_package")
    for way, end in (("sent", "out"), ("received", "in")):
        yield {
            "way": way,
            **{name: getattr(found, f"{name}_{end}") for name in packages},
            **{name: _figure(found, f"{name}_{end}", unit) for name, unit in rates.items()},
        }
    together = {name: _figure(found, name, unit) for name, unit in rates.items()}
    yield {"way": "together", **dict.fromkeys(packages), **together}


def _figure_column(heading: str, field: str, unit: Unit) -> Column:
    return Column(heading, field, value=lambda found: _figure(found, field, unit))


_WHOLE: Final = (
    _figure_column("RDEV util %", "rdev_util_percent", Unit.PERCENT),
    Column("collisions/s", "collisions_per_s", Unit.PER_S),
    _figure_column("%CPU/msg", "cpu_percent_per_msg", Unit.CPU),
    Column("TXPENDCT", "tx_pend_count", Unit.PER_S),
)


_DEVICES: Final = (
    Column("Addr", "rdev"),
    Column("I/O/s", "io_per_s", Unit.PER_S),
    *headed(Unit.MS, pend_ms="Pend", disc_ms="Disc", conn_ms="Conn", serv_ms="Serv"),
    Column("Busy %", "busy_percent", Unit.PERCENT),
)


def _devices(found: LinkRun) -> Iterator[dict[str, Any]]:
    """Each CTC; no times where no I/O was done."""
    for each in found.devices:
        idle = {} if each.io_per_s else dict.fromkeys(("pend_ms", "disc_ms", "conn_ms", "serv_ms"))
        yield asdict(each) | idle


def _spreads(found: LinkRun) -> Iterator[Table]:
    """How far the seeds differ, measure by measure."""
    if found.spread_percent is UNSET:
        return
    rows = [
        {"measure": name, **dict(zip(("sent", "received", "together"), each, strict=True))}
        for name, *measures in RUN_ROWS
        for each in [[found.spread_percent.get(m) if m else None for m in measures]]
    ]
    ways = (Column(way, way, Unit.PERCENT) for way in ("sent", "received", "together"))
    yield Table("Spread in %", (Column("", "measure"), *ways), rows, "spreads", detail=True)


def _known(found: LinkRun) -> Iterator[str]:
    """What ran, for how long, and how far the figures are known."""
    seeds = 1 if found.seeds is UNSET else found.seeds
    yield f"{found.messages}."
    yield (
        f"{found.seconds:g} s of {found.time} after {found.warmup:g} s of warm-up, "
        f"{seed_words(found.seed, seeds)}."
    )
    if SERVICE in found.figures:
        factor = factor_line([found.figures[SERVICE]])
        yield f"Disc, Conn, Serv of devices that mostly write are within {factor}."
    yield range_note(found.figures.values())
