"""A run with faults: what went wrong, what the links did, how they recovered."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from ctc.address import format_rdev
from isfc.layout.definition import define_system
from isfc.link.events import DeviceChanged, LinkDown, LinkEvent, LinkUp, Program, Severed
from isfc.link.name import NodeName, Nodes
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import Fault
from scenarios.faults.injection import Injection
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import Operation, build

SLICE_NS: Final = 10_000_000
"""Throughput is looked at every 10 ms: some packages of a busy link."""
RECOVERED_SHARE: Final = 0.9
"""Of the throughput before a fault: then the link has recovered."""


class FaultEvent(Struct, frozen=True):
    """Something that happened."""

    at_s: float
    """since the run began"""
    node: str
    text: str
    is_fault: bool
    """whether it is a fault, or what the system saw"""


class Recovery(Struct, frozen=True, omit_defaults=True):
    """What a fault did to the throughput, MB/s both ways; ``recovered_ms`` is after its end.

    It is None if the run ended, or the next fault began, before the throughput was 90 % of what it
    had been. ``before_mb_per_s`` is of the time since the fault before it, or since the warm-up; of
    a fault that begins while another lasts, what that one has. It is None, and ``recovered_ms``
    with it, of a fault in the warm-up or in the first `SLICE_NS` after it. ``link`` is the one
    whose throughput it is, of several that run together. ``--json`` has it too; names and meanings
    of the keys stay between releases.
    """

    fault: str
    at_s: float
    over_s: float
    before_mb_per_s: float | None
    """null if it is not known what ran before"""
    during_mb_per_s: float | None
    after_mb_per_s: float | None
    recovered_ms: float | None
    """null if it did not recover, or it is not known what ran before"""
    link: str = ""
    """of several links that run together"""


class FaultOutcome(Struct, frozen=True):
    """What came of a whole run: events by their times, and what each fault did."""

    events: tuple[FaultEvent, ...]
    recoveries: tuple[Recovery, ...]
    mb_per_s: float
    """Of the whole run, after its warm-up, both ways."""


def run_with_faults(
    experiment: Experiment,
    faults: Sequence[Fault],
    progress: Callable[[float], None] | None = None,
    *,
    together: bool = False,
) -> FaultOutcome:
    """Run an experiment with faults. The same faults and seed give the same outcome.

    ``together`` is for any number of links: it names the link of all that is told.
    """
    return _FaultRun(experiment, faults, together=together).run(progress)


class _FaultRun:
    def __init__(self, experiment: Experiment, faults: Sequence[Fault], *, together: bool) -> None:
        self._experiment = experiment
        self._entries: list[FaultEvent] = []
        self._throttles: dict[NodeName, list[Throttled]] = {}
        disturbance = Disturbance(Random(f"disturbance {experiment.seed}"))
        operation = Operation((), self._hear)
        self._together = together
        self._links = {
            each.layout.nodes: each.layout.name if together else ""
            for each in experiment.each_alone
        }
        self._engine, _ = build(
            experiment, operation=operation, transit=disturbance, around=self._throttled
        )
        self._injection = Injection(self._engine, disturbance, self._throttles, self._renew, faults)
        self._carried: dict[Nodes, list[int]] = {nodes: [] for nodes in self._links}
        """Bytes delivered over each link in each slice, of which the last may be shorter."""

    def run(self, progress: Callable[[float], None] | None) -> FaultOutcome:
        experiment, engine = self._experiment, self._engine
        end_ns = experiment.end_ns
        while engine.now_ns < end_ns:
            before_ns, before = engine.now_ns, self._read()
            self._injection.run(min(end_ns, engine.now_ns + SLICE_NS))
            slices = max(1, round((engine.now_ns - before_ns) / SLICE_NS))
            for nodes, count in self._read().items():
                gained = max(0, count - before[nodes])  # counters of a fresh system begin at 0
                self._carried[nodes] += [gained // slices] * slices
            if progress is not None:
                progress(engine.now_ns / NS_PER_S)
        first = experiment.begin_ns // SLICE_NS
        return FaultOutcome(
            tuple(sorted([*self._entries, *self._told()], key=lambda entry: entry.at_s)),
            tuple(self._recoveries()),
            sum(self._mean(nodes, first) or 0.0 for nodes in self._carried),
        )

    def _throttled(self, program: Program, name: NodeName) -> Program:
        throttle = Throttled(program)
        self._throttles.setdefault(name, []).append(throttle)
        return throttle

    def _renew(self, name: NodeName) -> System:
        experiment = self._experiment
        fabric = self._engine.systems[0].channels.fabric
        definitions = define_system(experiment.collection, name, experiment.link_at(name))
        return System(definitions, fabric=fabric)

    def _read(self) -> dict[Nodes, int]:
        """What has been read at both ends of each link."""
        found = dict.fromkeys(self._links, 0)
        for system in self._engine.systems:
            for end in system.ends:
                nodes = _nodes(end)
                if nodes in found:
                    found[nodes] += end.link.counters.read_length
        return found

    def _hear(self, end: LinkEnd, event: LinkEvent, now_ns: int) -> None:
        partner = end.partner if self._together else None
        text = _said(event, partner)
        if text is not None and now_ns:
            self._entries.append(FaultEvent(now_ns / NS_PER_S, end.name, text, False))

    def _told(self) -> list[FaultEvent]:
        """The faults, as entries."""
        begun = [
            FaultEvent(at_ns / NS_PER_S, fault.node, fault.describe(), True)
            for at_ns, fault in self._injection.begun
        ]
        over = [
            FaultEvent(at_ns / NS_PER_S, fault.node, f"{fault.kind.value} is over", True)
            for at_ns, fault in self._injection.over
            if fault.for_ns
        ]
        return begun + over

    def _recoveries(self) -> Iterator[Recovery]:
        ends = {id(fault): at_ns for at_ns, fault in self._injection.over}
        begun, now_ns = self._injection.begun, self._engine.now_ns
        since = self._experiment.begin_ns // SLICE_NS
        before: dict[Nodes, float | None] = dict.fromkeys(self._links)
        for number, (at_ns, fault) in enumerate(begun):
            over_ns = ends.get(id(fault), now_ns)
            limit_ns = min(
                (other for other, _ in begun[number + 1 :] if other > at_ns), default=now_ns
            )
            first, last, limit = at_ns // SLICE_NS, -(-over_ns // SLICE_NS), limit_ns // SLICE_NS
            for nodes, link in self._links.items():
                if since < first:
                    before[nodes] = self._mean(nodes, since, first)
                recovered = self._recovered(nodes, before[nodes], last, limit)
                yield Recovery(
                    fault.describe(),
                    at_ns / NS_PER_S,
                    over_ns / NS_PER_S,
                    before[nodes],
                    self._mean(nodes, first, last),
                    None if recovered is None else self._mean(nodes, recovered, limit),
                    None if recovered is None else max(0.0, (recovered * SLICE_NS - over_ns) / 1e6),
                    link,
                )
            since = max(since, over_ns // SLICE_NS + 1)

    def _recovered(self, nodes: Nodes, before: float | None, last: int, limit: int) -> int | None:
        """The first slice after a fault in which as much is carried as before, or nearly."""
        for number in range(last, limit):
            found = self._mean(nodes, number, number + 1) or 0.0
            if before and found >= RECOVERED_SHARE * before:
                return number
        return None

    def _mean(self, nodes: Nodes, first: int, last: int | None = None) -> float | None:
        """MB/s in the slices from ``first`` on, before ``last``; None if there are none."""
        carried = self._carried[nodes]
        some = carried[first:last]
        if not some:
            return None
        end_ns = min((first + len(some)) * SLICE_NS, self._engine.now_ns)
        return sum(some) * NS_PER_S / (end_ns - first * SLICE_NS) / MIB


def _nodes(end: LinkEnd) -> Nodes:
    """The systems of a link, in the order of a layout."""
    here, there = NodeName(end.name), NodeName(end.partner)
    return (here, there) if here.precedes(there) else (there, here)


def _said(event: LinkEvent, partner: str | None) -> str | None:
    """What a link end says, where it says something of the link; ``partner`` if it has several."""
    to = f" to {partner}" if partner else ""
    if isinstance(event, DeviceChanged):
        return f"{format_rdev(event.rdev)} {'can be used' if event.usable else 'is down'}"
    if isinstance(event, LinkUp):
        return f"the link{to} came up"
    if isinstance(event, LinkDown):
        return f"the link{to} went down"
    if isinstance(event, Severed):
        over = f"conversations with {partner}" if partner else "conversations"
        return f"all {over} are over: {event.reason}"
    return None
