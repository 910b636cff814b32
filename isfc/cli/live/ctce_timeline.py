"""``isfc ctce --timeline``: every I/O of real systems' CTCs, for Perfetto.

Each system is a process, each of its devices a thread; times are since the start.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ctc.address import format_rdev
from ctc.order import name_of
from isfc.cli.output.trace_events import (
    Event,
    device_place,
    io_events,
    process_events,
    thread_events,
    us,
)
from isfc.ctce.exchange import CtcPlace
from isfc.ctce.ios import CommandIo
from isfc.ctce.join import JoinedCtc

IOS_MAX: Final = 600_000
"""I/Os of a timeline: as many as Perfetto takes with ease."""

RATE_BIN_NS: Final = 10_000_000
DATA_LENGTH: Final = 16
"""Bytes of a WRITE that are shown."""


class CtceTimeline:
    """Adds the events of each I/O; ``stopped`` is told once why there are no more.

    A file that takes no more ends the timeline, and harms nobody who is served.
    """

    def __init__(
        self,
        ctcs: Sequence[JoinedCtc],
        add: Callable[[Event], None],
        stopped: Callable[[str], None],
    ) -> None:
        self._add = add
        self._stopped = stopped
        self._ctcs = ctcs
        self._io_count = 0
        systems = list(dict.fromkeys(end.system for ctc in ctcs for end in ctc))
        self._systems = systems
        self._bin: defaultdict[CtcPlace, tuple[int, int]] = defaultdict(lambda: (0, 0))
        """Of each end the bin of time in which it wrote last, and the bytes of that."""
        for system, name in enumerate(systems):
            for event in process_events(system, name):
                add(event)
        for index, ctc in enumerate(ctcs):
            for end, each in enumerate(ctc):
                system, number = self._place(CtcPlace(index, end))
                for event in thread_events(system, number, index, format_rdev(each.rdev)):
                    add(event)

    def take(self, io: CommandIo) -> None:
        """An I/O is over."""
        self._io_count += 1
        if self._io_count > IOS_MAX:
            if self._io_count == IOS_MAX + 1:
                self._stopped(f"it has {IOS_MAX:,} I/Os")
            return
        try:
            self._take(io)
        except OSError as error:
            self._io_count = IOS_MAX + 1
            self._stopped(error.strerror or str(error))

    def _take(self, io: CommandIo) -> None:
        order = io.order
        details: dict[str, Any] = {"outcome": io.outcome, "count": order.count}
        if order.data:
            details |= {"bytes": len(order.data), "data": order.data[:DATA_LENGTH].hex()}
        place = device_place(*self._place(io.at))
        times_ns = (io.begin_ns, io.end_ns)
        for event in io_events(name_of(order.code), place, details, times_ns, _phases(io)):
            self._add(event)
        if order.data and io.outcome == "ended":
            self._rate(io)

    def _rate(self, io: CommandIo) -> None:
        """What a device writes, as MB/s of each bin of time in which it does."""
        now_bin = io.end_ns // RATE_BIN_NS
        at_bin, length = self._bin[io.at]
        if now_bin != at_bin:
            self._count(io.at, at_bin, length)
            if now_bin > at_bin + 1:
                self._count(io.at, at_bin + 1, 0)
            length = 0
        self._bin[io.at] = now_bin, length + len(io.order.data)

    def _count(self, at: CtcPlace, in_bin: int, length: int) -> None:
        system, _ = self._place(at)
        name = f"{format_rdev(self._ctcs[at.ctc][at.end].rdev)} MB/s"
        rate = round(length / (1 << 20) * 1e9 / RATE_BIN_NS, 3)
        counter = {"ph": "C", "pid": system + 1, "tid": 0, "ts": us(in_bin * RATE_BIN_NS)}
        self._add({**counter, "name": name, "args": {"MB/s": rate}})

    def _place(self, at: CtcPlace) -> tuple[int, int]:
        end = self._ctcs[at.ctc][at.end]
        return self._systems.index(end.system), end.rdev


def _phases(io: CommandIo) -> Iterator[tuple[str, int, int]]:
    """PEND, CONN and DISC as far as they took any time: data go before the mate is told."""
    at_ns = io.begin_ns
    for name, length_ns in (("PEND", io.pend_ns), ("CONN", io.conn_ns), ("DISC", io.disc_ns)):
        if length_ns and at_ns + length_ns <= io.end_ns:
            yield name, at_ns, at_ns + length_ns
            at_ns += length_ns
