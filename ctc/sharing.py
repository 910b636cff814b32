"""One model of a channel that several use: how they share its line, and what both ways share.

`ctc.chpid.Chpid` is its case for the transfers of CTCs; the I/Os of disks are another. How the two
leave each other room is in `ctc.channel`.
"""

from typing import Generic, TypeVar, final

from mypy_extensions import i64

ChannelUser = TypeVar("ChannelUser")
"""What uses a resource. It is stored and returned, and none of its methods is called."""

# Processor sharing, in one number.
#
# Transfers that share a resource equally are the model of processor sharing: with n of them each
# goes at 1/n of its pace alone, and whenever one joins or leaves, all others change their pace.
# To keep what each has left to do would mean to renew every transfer at every change. But they
# all go at the same pace, as a fraction of their own, so that what they have done since some
# moment is the same for all when it is told in *solo time*: the nanoseconds that it would have
# taken alone. Hence a clock of solo time that runs at `pace` (1 when nothing is short, 1/2 when
# twice as much is wanted as there is). A transfer of solo_ns that joins when this clock shows d is
# over when it shows d + solo_ns, its goal, and that never changes whatever joins or leaves later.
# The next to be over is the least goal. What a change costs is to bring the clock up to now
# (`advance`) and to find from the new pace (`go`) when the least goal will be reached.
#
# With nothing under way the clock is set to 0 again, so that it never loses digits.
#
# Two resources are short at the same time: the line, one for each direction, and what both ways
# share (`common`): the data processor under CTCs, the bus under disks. A transfer alone is held up
# by the slower of them, and uses the other in part: its *share* of a resource is its time there
# divided by its solo time. If the shares of a line add up to more than there is, all that go that
# way go slower by that. The data processor is divided so that all have one pace, and what a
# direction cannot use, as its line lets it go no faster, the other has (`fair_pace`). How a bus
# slows disks is in `isfc.io.simulation`. The sums are kept, not the transfers.


@final
class _Goal(Generic[ChannelUser]):
    """One that is under way, and what the clock of solo time shows when it is over."""

    __slots__ = ("goal_ns", "user")

    def __init__(self, goal_ns: float, user: ChannelUser) -> None:
        self.goal_ns = goal_ns
        self.user = user


@final
class Sharing(Generic[ChannelUser]):
    """Transfers that share one rate: those of a channel's CTCs, or the I/Os of disks.

    Times are nanoseconds. Whoever uses it calls `advance` before each change, and `go` after it,
    as only he knows which pace the resource lets them have.
    """

    __slots__ = ("_done_at_ns", "_done_ns", "_goals", "_pace")

    def __init__(self) -> None:
        self._goals: list[_Goal[ChannelUser]] = []
        """The next to be over stands last."""
        self._done_ns = 0.0
        self._done_at_ns = 0.0
        self._pace = 1.0

    def __bool__(self) -> bool:
        return bool(self._goals)

    def __len__(self) -> int:
        return len(self._goals)

    @property
    def next(self) -> ChannelUser:
        """The one that will be over next. There must be one."""
        return self._goals[-1].user

    @property
    def left_ns(self) -> float:
        """How long that takes at the present pace."""
        return max(0.0, self._goals[-1].goal_ns - self._done_ns) / self._pace

    @property
    def pace(self) -> float:
        """The fraction of the pace alone at which each goes."""
        return self._pace

    @property
    def slowed_count(self) -> float:
        """How many of them wait, as it were: each goes at a part of its pace alone."""
        return len(self._goals) * (1.0 - self._pace) if self._goals else 0.0

    def add(self, user: ChannelUser, solo_ns: float) -> None:
        """Let one more go on, which takes ``solo_ns`` alone; behind those over at the same time."""
        goal = _Goal(self._done_ns + solo_ns, user)
        goals = self._goals
        low, high = 0, len(goals)
        while low < high:
            middle = (low + high) // 2
            if goals[middle].goal_ns > goal.goal_ns:
                low = middle + 1
            else:
                high = middle
        goals.insert(low, goal)

    def pop(self) -> ChannelUser:
        """The one that is over. There must be one."""
        goal = self._goals.pop()
        self._done_ns = max(self._done_ns, goal.goal_ns)
        return goal.user

    def drop(self, user: ChannelUser) -> None:
        """Take one out that will not be over."""
        self._goals = [goal for goal in self._goals if goal.user is not user]

    def left_at(self, now_ns: float) -> list[tuple[ChannelUser, float]]:
        """Each one, and the solo time that it still takes at ``now_ns``; the next is the last."""
        done_ns = self._done_ns + (now_ns - self._done_at_ns) * self._pace
        return [(goal.user, goal.goal_ns - done_ns) for goal in self._goals]

    def passed_ns(self, now_ns: float) -> float:
        """The solo time that passes until ``now_ns`` at the present pace."""
        return (now_ns - self._done_at_ns) * self._pace

    def advance(self, now_ns: float) -> float:
        """Let time pass at the present pace; return the solo time that has passed."""
        passed_ns = (now_ns - self._done_at_ns) * self._pace
        self._done_ns += passed_ns
        self._done_at_ns = now_ns
        return passed_ns

    def go(self, pace: float) -> None:
        """Go on at this fraction of the pace that each would have alone."""
        if self._goals:
            self._pace = pace
        else:
            self._done_ns = 0.0


@final
class DirectionLoad:
    """What transfers want of one direction of the line, and of what both directions share.

    Both wants are sums of shares: what a transfer needs of the resource, divided by the time it
    takes when alone. ``left`` is the part of the line that others leave them.
    """

    __slots__ = ("common", "count", "left", "line")

    def __init__(self, left: float = 1.0) -> None:
        self.left = left
        self.count: i64 = 0
        self.line = 0.0
        self.common = 0.0

    def change(self, sign: int, line: float, common: float) -> None:
        """Add (+1) or take away (-1) one transfer, by its shares."""
        self.count += sign
        if self.count:
            self.line += sign * line
            self.common += sign * common
        else:
            self.line = self.common = 0.0

    def pace(self) -> float:
        """How fast the line lets each transfer go, 1 being as if alone."""
        return self.left / max(self.left, self.line)


def fair_pace(one: DirectionLoad, other: DirectionLoad, crowding: float = 1.0) -> float:
    """How fast the transfers of ``one`` go, 1 being as if alone, where all share fairly.

    Those of ``one`` need ``crowding`` times as much of what is shared as they would alone.

    The paces of both rise from 0 together; a direction stays where its line lets it go no faster,
    and the other rises on until all is given out (max-min, as in `ctc.fabric`). So a direction
    that asks for less than its part of what is shared is not slowed by the other.
    """
    pace, other_pace, common = one.pace(), other.pace(), one.common * crowding
    if pace * common + other_pace * other.common <= 1.0:
        return pace
    together = 1.0 / (common + other.common)
    if together > other_pace:
        together = (1.0 - other_pace * other.common) / common
    return min(pace, together)
