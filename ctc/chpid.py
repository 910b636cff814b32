"""A chpid: the fibre its CTCs share, and the processor that starts their I/Os.

Each end of a fibre is one `Chpid`. It charges what *it* sends and observes what comes in, so
the two ends need no common memory, and the same object serves virtual time and two live
processes.
"""

from typing import Final, Generic, TypeVar, final

from mypy_extensions import i64

from ctc.address import ChpidId
from ctc.agenda import NEVER_NS, Agenda
from ctc.profiles import ChpidProfile
from ctc.subchannel import Load
from ctc.use import NOTHING, Use

QUEUE_MAX: Final = 64
"""I/Os that can be queued at the processor. Each CTC has at most one I/O in progress; more can be
queued only if earlier ones were given up, as when a mate resets its CTC again and again."""

_EPSILON: Final = 1e-9

Rider = TypeVar("Rider")
"""What uses a chpid: a `ctc.device.Ctc`. A chpid stores and returns it, and calls none of its
methods."""


@final
class _Goal(Generic[Rider]):
    """A transfer that goes out, and what the clock of solo time shows when it is over."""

    __slots__ = ("goal_ns", "rider")

    def __init__(self, goal_ns: float, rider: Rider) -> None:
        self.goal_ns = goal_ns
        self.rider = rider


class _Direction:
    """The transfers of one direction: how much of the fibre and of the processor they want.

    Both wants are sums of shares: what a transfer needs of the resource, divided by the time
    it takes when alone.
    """

    __slots__ = ("count", "line", "line_ns_per_byte", "processor")

    def __init__(self, line_ns_per_byte: float) -> None:
        self.line_ns_per_byte = line_ns_per_byte
        self.count = 0
        self.line = 0.0
        self.processor = 0.0

    def change(self, sign: int, line_ns: float, processor_ns: float, solo_ns: float) -> None:
        """Add (+1) or take away (-1) one transfer."""
        self.count += sign
        if self.count:
            self.line += sign * line_ns / solo_ns
            self.processor += sign * processor_ns / solo_ns
        else:
            self.line = self.processor = 0.0

    def line_pace(self) -> float:
        """How fast the line lets each transfer go, 1 being as if alone."""
        return 1.0 if self.line <= 1.0 else 1.0 / self.line


# Processor sharing, in one number.
#
# Transfers that share a resource equally are the model of processor sharing: with n of them each
# goes at 1/n of its pace alone, and whenever one joins or leaves, all others change their pace.
# To keep what each has left to do would mean to renew every transfer at every change. But they
# all go at the same pace, as a fraction of their own, so that what they have done since some
# moment is the same for all when it is told in *solo time*: the nanoseconds that it would have
# taken alone. Hence a clock of solo time, `_done_ns`, that runs at `_pace` (1 when nothing is
# short, 1/2 when twice as much is wanted as there is). A transfer of solo_ns that joins when this
# clock shows d is over when it shows d + solo_ns, its goal, and that never changes whatever joins
# or leaves later. The next to be over is the least goal. What a change costs is to bring
# the clock up to now (`_advance`) and to find from the new pace when the least goal will be
# reached.
#
# Two resources are short at the same time, the line (one for each direction) and the data processor
# (one for both). A transfer alone is held up by the slower of them, and uses the other in part: its
# *share* of a resource is its time there divided by its solo time. If the shares of a resource
# add up to more than 1, all go slower by that sum; the sum itself is kept, not the transfers. The
# pace of what comes in is not ours to set, the mate sees to that; we only leave its share of the
# processor to it.
#
# With no transfer going out the clock is set to 0 again, so that it never loses digits.


class Chpid(Generic[Rider]):
    """One end of one fibre.

    Starting an I/O takes the chpid's processor for a while, one I/O after the other. Moving
    data takes two resources: the line, one for each direction, and the channel's data
    processor, one for both, which works per byte and per message (a CCW each). Transfers
    share what is short equally: all go at the same pace, as a fraction of the pace each would
    have alone. Progress is therefore one number for all, the nanoseconds of solo time done,
    and a transfer joining or leaving changes no other.

    What ``disks`` on the same channel use stretches all that CTCs need of it, as the mean of
    processor sharing has it.
    """

    def __init__(self, chpid: ChpidId, profile: ChpidProfile, disks: Use = NOTHING) -> None:
        self.chpid = chpid
        disks = disks.bounded()
        self._profile = profile.beside(disks.processor)
        self._free_ns: i64 = 0
        self._endings: Agenda[Rider] = Agenda()
        self._goals: list[_Goal[Rider]] = []
        """The transfers that go out, the next to be over last: never more than there are CTCs."""
        self._out = _Direction(profile.line_ns_per_byte / (1.0 - disks.line_out))
        self._in = _Direction(profile.line_ns_per_byte / (1.0 - disks.line_in))
        self._done_ns = 0.0
        self._done_at_ns: i64 = 0
        self._pace = 1.0
        self._completion_ns: i64 = NEVER_NS
        self.io_count: i64 = 0
        self.length_out: i64 = 0
        self.length_in: i64 = 0
        self.ccw_count: i64 = 0
        """What the CTCs' I/Os have moved so far, and their CCWs, both ways."""
        self.due_ns: i64 = NEVER_NS
        """When the next I/O ends or the next transfer completes; `NEVER_NS` when idle."""

    @property
    def interrupt_ns(self) -> int:
        """From the end of a transfer until the interrupt says so; what comes in delays it."""
        profile = self._profile
        return profile.interrupt_ns + profile.interrupt_contention_ns * self._in.count

    def admit(self, now_ns: i64) -> i64:
        """Queue one I/O at the processor; return when it has started, in ns.

        What the fibre is busy sending delays the start without occupying the processor.
        """
        profile = self._profile
        self.io_count += 1
        io_ns: i64 = profile.io_ns
        latest_ns = now_ns + QUEUE_MAX * io_ns
        start_ns = max(now_ns, min(self._free_ns, latest_ns))
        self._free_ns = start_ns + io_ns
        return self._free_ns + profile.io_contention_ns * self._out.count

    def end_later(self, ctc: Rider, at_ns: i64) -> None:
        """Remember to call `Ctc.end` at ``at_ns``: the mate is not needed for that."""
        self._endings.add(at_ns, ctc)
        self._set_due()

    def begin(self, ctc: Rider, load: Load, now_ns: i64) -> None:
        """Let ``ctc`` send ``load``; everyone else slows down."""
        self._advance(now_ns)
        goal = _Goal(self._done_ns + self._join(self._out, 1, load), ctc)
        place = len(self._goals)
        while place and self._goals[place - 1].goal_ns <= goal.goal_ns:
            place -= 1
        self._goals.insert(place, goal)
        self._update_pace(now_ns)

    def observe(self, change: int, load: Load, now_ns: i64) -> None:
        """``load`` begins (+1) or ceases (-1) to come in on this fibre."""
        self._advance(now_ns)
        self._join(self._in, change, load)
        if change < 0:
            self.length_in += load.length
            self.ccw_count += load.count
        self._update_pace(now_ns)

    def abandon(self, ctc: Rider, load: Load | None, now_ns: i64) -> None:
        """Take a transfer (of ``load``) that will not end, and an ending to come, out."""
        self._endings.drop(lambda ending: ending is ctc)
        if load is not None:
            self._advance(now_ns)
            self._join(self._out, -1, load)
            self._goals = [goal for goal in self._goals if goal.rider is not ctc]
            self._update_pace(now_ns)
        self._set_due()

    def poll_ended(self, now_ns: i64) -> Rider | None:
        """The next CTC whose I/O ends by ``now_ns``, or whose interrupt is due."""
        if self._endings.due_ns > now_ns:
            return None
        ctc = self._endings.pop()
        self._set_due()
        return ctc

    def poll_completed(self, now_ns: i64) -> Rider | None:
        """The next CTC whose transfer has completed by ``now_ns``; it then calls `finish`."""
        return self._goals[-1].rider if self._completion_ns <= now_ns else None

    def finish(self, load: Load, now_ns: i64) -> None:
        """The transfer that `poll_completed` named is over; ``load`` is what it carried."""
        self._advance(now_ns)
        self._done_ns = max(self._done_ns, self._goals.pop().goal_ns)
        self._join(self._out, -1, load)
        self.length_out += load.length
        self.ccw_count += load.count
        self._update_pace(now_ns)

    def _join(self, direction: _Direction, change: int, load: Load) -> float:
        profile, length, count = self._profile, load.length, load.count
        line_ns = length * direction.line_ns_per_byte
        processor_ns = length * profile.processor_ns_per_byte + count * profile.processor_ns_per_ccw
        solo_ns = max(line_ns, processor_ns) + count * profile.latency_ns_per_ccw + 1.0
        direction.change(change, line_ns, processor_ns, solo_ns)
        return solo_ns

    def _advance(self, now_ns: i64) -> None:
        since_ns: int = now_ns - self._done_at_ns
        self._done_ns += since_ns * self._pace
        self._done_at_ns = now_ns

    def _update_pace(self, now_ns: i64) -> None:
        if self._goals:
            pace = self._out.line_pace()
            wanted = pace * self._out.processor + self._in.line_pace() * self._in.processor
            self._pace = pace if wanted <= 1.0 else pace / wanted
            left_ns = max(0.0, self._goals[-1].goal_ns - self._done_ns)
            self._completion_ns = now_ns + int(left_ns / self._pace + 1.0 - _EPSILON)
        else:
            self._done_ns = 0.0
            self._completion_ns = NEVER_NS
        self._set_due()

    def _set_due(self) -> None:
        due_ns = self._endings.due_ns
        self.due_ns = due_ns if due_ns < self._completion_ns else self._completion_ns
