"""``isfc io plan``: what an I/O configuration can do, and what to change in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Struct

from isfc.cli.judgement.io_plan import io_plan_page
from isfc.cli.options.layout import JsonOption
from isfc.cli.output.notes import note_lines
from isfc.cli.output.streams import show, show_json
from isfc.io.advice import IoAdvice, advise
from isfc.io.demand import ChannelFlows, ChannelRoute
from isfc.io.plan import ChannelPlan, IoPlan, make_io_plan
from isfc.io.shared import read_disks
from isfc.io.trunks import TrunkLoad
from isfc.io.zhyperlink import SynchronousLoad
from isfc.layout.note import Note
from scenarios.runs.notes import CHANNELS_UNRANGED

ConfigArgument = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="An I/O configuration (TOML).")
]


def plan(config: ConfigArgument, *, json: JsonOption = False) -> None:
    """Estimate an I/O configuration; say what to change.

    Each channel with what its processor, bus and line have to do, each workload with its rate,
    its response time and how many of its I/Os are open; zHyperLinks, OSAs, SAPs; the cards,
    interconnects and fanouts that channels share; the advice.
    """
    configuration, alone = read_disks(config)
    notes = (*alone, CHANNELS_UNRANGED)
    found = make_io_plan(configuration)
    advice = advise(found)
    if json:
        show_json(io_plan_json(found, advice, notes))
    else:
        show(io_plan_page(found, advice), *note_lines(notes))


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


class SapsJson(Struct, frozen=True):
    """The SAPs of a system, or those that a mix needs."""

    saps: int | None
    """null: no machine has enough"""
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
    saps: dict[str, SapsJson]
    """by system"""
    trunks: list[TrunkJson]
    """the cards, interconnects and fanouts of the file, from the channel up"""
    first: FirstJson | None
    """what is full first as the load grows; null if nothing is used"""
    advice: list[AdviceJson]
    """a list with the [ids](io-advice.md)"""
    notes: list[Note]
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
        saps={each.system: SapsJson(each.saps, finite(100 * each.busy)) for each in plan.saps},
        trunks=[trunk_json(load) for load in plan.trunks],
        first=None if first is None else FirstJson(first[0], finite(100 * first[1])),
        advice=[AdviceJson(one.id, one.severity, one.text) for one in advice],
        notes=list(notes),
    )


def trunk_json(load: TrunkLoad) -> TrunkJson:
    """The record of a card, interconnect or fanout."""
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


def channel_fields(found: ChannelFlows, route: ChannelRoute) -> dict[str, Any]:
    """What `ChannelJson` has, by its keys, of a channel that is planned or was run."""
    return {
        "feature": route.channel.feature,
        "link_gbps": route.link_gbps,
        "io_per_s": found.io_per_s,
        "mb_per_s_read": found.traffic.read_mb_per_s,
        "mb_per_s_write": found.traffic.write_mb_per_s,
        "processor_percent": 100 * found.processor,
        "bus_percent": 100 * found.bus if route.profile.bus_mb_per_s else None,
        "line_percent_read": 100 * found.line_read,
        "line_percent_write": 100 * found.line_write,
    }


def _planned_channel(plan: ChannelPlan) -> PlannedChannelJson:
    estimate = plan.estimate
    return PlannedChannelJson(
        **channel_fields(estimate, estimate.route),
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
