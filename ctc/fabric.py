"""A fabric: channels that share more than one fibre, and how fast each path of theirs may go.

A *path* leads the transfers of CTCs from one channel to another. Two channels that meet only each
other need no fabric: each end knows what it sends and sees what comes in (`ctc.chpid`), and
`ctc.sharing.fair_pace` is the rule. Where a channel has several paths, is both ends of one, or
paths cross the same inter-switch links, what a path can carry depends on what all others do. A
`Fabric` knows all paths. It lets two channels go by that same rule as long as nobody else wants
what they use, and else lets all go at the fairest paces (max-min). So a neighbour that is idle
changes nothing, to the last byte.

Each path end is a `ctc.chpid.Chpid`; those of one channel share its `ChannelQueue`. Only an engine
that has all systems in one process can have a fabric.
"""

from dataclasses import dataclass
from typing import Final, final

from mypy_extensions import i64

from ctc.address import Record
from ctc.contention import (
    BYTES,
    LINE,
    RECEIVER,
    SENDER,
    Capacity,
    ChannelQueue,
    Need,
    Path,
    PathEnd,
)

_FEW: Final = 4
"""So many needs a resource has at most where two channels have just met others, or parted."""

_ROUNDING: Final = 1e-12
"""A level that differs by less has not changed."""


@dataclass(frozen=True, slots=True)
class FabricRoute(Record):
    """The channels at the two ends of a path, by name, and the inter-switch links between them.

    Both names are the same if the path is straight: then each byte passes the channel's data
    processor twice. ``trunk`` is the name of the inter-switch links, one way of them, empty if
    there are none, ``trunk_back`` of the other way, and ``trunk_ns_per_byte`` what a byte takes of
    all of them together.
    """

    here: str
    there: str
    trunk: str = ""
    trunk_ns_per_byte: float = 0.0
    trunk_back: str = ""

    @property
    def back(self) -> "FabricRoute":
        """The route the other way."""
        return FabricRoute(
            self.there, self.here, self.trunk_back, self.trunk_ns_per_byte, self.trunk
        )


@final
class DeadlinesChanged:
    """Says that the deadlines of one system are other ones than before.

    ``place`` is the system's, for whoever asks `Fabric.changed` which they are.
    """

    __slots__ = ("changed", "place")

    def __init__(self) -> None:
        self.changed = False
        self.place: i64 = 0


@final
class Fabric:
    """All channels, inter-switch links and paths that share anything."""

    def __init__(self) -> None:
        self._queues: dict[str, ChannelQueue] = {}
        self._resources: dict[tuple[str, str], Capacity] = {}
        self._paths: dict[FabricRoute, Path] = {}
        self.changed: list[DeadlinesChanged] = []
        """Of each system whose deadlines are others since somebody emptied this."""

    def note(self, deadlines: DeadlinesChanged) -> None:
        """The deadlines of a system have changed."""
        if not deadlines.changed:
            deadlines.changed = True
            self.changed.append(deadlines)

    def queue(self, channel: str) -> ChannelQueue:
        """What starts the I/Os of a channel."""
        return self._queues.setdefault(channel, ChannelQueue())

    def path(self, route: FabricRoute) -> Path:
        """The path of a route, one for all systems."""
        if route not in self._paths:
            path = self._paths[route] = self._new_path(route)
            path.back = self.path(route.back)
        return self._paths[route]

    def _new_path(self, route: FabricRoute) -> Path:
        processor = self._resource("processor", route.here)
        lines = [self._resource("out", route.here), self._resource("in", route.there)]
        path = Path(processor, lines, straight=route.here == route.there)
        path.add(Need(path, processor, SENDER))
        path.add(Need(path, self._resource("processor", route.there), RECEIVER))
        if route.trunk:
            trunk = self._resource("trunk", route.trunk, route.trunk_ns_per_byte)
            path.add(Need(path, trunk, BYTES))
        for line in lines:
            line.lines.append(Need(path, line, LINE))
        return path

    def settle(self, path: Path, end: PathEnd, now_ns: i64) -> None:
        """What ``end`` sends on ``path``, or sees coming on the way back, has changed: find paces.

        Those of others are found too where what is short, or was, is theirs as well.
        """
        back = path.back
        path.renew()
        if back is not path:
            back.renew()
        path.processor.renew_senders(path.queue.out_count)
        if not path.meets_others:
            _go(path, path.pace_of_two, end, now_ns)
            return
        for each in _touched(path):
            each.touched = False
            is_of_two = each.meets_only_its_way_back
            pace = each.pace_of_two if is_of_two else each.pace_of_many
            if pace != each.pace or each is path:
                _go(each, pace, end, now_ns)
            each.crowded = not is_of_two

    def set_trunk(self, trunk: str, ns_per_byte: float, now_ns: i64) -> None:
        """A byte takes so much of inter-switch links from now on: there are fewer, or more."""
        resource = self._resource("trunk", trunk)
        resource.ns_per_byte = ns_per_byte
        for path in self._paths.values():
            if path.present and any(need.resource is resource for need in path.needs):
                self.settle(path, path.ends[0], now_ns)

    def _resource(self, what: str, name: str, ns_per_byte: float = 0.0) -> Capacity:
        """One that may be there already."""
        if (what, name) not in self._resources:
            self._resources[what, name] = Capacity(ns_per_byte)
        return self._resources[what, name]


def _go(path: Path, pace: float, changed: PathEnd, now_ns: i64) -> None:
    """Let a path have a pace: tell the end whose transfers have changed, and all if it is new."""
    is_new = pace != path.pace
    path.pace = pace
    for end in path.ends:
        if is_new or end is changed:
            end.set_pace(pace, now_ns)


def _touched(path: Path) -> list[Path]:
    """Find levels again after a change of a path and its way back; the paths whose pace they are.

    The paces are the fairest ones (max-min): all rise from 0 together; where something becomes
    full, its paths stay, and the others rise on. So the level of a resource follows from those of
    what else its paths need, as far as these are lower (`Capacity.find_level`). One that has become
    another is passed on to what is full later: the lowest depends on no other, the next on that
    alone, and so on, so that this comes to an end.
    """
    touched: list[Path] = []
    queue: list[Capacity] = []
    _touch(path, touched, queue)
    if path.back.present:
        _touch(path.back, touched, queue)
    while queue:
        resource = _take_lowest(queue)
        old = resource.level
        _find_bounds(resource)
        resource.find_level()
        level = resource.level
        if -_ROUNDING < level - old < _ROUNDING:
            resource.level = old
        else:
            _pass_on(resource, old if old < level else level, touched, queue)
    return touched


def _renew(resource: Capacity, touched: list[Path], queue: list[Capacity]) -> None:
    """Find whether it is short, and touch those that may have met others there, or parted."""
    was_short = resource.short
    resource.renew()
    if was_short or resource.short:
        _enter(resource, queue)
        are_few = len(resource.needs) <= _FEW
        for need in resource.needs:
            if are_few or not need.path.crowded:
                _touch(need.path, touched, queue)


def _pass_on(resource: Capacity, low: float, touched: list[Path], queue: list[Capacity]) -> None:
    """Touch what its level concerns, which was or is ``low``: paths, and what is full later."""
    for need in resource.needs:
        if need.bound > low:
            _touch(need.path, touched, queue)
            for other in need.others:
                if other.short and other.level > low:
                    _enter(other, queue)


def _enter(resource: Capacity, queue: list[Capacity]) -> None:
    """Let the level of a resource be found, once."""
    if not resource.queued:
        resource.queued = True
        queue.append(resource)


def _take_lowest(queue: list[Capacity]) -> Capacity:
    """The one whose level is the lowest so far, of which the others may follow."""
    last = queue.pop()
    lowest, place = last, -1
    for index, resource in enumerate(queue):
        if resource.level < lowest.level:
            lowest, place = resource, index
    if place >= 0:
        queue[place] = last
    lowest.queued = False
    return lowest


def _touch(path: Path, touched: list[Path], queue: list[Capacity]) -> None:
    """Let the pace of a path be found, and the levels that it follows from, once."""
    if not path.touched:
        path.touched = True
        touched.append(path)
        for need in path.needs:
            if need.resource.changed:
                _renew(need.resource, touched, queue)


def _find_bounds(resource: Capacity) -> None:
    """Find how fast each path may go by the levels of what else it needs."""
    for need in resource.needs:
        bound = 1.0
        for other in need.others:
            if other.level < bound:
                bound = other.level
        need.bound = bound
