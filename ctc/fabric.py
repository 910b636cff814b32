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

from ctc.sharing import DirectionLoad, fair_pace

_LINE: Final = 0
_SENDER: Final = 1
_RECEIVER: Final = 2
_BYTES: Final = 3
"""What a path needs of a resource: its share of a line, of the data processor of the channel that
sends or that receives, or bytes."""

_TIGHT: Final = 1.0 + 1e-9
"""More of a resource than this is wanted where it is short."""


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
class ChannelQueue:
    """What starts and ends the I/Os of a channel: its processor, and turns of what is under way.

    A channel serves its transfers in turn, so that whatever else it does waits a turn of some of
    them: a start waits for those of both ways, what it tells CP for those of one way.
    """

    __slots__ = ("busy_ns", "ends", "free_ns", "in_turns_ns", "out_count", "out_turns_ns")

    def __init__(self) -> None:
        self.ends: list[PathEnd] = []
        """All ends of the channel."""
        self.out_count: i64 = 0
        """Transfers that go out, on whatever path."""
        self.busy_ns: i64 = 0
        """What all starts take that are over or queued."""
        self.free_ns: i64 = 0
        self.out_turns_ns: i64 = 0
        self.in_turns_ns: i64 = 0
        """A turn of every transfer that goes out, and of every one that comes in."""

    def crowding(self, roll_off: float) -> float:
        """By what factor the transfers that go out slow each other down, by their number."""
        further: int = self.out_count - 1
        return 1.0 + roll_off * further if further > 0 else 1.0


@final
class DeadlinesChanged:
    """Says that the deadlines of one system are other ones than before.

    ``place`` is the system's, for whoever asks `Fabric.changed` which they are.
    """

    __slots__ = ("changed", "place")

    def __init__(self) -> None:
        self.changed = False
        self.place: i64 = 0


class PathEnd:
    """The sender's end of a path: whoever sends there is told its pace."""

    def set_pace(self, pace: float, now_ns: i64) -> None:
        """Go on at this fraction of the pace that each transfer would have alone."""
        raise NotImplementedError

    def account(self, now_ns: i64) -> None:
        """Note how far all has come: the channel is about to have more or fewer transfers."""
        raise NotImplementedError


@final
class _Resource:
    """A line one way, a data processor, or inter-switch links one way; there is 1 of each."""

    __slots__ = (
        "changed", "left", "needs", "ns_per_byte", "open", "out_count", "short", "stale", "visited",
        "wanted",
    )  # fmt: skip

    def __init__(self, ns_per_byte: float = 0.0) -> None:
        self.ns_per_byte = ns_per_byte
        self.needs: list[_Need] = []
        """Of paths with transfers under way. A straight path is there twice at its processor."""
        self.out_count: i64 = 0
        """Of a data processor: the transfers that went out when its senders' needs were found."""
        self.changed = False
        """Whether one of the needs is another, or of another path, since they were added."""
        self.wanted = 0.0
        self.short = False
        """Whether they want more than there is."""
        self.visited = False
        self.left = 1.0
        self.open = 0.0
        """What the paths need at full pace whose pace is still to be found."""
        self.stale = False
        """Whether these are fewer since that was added."""

    def renew(self) -> None:
        """Find whether it is short: sums that are kept would gather what rounding leaves."""
        self.changed = False
        wanted = 0.0
        for need in self.needs:
            wanted += need.share
        self.wanted = wanted
        self.short = wanted > _TIGHT

    def renew_open(self) -> None:
        """Add what the paths need whose pace is still to be found."""
        self.stale = False
        wanted = 0.0
        for need in self.needs:
            if need.path.open:
                wanted += need.share
        self.open = wanted

    def renew_senders(self, out_count: i64) -> None:
        """Find what those need anew that send from here: they slow each other down."""
        if self.out_count != out_count:
            self.out_count = out_count
            for need in self.needs:
                if need.kind == _SENDER:
                    need.renew()


@final
class _Need:
    """What one path needs of one resource: ``share`` of it at full pace."""

    __slots__ = ("kind", "path", "resource", "share")

    def __init__(self, path: "Path", resource: _Resource, kind: i64) -> None:
        self.path = path
        self.resource = resource
        self.kind = kind
        self.share = 0.0

    def renew(self) -> None:
        """Find it: what is under way has changed."""
        path = self.path
        if self.kind == _LINE:
            self.share = path.sent.line
        elif self.kind == _SENDER:
            self.share = path.sent.common * path.crowding
        elif self.kind == _RECEIVER:
            self.share = path.seen.common
        else:
            self.share = path.sent.line * path.bytes_per_line_ns * self.resource.ns_per_byte
        self.resource.changed = True


@final
class Path:
    """The transfers under way from one channel to another, of whatever systems, and their pace.

    ``sent`` is what the channel here sends, ``seen`` what the channel there sees coming: it knows
    of a transfer from its READ on, until the data are there. ``back`` is the path the other way,
    itself if it is straight and crosses no inter-switch links.
    """

    __slots__ = (
        "back", "bytes_per_line_ns", "crowded", "ends", "found", "needs", "open", "pace", "present",
        "processor", "queue", "roll_off", "seen", "sent", "straight",
    )  # fmt: skip

    def __init__(self, *, straight: bool) -> None:
        self.straight = straight
        self.sent = DirectionLoad()
        self.seen = DirectionLoad()
        self.back = self
        self.needs: list[_Need] = []
        self.ends: list[PathEnd] = []
        self.bytes_per_line_ns = 0.0
        """What a transfer moves in a nanosecond of the line, disks beside it considered."""
        self.queue = ChannelQueue()
        """That of the channel here."""
        self.processor = _Resource()
        """Its data processor."""
        self.roll_off = 0.0
        """See `ctc.profiles.ChpidProfile`."""
        self.pace = 1.0
        self.present = False
        """Whether its needs stand at its resources."""
        self.crowded = False
        """Whether its pace is one that it found among others."""
        self.open = False
        """Whether its pace is still to be found."""
        self.found = 1.0
        """The pace that has been found, which nobody has been told yet."""

    @property
    def crowding(self) -> float:
        """By what factor its transfers need more of the channel's processor than alone."""
        return self.queue.crowding(self.roll_off)

    @property
    def meets_others(self) -> bool:
        """Whether anybody else has transfers under way on what it and its way back use."""
        back = self.back
        if self.crowded or back.crowded or self.straight:
            return True
        for needs in (self.needs, back.needs):
            for need in needs:
                for other in need.resource.needs:
                    if other.path is not self and other.path is not back:
                        return True
        return False

    @property
    def pace_of_two(self) -> float:
        """Its pace where its two channels, and inter-switch links, have nobody else to serve."""
        pace = fair_pace(self.sent, self.back.seen, self.crowding)
        for need in self.needs:
            if need.kind == _BYTES:
                share = need.share
                if pace * share > 1.0:
                    pace = 1.0 / share
        return pace

    def renew(self) -> None:
        """What is under way has changed: let its needs stand at its resources while anything is."""
        present = self.sent.count > 0 or self.seen.count > 0
        for need in self.needs:
            if present is not self.present:
                if present:
                    need.resource.needs.append(need)
                else:
                    need.resource.needs.remove(need)
            need.renew()
        self.present = present

    def close(self, pace: float) -> None:
        """Note the pace that has been found, and what is left of what is short beside it."""
        self.open = False
        self.found = pace
        for need in self.needs:
            resource = need.resource
            if resource.visited:
                resource.left -= pace * need.share
                resource.stale = True


@final
class Fabric:
    """All channels, inter-switch links and paths that share anything."""

    def __init__(self) -> None:
        self._queues: dict[str, ChannelQueue] = {}
        self._resources: dict[tuple[str, str], _Resource] = {}
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
            (self._resource("out", route.here), _LINE),
            (self._resource("in", route.there), _LINE),
            (self._resource("processor", route.here), _SENDER),
            (self._resource("processor", route.there), _RECEIVER),
        ]
        if route.trunk:
            uses.append((self._resource("trunk", route.trunk, route.trunk_ns_per_byte), _BYTES))
        path.needs = [_Need(path, resource, kind) for resource, kind in uses]
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

    def _resource(self, what: str, name: str, ns_per_byte: float = 0.0) -> _Resource:
        """One that may be there already."""
        if (what, name) not in self._resources:
            self._resources[what, name] = _Resource(ns_per_byte)
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


def _share_out(paths: list[Path], short: list[_Resource]) -> None:
    """Find the fairest paces (max-min) of paths that want what is short.

    All rise from 0 together; where something becomes full, its paths stay, and the others rise
    on. Nothing is left over that anybody could use.
    """
    while True:
        pace = 1.0
        full: _Resource | None = None
        for resource in short:
            if resource.stale:
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


def _reached(path: Path) -> tuple[list[Path], list[_Resource]]:
    """Whose pace a change of a path, or of its way back, can change, and what is short for them.

    The way from one to the next leads over what is short, or was when it was looked at last.
    """
    paths = [path]
    path.open = True
    if not path.back.open and path.back.present:
        path.back.open = True
        paths.append(path.back)
    short: list[_Resource] = []
    place = 0
    while place < len(paths):
        for need in paths[place].needs:
            resource = need.resource
            if resource.visited:
                continue
            was_short = resource.short
            if resource.changed:
                resource.renew()
            if was_short or resource.short:
                resource.visited, resource.stale = True, False
                resource.left, resource.open = 1.0, resource.wanted
                short.append(resource)
                for other in resource.needs:
                    if not other.path.open:
                        other.path.open = True
                        paths.append(other.path)
        place += 1
    return paths, short
