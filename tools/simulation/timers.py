"""The timers of a system, each of which may run out next: how long they take is forgotten.

A system that is driven by a clock lets its timers run out in one order. Here every pending timer
has the same time left, and whichever is chosen runs out first. So all orders are found that any
durations lead to, and two systems in which the same is pending are alike.

Timers are: those of the link locks, which a piece of work holds each; of each CTC the interrupt
that says that an I/O is over, the end of the data that it sends, and what its link waits for
there, which is the end of the recovery or, late, an interrupt that is missing.

What is set here are times and the order of entries that wait for a time, nothing else.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from ctc.agenda import NEVER_NS, Agenda
from ctc.chpid import Chpid
from ctc.device import Ctc
from ctc.sharing import Sharing
from isfc.link.link_ctc import LinkCtc
from isfc.link.state import DeviceState
from isfc.system.system import System

SOON_NS: Final = 2
"""What is left of every timer but those of missing interrupts."""
LATE_NS: Final = 10**10
"""What is left of those: more than anything else takes."""
FIRST_NS: Final = 1
"""When the timer that was chosen runs out; the system's clock shows 0."""


_HISTORY: Final = ("_started_ns", "_departed_ns", "_matched_ns")
_ENDINGS, _SENDING, _COMPLETION = "_endings", "_sending", "_completion_ns"
_DIRECTIONS: Final = ("_out", "_in")
_SYSTEM_LOCK: Final = "_lock"
"""Attributes of systems, CTCs and chpids that are times, or wait for one, by name."""


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


def timers(node: System) -> tuple[Timer, ...]:
    """All timers that are pending in a system."""
    return tuple(_timers(node))


def forget_times(node: System) -> None:
    """Let the clock show 0, and every pending timer have as much time left as all of its kind."""
    for end in node.ends:
        for lock in (end.link.rx_lock, end.link.tx_lock):
            if not lock.free:
                lock.due_ns = SOON_NS
    _get(node, _SYSTEM_LOCK).until_ns = SOON_NS if _copies(node) else 0
    for ctc in _ctcs(node):
        if ctc.due_ns < NEVER_NS:
            ctc.due_ns = SOON_NS if _recovers(ctc) else LATE_NS
    _watch(node)
    devices = _devices(node)
    for device in devices:
        _forget_history(device)
    for (chpid,) in node.channels.chpids.values():
        _arrange(chpid, devices, None)


def run_out(node: System, timer: Timer) -> None:
    """Let this timer have the least time left, `FIRST_NS`; all others keep what they have."""
    if timer.kind in (TimerKind.RX_LOCK, TimerKind.TX_LOCK):
        link = node.ends[timer.place].link
        lock = link.rx_lock if timer.kind is TimerKind.RX_LOCK else link.tx_lock
        lock.due_ns = FIRST_NS
        if lock.copies:
            _get(node, _SYSTEM_LOCK).until_ns = FIRST_NS
    elif timer.kind in (TimerKind.RECOVERY, TimerKind.MISSING):
        _ctcs(node)[timer.place].due_ns = FIRST_NS
        _watch(node)
    else:
        devices = _devices(node)
        device = devices[timer.place]
        chpid = node.channels.end_of[device.rdev]
        _arrange(chpid, devices, (timer.kind, device))


def _timers(node: System) -> Iterator[Timer]:
    for number, end in enumerate(node.ends):
        if not end.link.rx_lock.free:
            yield Timer(TimerKind.RX_LOCK, number)
        if not end.link.tx_lock.free:
            yield Timer(TimerKind.TX_LOCK, number)
    places = {device.rdev: index for index, device in enumerate(_devices(node))}
    for (chpid,) in node.channels.chpids.values():
        for index in sorted({places[ctc.rdev] for ctc in _endings(chpid)}):
            yield Timer(TimerKind.INTERRUPT, index)
        for index in sorted(places[ctc.rdev] for ctc in _sending(chpid)):
            yield Timer(TimerKind.DATA, index)
    for index, ctc in enumerate(_ctcs(node)):
        if ctc.due_ns < NEVER_NS:
            yield Timer(TimerKind.RECOVERY if _recovers(ctc) else TimerKind.MISSING, index)


def _copies(node: System) -> bool:
    """Whether any link of the system holds its lock."""
    return any(end.link.rx_lock.copies or end.link.tx_lock.copies for end in node.ends)


def _devices(node: System) -> list[Ctc]:
    """The hardware of all CTCs, link by link."""
    return [device for end in node.ends for device in end.ctcs.values()]


def _ctcs(node: System) -> list[LinkCtc]:
    """What the links know of the same CTCs, in the same order."""
    return [ctc for end in node.ends for ctc in end.link.ctcs.values()]


def _recovers(ctc: LinkCtc) -> bool:
    """Whether the wait is for the end of a recovery, and not for an interrupt."""
    return ctc.state is DeviceState.RECOVERING


def _watch(node: System) -> None:
    for end in node.ends:
        end.link.watch.due_ns = min(ctc.due_ns for ctc in end.link.ctcs.values())


def _forget_history(device: Ctc) -> None:
    """When things were begun matters only for how long they took."""
    for name in _HISTORY:
        if _get(device, name) < NEVER_NS:
            _put(device, name, 0)


def _endings(chpid: Chpid[Ctc]) -> list[Ctc]:
    return [ctc for _, ctc in _get(chpid, _ENDINGS).entries()]


def _sending(chpid: Chpid[Ctc]) -> list[Ctc]:
    return [ctc for ctc, _ in _get(chpid, _SENDING).left_at(0.0)]


def _arrange(
    chpid: Chpid[Ctc], devices: Sequence[Ctc], first: tuple[TimerKind, Ctc] | None
) -> None:
    """Give all that waits on a chpid the same time, in the order of the CTCs, but for the first."""
    endings, users = _endings(chpid), _sending(chpid)
    agenda: Agenda[Ctc] = Agenda()
    sharing: Sharing[Ctc] = Sharing()
    least_ns = NEVER_NS
    for device in devices:
        if any(device is ctc for ctc in endings):
            agenda.add(FIRST_NS if first == (TimerKind.INTERRUPT, device) else SOON_NS, device)
        if any(device is ctc for ctc in users):
            due_ns = FIRST_NS if first == (TimerKind.DATA, device) else SOON_NS
            sharing.add(device, float(due_ns))
            least_ns = min(least_ns, due_ns)
    for name, value in ((_ENDINGS, agenda), (_SENDING, sharing), (_COMPLETION, least_ns)):
        _put(chpid, name, value)
    for name in _DIRECTIONS:  # they set the pace only
        direction = _get(chpid, name)
        direction.line = direction.common = 0.0
    chpid.queue.free_ns = 0
    chpid.due_ns = min(agenda.due_ns, least_ns)


def _get(owner: object, name: str) -> Any:
    return getattr(owner, name)


def _put(owner: object, name: str, value: object) -> None:
    setattr(owner, name, value)
