"""What paths of a fabric contend for: lines, data processors, inter-switch links.

A `Path` leads the transfers of CTCs from one channel to another, and has a `Need` of each
`Capacity` on its way. What is kept here is found again only where it has changed; `ctc.fabric`
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

_NOTHING: Final = 1e-9
"""Less than this of a resource is left of what is full."""

TIGHT: Final = 1.0 + _NOTHING
"""More of a resource than this is wanted where it is short."""


def held_up_by(sent: DirectionLoad, pace: float) -> int:
    """What transfers that go slower wait for, where only two channels use it: line or processor."""
    return LINE if sent.pace() <= pace + _NOTHING else SENDER


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
class Capacity:
    """A line one way, a data processor, or inter-switch links one way; there is 1 of each."""

    __slots__ = (
        "changed", "level", "lines", "needs", "ns_per_byte", "out_count", "queued", "short",
    )  # fmt: skip

    def __init__(self, ns_per_byte: float) -> None:
        self.ns_per_byte = ns_per_byte
        self.lines: list[Need] = []
        """Of a line that has never been what holds a path up: of all paths."""
        self.needs: list[Need] = []
        """Of paths with transfers under way. A straight path is there twice at its processor."""
        self.out_count: i64 = 0
        """Of a data processor: the transfers that went out when its senders' needs were found."""
        self.changed = False
        """Whether one of the needs is another, or of another path, since they were added."""
        self.short = False
        """Whether they want more than there is."""
        self.level = 1.0
        """The pace at which it is full: no path goes faster here."""
        self.queued = False
        """Whether its level is still to be found."""

    def renew(self) -> None:
        """Find whether it is short: sums that are kept would gather what rounding leaves."""
        self.changed = False
        wanted = 0.0
        for need in self.needs:
            wanted += need.share
        self.short = wanted > TIGHT

    def bind(self) -> None:
        """Let a line be what may hold paths up.

        It is not as long as each needs no more of it than of the channel's data processor, which
        is then full before it.
        """
        for need in self.lines:
            path = need.path
            path.add(need)
            if path.present:
                self.needs.append(need)
                need.renew()
        self.lines.clear()

    def is_of_others(self, path: "Path") -> bool:
        """Whether anybody needs it but a path and its way back."""
        if len(self.needs) > 2:
            return True
        back = path.back
        for need in self.needs:
            other = need.path
            if other is path or other is back:
                continue
            return True
        return False

    def find_level(self) -> None:
        """Find the pace at which it is full, from the bounds of those that need it.

        Those that cannot go as fast take what they can, the others an equal pace. The faster they
        go, the fewer they are. So a pace is too low, never too high, that is found with those that
        go on at another one, and from there it rises until they are the same.
        """
        level, is_first = self.level, True
        while self.short:
            left, wanted, fastest = 1.0, 0.0, 0.0
            for need in self.needs:
                bound, share = need.bound, need.share
                if bound >= level:
                    wanted += share
                elif share:
                    left -= bound * share
                    if bound > fastest:
                        fastest = bound
            if not wanted and -_NOTHING < left < _NOTHING:
                self.level = fastest
                return
            if left >= wanted:
                break
            found = left / wanted if wanted else 0.0
            if found <= level and not is_first:
                self.level = level
                return
            level, is_first = found, False
        self.level = 1.0

    def renew_senders(self, out_count: i64) -> None:
        """Find what those need again that send from here: they slow each other down."""
        if self.out_count != out_count:
            self.out_count = out_count
            for need in self.needs:
                if need.kind == SENDER:
                    need.renew()


@final
class Need:
    """What one path needs of one resource: ``share`` of it at full pace."""

    __slots__ = ("bound", "kind", "others", "path", "resource", "share")

    def __init__(self, path: "Path", resource: Capacity, kind: i64) -> None:
        self.path = path
        self.resource = resource
        self.others: list[Capacity] = []
        """What else the path needs."""
        self.kind = kind
        self.share = 0.0
        self.bound = 1.0
        """The pace beyond which it does not go elsewhere."""

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
        "back", "bytes_per_line_ns", "crowded", "ends", "lines", "needs", "pace", "present",
        "processor", "queue", "roll_off", "seen", "sent", "straight", "touched",
    )  # fmt: skip

    def __init__(self, processor: Capacity, lines: list[Capacity], *, straight: bool) -> None:
        self.processor = processor
        """The data processor of the channel here."""
        self.lines = lines
        """Those on its way that have never been what holds it up."""
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
        self.roll_off = 0.0
        """See `ctc.features.ChpidProfile`."""
        self.pace = 1.0
        self.present = False
        """Whether its needs stand at its resources."""
        self.crowded = False
        """Whether its pace is one that it found among others."""
        self.touched = False
        """Whether its pace is to be found again."""

    def add(self, need: Need) -> None:
        """Need something else too."""
        resource = need.resource
        for each in self.needs:
            if each.resource is not resource:
                each.others.append(resource)
                need.others.append(each.resource)
        self.needs.append(need)

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
                if need.resource.is_of_others(self):
                    return True
        return False

    @property
    def meets_only_its_way_back(self) -> bool:
        """Whether nobody else needs what is short on it or its way back."""
        if self.straight:
            return False
        back = self.back
        for need in self.needs:
            if need.resource.short and need.resource.is_of_others(self):
                return False
        for need in back.needs:
            if need.resource.short and need.resource.is_of_others(self):
                return False
        return True

    @property
    def pace_of_many(self) -> float:
        """Its pace by the levels of what it needs."""
        pace = 1.0
        for need in self.needs:
            level = need.resource.level
            if level < pace:
                pace = level
        return pace

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

    @property
    def held_up_by(self) -> int:
        """What a path that goes slower waits for: a kind of `Need`."""
        needs = self.needs
        if self.crowded:
            return min(needs, key=lambda need: need.resource.level).kind
        for need in needs:
            if need.kind == BYTES and self.pace * need.share > 1.0 - _NOTHING:
                return BYTES
        return held_up_by(self.sent, self.pace)

    def renew(self) -> None:
        """What is under way has changed: let its needs stand at its resources while anything is."""
        present = self.sent.count > 0 or self.seen.count > 0
        line = self.sent.line
        if line > self.sent.common or line > self.seen.common:
            for resource in self.lines:
                resource.bind()
            self.lines.clear()
        for need in self.needs:
            if present is not self.present:
                if present:
                    need.resource.needs.append(need)
                else:
                    need.resource.needs.remove(need)
            need.renew()
        self.present = present
