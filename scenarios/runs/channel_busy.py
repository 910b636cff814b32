"""How busy the CTCs of a run have made each channel: what one resource was busy, nothing twice.

A channel has four resources: the processor that starts its I/Os, its data processor, and its line
out and in. Each does one thing at a time, so that none is busy for more than all of the time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctc.chpid import Chpid
from ctc.sharing import FAIR_SHARE, NOTHING, ChannelUse
from isfc.layout.collection import ChannelEnd
from isfc.layout.layout import Layout
from isfc.layout.path import FarPath
from isfc.system.system import System


@dataclass(frozen=True, slots=True)
class ChannelBusy:
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


@dataclass(slots=True)
class _BusyNs:
    """How long each resource of one chpid has been busy so far.

    ``queues`` start its I/Os, by number: chpids of one channel have one of them.
    """

    queues: dict[int, float]
    data: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0


@dataclass(frozen=True, slots=True)
class BusySoFar:
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


@dataclass(frozen=True, slots=True)
class ChannelsBusy:
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
