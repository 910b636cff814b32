"""The pace of a live node: the model's, K times slower, or as fast as the machine goes.

At the model's pace there are its clock, its timers, and how late they are. Without one nothing
takes time but what the machine takes (`unpaced`); and more can go together than a CTC would send.

Early data: the data of a write go when the mate's READ has come. On a connection that costs each
package two more trips, and two more waits for a process. So the sender may send them immediately,
in one piece with the command, and the receiver holds them until its own READ has gone out. The two
ends of the CTC notice nothing: it is as if the connection were very fast. When the write fails, as
in a collision, what is held of it is dropped, and the data go again with the next command.
"""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from msgspec import structs

from ctc.address import Rdev
from ctc.features import ChpidProfile
from ctc.frame import CommandFrame, DataFrame, Frame
from ctc.queues import NEVER_NS
from ctc.subchannel import Command
from isfc.engine.wire import encode_pieces
from isfc.link.parameters import LinkParameters
from isfc.live.connection import Connection
from isfc.system.link_end import LinkEnd, LinkEndDefinition

NS_PER_S: Final = 1_000_000_000


class Clock:
    """Model time, in ns since the clock was made; ``dilation`` ns of real time make one of it.

    ``read`` is the real time in ns: monotonic, so that it never runs backwards.
    """

    def __init__(self, dilation: int = 1, read: Callable[[], int] = time.monotonic_ns) -> None:
        assert dilation >= 1, "real time cannot be hurried"
        self.dilation = dilation
        self._read = read
        self._origin_ns = read()

    def now_ns(self) -> int:
        """Model time, ns."""
        return (self._read() - self._origin_ns) // self.dilation

    def delay_s(self, deadline_ns: int) -> float:
        """Real seconds from now to a model time; negative when it is past."""
        due_ns = self._origin_ns + deadline_ns * self.dilation
        return (due_ns - self._read()) / NS_PER_S


class Lag:
    """How late a node's timers are: the machine is slower than the model, or busy.

    ``late_ns`` of ``waited_ns`` of model time between setting a deadline and handling it were
    lateness; ``late_ns_max`` is the worst single one.
    """

    __slots__ = ("late_ns", "late_ns_max", "waited_ns")

    def __init__(self) -> None:
        self.late_ns = 0
        self.late_ns_max = 0
        self.waited_ns = 0

    def note(self, set_ns: int, deadline_ns: int, now_ns: int) -> None:
        """A deadline, set at ``set_ns``, has been handled."""
        late_ns = now_ns - deadline_ns
        self.late_ns += late_ns
        self.late_ns_max = max(self.late_ns_max, late_ns)
        self.waited_ns += now_ns - set_ns


_SPIN_S: Final = 0.0015
"""Timers tick in milliseconds, so that the last one before a deadline is spent looking."""


class DeadlineTimer:
    """Calls ``on_due`` by the earliest time that was asked for since it last did."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Clock, on_due: Callable[[], None]
    ) -> None:
        self.set_ns = 0
        """When it was last set, or what it was set for was begun."""
        self._loop = loop
        self._clock = clock
        self._on_due = on_due
        self._due_ns = NEVER_NS
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None

    def set(self, due_ns: int, now_ns: int) -> None:
        """Be due by ``due_ns``; what is due sooner stays, for it is set again then."""
        if due_ns == NEVER_NS:
            return
        if self._timer is not None:
            if self._due_ns <= due_ns:
                return
            self._timer.cancel()
        self._due_ns = due_ns
        self.set_ns = now_ns
        delay_s = self._clock.delay_s(due_ns)
        if delay_s > _SPIN_S:
            self._timer = self._loop.call_later(delay_s - _SPIN_S, self._call)
        else:
            self._timer = self._loop.call_soon(self._call)

    def cancel(self) -> None:
        """Call nothing."""
        if self._timer is not None:
            self._timer.cancel()

    def _call(self) -> None:
        self._timer = None
        self._on_due()


_KEPT: Final = frozenset({"mih_ns"})
"""A time that is not the model's: how long a lost interrupt is waited for."""


SHORT_LENGTH: Final = 4_096
"""Bytes of a message that is confirmed together with what a program answers; of a longer one its
sender is to hear as soon as it is read. See `isfc.live.engine.LiveEngine.hold`."""


def unpaced(definition: LinkEndDefinition) -> LinkEndDefinition:
    """The same node with nothing taking any time but what the machine itself takes.

    What decides rather than lasts stays: limits, when a further CTC is opened, who goes first. But
    a short message alone in its package, which may be confirmed late, keeps nothing waiting. And
    what waits is not shared among the CTCs that are free: to a machine a package costs what a byte
    does not.
    """
    ctcs = tuple(
        replace(ctc, profile=structs.replace(ctc.profile, **_no_times(ctc.profile)), way_ns=0)
        for ctc in definition.ctcs
    )
    times = _no_times(definition.parameters) | {"share_length": 0}
    parameters = replace(definition.parameters, open_single_length=SHORT_LENGTH, **times)
    return replace(definition, ctcs=ctcs, parameters=parameters)


def _no_times(given: LinkParameters | ChpidProfile) -> dict[str, Any]:
    """Each time of it as 0."""
    names: Iterable[str] = (
        given.__struct_fields__
        if isinstance(given, ChpidProfile)
        else [part.name for part in fields(given)]
    )
    return {name: type(getattr(given, name))(0) for name in names if _is_time(name)}


def _is_time(name: str) -> bool:
    """The unit stands last in the name: ns, or ns or the link's bits per byte or CCW."""
    units = ("_ns_per_", "_bits_per_")
    return name not in _KEPT and (name.endswith("_ns") or any(unit in name for unit in units))


# An enumeration's members are slow to reach, and these are needed for every frame.
_WRITE: Final = Command.WRITE
_READ: Final = Command.READ


class EarlyData:
    """What has been sent early and what is held, by CTC: at most one write each way.

    ``sends`` says whether this end sends early; every end holds what comes early. What was held and
    is now to reach the node goes into ``arrived``, which it shares with the engine.
    """

    def __init__(self, arrived: "deque[tuple[Rdev, Frame]]", *, sends: bool) -> None:
        self._arrived = arrived
        self._sends = sends
        self._sent: dict[Rdev, int] = {}
        self._held: dict[Rdev, DataFrame] = {}

    def leave(self, end: LinkEnd, rdev: Rdev, frame: Frame) -> Sequence[Frame]:
        """What is to be sent for a frame that leaves the node now."""
        if isinstance(frame, CommandFrame):
            if frame.command is _WRITE and self._sends:
                data = end.ctcs[rdev].data_of(frame.serial)
                if data is not None:
                    self._sent[rdev] = frame.serial
                    return (frame, data)
            elif frame.command is _READ and rdev in self._held:
                self._arrived.append((rdev, self._held.pop(rdev)))
        elif isinstance(frame, DataFrame) and self._sent.get(rdev) == frame.serial:
            return ()
        return (frame,)

    def hold(self, end: LinkEnd, rdev: Rdev, frame: Frame) -> bool:
        """Whether a frame that has come is held; else it is to reach the node now."""
        if isinstance(frame, DataFrame):
            if end.ctcs[rdev].reads:
                return False
            self._held[rdev] = frame
            return True
        if self._held:
            self._held.pop(rdev, None)  # the mate speaks of something else: that write is over
        return False

    def forget(self, rdev: Rdev) -> None:
        """The connection of this CTC is gone, and with it what came over it."""
        for entry in [entry for entry in self._arrived if entry[0] == rdev]:
            self._arrived.remove(entry)
        self._sent.pop(rdev, None)
        self._held.pop(rdev, None)


KEPT_S: Final = 0.005
"""How long a partner waits to hear that one short message was read, in real seconds at most: until
then that goes with whatever is sent next."""


class Outbox:
    """What leaves an engine: all of one turn together, and where time does not matter even later.

    ``connections`` are the engine's, by CTC. ``paced`` says that the model's times hold.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        early: EarlyData,
        connections: dict[Rdev, Connection],
        *,
        paced: bool,
    ) -> None:
        self.keeps = False
        """Whether what was read may be told beyond a turn of the loop: the partner has another CTC
        to write on meanwhile."""
        self._loop = loop
        self._early = early
        self._connections = connections
        self._paced = paced
        self._unwritten: defaultdict[Rdev, list[bytes | memoryview]] = defaultdict(list)
        self._holding = False
        """Whether what leaves waits for the programs that were told, in their turn of the loop."""
        self._kept = False
        """Whether it waits for what is sent next, beyond that turn; `_tick` ends it."""
        self._urgent = False
        """Whether there is anything else to be written than that one short message was read."""
        self._ticker: asyncio.TimerHandle | None = None

    def write(self, end: LinkEnd, rdev: Rdev, frame: Frame) -> None:
        """Let a frame leave at the end of the turn, with all others of its CTC."""
        if isinstance(frame, CommandFrame) and frame.command is _WRITE:
            self._urgent = True
        for leaving in self._early.leave(end, rdev, frame):
            self._unwritten[rdev] += encode_pieces(leaving)

    def write_out(self) -> None:
        """Let all leave now."""
        self._urgent = self._kept = False
        if not self._unwritten:
            return
        unwritten, self._unwritten = self._unwritten, defaultdict(list)
        for rdev, pieces in unwritten.items():
            connection = self._connections.get(rdev)
            if connection is not None:
                connection.write(*pieces)

    def begin_turn(self) -> None:
        """The engine begins a turn: what is held is to go with what it leads to."""
        self._urgent = self._urgent or self._holding

    def end_turn(self) -> None:
        """All of a turn leaves together, unless it is held."""
        if self._unwritten and not self._holding:
            self.write_out()

    def hold(self) -> None:
        """One short message has come: let what says so wait for what the programs answer.

        So the partner is woken once, for both. They have their turn of the loop first. Then, until
        the engine has something else to do, that it was read waits on: the partner opens another
        CTC meanwhile, and when it has written there, both are confirmed.
        """
        if self._kept:
            self._urgent = True
        if not self._holding:
            self._holding = True
            self._loop.call_soon(self._release)

    def beside(self) -> Rdev | None:
        """A CTC on which something waits to be written: what is sent there goes with it."""
        if not self._paced:
            for rdev in self._unwritten:
                return rdev
        return None

    def drop(self, rdev: Rdev) -> None:
        """What waits for a CTC whose connection is gone is lost with it."""
        self._unwritten.pop(rdev, None)

    def clear(self) -> None:
        """All that waits is lost."""
        self._unwritten.clear()

    def close(self) -> None:
        """Let all leave, and hold nothing any more."""
        self.write_out()
        if self._ticker is not None:
            self._ticker.cancel()

    def _release(self) -> None:
        self._holding = False
        if self._urgent or not self.keeps:
            self.write_out()
        elif self._unwritten:
            self._kept = True
            if self._ticker is None:
                self._ticker = self._loop.call_later(KEPT_S, self._tick)

    def _tick(self) -> None:
        self._ticker = None
        if self._kept:
            self.write_out()
