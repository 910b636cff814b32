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
from typing import final

from mypy_extensions import i64

from ctc.contention import (
    BYTES,
    LINE,
    RECEIVER,
    SENDER,
    TIGHT,
    ChannelQueue,
    Need,
    Path,
    PathEnd,
    Resource,
)


@dataclass(frozen=True, slots=True)
class FabricRoute:
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
        self._resources: dict[tuple[str, str], Resource] = {}
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
        path = Path(straight=route.here == route.there)
        uses = [
            (self._resource("out", route.here), LINE),
            (self._resource("in", route.there), LINE),
            (self._resource("processor", route.here), SENDER),
            (self._resource("processor", route.there), RECEIVER),
        ]
        if route.trunk:
            uses.append((self._resource("trunk", route.trunk, route.trunk_ns_per_byte), BYTES))
        path.needs = [Need(path, resource, kind) for resource, kind in uses]
        path.processor = self._resource("processor", route.here)
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
        paths, short = _reached(path)
        if _are_of_two_channels(paths):
            for each in paths:
                each.open = False
                if each is path or each.crowded:
                    each.crowded = False
                    _go(each, each.pace_of_two, end, now_ns)
        else:
            _share_out(paths, short)
            for each in paths:
                each.crowded = True
                if each.found != each.pace or each is path:
                    _go(each, each.found, end, now_ns)
        for resource in short:
            resource.visited = False

    def _resource(self, what: str, name: str, ns_per_byte: float = 0.0) -> Resource:
        """One that may be there already."""
        if (what, name) not in self._resources:
            self._resources[what, name] = Resource(ns_per_byte)
        return self._resources[what, name]


def _are_of_two_channels(paths: list[Path]) -> bool:
    """Whether those with transfers under way lead from one channel to one other, and back."""
    first: Path | None = None
    for path in paths:
        if path.present:
            if first is None:
                first = path
            if path.straight or (path is not first and path.back is not first):
                return False
    return True


def _go(path: Path, pace: float, changed: PathEnd, now_ns: i64) -> None:
    """Let a path have a pace: tell the end whose transfers have changed, and all if it is new."""
    is_new = pace != path.pace
    path.pace = pace
    for end in path.ends:
        if is_new or end is changed:
            end.set_pace(pace, now_ns)


def _share_out(paths: list[Path], short: list[Resource]) -> None:
    """Find the fairest paces (max-min) of paths that want what is short.

    All rise from 0 together; where something becomes full, its paths stay, and the others rise
    on. Nothing is left over that anybody could use.
    """
    while True:
        pace = 1.0
        full: Resource | None = None
        for resource in short:
            if resource.stale:
                if resource.level > pace * TIGHT:  # another is full before it
                    continue
                resource.renew_open()
            if resource.open > 0.0 and resource.left < pace * resource.open:
                pace = max(0.0, resource.left / resource.open)
                full = resource
        if full is None:
            for path in paths:
                if path.open:
                    path.close(pace)
            return
        for need in full.needs:
            if need.path.open:
                need.path.close(pace)


def _reached(path: Path) -> tuple[list[Path], list[Resource]]:
    """Whose pace a change of a path, or of its way back, can change, and what is short for them.

    The way from one to the next leads over what is short, or was when it was looked at last.
    """
    paths = [path]
    path.open = True
    if not path.back.open and path.back.present:
        path.back.open = True
        paths.append(path.back)
    short: list[Resource] = []
    place = 0
    while place < len(paths):
        for need in paths[place].needs:
            need.open = need.share
            resource = need.resource
            if resource.visited:
                continue
            was_short = resource.short
            if resource.changed:
                resource.renew()
            if was_short or resource.short:
                resource.visit()
                short.append(resource)
                for other in resource.needs:
                    if not other.path.open:
                        other.path.open = True
                        paths.append(other.path)
        place += 1
    return paths, short
