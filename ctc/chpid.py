"""A chpid: the fibre its CTCs share, and the processor that starts their I/Os.

Each end of a fibre is one `Chpid`. It charges what *it* sends and observes what comes in, so
the two ends need no common memory, and the same object serves virtual time and two live
processes.
"""

from typing import Final, Generic, TypeVar

from mypy_extensions import i64

from ctc.address import ChpidId
from ctc.agenda import NEVER_NS, Agenda
from ctc.fabric import Fabric, Path, PathEnd, Starts
from ctc.profiles import ChpidProfile
from ctc.sharing import NOTHING, ChannelUse, DirectionLoad, Sharing, fair_pace
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
    share what is short fairly (`ctc.sharing`). The pace of what comes in is not ours to set, the
    mate sees to that; we only leave its share of the processor to it.

    What ``disks`` on the same channel use stretches all that CTCs need of it, as the mean of
    processor sharing has it.
    """

    def __init__(
        self,
        chpid: ChpidId,
        profile: ChpidProfile,
        disks: ChannelUse = NOTHING,
        starts: Starts | None = None,
    ) -> None:
        self.chpid = chpid
        disks = disks.bounded()
        self._profile = profile.beside(disks.processor)
        self._starts = Starts() if starts is None else starts
        self._fabric: Fabric | None = None
        self._path: Path | None = None
        self._endings: Agenda[ChannelUser] = Agenda()
        self._sending: Sharing[ChannelUser] = Sharing()
        """The transfers that go out."""
        self._out, self._in = DirectionLoad(), DirectionLoad()
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
        self.io_count: i64 = 0
        self.length_out: i64 = 0
        self.length_in: i64 = 0
        self.ccw_count: i64 = 0
        """What the CTCs' I/Os have moved so far, and their CCWs, both ways."""
        self.due_ns: i64 = NEVER_NS
        """When the next I/O ends or the next transfer completes; `NEVER_NS` when idle."""

    def join(self, fabric: Fabric, path: Path) -> None:
        """Let the fabric set the pace of what goes out: that of a path which begins here."""
        self._fabric, self._path = fabric, path
        path.end = self

    @property
    def interrupt_ns(self) -> int:
        """From the end of a transfer until the interrupt says so; what comes in delays it."""
        return self._profile.interrupt_ns + self._starts.in_turns_ns

    def admit(self, now_ns: i64) -> i64:
        """Queue one I/O at the processor; return when it has started, in ns.

        What the fibre is busy sending delays the start without occupying the processor.
        """
        self.io_count += 1
        io_ns: i64 = self._profile.io_ns
        latest_ns = now_ns + QUEUE_MAX * io_ns
        starts = self._starts
        start_ns = max(now_ns, min(starts.free_ns, latest_ns))
        starts.free_ns = start_ns + io_ns
        return starts.free_ns + starts.out_turns_ns

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
        self._sending.add(ctc, self._join(self._out, 1, load, self._out_ns_per_byte))
        self._settle(1, load, now_ns)

    def observe(self, change: int, load: Payload, now_ns: i64) -> None:
        """``load`` begins (+1) or ceases (-1) to come in on this fibre."""
        if change < 0:
            self.length_in += load.length
            self.ccw_count += load.count
        if self._instant:
            return
        self._advance(now_ns)
        self._join(self._in, change, load, self._in_ns_per_byte)
        if self._fabric is None:
            self._update_pace(now_ns)

    def abandon(self, ctc: ChannelUser, load: Payload | None, now_ns: i64) -> None:
        """Take a transfer (of ``load``) that will not end, and an ending to come, out."""
        self._endings.drop(lambda ending: ending is ctc)
        if load is not None and self._instant:
            self._sending.drop(ctc)
            self._set_completion(now_ns)
        elif load is not None:
            self._advance(now_ns)
            self._join(self._out, -1, load, self._out_ns_per_byte)
            self._sending.drop(ctc)
            self._settle(-1, load, now_ns)
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
        self.length_out += load.length
        self.ccw_count += load.count
        if self._instant:
            self._sending.pop()
            self._set_completion(now_ns)
            return
        self._advance(now_ns)
        self._sending.pop()
        self._join(self._out, -1, load, self._out_ns_per_byte)
        self._settle(-1, load, now_ns)

    def set_pace(self, pace: float, now_ns: i64) -> None:
        """Go on at the pace that the fabric lets this path have."""
        self._advance(now_ns)
        self._sending.go(pace)
        self._set_completion(now_ns)

    def _settle(self, change: i64, load: Payload, now_ns: i64) -> None:
        """A transfer of ours has begun (+1) or ceased (-1): find the pace of all."""
        fabric, path = self._fabric, self._path
        if fabric is None or path is None:
            self._update_pace(now_ns)
            return
        line, common, solo_ns = self._shares(load, self._out_ns_per_byte)
        rate = load.length / solo_ns
        fabric.change(path, int(change), line, common, rate, now_ns)

    def _shares(self, load: Payload, line_ns_per_byte: float) -> tuple[float, float, float]:
        """What a transfer needs of the line and of the data processor, and its time alone."""
        profile, length, count = self._profile, load.length, load.count
        line_ns = length * line_ns_per_byte
        processor_ns = length * profile.processor_ns_per_byte + count * profile.processor_ns_per_ccw
        solo_ns = max(line_ns, processor_ns) + count * profile.latency_ns_per_ccw + 1.0
        return line_ns / solo_ns, processor_ns / solo_ns, solo_ns

    def _join(
        self, direction: DirectionLoad, change: i64, load: Payload, line_ns_per_byte: float
    ) -> float:
        line, common, solo_ns = self._shares(load, line_ns_per_byte)
        turn_ns: i64 = min(self._profile.turn_ns, int(solo_ns))
        if direction is self._out:
            self._starts.out_turns_ns += change * turn_ns
        else:
            self._starts.in_turns_ns += change * turn_ns
        direction.change(int(change), line, common)
        return solo_ns

    def _advance(self, now_ns: i64) -> None:
        at_ns: int = now_ns
        self._sending.advance(at_ns)

    def _update_pace(self, now_ns: i64) -> None:
        sending = self._sending
        sending.go(fair_pace(self._out, self._in))
        self._set_completion(now_ns)

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
