"""What several fibres share in a run of a collection: channels, and the links between directors.

Each with what every link moved over it, and how busy that made it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctc.address import Rdev
from ctc.profiles import ChpidProfile
from ctc.sharing import NOTHING, ChannelUse
from isfc.layout.layout import Channel, Collection, Fibre, Layout
from isfc.layout.path import FarPath
from isfc.layout.sharing import carried_by, channel_name
from isfc.link.counters import LinkEndSnapshot
from isfc.link.name import NodeName
from isfc.system.system import System
from scenarios.run import MIB
from scenarios.shared_channel import count_moved, use_of

Look = Mapping[tuple[NodeName, NodeName], LinkEndSnapshot]
"""The counters of all link ends at one moment, by node and partner."""

Moved = Mapping[Channel, tuple[int, ...]]
"""What channels have moved so far."""

_FibreEnd = tuple[Layout, Fibre, int]
"""A fibre with its link, and which of its ends is meant."""


@dataclass(frozen=True, slots=True)
class ChannelShare:
    """What one link moved over a channel, in MB/s (2^20); both ways if the channel is both ends."""

    link: str
    mb_per_s_out: float
    mb_per_s_in: float


@dataclass(frozen=True, slots=True)
class Shared:
    """Something that several fibres share: who moved what over it."""

    shares: tuple[ChannelShare, ...]

    @property
    def mb_per_s_out(self) -> float:
        """What all links moved out of its beginning."""
        return sum(share.mb_per_s_out for share in self.shares)

    @property
    def mb_per_s_in(self) -> float:
        """What they moved the other way."""
        return sum(share.mb_per_s_in for share in self.shares)


@dataclass(frozen=True, slots=True)
class ChannelResult(Shared):
    """A channel, which begins at its system, and how busy it was."""

    channel: Channel
    profile: ChpidProfile
    use: ChannelUse

    @property
    def name(self) -> str:
        """The channel in words."""
        return channel_name(self.channel)

    @property
    def busy(self) -> float:
        """The share that was used of whichever is nearest to its end."""
        return max(self.use.processor, self.use.line_out, self.use.line_in)


@dataclass(frozen=True, slots=True)
class PathResult(Shared):
    """Inter-switch links of a path.

    They begin at the first of ``ways``: two directors, or else the first node and the second of
    each link.
    """

    path: FarPath
    ways: tuple[str, str]

    @property
    def name(self) -> str:
        """The path in words, with where out begins."""
        return f"path {self.path.name} out of {self.ways[0]}"

    @property
    def mb_per_s_max(self) -> float:
        """What the inter-switch links carry each way, by rate and buffer credits; MB are 2^20."""
        assert self.path.isl is not None, "others share nothing"
        return 1e9 / self.path.isl.ns_per_byte(self.path.km) / MIB

    @property
    def busy(self) -> float:
        """The share that was used of the direction with more."""
        return max(self.mb_per_s_out, self.mb_per_s_in) / self.mb_per_s_max


def moved_so_far(collection: Collection, systems: Sequence[System]) -> Moved:
    """What each channel has moved so far."""
    found: dict[Channel, tuple[int, ...]] = {}
    for channel in carried_by(collection):
        ends: list[Any] = []
        for end in channel:
            for system in systems:  # a system of which no link runs is not there
                if system.name == end.node:
                    ends += system.channels.chpids.get(end.chpid, [])
        found[channel] = count_moved(ends)
    return found


def channel_results(
    collection: Collection, seconds: float, looks: Sequence[Look], moved: Sequence[Moved]
) -> Iterable[ChannelResult]:
    """Each channel that several fibres share or a fibre has both ends on."""
    for channel in carried_by(collection):
        fibres = collection.fibre_ends(channel)
        if len(fibres) < 2:
            continue
        (_, first, _), *_ = fibres
        grown = [
            after - before
            for before, after in zip(moved[0][channel], moved[-1][channel], strict=True)
        ]
        use = use_of(first.profile, grown, seconds) if any(grown) else NOTHING
        shares = _shares(seconds, fibres, looks)
        yield ChannelResult(shares, channel, first.profile, use)


def path_results(
    collection: Collection, seconds: float, looks: Sequence[Look]
) -> Iterable[PathResult]:
    """The inter-switch links of each path that several fibres take."""
    found: dict[tuple[FarPath, frozenset[str]], list[_FibreEnd]] = {}
    for link in collection.links:
        for fibre in link.fibres:
            if fibre.path is not None and fibre.path.isl is not None:
                ends = found.setdefault((fibre.path, frozenset(fibre.ways)), [])
                out = 0 if not ends else fibre.ways.index(ends[0][1].ways[0])
                ends.append((link, fibre, out))
    for (path, _), ends in found.items():
        if len(ends) > 1:
            yield PathResult(_shares(seconds, ends, looks), path, ends[0][1].ways)


def _shares(
    seconds: float,
    ends: Iterable[_FibreEnd],
    looks: Sequence[Look],
) -> tuple[ChannelShare, ...]:
    """What each link moved over its fibres here, out as their ends have written it."""
    shares: dict[str, list[float]] = {}
    for link, fibre, end in ends:
        node, partner = link.nodes[end], link.nodes[1 - end]
        rdevs = {ctc.rdevs[end] for ctc in link.ctcs if ctc.fibre == fibre}
        flow = _flow(rdevs, looks[0][node, partner], looks[-1][node, partner])
        share = shares.setdefault(link.name, [0.0, 0.0])
        for way in (0, 1):
            share[way] += flow[way] / seconds / MIB
    return tuple(ChannelShare(name, *flow) for name, flow in shares.items())


def _flow(rdevs: set[Rdev], before: LinkEndSnapshot, after: LinkEndSnapshot) -> tuple[int, int]:
    """Bytes that some CTCs have written and read between two looks."""
    out = back = 0
    for first, last in zip(before.devices, after.devices, strict=True):
        if last.rdev in rdevs:
            out += last.write_length - first.write_length
            back += last.read_length - first.read_length
    return out, back
