"""What ``isfc io plan``, ``run`` and ``size`` print as JSON. The keys and their meanings stay."""

from collections.abc import Sequence

from msgspec import Struct

from isfc.cli.output.notes import NoteJson, notes_json
from isfc.io.advice import IoAdvice
from isfc.io.configuration import Protocol
from isfc.io.plan import ChannelPlan, IoPlan
from isfc.io.run import ChannelRun, IoRun, WorkloadRun
from isfc.io.sizing import Choice, DistanceNeed, RoomNeed, Sizing, SynchronousNeed
from isfc.io.trunks import TrunkLoad
from isfc.io.zhyperlink import SynchronousLoad
from isfc.layout.note import Note


def finite(figure: float) -> float | None:
    """A figure; None if it is infinite, for which JSON has no word."""
    return None if figure == float("inf") else figure


class TrunkJson(Struct, frozen=True):
    """A card, interconnect or fanout."""

    level: str
    name: str
    channels: list[str]
    """chpids"""
    gb_per_s_max: float | None
    """both ways together; null: no ceiling"""
    gb_per_s_one_way_max: float | None
    gb_per_s_read: float
    """10^9 bytes"""
    gb_per_s_write: float
    percent: float
    """of the nearest ceiling"""


class PlannedLoadJson(Struct, frozen=True):
    """A workload on one channel, as estimated."""

    protocol: str
    io_per_s: float
    response_us: float
    active: float
    """the open exchanges"""


class ChannelJson(Struct, frozen=True):
    """What plan and run say of a channel."""

    feature: str
    link_gbps: float
    io_per_s: float
    mb_per_s_read: float
    """10^6 bytes"""
    mb_per_s_write: float
    processor_percent: float
    bus_percent: float | None
    """null where no limit of the bus is known"""
    line_percent_read: float
    line_percent_write: float


class PlannedChannelJson(ChannelJson, frozen=True):
    """A channel of ``isfc io plan``."""

    workloads: dict[str, PlannedLoadJson]
    """by name"""


class LinksJson(Struct, frozen=True):
    """zHyperLinks without a rate."""

    links: int


class PlannedSynchronousJson(LinksJson, frozen=True):
    """zHyperLinks with a rate."""

    success_percent: float
    link_busy_percent: float
    rejected_percent: float
    latency_us: float
    """of those that succeed"""
    response_us: float
    """of all"""


class PlannedOsaJson(Struct, frozen=True):
    """An OSA of ``isfc io plan``."""

    feature: str
    mtu_bytes: int
    mb_per_s_out: float
    """2^20"""
    mb_per_s_in: float


class PlannedSapsJson(Struct, frozen=True):
    """The SAPs of a system."""

    saps: int | None
    busy_percent: float | None
    """null: they cannot do it"""


class FirstJson(Struct, frozen=True):
    """What is full first."""

    what: str
    """such as `channel 42, processor` or `fanout F`"""
    percent: float | None
    """how much of it is used; null: more than all"""


class AdviceJson(Struct, frozen=True):
    """What to change."""

    id: str
    severity: str
    """info or warning"""
    text: str


class IoPlanJson(Struct, frozen=True):
    """``isfc io plan --json``."""

    channels: dict[str, PlannedChannelJson]
    """by chpid"""
    synchronous: dict[str, PlannedSynchronousJson | LinksJson]
    """by workload, without a rate `links` alone"""
    osa: dict[str, PlannedOsaJson]
    """by chpid"""
    saps: dict[str, PlannedSapsJson]
    """by system"""
    trunks: list[TrunkJson]
    """the cards, interconnects and fanouts of the file, from the channel up"""
    first: FirstJson | None
    """what is full first as the load grows; null if nothing is used"""
    advice: list[AdviceJson]
    """a list with the [ids](io-advice.md)"""
    notes: list[NoteJson]
    """as of `isfc plan --json`; of a layout, that its CTCs are not in the figures"""


def io_plan_json(
    plan: IoPlan, advice: Sequence[IoAdvice], notes: Sequence[Note] = ()
) -> IoPlanJson:
    """The record of a plan."""
    first = plan.first()
    return IoPlanJson(
        channels={each.channel.chpid: _planned_channel(each) for each in plan.channels},
        synchronous={each.workload.name: _planned_links(each) for each in plan.synchronous},
        osa={
            each.channel.chpid: PlannedOsaJson(
                each.channel.feature,
                each.channel.mtu_bytes,
                each.outbound.mb_per_s,
                each.inbound.mb_per_s,
            )
            for each in plan.osas
        },
        saps={
            each.system: PlannedSapsJson(each.saps, finite(100 * each.busy)) for each in plan.saps
        },
        trunks=[_trunk(load) for load in plan.trunks],
        first=None if first is None else FirstJson(first[0], finite(100 * first[1])),
        advice=[AdviceJson(one.id, one.severity, one.text) for one in advice],
        notes=notes_json(notes),
    )


def _trunk(load: TrunkLoad) -> TrunkJson:
    ceiling = load.trunk.ceiling
    return TrunkJson(
        level=ceiling.level,
        name=load.trunk.name,
        channels=list(load.trunk.channels),
        gb_per_s_max=finite(ceiling.mb_per_s / 1e3),
        gb_per_s_one_way_max=finite(ceiling.one_way_mb_per_s / 1e3),
        gb_per_s_read=load.carried.read_mb_per_s / 1e3,
        gb_per_s_write=load.carried.write_mb_per_s / 1e3,
        percent=100 * load.use,
    )


def _planned_channel(plan: ChannelPlan) -> PlannedChannelJson:
    estimate = plan.estimate
    read, write = plan.mb_per_s
    return PlannedChannelJson(
        feature=plan.channel.feature,
        link_gbps=estimate.route.link_gbps,
        io_per_s=plan.io_per_s,
        mb_per_s_read=read,
        mb_per_s_write=write,
        processor_percent=100 * estimate.processor,
        bus_percent=100 * estimate.bus if estimate.route.profile.bus_mb_per_s else None,
        line_percent_read=100 * estimate.line_read,
        line_percent_write=100 * estimate.line_write,
        workloads={
            load.name: PlannedLoadJson(
                load.protocol, each.rate_per_s, each.response_ns / 1e3, each.active
            )
            for load, each in zip(plan.workloads, estimate.demands, strict=True)
        },
    )


def _planned_links(plan: SynchronousLoad) -> LinksJson:
    found = plan.outcome
    if found is None:
        return LinksJson(len(plan.links))
    return PlannedSynchronousJson(
        links=len(plan.links),
        success_percent=100 * found.success,
        link_busy_percent=100 * found.link_busy,
        rejected_percent=100 * found.rejected,
        latency_us=found.latency_ns / 1e3,
        response_us=found.response_ns / 1e3,
    )


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
    notes: list[NoteJson]
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
            each.system: RunSapsJson(
                finite(100 * each.busy), each.starts_per_s, each.interrupts_per_s
            )
            for each in run.saps
        },
        osa={
            each.channel.chpid: RunOsaJson(
                mb_per_s_out=each.mb_per_s_out,
                mb_per_s_in=each.mb_per_s_in,
                packets_per_s=each.packets_per_s,
                cpu_us_per_mb=each.cpu_us_per_mb,
                cpu_unknown=each.cpu_unknown or None,
            )
            for each in run.osas
        },
        trunks=[_trunk(load) for load in run.trunks],
        notes=notes_json(notes),
    )


def _run_channel(run: ChannelRun) -> RunChannelJson:
    return RunChannelJson(
        feature=run.channel.feature,
        link_gbps=run.route.link_gbps,
        io_per_s=run.io_per_s,
        mb_per_s_read=run.mb_per_s(reads=True),
        mb_per_s_write=run.mb_per_s(reads=False),
        processor_percent=100 * run.processor,
        bus_percent=100 * run.bus if run.route.profile.bus_mb_per_s else None,
        line_percent_read=100 * run.line_read,
        line_percent_write=100 * run.line_write,
        frame_bytes_read=run.frame_bytes(reads=True),
        frame_bytes_write=run.frame_bytes(reads=False),
        zhpf=ProtocolJson(*run.of(Protocol.ZHPF)),
        ficon=ProtocolJson(*run.of(Protocol.FICON)),
        fcp=ProtocolJson(*run.of(Protocol.FCP)),
    )


def _run_load(run: WorkloadRun) -> RunLoadJson:
    return RunLoadJson(
        io_per_s=run.io_per_s,
        mb_per_s=run.mb_per_s,
        response_us=ResponseJson(run.response_us, run.response_p50_us, run.response_p99_us),
        pend_us=run.pend_us,
        disc_us=run.disc_us,
        conn_us=run.conn_us,
    )


class ChoiceJson(Struct, frozen=True):
    """How many channels of one feature a mix needs."""

    feature: str
    protocol: str
    encrypted: bool
    channels: int
    """now"""
    channels_grown: int
    """the following figures are of each of these, with the grown load"""
    processor_percent: float
    bus_percent: float | None
    """null where not known"""
    line_percent_read: float
    line_percent_write: float
    first: str
    """what is full first"""
    first_at_io_per_s: float
    """of all of them"""


class SapsNeededJson(Struct, frozen=True):
    """The SAPs that a mix needs."""

    saps: int | None
    """null: no machine has enough"""
    busy_percent: float | None
    """null: they cannot do it"""


class MixJson(Struct, frozen=True):
    """What a mix needs."""

    name: str
    io_per_s: float
    mb_per_s_read: float
    mb_per_s_write: float
    notes: list[str]
    """what was assumed"""
    best: ChoiceJson
    """the same as one of `choices`"""
    choices: list[ChoiceJson]
    """each"""
    distances: tuple[DistanceNeed, ...]
    """each `km`, `link_gbps`, `isls`, `credits` for the mix, `credits_full_line`,
    `credits_by_rule`, `added_us` of each I/O, `exchanges_added`"""
    saps: SapsNeededJson
    synchronous: SynchronousNeed | None
    """null if no reads fit zHyperLink, else `io_per_s`, `links`, `success_percent`, `response_us`,
    `saved_us` of each read, `processors` that the waiting takes more"""
    rooms: tuple[RoomNeed, ...]
    """each `level`: card, interconnect or fanout; `count` that the file has; `needed`: how many
    like them carry the grown load; `percent` of what those carry"""


class IoSizeJson(Struct, frozen=True):
    """``isfc io size --json``."""

    growth_percent: float
    """how much more there is later"""
    mixes: list[MixJson]
    """the next table has what each holds: one for each interval that was sized, or for the
    configuration"""


def io_size_json(growth_percent: float, sizings: Sequence[Sizing]) -> IoSizeJson:
    """The record of what was sized."""
    return IoSizeJson(growth_percent, [_mix(each) for each in sizings])


def _mix(sizing: Sizing) -> MixJson:
    saps = SapsNeededJson(sizing.saps.saps, finite(sizing.saps.busy_percent))
    return MixJson(
        name=sizing.mix.name,
        io_per_s=sizing.mix.io_per_s,
        mb_per_s_read=sizing.mix.read_mb_per_s,
        mb_per_s_write=sizing.mix.write_mb_per_s,
        notes=list(sizing.mix.notes),
        best=_choice(sizing.best),
        choices=[_choice(choice) for choice in sizing.choices],
        distances=sizing.distances,
        saps=saps,
        synchronous=sizing.synchronous,
        rooms=sizing.rooms,
    )


def _choice(choice: Choice) -> ChoiceJson:
    use = choice.use
    return ChoiceJson(
        feature=choice.feature,
        protocol=choice.protocol,
        encrypted=choice.encrypted,
        channels=choice.channels,
        channels_grown=choice.channels_grown,
        processor_percent=100 * use.processor,
        bus_percent=None if use.bus is None else 100 * use.bus,
        line_percent_read=100 * use.line_read,
        line_percent_write=100 * use.line_write,
        first=choice.first,
        first_at_io_per_s=choice.first_at_io_per_s,
    )
