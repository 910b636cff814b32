"""What an I/O configuration can do, in closed form, and what to change in it.

Each piece of advice has an id that stays the same between releases; ``docs/io-advice.md`` lists
them, and what each is about. MB are 10**6 bytes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from ctc import channel as ficon
from ctc.channel import NOTHING
from ctc.features import find_feature
from isfc.errors.in_words import number
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import ChannelRoute, Demand, make_demand, make_routes
from isfc.io.estimate import ChannelEstimate, DemandEstimate, estimate_channel
from isfc.io.machine import SapLoad, TrunkLoad, sap_loads, trunk_loads
from isfc.io.osa import PlannedOsa, planned_osa
from isfc.io.sizing import ENCRYPTING, LINK_BUSY_MAX, Guidelines
from isfc.io.trunks import balance
from isfc.io.zhyperlink import SynchronousLoad, synchronous_loads, turned_away
from isfc.layout.layout import FarPath
from isfc.layout.rules.rule import Severity

ZHYPERLINK_KM_MAX: Final = 0.15
"""Published: a cable of up to 150 m."""

ZHYPERLINKS_MIN: Final = 2
"""Published: two links or more to each control unit and system."""

JUMBO_MTU: Final = 8992
"""Bytes. Published: the OSA-Express7S report advises jumbo frames end to end."""

_FULL: Final = 99.0
"""Percent from which on a trunk is full (chosen: as near as an estimate gets)."""

_EXCHANGES_FACTOR: Final = 2.0
"""So many times the I/Os that fill a channel are too many (assumed)."""


class ResourceUse(Struct, frozen=True):
    """A resource, and how much of it is used."""

    what: str
    """such as `channel 42, processor` or `fanout F`"""
    percent: float | None
    """how much of it is used; null: more than all"""

    @property
    def most(self) -> float:
        """The same as a number."""
        return math.inf if self.percent is None else self.percent


class IoPlan(Struct, frozen=True):
    """What a configuration can do."""

    configuration: IoConfiguration
    channels: tuple[ChannelEstimate, ...]
    synchronous: tuple[SynchronousLoad, ...]
    osas: tuple[PlannedOsa, ...]
    saps: tuple[SapLoad, ...]
    trunks: tuple[TrunkLoad, ...] = ()

    def used(self) -> Iterator[ResourceUse]:
        """Every resource that data or I/Os may fill, and how much of it is used."""
        for found in self.channels:
            title = f"channel {found.channel.chpid}"
            yield ResourceUse(f"{title}, processor", 100 * found.processor)
            yield ResourceUse(f"{title}, bus", 100 * found.bus)
            yield ResourceUse(f"{title}, line, reads", 100 * found.line_read)
            yield ResourceUse(f"{title}, line, writes", 100 * found.line_write)
        for load in self.trunks:
            yield ResourceUse(load.title, min(100.0, load.percent))
        for saps in self.saps:
            yield ResourceUse(f"SAPs of {saps.system}", saps.busy_percent)

    def first(self) -> ResourceUse | None:
        """What is full first as the load grows; None if nothing is used.

        A trunk that is full leaves the channels below it with less to do than they could.
        """
        some = (each for each in self.used() if each.most > 0)
        return max(some, key=lambda each: each.most, default=None)


class IoAdvice(Struct, frozen=True):
    """Something to change, and what is so; ``id`` stays the same between releases."""

    id: str
    severity: Severity
    text: str


def make_io_plan(
    configuration: IoConfiguration, change: Callable[[Demand], Demand] = lambda demand: demand
) -> IoPlan:
    """Estimate every channel of ``configuration``. Raises `ctc.channel.BadFeature`.

    ``change`` is done to what each workload asks of a channel.
    """
    synchronous = tuple(synchronous_loads(configuration))
    estimates = {
        route.channel.chpid: partial(estimate_channel, route, tuple(map(change, demands)), NOTHING)
        for route, demands in asked(configuration, asynchronous(configuration, synchronous))
        if demands
    }
    slowness = balance(configuration.trunks, estimates)
    channels = tuple(estimate(slowness[chpid]) for chpid, estimate in estimates.items())
    return IoPlan(
        configuration,
        channels,
        synchronous,
        tuple(planned_osa(each) for each in configuration.channels.values() if each.is_osa),
        sap_loads(
            configuration.systems,
            (
                (each.demand.workload.system or channel.channel.system, each.rate_per_s)
                for channel in channels
                for each in channel.demands
            ),
        ),
        trunk_loads(configuration.trunks, {each.channel.chpid: each.traffic for each in channels}),
    )


def asynchronous(
    configuration: IoConfiguration, synchronous: Iterable[SynchronousLoad]
) -> list[IoWorkload]:
    """What goes over FICON channels: what is to, and what zHyperLinks turn away."""
    failed = (turned_away(load, configuration) for load in synchronous)
    others = (Protocol.SYNCHRONOUS, Protocol.TCP)
    return [
        *(one for one in configuration.workloads if one.protocol not in others),
        *(one for one in failed if one),
    ]


def asked(
    configuration: IoConfiguration, workloads: Sequence[IoWorkload]
) -> Iterator[tuple[ChannelRoute, tuple[Demand, ...]]]:
    """Every FICON channel, and what workloads ask of it; those on a path share it."""
    for route in make_routes(configuration):
        chpid = route.channel.chpid
        users = (one for one in workloads if chpid in one.channels and one.rate_per_s != 0)
        yield route, tuple(make_demand(workload, route) for workload in users)


def advise(plan: IoPlan, guidelines: Guidelines | None = None) -> Iterator[IoAdvice]:
    """All advice on a configuration: paths, channels, workloads, systems, networks."""
    guidelines = guidelines or Guidelines()
    channels = plan.configuration.channels
    paths = {one.path.name: one.path for one in channels.values() if one.path and one.is_ficon}
    for path in paths.values():
        users = [one for one in channels.values() if one.is_ficon and one.path == path]
        yield from _advise_path(path, [_link_gbps(plan, one) for one in users])
    for one in plan.channels:
        yield from _advise_link(one)
        yield from _advise_use(one, guidelines)
    for load in plan.trunks:
        yield from _advise_trunk(load)
    for workload in plan.configuration.workloads:
        used = [channels[chpid] for chpid in workload.channels]
        yield from _advise_workload(plan, workload, used)
    for each in plan.synchronous:
        yield from _advise_synchronous(plan, each)
    for saps in plan.saps:
        yield from _advise_saps(saps, guidelines)
    for channel in channels.values():
        if channel.is_osa:
            yield from _advise_osa(channel)


def _warning(name: str, text: str) -> IoAdvice:
    return IoAdvice(name, Severity.WARNING, text)


def _link_gbps(plan: IoPlan, channel: IoChannel) -> float:
    """How fast the line of a FICON channel runs, 0 if it carries nothing."""
    return next((one.route.link_gbps for one in plan.channels if one.channel == channel), 0.0)


def _advise_path(path: FarPath, links_gbps: list[float]) -> Iterator[IoAdvice]:
    """Whether full frames fill the line: small ones need more credits still."""
    gbps = path.isl.gbps if path.isl else max(links_gbps)
    credits_ = path.isl.credits if path.isl else ficon.PORT_CREDITS
    if not gbps:
        return
    needed = ficon.credits_for_full_frames(gbps, path.km)
    if credits_ < needed:
        frame_ns, length = ficon.full_frame_ns(gbps), ficon.FRAME_DATA_LENGTH
        bytes_per_s = ficon.credit_bytes_per_s(credits_, path.km, length, frame_ns)
        full_mb_per_s = ficon.full_frames_mb_per_s(gbps)
        lacking = (
            f"over {path.km:g} km let through {number(bytes_per_s / 1e6)} of "
            f"{number(full_mb_per_s)} MB/s each way. {needed} are needed for full frames"
        )
        if path.isl:
            yield _warning(
                "credits-too-few",
                f"Path {path.name}: {credits_} buffer credits {lacking} (half a credit for each "
                f"km and Gb/s, the old rule, says {ficon.credits_by_rule(gbps, path.km)}).",
            )
        else:
            yield _warning(
                "port-beyond-reach",
                f"Path {path.name}: the {credits_} buffer credits of a channel's port {lacking}: "
                "put a director with more credits in between, [path] isl.",
            )
    if path.isl and path.isl.gbps * path.isl.count < sum(links_gbps):
        yield IoAdvice(
            "isl-too-slow",
            Severity.INFO,
            f"Path {path.name}: {path.isl.count} inter-switch links of {path.isl.gbps:g} Gb/s "
            f"carry less than the channels that take it, {sum(links_gbps):g} Gb/s in all.",
        )


def _advise_link(one: ChannelEstimate) -> Iterator[IoAdvice]:
    route, chpid = one.route, one.channel.chpid
    if route.link_gbps < route.profile.link_gbps:
        yield _warning(
            "link-below-feature",
            f"Channel {chpid}: its link runs at {route.link_gbps:g} Gb/s, {route.profile.feature} "
            f"at up to {route.profile.link_gbps:g}. Look for a slower port at the other end.",
        )
    if one.channel.encrypted and route.profile.feature not in ENCRYPTING:
        unknown = find_feature(route.profile.feature).unknown
        verb = "is not known to encrypt" if unknown else "cannot encrypt"
        yield _warning(
            "encryption-unsupported",
            f"Channel {chpid}: {route.profile.feature} {verb}; {', '.join(ENCRYPTING)} can.",
        )


def _advise_use(estimate: ChannelEstimate, guidelines: Guidelines) -> Iterator[IoAdvice]:
    chpid = estimate.channel.chpid
    line = max(estimate.line_read, estimate.line_write)
    for name, share, limit in (
        ("processor", estimate.processor, guidelines.processor_percent),
        ("bus", estimate.bus, guidelines.bus_percent),
        ("line", line, guidelines.bus_percent),
    ):
        if round(100 * share) > limit:
            more = round(100 * share) - 100
            beyond = (
                " More than all of it: frames of each I/O that go the other way are counted and "
                f"hold nothing back, so that rates are up to {more} % too high."
            )
            yield _warning(
                f"{name}-above-guideline",
                f"Channel {chpid}: its {name} is {number(100 * share)} % busy. Stay below "
                f"{limit:g} % for good response times: 'isfc io size' says how many channels that "
                "takes." + beyond * (more > 0),
            )
    for each in estimate.demands:
        workload, wanted = each.demand.workload, each.demand.rate_per_s
        if wanted is not None and each.rate_per_s < 0.99 * wanted:
            yield _warning(
                "load-not-carried",
                f"Channel {chpid}: carries {number(each.rate_per_s)} of the {number(wanted)} I/Os "
                f"a second that are its share of {workload.name}.",
            )
        if wanted is None and workload.outstanding is not None:
            yield from _advise_exchanges(chpid, each)


def _advise_trunk(load: TrunkLoad) -> Iterator[IoAdvice]:
    if load.percent > _FULL:
        yield _warning(
            "ceiling-reached",
            f"{load.level.capitalize()} {load.name}: is full with {number(load.gb_per_s_read, 2)} "
            f"GB/s read and {number(load.gb_per_s_write, 2)} written, and holds back what is below "
            f"it: {', '.join(load.channels)}. Put some of that elsewhere.",
        )


def _advise_exchanges(chpid: str, each: DemandEstimate) -> Iterator[IoAdvice]:
    """By Little's law: rate x time without waiting is what is open to some purpose."""
    useful = max(1.0, each.rate_per_s * (each.response_ns - each.extra_ns) / 1e9)
    open_ = each.demand.outstanding
    if open_ > _EXCHANGES_FACTOR * useful:
        yield _warning(
            "exchanges-too-many",
            f"Channel {chpid}: {each.demand.workload.name} has {number(open_)} I/Os open, of which "
            f"{number(open_ - useful)} wait for others. About {number(useful)} would keep the "
            "channel as busy.",
        )


def _advise_workload(
    plan: IoPlan, workload: IoWorkload, channels: list[IoChannel]
) -> Iterator[IoAdvice]:
    ficon = [channel for channel in channels if channel.is_ficon]
    if workload.protocol in (Protocol.ZHPF, Protocol.FICON, Protocol.FCP) and len(ficon) == 1:
        yield IoAdvice(
            "single-channel",
            Severity.INFO,
            f"{workload.name}: all of it uses channel {ficon[0].chpid}; a second one keeps it "
            "going when that is offline.",
        )
    speeds = sorted({speed for one in ficon if (speed := _link_gbps(plan, one))})
    if len(speeds) > 1:
        yield _warning(
            "speeds-mixed",
            f"{workload.name}: its channels run at {speeds[0]:g} to {speeds[-1]:g} Gb/s and get "
            "equal shares, so the slowest is full while the others are not.",
        )
    if workload.protocol is Protocol.FICON and all(
        one.route.profile.transport_io_ns is not None
        for one in plan.channels
        if workload in (each.demand.workload for each in one.demands)
    ):
        yield _warning(
            "command-mode",
            f"{workload.name}: is in command mode, which takes several times the channel "
            "processor. Turn zHPF on (ZHPF=YES) where software allows.",
        )


def _advise_synchronous(plan: IoPlan, each: SynchronousLoad) -> Iterator[IoAdvice]:
    name = each.workload.name
    if len(each.links) < ZHYPERLINKS_MIN:
        yield _warning(
            "zhyperlink-single",
            f"{name}: has one zHyperLink; {ZHYPERLINKS_MIN} or more are to join each control unit.",
        )
    if each.workload.io_bytes > 4096:
        yield _warning(
            "zhyperlink-too-long",
            f"{name}: I/Os of {each.workload.io_bytes} bytes go over FICON; zHyperLink takes 4096.",
        )
    if each.outcome and each.outcome.link_busy > LINK_BUSY_MAX:
        yield _warning(
            "zhyperlink-busy",
            f"{name}: {number(100 * each.outcome.link_busy)} % of requests find the link busy and "
            "go asynchronous. Add a zHyperLink.",
        )
    for link in each.links:
        if link.path and link.path.km > ZHYPERLINK_KM_MAX:
            yield _warning(
                "zhyperlink-too-far",
                f"Channel {link.chpid}: a zHyperLink reaches {1000 * ZHYPERLINK_KM_MAX:g} m; path "
                f"{link.path.name} has {link.path.km:g} km.",
            )
    channels = plan.configuration.channels
    if not any(channels[chpid].is_ficon for chpid in each.workload.channels):
        yield _warning(
            "zhyperlink-no-fallback",
            f"{name}: names no FICON channel, and what misses the cache or finds the link busy "
            "needs one.",
        )


def _advise_saps(saps: SapLoad, guidelines: Guidelines) -> Iterator[IoAdvice]:
    percent = saps.busy_percent
    if percent is None or percent > guidelines.sap_percent:
        busy = "not enough" if percent is None or percent > 100 else f"{number(percent)} % busy"
        yield _warning(
            "saps-above-guideline",
            f"System {saps.system}: {saps.saps} SAPs are {busy}. Stay below "
            f"{guidelines.sap_percent:g} %.",
        )


def _advise_osa(channel: IoChannel) -> Iterator[IoAdvice]:
    if channel.mtu_bytes < JUMBO_MTU:
        yield _warning(
            "mtu-small",
            f"Channel {channel.chpid}: packets of {channel.mtu_bytes} bytes; with {JUMBO_MTU}, end "
            "to end, streams get more and cost less.",
        )
    if not channel.large_send:
        yield _warning(
            "large-send-off",
            f"Channel {channel.chpid}: without large send (SEGMENTATIONOFFLOAD) the system cuts "
            "every packet itself.",
        )
