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
from typing import Final, NamedTuple

from ctc.chpid import Chpid
from ctc.device import Ctc
from ctc.queues import NEVER_NS, Agenda
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
