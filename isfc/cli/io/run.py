"""``isfc io run``: an I/O configuration in virtual time."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import UNSET, Struct
from msgspec.structs import replace

from isfc.answers.limit import limit_of_run, limits_of, run_line
from isfc.answers.shared import shared_json
from isfc.arguments import SEED_MAX
from isfc.cli.io.plan import (
    ChannelJson,
    ConfigArgument,
    TrunkJson,
    channel_fields,
    finite,
    trunk_json,
)
from isfc.cli.io.run_page import activity_rows, io_run_page, report_page
from isfc.cli.judgement.io_limit import IoLimitsJson, io_limit_line, io_limits_json
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import (
    JsonOption,
    LinkOption,
    expect_one,
    open_collection,
    open_with_disks,
)
from isfc.cli.options.number import bounded
from isfc.cli.options.option import flag, valued
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.results.shared import shared_page
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration, Protocol
from isfc.io.limit import find_io_limit
from isfc.io.run import SECONDS, WARMUP, ChannelRun, IoRun, WorkloadRun, run_configuration
from isfc.io.shared import read_disks
from isfc.layout.checked_toml import within
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.reports.record import record_of
from scenarios.runs.experiment import PAIRS_MAX, Experiment
from scenarios.runs.notes import CHANNELS_UNRANGED, run_notes
from scenarios.runs.shared_channel import SharedRun, run_shared
from scenarios.runs.workload import find_workload

SECONDS_MIN = 0.01
SECONDS_MAX = 3_600.0
PAIRS_DEFAULT = 50
"""As many as most of the published runs of long messages have."""


class Report(StrEnum):
    """The views of RMF's reports."""

    CHANNEL = "channel"
    DEVICE = "device"
    IOP = "iop"
    SYNC = "sync"


class IoExtent(Struct, frozen=True):
    """How long an I/O configuration is run, and from which seed."""

    seconds: Annotated[
        float, bounded("S", SECONDS_MIN, SECONDS_MAX, "Virtual time that is measured.")
    ] = SECONDS
    warmup: Annotated[float, bounded("S", 0, SECONDS_MAX, "Virtual time before that.")] = WARMUP
    seed: Annotated[int, bounded("N", 0, SEED_MAX, "Another seed, another run.")] = 1


class IoShown(Struct, frozen=True):
    """What else runs on the channels, and what is shown."""

    ctcs: Annotated[
        str | None,
        valued(
            "WORKLOAD", "CONFIG is a layout with [[io]]: its CTCs carry this meanwhile, such as HL."
        ),
    ] = None
    pairs: Annotated[
        int | None,
        bounded("N", 1, PAIRS_MAX, f"Pairs of guests for --ctcs; {PAIRS_DEFAULT} if not given."),
    ] = None
    report: Annotated[
        Report | None,
        typer.Option(
            help="Show a view as RMF has it: Channel Path Activity, Direct Access Device Activity, "
            "I/O Queuing Activity, or synchronous I/O."
        ),
    ] = None
    csv: Annotated[bool, flag("--csv", "Print the view as CSV.")] = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        if self.ctcs is not None and self.report is not None:
            raise ConfigurationError("--ctcs: expected no --report beside it")
        expect_one(json=self.json, report=self.report)


@flattened
def run(
    config: ConfigArgument,
    *,
    link_name: LinkOption = None,
    extent: IoExtent,
    shown: IoShown,
) -> None:
    """Run an I/O configuration; show what channels carry.

    Channels are run I/O by I/O; zHyperLinks, OSAs and SAPs follow from their rates. The same
    seed makes the same run. With --ctcs, a link's CTCs use the same channels: shown is what
    the link and the disks get alone, and beside each other.
    """
    report = shown.report
    if shown.ctcs is not None:
        pairs = PAIRS_DEFAULT if shown.pairs is None else shown.pairs
        opened = open_with_disks(open_collection(config), link_name)
        with within(str(config)):
            shared, notes = run_beside(opened, shown.ctcs, pairs, extent)
        limit = limit_of_run(shared.beside.experiment, None, SECONDS)
        mb_per_s = shared.beside.mb_per_s
        if shown.json:
            limits = UNSET if limit is None else limits_of(limit, mb_per_s)
            show_json(replace(shared_json(shared, notes=notes), limits=limits))
        else:
            load = f"{shown.ctcs}, {pairs} pairs"
            why = [] if limit is None else ["", f"Beside the disks, {run_line(limit, mb_per_s)}"]
            show(shared_page(shared, load), *why, *note_lines(notes))
        return
    for option, value in (("--pairs", shown.pairs), ("--link", link_name)):
        if value is not None:
            raise ConfigurationError(f"{option}: expected --ctcs too, which says what CTCs carry")
    configuration, alone = read_disks(config)
    notes = (*alone, CHANNELS_UNRANGED)
    found = run_configuration(configuration, extent.seconds, extent.warmup, extent.seed)
    if shown.json:
        show_json(io_run_json(found, notes))
    elif report is None:
        io_limit = find_io_limit(configuration)
        why = [io_limit_line(io_limit)] if io_limit else []
        show(io_run_page(found), *why, *note_lines(notes))
    else:
        rows = activity_rows(found, report.value)
        if not rows:
            raise ConfigurationError(
                f"--report {report}: the configuration has nothing of it; "
                "see 'isfc io run --help' for what each view shows"
            )
        if shown.csv:
            show_csv(rows)
            show_notes(notes)
        else:
            show(report_page(found, report.value, rows), *note_lines(notes))


def run_beside(
    opened: tuple[Layout, IoConfiguration | None],
    workload: str,
    pairs: int,
    extent: IoExtent,
) -> tuple[SharedRun, tuple[Note, ...]]:
    """The link of a file and the disks on its chpids, alone and beside each other; its notes."""
    layout, disks = opened
    if disks is None:
        raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
    experiment = Experiment.of(
        layout,
        find_workload(workload),
        pairs,
        seconds=extent.seconds,
        warmup=extent.warmup,
        seed=extent.seed,
    )
    shared = run_shared(experiment, disks)
    run = layout, experiment.workload, pairs, shared.beside.mb_per_s
    return shared, run_notes(*run)


class ProtocolJson(Struct, frozen=True):
    """What a channel did by one protocol."""

    rate: float
    active: float
    """open exchanges"""
    deferred: float
    """I/Os a second that could not start immediately"""


class RunChannelJson(ChannelJson, frozen=True):
    """A channel of ``isfc io run``."""

    frame_bytes_read: float
    """average, with headers"""
    frame_bytes_write: float
    zhpf: ProtocolJson
    ficon: ProtocolJson
    """the same"""
    fcp: ProtocolJson
    """the same"""


class ResponseJson(Struct, frozen=True):
    """Response times."""

    mean: float
    p50: float
    p99: float


class RunLoadJson(Struct, frozen=True):
    """A workload that was run."""

    io_per_s: float
    mb_per_s: float
    response_us: ResponseJson
    pend_us: float
    disc_us: float
    conn_us: float


class RunSynchronousJson(Struct, frozen=True):
    """Synchronous reads that were run."""

    success_percent: float
    link_busy_percent: float
    rejected_percent: float
    cache_miss_percent: float
    response_us: float


class RunSapsJson(Struct, frozen=True):
    """The SAPs of a system, in a run."""

    busy_percent: float | None
    """null: more than they can do"""
    starts_per_s: float
    interrupts_per_s: float


class RunOsaJson(Struct, frozen=True):
    """An OSA, in a run."""

    mb_per_s_out: float
    """2^20 bytes"""
    mb_per_s_in: float
    packets_per_s: float
    cpu_us_per_mb: float | None
    """host CPU for 2^20 bytes sent, or null"""
    cpu_unknown: str | None
    """why that is null, or null"""


class IoRunJson(Struct, frozen=True):
    """``isfc io run --json``."""

    seconds: float
    """virtual time measured"""
    channels: dict[str, RunChannelJson]
    """by chpid"""
    workloads: dict[str, RunLoadJson]
    """by name"""
    synchronous: dict[str, RunSynchronousJson]
    """by workload"""
    saps: dict[str, RunSapsJson]
    """by system"""
    osa: dict[str, RunOsaJson]
    """by chpid"""
    trunks: list[TrunkJson]
    """as of `isfc io plan --json`: cards, interconnects and fanouts"""
    limits: IoLimitsJson | None
    """what limits the I/Os, null if none go over channels"""
    notes: list[Note]
    """as of `isfc plan --json`; of a layout, that its CTCs are not in the figures"""


def io_run_json(run: IoRun, notes: Sequence[Note] = ()) -> IoRunJson:
    """The record of a run."""
    return IoRunJson(
        seconds=run.seconds,
        channels={each.channel.chpid: _run_channel(each) for each in run.channels},
        workloads={each.workload.name: _run_load(each) for each in run.workloads},
        synchronous={
            each.workload.name: RunSynchronousJson(
                success_percent=100 * each.outcome.success,
                link_busy_percent=100 * each.outcome.link_busy,
                rejected_percent=100 * each.outcome.rejected,
                cache_miss_percent=100 * each.outcome.cache_miss,
                response_us=each.outcome.latency_ns / 1e3,
            )
            for each in run.synchronous
        },
        saps={
            each.system: RunSapsJson(finite(100 * each.busy), each.io_per_s, each.io_per_s)
            for each in run.saps
        },
        osa={
            each.channel.chpid: record_of(RunOsaJson, each, cpu_unknown=each.cpu_unknown or None)
            for each in run.osas
        },
        trunks=[trunk_json(load) for load in run.trunks],
        limits=io_limits_json(limit) if (limit := find_io_limit(run.configuration)) else None,
        notes=list(notes),
    )


def _run_channel(run: ChannelRun) -> RunChannelJson:
    return RunChannelJson(
        **channel_fields(run, run.route),
        frame_bytes_read=run.frame_bytes(reads=True),
        frame_bytes_write=run.frame_bytes(reads=False),
        zhpf=ProtocolJson(*run.of(Protocol.ZHPF)),
        ficon=ProtocolJson(*run.of(Protocol.FICON)),
        fcp=ProtocolJson(*run.of(Protocol.FCP)),
    )


def _run_load(run: WorkloadRun) -> RunLoadJson:
    response = ResponseJson(run.response_us, run.response_p50_us, run.response_p99_us)
    return record_of(RunLoadJson, run, response_us=response)
