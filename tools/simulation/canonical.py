"""The canonical form of a system: equal for two that will behave alike from now on.

It goes by the names: an attribute that ends in ``_ns`` is a time, of which only what is still to
come counts. What never changes and what only counts is left out.

How long timers take may be forgotten too. A system that is driven by a clock lets its timers run
out in one order. Here every pending timer has the same time left, and whichever is chosen runs out
first. So all orders are found that any durations lead to, and two systems in which the same is
pending are alike.

Timers are: those of the link locks, which a piece of work holds each; of each CTC the interrupt
that says that an I/O is over, the end of the data that it sends, and what its link waits for
there, which is the end of the recovery or, late, an interrupt that is missing.

What is set here are times and the order of entries that wait for a time, nothing else.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from ctc.chpid import Chpid
from ctc.device import Ctc
from ctc.queues import NEVER_NS, Agenda, Fifo
from ctc.sharing import Sharing
from ctc.subchannel import IoTimes
from isfc.link.counters import DeviceCounters
from isfc.link.link_ctc import LinkCtc
from isfc.link.state import DeviceState
from isfc.system.system import System

_LEFT_OUT: Final = frozenset(
    {
        ("AppcFlow", "count"),
        ("ByRdev", "_places"),
        ("Chpid", "_instant"),
        ("Chpid", "_line_ns"),
        ("Chpid", "_processor_ns"),
        ("Chpid", "_profile"),
        ("Chpid", "ccw_count"),
        ("Chpid", "io_count"),
        ("Chpid", "length_in"),
        ("Chpid", "length_out"),
        ("Ctc", "_arbitration"),
        ("Ctc", "stale_count"),
        ("LogicalLink", "_build_ns"),
        ("LogicalLink", "_costs"),
        ("LogicalLink", "_mih_ns"),
        ("LogicalLink", "_parameters"),
        ("LinkEnd", "_trace"),
        ("LinkLock", "_held_ns"),
        ("Resequencer", "duplicate_count"),
        ("ChannelQueue", "busy_ns"),
        ("ChannelQueue", "in_turns_ns"),
        ("ChannelQueue", "out_turns_ns"),
        ("System", "_definitions"),
        ("System", "_rules"),
        ("System", "_trace"),
        ("System", "_watch"),
    }
)
"""Attributes that are the same for good, or as others are, or that count and decide nothing.

The turns of a chpid follow from what is under way there; they last, and are no time to come."""

_PLAIN: Final = frozenset({str, bool, bytes, type(None)})
_SEQUENCES: Final = frozenset({list, tuple, deque, Fifo})

_ATTRIBUTES: Final[dict[type, tuple[tuple[str, bool], ...]]] = {}
"""Of each class the attributes that count: every object of a class has the same ones."""

_DIGITS: Final = 3
"""Of a nanosecond: differences of sums of floating-point numbers are no more exact."""


def canonical(value: Any, now_ns: int) -> Any:
    """The form of ``value`` when its clock shows ``now_ns``: nested tuples, to be compared."""
    return _Canonical(now_ns).form(value)


class _Canonical:
    def __init__(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._seen: dict[int, int] = {}

    def form(self, value: Any, is_time: bool = False) -> Any:
        """The form of ``value``, of which the numbers are times or are not."""
        kind = type(value)
        if kind is int or kind is float:
            return self._time(value) if is_time else value
        if kind in _PLAIN:
            return value
        if isinstance(value, Enum):
            return value.name
        if isinstance(value, IoTimes | DeviceCounters):
            return None
        if isinstance(value, int):  # of a kind of its own
            return int(value)
        if isinstance(value, str):
            return str.__str__(value)
        number = self._seen.get(id(value))
        if number is not None:
            return ("seen", number)
        self._seen[id(value)] = len(self._seen)
        return self._parts(value, kind, is_time)

    def _parts(self, value: Any, kind: type, is_time: bool) -> Any:
        form = self.form
        if kind in _SEQUENCES:
            return tuple([form(part, is_time) for part in value])
        if kind is dict:
            return tuple([(form(key), form(part, is_time)) for key, part in value.items()])
        if kind is Agenda:
            return tuple([(self._time(at_ns), form(entry)) for at_ns, entry in value.entries()])
        if kind is Sharing:
            return self._left(value)
        if kind in (set, frozenset):
            return tuple(sorted(value))
        attributes = _ATTRIBUTES.get(kind)
        if attributes is None:
            attributes = _ATTRIBUTES[kind] = tuple(_attributes(value))
        parts = [kind.__name__]
        for name, of_time in attributes:
            part = getattr(value, name)
            sort = type(part)  # what is most frequent is done here, without a call
            if sort in _PLAIN or (sort is int and not of_time):
                parts.append(part)
            else:
                parts.append(form(part, of_time))
        return tuple(parts)

    def _left(self, sharing: Sharing[Any]) -> Any:
        """What transfers have still to do: the scale on which that is kept begins anywhere."""
        return tuple(
            [
                (round(solo_ns, _DIGITS), self.form(user))
                for user, solo_ns in sharing.left_at(self._now_ns)
            ]
        )

    def _time(self, value: float) -> float:
        """A time still to come as what is left of it; those that have passed are alike."""
        return value if value >= NEVER_NS else max(0, value - self._now_ns)


def _attributes(value: Any) -> Iterator[tuple[str, bool]]:
    """The names of the attributes that count, and whether each is a time."""
    kind = type(value)
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    for name in slots or sorted(vars(value)):
        if (kind.__name__, name) not in _LEFT_OUT:
            yield name, name.endswith("_ns")


SOON_NS: Final = 2
"""What is left of every timer but those of missing interrupts."""
LATE_NS: Final = 10**10
"""What is left of those: more than anything else takes."""
FIRST_NS: Final = 1
"""When the timer that was chosen runs out; the system's clock shows 0."""


class TimerKind(Enum):
    """What a timer is of."""

    RX_LOCK = "the receive lock"
    TX_LOCK = "the send lock"
    INTERRUPT = "an interrupt"
    DATA = "the end of data"
    RECOVERY = "the end of a recovery"
    MISSING = "a missing interrupt"


class Timer(NamedTuple):
    """A timer, and the place of its CTC among those of the system; of a link lock, its link's."""

    kind: TimerKind
    place: int


def timers(node: System) -> Iterator[Timer]:
    """All timers that are pending in a system."""
    for number, end in enumerate(node.ends):
        if not end.link.rx_lock.free:
            yield Timer(TimerKind.RX_LOCK, number)
        if not end.link.tx_lock.free:
            yield Timer(TimerKind.TX_LOCK, number)
    places = {device.rdev: index for index, device in enumerate(_devices(node))}
    for (chpid,) in node.channels.chpids.values():
        for index in sorted({places[ctc.rdev] for _, ctc in chpid._endings.entries()}):
            yield Timer(TimerKind.INTERRUPT, index)
        for index in sorted(places[ctc.rdev] for ctc, _ in chpid._sending.left_at(0.0)):
            yield Timer(TimerKind.DATA, index)
    for index, ctc in enumerate(_ctcs(node)):
        if ctc.due_ns < NEVER_NS:
            recovers = ctc.state is DeviceState.RECOVERING
            yield Timer(TimerKind.RECOVERY if recovers else TimerKind.MISSING, index)


def forget_times(node: System) -> None:
    """Let the clock show 0, and every pending timer have as much time left as all of its kind."""
    for end in node.ends:
        for lock in (end.link.rx_lock, end.link.tx_lock):
            if not lock.free:
                lock.due_ns = SOON_NS
    copies = any(end.link.rx_lock.copies or end.link.tx_lock.copies for end in node.ends)
    node._lock.until_ns = SOON_NS if copies else 0
    for ctc in _ctcs(node):
        if ctc.due_ns < NEVER_NS:
            ctc.due_ns = SOON_NS if ctc.state is DeviceState.RECOVERING else LATE_NS
    _watch(node)
    devices = _devices(node)
    for device in devices:  # when things were begun matters only for how long they took
        device._started_ns = device._departed_ns = 0
        if device._matched_ns < NEVER_NS:
            device._matched_ns = 0
    for (chpid,) in node.channels.chpids.values():
        _arrange(chpid, devices, None)


def run_out(node: System, timer: Timer) -> None:
    """Let this timer have the least time left, `FIRST_NS`; all others keep what they have."""
    if timer.kind in (TimerKind.RX_LOCK, TimerKind.TX_LOCK):
        link = node.ends[timer.place].link
        lock = link.rx_lock if timer.kind is TimerKind.RX_LOCK else link.tx_lock
        lock.due_ns = FIRST_NS
        if lock.copies:
            node._lock.until_ns = FIRST_NS
    elif timer.kind in (TimerKind.RECOVERY, TimerKind.MISSING):
        _ctcs(node)[timer.place].due_ns = FIRST_NS
        _watch(node)
    else:
        devices = _devices(node)
        device = devices[timer.place]
        chpid = node.channels.end_of[device.rdev]
        _arrange(chpid, devices, (timer.kind, device))


def _devices(node: System) -> list[Ctc]:
    """The hardware of all CTCs, link by link."""
    return [device for end in node.ends for device in end.ctcs.values()]


def _ctcs(node: System) -> list[LinkCtc]:
    """What the links know of the same CTCs, in the same order."""
    return [ctc for end in node.ends for ctc in end.link.ctcs.values()]


def _watch(node: System) -> None:
    for end in node.ends:
        end.link.watch.due_ns = min(ctc.due_ns for ctc in end.link.ctcs.values())


def _arrange(
    chpid: Chpid[Ctc], devices: Sequence[Ctc], first: tuple[TimerKind, Ctc] | None
) -> None:
    """Give all that waits on a chpid the same time, in the order of the CTCs, but for the first."""
    endings = [ctc for _, ctc in chpid._endings.entries()]
    users = [ctc for ctc, _ in chpid._sending.left_at(0.0)]
    chpid._endings, chpid._sending, chpid._completion_ns = Agenda(), Sharing(), NEVER_NS
    for device in devices:
        if any(device is ctc for ctc in endings):
            due_ns = FIRST_NS if first == (TimerKind.INTERRUPT, device) else SOON_NS
            chpid._endings.add(due_ns, device)
        if any(device is ctc for ctc in users):
            due_ns = FIRST_NS if first == (TimerKind.DATA, device) else SOON_NS
            chpid._sending.add(device, float(due_ns))
            chpid._completion_ns = min(chpid._completion_ns, due_ns)
    for direction in (chpid._out, chpid._in):  # they set the pace only
        direction.line = direction.common = 0.0
    chpid.queue.free_ns = 0
    chpid.due_ns = min(chpid._endings.due_ns, chpid._completion_ns)
