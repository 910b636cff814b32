"""What several fibres share in a run of a collection: channels, and the links between directors.

Each with what every link moved over it, and how busy that made it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ctc.address import Rdev
from ctc.profiles import ChpidProfile
from ctc.sharing import NOTHING, ChannelUse
from isfc.layout.collection import Channel, Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.path import FarPath
from isfc.layout.sharing import carried_by, channel_name
from isfc.link.counters import LinkEndSnapshot
from isfc.link.name import NodeName
from scenarios.runs.channel_busy import ChannelBusy, ChannelsBusy
from scenarios.runs.result import MIB

Look = Mapping[tuple[NodeName, NodeName], LinkEndSnapshot]
"""The counters of all link ends at one moment, by node and partner."""

FibreEnd = tuple[Layout, Fibre, int]
"""A fibre with its link, and which of its ends is meant."""


@dataclass(frozen=True, slots=True)
class ChannelShare:
    """What one link moved over a channel, in MB/s (2^20); both ways if the channel is both ends."""

    link: str
    mb_per_s_out: float
    mb_per_s_in: float


@dataclass(frozen=True, slots=True)
class SharedResult:
    """Something that several fibres share: who moved what over it."""

    shares: tuple[ChannelShare, ...]

    @property
    def name(self) -> str:
        """What it is, in words."""
        raise NotImplementedError

    @property
    def busy(self) -> float:
        """The share of the time that it was busy."""
        raise NotImplementedError

    @property
    def mb_per_s_out(self) -> float:
        """What all links moved out of its beginning."""
        return sum(share.mb_per_s_out for share in self.shares)

    @property
    def mb_per_s_in(self) -> float:
        """What they moved the other way."""
        return sum(share.mb_per_s_in for share in self.shares)


@dataclass(frozen=True, slots=True)
class ChannelResult(SharedResult):
    """A channel, which begins at its system, and how busy it was."""

    channel: Channel
    profile: ChpidProfile
    """Of the shortest of its fibres: buffer credits make the line of a long one slower."""
    resources: ChannelBusy

    @property
    def name(self) -> str:
        """The channel in words."""
        return channel_name(self.channel)

    @property
    def line_mb_per_s(self) -> float:
        """What its line can carry, one way."""
        return 1e9 / self.profile.line_ns_per_byte / MIB

    @property
    def processor_mb_per_s(self) -> float:
        """What its data processor can handle of long messages, both ways together."""
        return 1e9 / self.profile.processor_ns_per_byte / MIB

    @property
    def busy(self) -> float:
        """The share of the time that the resource was busy which is nearest to its end."""
        return self.resources.greatest


@dataclass(frozen=True, slots=True)
class PathResult(SharedResult):
    """Inter-switch links of a path.

    They begin at the first of ``ways``: two directors, or else the first node and the second of
    each link.
    """

    path: FarPath
    ways: tuple[str, str]
    most_mb_per_s: float
    """What was sent in the direction with more."""

    @property
    def busy(self) -> float:
        """The share that was used of the direction with more."""
        return self.most_mb_per_s / self.mb_per_s_max

    @property
    def name(self) -> str:
        """The path in words, with where out begins."""
        return f"path {self.path.name} out of {self.ways[0]}"

    @property
    def mb_per_s_max(self) -> float:
        """What the inter-switch links carry each way, by rate and buffer credits; MB are 2^20."""
        assert self.path.isl is not None, "others share nothing"
        return 1e9 / self.path.isl.ns_per_byte(self.path.km) / MIB


def channel_results(
    collection: Collection, looks: Sequence[Look], busy: ChannelsBusy
) -> Iterable[ChannelResult]:
    """Each channel that several fibres share, disks use too, or a fibre has both ends on."""
    for channel in carried_by(collection):
        fibres = collection.fibre_ends(channel)
        wanted = disks_of(fibres)
        if len(fibres) < 2 and wanted == NOTHING:
            continue
        lines = [fibre.line_profile for _, fibre, _ in fibres]
        fastest = min(lines, key=lambda line: line.line_ns_per_byte)
        resources = busy(map(str, channel)).with_disks(wanted)
        shares = _shares(busy.seconds, fibres, looks)
        yield ChannelResult(shares, channel, fastest, resources)


def disks_of(fibres: Iterable[FibreEnd]) -> ChannelUse:
    """What disks want of the channel that these ends of fibres are on."""
    wanted = NOTHING
    for _, fibre, end in fibres:
        wanted = wanted.joined(fibre.disks[end])
    return wanted


def path_results(
    collection: Collection, looks: Sequence[Look], busy: ChannelsBusy
) -> Iterable[PathResult]:
    """The inter-switch links of each path that several fibres take."""
    found: dict[tuple[FarPath, frozenset[str]], list[FibreEnd]] = {}
    for link in collection.links:
        for fibre in link.fibres:
            if fibre.path is not None and fibre.path.isl is not None:
                ends = found.setdefault((fibre.path, frozenset(fibre.ways)), [])
                out = 0 if not ends else fibre.ways.index(ends[0][1].ways[0])
                ends.append((link, fibre, out))
    for (path, _), ends in found.items():
        if len(ends) > 1:
            ways = ends[0][1].ways
            most = max(busy.sent_bytes(path, ways)) / busy.seconds / MIB
            yield PathResult(_shares(busy.seconds, ends, looks), path, ways, most)


def _shares(
    seconds: float,
    ends: Iterable[FibreEnd],
    looks: Sequence[Look],
) -> tuple[ChannelShare, ...]:
    """What each link moved over its fibres here, out as their ends have written it."""
    shares: dict[str, list[float]] = {}
    for link, fibre, begin in ends:
        share = shares.setdefault(link.name, [0.0, 0.0])
        for way, end in enumerate((begin, 1 - begin)):
            place = link.nodes[end], link.nodes[1 - end]
            rdevs = {ctc.rdevs[end] for ctc in link.ctcs if ctc.fibre == fibre}
            share[way] += _sent(rdevs, looks[0][place], looks[-1][place]) / seconds / MIB
    return tuple(ChannelShare(name, *flow) for name, flow in shares.items())


def _sent(rdevs: set[Rdev], before: LinkEndSnapshot, after: LinkEndSnapshot) -> int:
    """Bytes that some CTCs have put on their fibres between two looks."""
    devices = zip(before.devices, after.devices, strict=True)
    return sum(
        last.sent_length - first.sent_length for first, last in devices if last.rdev in rdevs
    )
