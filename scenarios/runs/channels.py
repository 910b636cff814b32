"""The channels of a run, and the links between directors: how busy, and which link moved what.

A channel has four resources: the processor that starts its I/Os, its data processor, and its line
out and in. Each does one thing at a time, so that none is busy for more than all of the time, and
what one was busy is counted once. Of what several fibres share, each is there with what every link
moved over it, and how busy that made it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from ctc.channel import FAIR_SHARE, NOTHING, ChannelUse
from ctc.chpid import Chpid
from ctc.features import ChpidProfile
from isfc.layout.collection import Collection
from isfc.layout.layout import FarPath, Fibre, Layout
from isfc.layout.parts import Channel, ChannelEnd
from isfc.layout.sharing import carried_by, channel_name
from isfc.link.counters import LinkEndSnapshot
from isfc.link.name import NodeName
from isfc.system.system import System
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB

MIXED_LINKS: Final = 5
MIXED_SHARE: Final = 0.2
"""Where so many busy links use every channel, no order in which CTCs write lasts, and as many more
messages tell what all carry: runs take such a share of the time of those of a link. Chosen: full
meshes of 8 and 16 systems carry the same from a twentieth of a second on, of 32 from a fourth."""


def time_share(experiment: Experiment) -> float:
    """The share that runs take of the times that are chosen for those of a link."""
    busy = {*map(frozenset, experiment.sending)}
    used = carried_by(experiment.collection).values()
    counts = [sum(frozenset(link.nodes) in busy for link in links) for links in used]
    return MIXED_SHARE if min(filter(None, counts), default=0) >= MIXED_LINKS else 1.0


class ChannelBusy(Struct, frozen=True):
    """Shares from 0 to 1 of the time that each resource was busy, seen from the channel."""

    starts: float = 0.0
    data: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0

    @property
    def greatest(self) -> float:
        """The share of whichever is nearest to its end."""
        return max(self.starts, self.data, self.line_out, self.line_in)

    @property
    def use(self) -> ChannelUse:
        """What disks on the same channel are held up by: to them its processors are one."""
        return ChannelUse(self.starts + self.data, self.line_out, self.line_in)

    def with_disks(self, wanted: ChannelUse) -> "ChannelBusy":
        """As busy as disks make it that want so much, and get what CTCs leave, or their share."""
        if wanted == NOTHING:
            return self

        def both(ctcs: float, disks: float) -> float:
            return ctcs + min(disks, max(FAIR_SHARE, 1.0 - ctcs))

        return ChannelBusy(
            both(self.starts, wanted.processor),
            both(self.data, wanted.processor),
            both(self.line_out, wanted.line_out),
            both(self.line_in, wanted.line_in),
        )


class _BusyNs(Struct):
    """How long each resource of one chpid has been busy so far.

    ``queues`` start its I/Os, by number: chpids of one channel have one of them.
    """

    queues: dict[int, float]
    data: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0


class BusySoFar(Struct, frozen=True):
    """How long the resources of each chpid of some links have been busy, in ns.

    ``sent_bytes`` are those sent over each path between directors, or between the first nodes of
    its links and the second, and from where.
    """

    chpids: Mapping[str, _BusyNs]
    sent_bytes: Mapping[tuple[FarPath, str, str], float]


def busy_so_far(links: Iterable[Layout], systems: Sequence[System], now_ns: int) -> BusySoFar:
    """How long the CTCs of these links have kept each chpid busy since the run began."""
    found: dict[str, _BusyNs] = {}
    sent_bytes: dict[tuple[FarPath, str, str], float] = {}
    at = {system.name: system.channels for system in systems}
    counted: set[int] = set()
    numbers: dict[int, int] = {}
    for link in links:
        for ctc in link.ctcs:
            for here, there in ((0, 1), (1, 0)):
                sender: Chpid[Any] = at[link.nodes[here]].end_of[ctc.rdevs[here]]
                if id(sender) in counted:
                    continue
                counted.add(id(sender))
                ends = [
                    found.setdefault(
                        str(ChannelEnd(link.nodes[end], ctc.fibre.chpids[end])), _BusyNs({})
                    )
                    for end in (here, there)
                ]
                number = numbers.setdefault(id(sender.queue), len(numbers))
                ends[0].queues[number] = sender.starts_ns(now_ns)
                line_ns, data_ns = sender.line_ns(now_ns), sender.processor_ns(now_ns)
                ends[0].line_out += line_ns
                ends[1].line_in += line_ns
                for end in ends:
                    end.data += data_ns
                if ctc.fibre.path is not None:
                    ways = ctc.fibre.ways
                    way = ctc.fibre.path, ways[here], ways[there]
                    sent_bytes[way] = sent_bytes.get(way, 0.0) + sender.sent_bytes(now_ns)
    return BusySoFar(found, sent_bytes)


class ChannelsBusy(Struct, frozen=True):
    """How busy each channel was in the ``seconds`` between two moments of a run."""

    before: BusySoFar
    after: BusySoFar
    seconds: float

    def __call__(self, ends: Iterable[str]) -> ChannelBusy:
        """One channel, by what each system that has it calls it: ``ALPHA 40``."""
        ns = self.seconds * 1e9
        grown = [
            (self.before.chpids[end], self.after.chpids[end])
            for end in ends
            if end in self.after.chpids
        ]
        queues = {
            queue: busy_ns - first.queues[queue]
            for first, last in grown
            for queue, busy_ns in last.queues.items()
        }
        return ChannelBusy(
            sum(queues.values()) / ns,
            sum(last.data - first.data for first, last in grown) / ns,
            sum(last.line_out - first.line_out for first, last in grown) / ns,
            sum(last.line_in - first.line_in for first, last in grown) / ns,
        )

    def sent_bytes(self, path: FarPath, ways: tuple[str, str]) -> tuple[float, float]:
        """Bytes sent over a path out of the first of ``ways``, and out of the second."""
        out, back = (
            self.after.sent_bytes.get(way, 0.0) - self.before.sent_bytes.get(way, 0.0)
            for way in ((path, *ways), (path, *ways[::-1]))
        )
        return out, back


Look = Mapping[tuple[NodeName, NodeName], LinkEndSnapshot]
"""The counters of all link ends at one moment, by node and partner."""

FibreEnd = tuple[Layout, Fibre, int]
"""A fibre with its link, and which of its ends is meant."""


class ChannelShare(Struct, frozen=True):
    """What one link moved over a channel, in MB/s (2^20); both ways if the channel is both ends."""

    link: str
    mb_per_s_out: float
    mb_per_s_in: float


class SharedResult(Struct, frozen=True):
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


class ChannelResult(SharedResult, frozen=True):
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


class PathResult(SharedResult, frozen=True):
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
            if fibre.path is not None and fibre.isl is not None:
                ends = found.setdefault((fibre.path, frozenset(fibre.ways)), [])
                out = 0 if not ends else fibre.ways.index(ends[0][1].ways[0])
                ends.append((link, fibre, out))
    for (path, _), ends in found.items():
        if len(ends) > 1:
            ways = ends[0][1].ways
            most = max(busy.sent_bytes(path, ways)) / busy.seconds / MIB
            yield PathResult(_shares(busy.seconds, ends, looks), path, ways, most)


def _shares(
    seconds: float, ends: Iterable[FibreEnd], looks: Sequence[Look]
) -> tuple[ChannelShare, ...]:
    """What each link moved over its fibres here, out as their ends have written it."""
    shares: dict[str, list[float]] = {}
    for link, fibre, begin in ends:
        share = shares.setdefault(link.name, [0.0, 0.0])
        for way, end in enumerate((begin, 1 - begin)):
            place = link.nodes[end], link.nodes[1 - end]
            rdevs = {ctc.rdevs[end] for ctc in link.ctcs if ctc.fibre == fibre}
            devices = zip(looks[0][place].devices, looks[-1][place].devices, strict=True)
            both = [(first, last) for first, last in devices if last.rdev in rdevs]
            sent = sum(last.sent_length - first.sent_length for first, last in both)
            share[way] += sent / seconds / MIB
    return tuple(ChannelShare(name, *flow) for name, flow in shares.items())
