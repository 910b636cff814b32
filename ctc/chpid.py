"""A chpid: the fibre its CTCs share, and the processor that starts their I/Os.

Each end of a fibre is one `Chpid`. It charges what *it* sends and observes what comes in, so
the two ends need no common memory, and the same object serves virtual time and two live
processes.
"""

from typing import Final, Generic, TypeVar

from mypy_extensions import i64

from ctc.address import ChpidId
from ctc.channel import NOTHING, ChannelUse
from ctc.contention import ChannelQueue, Path, PathEnd, held_up_by
from ctc.fabric import DeadlinesChanged, Fabric
from ctc.features import ChpidProfile
from ctc.queues import NEVER_NS, Agenda
from ctc.sharing import DirectionLoad, Sharing, fair_pace
from ctc.subchannel import Payload

QUEUE_MAX: Final = 64
"""I/Os that can be queued at the processor. Each CTC has at most one I/O in progress; more can be
queued only if earlier ones were given up, as when a mate resets its CTC again and again."""

_EPSILON: Final = 1e-9

ChannelUser = TypeVar("ChannelUser")
"""What uses a chpid: a `ctc.device.Ctc`. A chpid stores and returns it, and calls none of its
methods."""


class Chpid(PathEnd, Generic[ChannelUser]):
    """One end of one fibre; in a `Fabric` that of one path, of which a channel may have several.

    Starting an I/O takes the chpid's processor for a while, one I/O after the other. Moving
    data takes two resources: the line, one for each direction, and the channel's data
    processor, one for both, which works per byte and per message (a CCW each). Transfers
    share what is short fairly (`ctc.sharing`), and each further one that goes out makes all that go
    out a little slower (`ctc.features.ChpidProfile.roll_off`). The pace of what comes in is not
    ours to set, the mate sees to that; we only leave its share of the processor to it.

    A channel takes turns. What it is to start or to tell waits a turn of each transfer in progress:
    a command, of both ways; an attention and the end of SENSE COMMAND BYTE, of what it sends; the
    end of a READ or WRITE, of what comes in.

    What ``disks`` on the same channel use stretches all that CTCs need of it, as the mean of
    processor sharing has it.
    """

    def __init__(
        self,
        chpid: ChpidId,
        profile: ChpidProfile,
        disks: ChannelUse = NOTHING,
        queue: ChannelQueue | None = None,
    ) -> None:
        self.chpid = chpid
        disks = disks.bounded()
        costs = profile.beside(disks.processor)
        self._io_ns: i64 = costs.io_ns
        self._interrupt_ns: i64 = costs.interrupt_ns
        self._write_interrupt_ns: i64 = costs.write_interrupt_ns
        self._turn_ns: i64 = costs.turn_ns
        self._roll_off = costs.roll_off
        self._line_ns_per_byte = costs.line_ns_per_byte
        self._processor_ns_per_byte = costs.processor_ns_per_byte
        self._processor_ns_per_ccw = costs.processor_ns_per_ccw
        self._latency_ns_per_ccw = costs.latency_ns_per_ccw
        self.queue = ChannelQueue() if queue is None else queue
        """What starts the I/Os of the channel: one for all its ends."""
        self.queue.ends.append(self)
        self._fabric: Fabric | None = None
        self._path: Path | None = None
        self._deadlines = DeadlinesChanged()
        self._endings: Agenda[ChannelUser] = Agenda()
        self._sending: Sharing[ChannelUser] = Sharing()
        """The transfers that go out."""
        self._out, self._in = DirectionLoad(), DirectionLoad()
        self._own = self._out
        """What of ``_out`` is sent here: other systems may send over the same path."""
        self._out_ns_per_byte = profile.line_ns_per_byte / (1.0 - disks.line_out)
        self._in_ns_per_byte = profile.line_ns_per_byte / (1.0 - disks.line_in)
        self._instant = not (
            profile.line_ns_per_byte
            or profile.processor_ns_per_byte
            or profile.processor_ns_per_ccw
            or profile.latency_ns_per_ccw
            or profile.turn_ns
        )
        """Whether no transfer takes time, so that none slows another down: nothing is shared."""
        self._completion_ns: i64 = NEVER_NS
        self._line_left, self._processor_left = 1.0 - disks.line_out, 1.0 - disks.processor
        self._line_ns = 0.0
        self._processor_ns = 0.0
        """How long what was sent has kept the line and the data processor, disks' turns in it."""
        self.due_ns: i64 = NEVER_NS
        """When the next I/O ends or the next transfer completes; `NEVER_NS` when idle."""

    def join(self, fabric: Fabric, path: Path, deadlines: DeadlinesChanged) -> None:
        """Let the fabric set the pace of what goes out: that of a path which begins here.

        ``deadlines`` is told when that changes.
        """
        self._fabric, self._path, self._deadlines = fabric, path, deadlines
        self._out, self._in, self._own = path.sent, path.back.seen, DirectionLoad()
        path.bytes_per_line_ns = 1.0 / self._out_ns_per_byte if self._out_ns_per_byte else 0.0
        path.queue, path.roll_off = self.queue, self._roll_off
        path.ends.append(self)

    def interrupt_ns(self, prompt: bool) -> i64:
        """From the end of a transfer until the interrupt says so; what comes in delays it.

        ``prompt``: of a write whose end is told as soon as the channel can.
        """
        interrupt_ns = self._write_interrupt_ns if prompt else self._interrupt_ns
        return interrupt_ns + self.queue.in_turns_ns

    @property
    def notice_ns(self) -> i64:
        """From an attention, or the end of SENSE, until CP is told; what goes out delays it."""
        return self.queue.out_turns_ns

    def line_ns(self, now_ns: i64) -> float:
        """How long what CTCs have sent here has kept the line busy so far, in ns."""
        at_ns: int = now_ns
        passed_ns = self._sending.passed_ns(at_ns)
        return (self._line_ns + passed_ns * self._own.line) * self._line_left

    def processor_ns(self, now_ns: i64) -> float:
        """How long it has kept the data processor busy, that of either channel."""
        at_ns: int = now_ns
        passed_ns = self._sending.passed_ns(at_ns)
        common = self._own.common * self.queue.crowding(self._roll_off)
        return (self._processor_ns + passed_ns * common) * self._processor_left

    def sent_bytes(self, now_ns: i64) -> float:
        """The bytes of it, those under way as far as they are on the line."""
        line_ns = self._line_ns_per_byte
        return self.line_ns(now_ns) / line_ns if line_ns else 0.0

    def moved_length(self, ctc: ChannelUser, load: Payload, now_ns: i64) -> int:
        """The bytes of a transfer under way, ``load``, that are on the fibre."""
        at_ns: int = now_ns
        _, _, solo_ns = self._shares(load, self._out_ns_per_byte)
        for user, left_ns in self._sending.left_at(at_ns):
            if user is ctc:
                return int(load.length * min(1.0, max(0.0, 1.0 - left_ns / solo_ns)))
        return 0

    def starts_ns(self, now_ns: i64) -> float:
        """How long the channel has been busy with starting I/Os of CTCs, in ns."""
        queue = self.queue
        busy_ns: int = queue.busy_ns - max(0, queue.free_ns - now_ns)
        return busy_ns * self._processor_left

    @property
    def slowed(self) -> tuple[int, float]:
        """What transfers that go out wait for, a kind of `Need`, and how many do, as it were."""
        path, sending = self._path, self._sending
        kind = held_up_by(self._out, sending.pace) if path is None else path.held_up_by
        return kind, sending.slowed_count

    def admit(self, now_ns: i64) -> i64:
        """Queue one I/O at the processor; return when it has started, in ns.

        All that is under way on the channel, either way, delays the start without occupying the
        processor: the command leaves in its turn.
        """
        io_ns = self._io_ns
        latest_ns = now_ns + QUEUE_MAX * io_ns
        queue = self.queue
        start_ns = max(now_ns, min(queue.free_ns, latest_ns))
        queue.busy_ns += io_ns
        queue.free_ns = start_ns + io_ns
        return queue.free_ns + queue.out_turns_ns + queue.in_turns_ns

    def end_later(self, ctc: ChannelUser, at_ns: i64) -> None:
        """Remember to call `Ctc.end` at ``at_ns``: the mate is not needed for that."""
        self._endings.add(at_ns, ctc)
        self._set_due()

    def begin(self, ctc: ChannelUser, load: Payload, now_ns: i64) -> None:
        """Let ``ctc`` send ``load``; everyone else slows down."""
        if self._instant:
            self._sending.add(ctc, 0.0)
            self._set_completion(now_ns)
            return
        self._advance(now_ns)
        self._sending.add(ctc, self._join(self._out, 1, load, now_ns))
        self._settle(now_ns)

    def observe(self, change: int, load: Payload, now_ns: i64) -> None:
        """``load`` begins (+1) or ceases (-1) to come in on this fibre."""
        if self._instant:
            return
        self._advance(now_ns)
        self._join(self._in, change, load, now_ns)
        self._settle(now_ns)

    def abandon(self, ctc: ChannelUser, load: Payload | None, now_ns: i64) -> None:
        """Take a transfer (of ``load``) that will not end, and an ending to come, out."""
        self._endings.drop(lambda ending: ending is ctc)
        if load is not None and self._instant:
            self._sending.drop(ctc)
            self._set_completion(now_ns)
        elif load is not None:
            self._advance(now_ns)
            self._join(self._out, -1, load, now_ns)
            self._sending.drop(ctc)
            self._settle(now_ns)
        self._set_due()

    def poll_ended(self, now_ns: i64) -> ChannelUser | None:
        """The next CTC whose I/O ends by ``now_ns``, or whose interrupt is due."""
        if self._endings.due_ns > now_ns:
            return None
        ctc = self._endings.pop()
        self._set_due()
        return ctc

    def poll_completed(self, now_ns: i64) -> ChannelUser | None:
        """The next CTC whose transfer has completed by ``now_ns``; it then calls `finish`."""
        return self._sending.next if self._completion_ns <= now_ns else None

    def finish(self, load: Payload, now_ns: i64) -> None:
        """The transfer that `poll_completed` named is over; ``load`` is what it carried."""
        if self._instant:
            self._sending.pop()
            self._set_completion(now_ns)
            return
        self._advance(now_ns)
        self._sending.pop()
        self._join(self._out, -1, load, now_ns)
        self._settle(now_ns)

    def set_pace(self, pace: float, now_ns: i64) -> None:
        """Go on at the pace that the fabric lets this path have."""
        self._advance(now_ns)
        self._sending.go(pace)
        self._set_completion(now_ns)
        fabric = self._fabric
        if fabric is not None:
            fabric.note(self._deadlines)

    def account(self, now_ns: i64) -> None:
        """Note how far all has come: the channel is about to have more or fewer transfers."""
        self._advance(now_ns)

    def _settle(self, now_ns: i64) -> None:
        """A transfer has begun or ceased here: find the pace of what goes out."""
        fabric, path = self._fabric, self._path
        if fabric is None or path is None:
            crowding = self.queue.crowding(self._roll_off)
            self._sending.go(fair_pace(self._out, self._in, crowding))
            self._set_completion(now_ns)
        else:
            fabric.settle(path, self, now_ns)

    def _shares(self, load: Payload, line_ns_per_byte: float) -> tuple[float, float, float]:
        """What a transfer needs of the line and of the data processor, and its time alone."""
        length, count = load.length, load.count
        line_ns = length * line_ns_per_byte
        processor_ns = length * self._processor_ns_per_byte + count * self._processor_ns_per_ccw
        solo_ns = max(line_ns, processor_ns) + count * self._latency_ns_per_ccw + 1.0
        return line_ns / solo_ns, processor_ns / solo_ns, solo_ns

    def _join(self, direction: DirectionLoad, change: i64, load: Payload, now_ns: i64) -> float:
        queue, goes_out = self.queue, direction is self._out
        line_ns_per_byte = self._out_ns_per_byte if goes_out else self._in_ns_per_byte
        line, common, solo_ns = self._shares(load, line_ns_per_byte)
        turn_ns: i64 = min(self._turn_ns, int(solo_ns))
        if goes_out:
            if len(queue.ends) > 1:
                for end in queue.ends:
                    end.account(now_ns)
            queue.out_count += change
            queue.out_turns_ns += change * turn_ns
            if self._own is not direction:
                self._own.change(int(change), line, common)
        else:
            queue.in_turns_ns += change * turn_ns
        direction.change(int(change), line, common)
        return solo_ns

    def _advance(self, now_ns: i64) -> None:
        at_ns: int = now_ns
        passed_ns = self._sending.advance(at_ns)
        self._line_ns += passed_ns * self._own.line
        common = self._own.common
        if common:
            self._processor_ns += passed_ns * common * self.queue.crowding(self._roll_off)

    def _set_completion(self, now_ns: i64) -> None:
        sending = self._sending
        if not sending:
            self._completion_ns = NEVER_NS
        elif self._instant:
            self._completion_ns = now_ns
        else:
            self._completion_ns = now_ns + int(sending.left_ns + 1.0 - _EPSILON)
        self._set_due()

    def _set_due(self) -> None:
        due_ns = self._endings.due_ns
        self.due_ns = due_ns if due_ns < self._completion_ns else self._completion_ns
