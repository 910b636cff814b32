"""What paths of a fabric contend for: lines, data processors, inter-switch links.

A `Path` leads the transfers of CTCs from one channel to another, and has a `Need` of each
`Resource` on its way. What is kept here is found again only where it has changed; `ctc.fabric`
divides what is short.
"""

from typing import Final, final

from mypy_extensions import i64

from ctc.sharing import DirectionLoad, fair_pace

LINE: Final = 0
SENDER: Final = 1
RECEIVER: Final = 2
BYTES: Final = 3
"""What a path needs of a resource: its share of a line, of the data processor of the channel that
sends or that receives, or bytes."""

TIGHT: Final = 1.0 + 1e-9
"""More of a resource than this is wanted where it is short."""


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


class PathEnd:
    """The sender's end of a path: whoever sends there is told its pace."""

    def set_pace(self, pace: float, now_ns: i64) -> None:
        """Go on at this fraction of the pace that each transfer would have alone."""
        raise NotImplementedError

    def account(self, now_ns: i64) -> None:
        """Note how far all has come: the channel is about to have more or fewer transfers."""
        raise NotImplementedError


@final
class Resource:
    """A line one way, a data processor, or inter-switch links one way; there is 1 of each."""

    __slots__ = (
        "changed", "left", "level", "needs", "ns_per_byte", "open", "out_count", "short", "stale",
        "visited", "wanted",
    )  # fmt: skip

    def __init__(self, ns_per_byte: float = 0.0) -> None:
        self.ns_per_byte = ns_per_byte
        self.needs: list[Need] = []
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
        self.level = 0.0
        """The pace at which it was full when that was added: those that close only raise it."""

    def renew(self) -> None:
        """Find whether it is short: sums that are kept would gather what rounding leaves."""
        self.changed = False
        wanted = 0.0
        for need in self.needs:
            wanted += need.share
        self.wanted = wanted
        self.short = wanted > TIGHT

    def visit(self) -> None:
        """Begin to look for paces: all of its paths need theirs."""
        self.visited, self.stale = True, False
        self.left, self.open = 1.0, self.wanted
        self.level = 1.0 / self.wanted if self.wanted else 0.0

    def renew_open(self) -> None:
        """Add what the paths need whose pace is still to be found."""
        self.stale = False
        wanted = 0.0
        for need in self.needs:
            wanted += need.open
        self.open = wanted
        self.level = self.left / wanted if wanted else 0.0

    def renew_senders(self, out_count: i64) -> None:
        """Find what those need again that send from here: they slow each other down."""
        if self.out_count != out_count:
            self.out_count = out_count
            for need in self.needs:
                if need.kind == SENDER:
                    need.renew()


@final
class Need:
    """What one path needs of one resource: ``share`` of it at full pace.

    ``open`` is the same as long as that path's pace is still to be found, and then nothing.
    """

    __slots__ = ("kind", "open", "path", "resource", "share")

    def __init__(self, path: "Path", resource: Resource, kind: i64) -> None:
        self.path = path
        self.resource = resource
        self.kind = kind
        self.share = 0.0
        self.open = 0.0

    def renew(self) -> None:
        """Find it: what is under way has changed."""
        path = self.path
        if self.kind == LINE:
            self.share = path.sent.line
        elif self.kind == SENDER:
            self.share = path.sent.common * path.crowding
        elif self.kind == RECEIVER:
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
        self.needs: list[Need] = []
        self.ends: list[PathEnd] = []
        self.bytes_per_line_ns = 0.0
        """What a transfer moves in a nanosecond of the line, disks beside it considered."""
        self.queue = ChannelQueue()
        """That of the channel here."""
        self.processor = Resource()
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
            if need.kind == BYTES:
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
            need.open = 0.0
            resource = need.resource
            if resource.visited:
                resource.left -= pace * need.share
                resource.stale = True
