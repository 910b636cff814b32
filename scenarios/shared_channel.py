"""CTCs and disks on one channel: what each costs the other.

Both use the channel's processor and its line. Where there is not enough for both, each has what it
wants up to half, and what the other leaves (max-min fairness, which sharing by turns comes to).
CTCs then run in virtual time on what the disks leave, and the disks' mean values are taken beside
what the CTCs use. A transfer crosses the channels at both ends, so disks at one end hold it up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ctc.address import ChpidId, format_chpid
from ctc.chpid import Chpid
from ctc.profiles import ChpidProfile
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.demand import Demand, Route, make_demand, make_route
from isfc.io.estimate import ChannelEstimate, estimate_channel
from isfc.layout.layout import Fibre, Layout
from scenarios.run import Experiment, Result, build, measure

_NS_PER_S = 1_000_000_000
_FULL = 0.99  # a mean value beside a full resource would be endless


@dataclass(frozen=True, slots=True)
class Use:
    """What the CTCs of a chpid use of it: shares of its processor and of the line each way."""

    processor: float
    line_out: float
    line_in: float


@dataclass(frozen=True, slots=True)
class SharedChannel:
    """One chpid that CTCs and disks use: each alone, and beside the other."""

    node: str
    chpid: str
    ctcs_alone: Use
    ctcs_beside: Use
    disks_alone: ChannelEstimate
    disks_beside: ChannelEstimate


@dataclass(frozen=True, slots=True)
class SharedRun:
    """What the link did without the disks, and with them, and what became of both."""

    alone: Result
    beside: Result
    channels: tuple[SharedChannel, ...]


def run_shared(experiment: Experiment, configuration: IoConfiguration) -> SharedRun:
    """Run a link without and with the disks of ``configuration`` on its chpids.

    Raises `ConfigurationError` if none of its channels is a chpid of the layout.
    """
    ridden = tuple(_ridden(experiment.layout, configuration))
    if not ridden:
        raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
    alone, uses = _run(experiment)
    disks = {key: estimate_channel(route, demands) for key, _, route, demands in ridden}
    profiles: dict[str, ChpidProfile] = {}
    for key, fibre, _, _ in ridden:
        left = _beside(fibre.profile, uses[key], disks[key])
        slower = profiles.get(fibre.name)
        if slower is None or left.processor_ns_per_byte > slower.processor_ns_per_byte:
            profiles[fibre.name] = left
    beside, uses_beside = _run(
        replace(experiment, layout=_with_profiles(experiment.layout, profiles)),
        {fibre.name: fibre.profile for fibre in experiment.layout.fibres},
    )
    return SharedRun(
        alone,
        beside,
        tuple(
            SharedChannel(
                node=key[0],
                chpid=format_chpid(key[1]),
                ctcs_alone=uses[key],
                ctcs_beside=uses_beside[key],
                disks_alone=disks[key],
                disks_beside=estimate_channel(
                    route,
                    demands,
                    min(_FULL, uses_beside[key].processor),
                    min(_FULL, max(uses_beside[key].line_out, uses_beside[key].line_in)),
                ),
            )
            for key, _, route, demands in ridden
        ),
    )


_Key = tuple[str, ChpidId]


def _ridden(
    layout: Layout, configuration: IoConfiguration
) -> Iterator[tuple[_Key, Fibre, Route, list[Demand]]]:
    for fibre in layout.fibres:
        for node, chpid in zip(layout.nodes, fibre.chpids, strict=True):
            channel = configuration.channels.get(format_chpid(chpid))
            if channel is not None and channel.system == node:
                route = make_route(channel)
                riding = configuration.riding(channel.chpid)
                yield (node, chpid), fibre, route, [make_demand(one, route) for one in riding]


def _beside(profile: ChpidProfile, ctcs: Use, disks: ChannelEstimate) -> ChpidProfile:
    """What the disks leave to the CTCs."""
    line = max(_granted(disks.line_read, ctcs.line_in), _granted(disks.line_write, ctcs.line_out))
    return profile.beside(_granted(disks.processor, ctcs.processor), line)


def _granted(wanted: float, other: float) -> float:
    """What one has of a resource if another wants ``other``: half at least, or what is left."""
    return min(wanted, max(0.5, 1.0 - other), _FULL)


def _with_profiles(layout: Layout, profiles: Mapping[str, ChpidProfile]) -> Layout:
    """The layout with other profiles for some fibres."""
    fibres = {
        fibre.name: replace(fibre, profile=profiles.get(fibre.name, fibre.profile))
        for fibre in layout.fibres
    }
    return Layout(
        layout.nodes,
        tuple(fibres.values()),
        tuple(replace(ctc, fibre=fibres[ctc.fibre.name]) for ctc in layout.ctcs),
    )


def _run(
    experiment: Experiment, profiles: Mapping[str, ChpidProfile] | None = None
) -> tuple[Result, dict[_Key, Use]]:
    """A run, and what it used of each chpid, whose profiles are ``profiles`` by fibre."""
    engine, systems = build(experiment)
    end = systems[0].ends[0]
    engine.run(experiment.begin_ns)
    before = end.snapshot(engine.now_ns)
    counted = [
        {number: _counters(chpid) for number, chpid in system.channels.chpids.items()}
        for system in systems
    ]
    engine.run(experiment.end_ns)
    uses: dict[_Key, Use] = {}
    for system, first in zip(systems, counted, strict=True):
        here = experiment.layout.nodes.index(system.name)
        for fibre in experiment.layout.fibres:
            number = fibre.chpids[here]
            if number not in first:
                continue
            profile = (profiles or {}).get(fibre.name, fibre.profile)
            last = _counters(system.channels.chpids[number])
            moved = [after - begun for after, begun in zip(last, first[number], strict=True)]
            uses[system.name, number] = _use(profile, moved, experiment.seconds)
    return measure(end.name, before, end.snapshot(engine.now_ns)), uses


def _counters(chpid: Chpid[Any]) -> tuple[int, int, int, int]:
    return chpid.io_count, chpid.length_out, chpid.length_in, chpid.ccw_count


def _use(profile: ChpidProfile, moved: list[int], seconds: float) -> Use:
    ios, length_out, length_in, ccws = moved
    ns = seconds * _NS_PER_S
    processor_ns = (
        ios * profile.io_ns
        + (length_out + length_in) * profile.processor_ns_per_byte
        + ccws * profile.processor_ns_per_ccw
    )
    return Use(
        processor=processor_ns / ns,
        line_out=length_out * profile.line_ns_per_byte / ns,
        line_in=length_in * profile.line_ns_per_byte / ns,
    )
