"""A run I/O by I/O: when each began, where its time went, what it carried, and what collided."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

from msgspec import Struct, structs

from ctc.address import Rdev, format_rdev
from ctc.subchannel import Collided, Command, DeviceLost, Ended, Interrupt, UnitStatus
from isfc.layout.layout import Fibre, Layout
from isfc.link.events import TraceRecord
from isfc.link.name import NodeName
from isfc.link.package import Package
from isfc.link.parameters import LinkRules
from isfc.system.link_end import LinkEnd
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.run import Looks, OperatedRun, Operation, Outcome, build, times_of_looks

BACKLOG_SAMPLES: Final = 2_000
"""How often the backlog is looked at, spread over the run."""
BACKLOG_STEP_NS_MIN: Final = 10_000
TAIL_NS: Final = 100_000_000
"""How long after the end an I/O may still be going on: published writes took up to 16 ms."""


class Io(Struct, frozen=True):
    """One I/O on a CTC, as its issuer sees it; PEND, DISC and CONN follow each other.

    ``begin_ns`` is when SSCH was given, ``seen_ns`` when the interrupt was taken. Of a write and
    a read ``package`` is the number, of its direction, and ``message_count`` and ``length``
    (bytes) what is in it. ``outcome`` is ``ended``, ``collided``, ``busy``, ``check`` or ``lost``.
    """

    node: NodeName
    rdev: Rdev
    command: Command
    begin_ns: int
    pend_ns: int
    disc_ns: int
    conn_ns: int
    seen_ns: int
    outcome: str
    package: int | None = None
    message_count: int = 0
    length: int = 0

    @property
    def end_ns(self) -> int:
        """When it was over."""
        return self.begin_ns + self.pend_ns + self.disc_ns + self.conn_ns

    def phases(self) -> Iterator[tuple[str, int, int]]:
        """PEND, DISC and CONN as far as they took any time: name, begin, end."""
        at_ns = self.begin_ns
        lengths_ns = {"PEND": self.pend_ns, "DISC": self.disc_ns, "CONN": self.conn_ns}
        for name, length_ns in lengths_ns.items():
            if length_ns:
                yield name, at_ns, at_ns + length_ns
            at_ns += length_ns


class Backlog(Struct, frozen=True):
    """What waited for a CTC at a node, at one moment: messages, and their bytes."""

    node: NodeName
    at_ns: int
    message_count: int
    length: int


class Timeline(Struct, frozen=True):
    """What both nodes did from ``begin_ns`` to ``end_ns``; I/Os in the order of their ends."""

    layout: Layout
    begin_ns: int
    end_ns: int
    ios: tuple[Io, ...]
    backlogs: tuple[Backlog, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each I/O, as a data frame takes them."""
        return [
            {**structs.asdict(io), "rdev": format_rdev(io.rdev), "command": io.command.name}
            for io in self.ios
        ]

    def of(self, node: NodeName, rdev: Rdev) -> list[Io]:
        """The I/Os of one end of a CTC."""
        return [io for io in self.ios if io.rdev == rdev and io.node == node]

    def collisions(self) -> list[tuple[Io, Io]]:
        """The pairs of writes that met: the one that failed first, then its mate's."""
        waiting: dict[tuple[NodeName, Rdev], list[Io]] = defaultdict(list)
        mates = {}
        for ctc in self.layout.ctcs:
            first, second = zip(self.layout.nodes, ctc.rdevs, strict=True)
            mates[first], mates[second] = second, first
        pairs = []
        for io in self.ios:
            if io.outcome != "collided":
                continue
            mate = waiting[mates[io.node, io.rdev]]
            if mate:
                pairs.append((mate.pop(0), io))
            else:
                waiting[io.node, io.rdev].append(io)
        return pairs

    def rates(self, node: NodeName, fibre: Fibre, bin_ns: int) -> list[float]:
        """What a node sent on a fibre: bytes/s in each bin of time; a write's over its CONN."""
        end = self.layout.nodes.index(node)
        rdevs = {ctc.rdevs[end] for ctc in self.layout.ctcs if ctc.fibre == fibre}
        lengths = [0.0] * max(1, -(-(self.end_ns - self.begin_ns) // bin_ns))
        for io in self.ios:
            if io.command is not Command.WRITE or io.node != node or io.rdev not in rdevs:
                continue
            if io.conn_ns and io.outcome == "ended":
                _spread(lengths, io, self.begin_ns, bin_ns)
        return [length * NS_PER_S / bin_ns for length in lengths]


def _spread(lengths: list[float], io: Io, begin_ns: int, bin_ns: int) -> None:
    """Add a write's bytes to the bins in which it was connected."""
    first_ns, last_ns = io.end_ns - io.conn_ns - begin_ns, io.end_ns - begin_ns
    for index in range(max(0, first_ns // bin_ns), min(len(lengths), -(-last_ns // bin_ns))):
        low, high = max(first_ns, index * bin_ns), min(last_ns, (index + 1) * bin_ns)
        lengths[index] += io.length * (high - low) / io.conn_ns


class IoRecorder:
    """Puts every SSCH and its interrupt together."""

    def __init__(self, nodes: Iterable[NodeName]) -> None:
        self.ios: list[Io] = []
        self._nodes = {str(node): node for node in nodes}
        self._begun: dict[tuple[str, int], tuple[int, Command]] = {}

    def take(self, record: TraceRecord) -> None:
        """An SSCH; other records say what `look` is told as well."""
        now_ns, node, rdev, verb, _ = record
        if verb in Command.__members__:
            self._begun[node, rdev] = now_ns, Command[verb]

    def look(self, now_ns: int, node: str, interrupt: Interrupt) -> None:
        """The end of an I/O, if it is one."""
        if not isinstance(interrupt, Ended | Collided | DeviceLost):
            return
        begun = self._begun.pop((node, interrupt.rdev), None)
        if begun is None:
            return  # lost while idle
        outcome = "collided" if isinstance(interrupt, Collided) else "lost"
        if isinstance(interrupt, Ended):
            outcome = _OUTCOMES[interrupt.status]
        package = cast("Package | None", interrupt.load)
        moved = () if package is None else (package.number, package.message_count, package.length)
        (begin_ns, command), times = begun, interrupt.times
        began = self._nodes[node], interrupt.rdev, command, begin_ns
        took_ns = times.pend_ns, times.disc_ns, times.conn_ns
        self.ios.append(Io(*began, *took_ns, now_ns, outcome, *moved))

    def between(self, begin_ns: int, end_ns: int) -> Iterator[Io]:
        """The I/Os that went on at any time between the two."""
        ended = self.ios[bisect_left(self.ios, begin_ns, key=lambda io: io.seen_ns) :]
        return (io for io in ended if io.begin_ns < end_ns)


_OUTCOMES: Final = {
    UnitStatus.ENDED: "ended",
    UnitStatus.BUSY_ATTENTION: "busy",
    UnitStatus.UNIT_CHECK: "check",
}


def record_timelines(
    experiment: Experiment,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
    interval: float | None = None,
    rules: LinkRules | None = None,
) -> tuple[tuple[Timeline, ...], Outcome]:
    """Run an experiment, and keep every I/O that went on between warm-up and end, link by link.

    Links without traffic have timelines too. The outcome is that of `scenarios.runs.run.run` with
    the same ``interval`` and ``rules``: to look changes nothing. ``progress`` is told how many
    seconds of virtual time have passed. An hour's run does not fit in memory: a second of a busy
    link has some 10,000 I/Os.
    """
    recorder = IoRecorder(experiment.nodes)
    engine, systems = build(experiment, recorder.take, operation, recorder.look, rules=rules)
    looks = Looks(experiment, systems)
    operated = OperatedRun(engine, systems, operation)
    links = experiment.collection.links
    ends = [end for system in systems for end in system.ends]
    begin_ns, end_ns = experiment.begin_ns, experiment.end_ns
    operated.run(begin_ns)
    looks.look(begin_ns)
    backlogs = {link: list(_backlogs(link, ends, begin_ns)) for link in links}
    times = {*times_of_looks(begin_ns, end_ns, interval)} - {begin_ns}
    for until_ns in sorted(times.union(backlog_times(begin_ns, end_ns))):
        operated.run(until_ns)
        if until_ns in times:
            looks.look(until_ns)
        for link in links:
            backlogs[link] += _backlogs(link, ends, until_ns)
        if progress is not None:
            progress(until_ns / NS_PER_S)
    engine.run(end_ns + TAIL_NS)  # until what has begun is over; nothing more is operated
    kept = list(recorder.between(begin_ns, end_ns))
    timelines = (
        Timeline(link, begin_ns, end_ns, _of(link, kept), tuple(backlogs[link])) for link in links
    )
    return tuple(timelines), looks.outcome()


def _of(link: Layout, ios: Iterable[Io]) -> tuple[Io, ...]:
    """The I/Os of a link's CTCs."""
    places = {place for ctc in link.ctcs for place in zip(link.nodes, ctc.rdevs, strict=True)}
    return tuple(io for io in ios if (io.node, io.rdev) in places)


def backlog_times(begin_ns: int, end_ns: int) -> tuple[int, ...]:
    """When the backlog is looked at after the beginning."""
    step_ns = max(BACKLOG_STEP_NS_MIN, -(-(end_ns - begin_ns) // BACKLOG_SAMPLES))
    return (*range(begin_ns + step_ns, end_ns, step_ns), end_ns)


def _backlogs(link: Layout, ends: Iterable[LinkEnd], at_ns: int) -> Iterator[Backlog]:
    """What waits at the ends of a link."""
    for end in ends:
        if {end.name, end.partner} == {*link.nodes}:
            packager = end.link.packager
            yield Backlog(end.name, at_ns, packager.backlog_count, packager.backlog_length)
