"""What joined CTCs have done: in all, in an interval as in FCX108, and while they are watched."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, RenderableType
from rich.live import Live

from ctc.address import format_rdev
from ctc.state import CommandClass
from isfc.cli.output.streams import show
from isfc.errors import ConfigurationError
from isfc.errors.in_words import number
from isfc.live.ctce.exchange import CtcPlace
from isfc.live.ctce.ios import EndTally, IoBook
from isfc.live.ctce.join import JoinedCtc
from isfc.live.ctce_box import CtceBox
from isfc.live.ctce_port import EndPort
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Table
from isfc.reports.terminal import open_console, table_of

if TYPE_CHECKING:
    from scenarios.runs.report import DeviceRow

MIB = 1 << 20
LOOK_NS = 900_000_000
"""A page that is watched is not renewed before."""
_KINDS = (CommandClass.WRITE, CommandClass.READ, CommandClass.CONTROL)
"""Those that have a column of their own while they are watched."""


def totals(box: CtceBox, book: IoBook) -> RenderableType:
    """A row for each end: all that it has done."""
    rows = [_total(port, book.tallies[port.at]) for pair in box.ports for port in pair]
    return table_of(Table("", _TOTALS, rows))


def _total(port: EndPort, tally: EndTally) -> dict[str, Any]:
    return {
        **_of_end(port),
        "orders": tally.order_count,
        "length": tally.written_length,
        "write_ms": _ms(tally.write_ns, tally.write_count),
        "joined": port.attached_count,
        "refused": port.refused_count,
        "collided": tally.collision_count,
        "stale": tally.stale_count,
    }


def _of_end(port: EndPort) -> dict[str, Any]:
    return {"system": port.end.system, "rdev": format_rdev(port.end.rdev)}


_END: Final = (Column("system", "system"), Column("RDEV", "rdev"))
_TOTALS: Final = (
    *_END,
    Column("commands", "orders", Unit.COUNTED),
    Column("bytes", "length", Unit.COUNTED),
    Column("ms/WRITE", "write_ms", Unit.MS),
    Column("joined", "joined", Unit.COUNTED),
    Column("refused", "refused", Unit.COUNTED),
    Column("collided", "collided", Unit.COUNTED),
    Column("stale", "stale", Unit.COUNTED),
)


class Intervals:
    """What each end has done since it was last asked."""

    def __init__(self, book: IoBook, now_ns: int) -> None:
        self._book = book
        self.begin_ns = now_ns
        self._before = {at: tally.copy() for at, tally in book.tallies.items()}

    def next(self, now_ns: int) -> tuple[float, dict[CtcPlace, EndTally]]:
        """Seconds since then, and what each end has done in them."""
        seconds = max(1, now_ns - self.begin_ns) / 1e9
        now = {at: tally.copy() for at, tally in self._book.tallies.items()}
        since = {at: tally.since(self._before[at]) for at, tally in now.items()}
        self.begin_ns, self._before = now_ns, now
        return seconds, since


class DeviceReports:
    """Shows FCX108 DEVICE of each interval; of none if ``interval_s`` is None."""

    def __init__(
        self, book: IoBook, ctcs: Sequence[JoinedCtc], interval_s: float | None, now_ns: int
    ) -> None:
        self._devices: defaultdict[str, list[tuple[CtcPlace, str]]] = defaultdict(list)
        for index, ctc in enumerate(ctcs):
            for end, each in enumerate(ctc):
                device = CtcPlace(index, end), format_rdev(each.rdev)
                self._devices[each.system].append(device)
        self._intervals = Intervals(book, now_ns)
        self._interval_ns = None if interval_s is None else round(interval_s * 1e9)
        self.show: Callable[[RenderableType], None] = show

    def look(self, now_ns: int) -> None:
        """Show each interval that is over."""
        if self._interval_ns is None:
            return
        while now_ns >= self._intervals.begin_ns + self._interval_ns:
            self._show(self._intervals.begin_ns + self._interval_ns)

    def last(self, now_ns: int) -> None:
        """Show the interval that nothing more comes of."""
        self.look(now_ns)
        if self._interval_ns is not None and now_ns > self._intervals.begin_ns:
            self._show(now_ns)

    def _show(self, now_ns: int) -> None:
        """Show a page for each system, of the interval that ends now."""
        from isfc.answers.views import device_table  # few ask for it, and it loads the model

        begin_s = self._intervals.begin_ns / 1e9
        seconds, since = self._intervals.next(now_ns)
        for system, devices in self._devices.items():
            rows = [_device_row(system, rdev, since[at], seconds) for at, rdev in devices]
            title = f"FCX108 DEVICE, {system}, {number(begin_s, 1)} to {number(now_ns / 1e9, 1)} s"
            self.show(device_table(title, rows))


def _device_row(system: str, rdev: str, tally: EndTally, seconds: float) -> "DeviceRow":
    from scenarios.runs.report import DeviceRow

    count = tally.io_count
    serv_ns = tally.pend_ns + tally.disc_ns + tally.conn_ns
    pend, disc, conn, serv = (
        each / 1e6 / count if count else None
        for each in (tally.pend_ns, tally.disc_ns, tally.conn_ns, serv_ns)
    )
    busy = min(100.0, serv_ns / 1e7 / seconds)
    return DeviceRow(system, system, rdev, count / seconds, pend, disc, conn, serv, serv, busy)


class CtceWatch:
    """A page that says what each end has done since it was last shown."""

    def __init__(self, box: CtceBox, book: IoBook) -> None:
        self._box = box
        self._intervals = Intervals(book, box.now_ns())
        self._shown = self._made()

    def page(self) -> RenderableType:
        """The page of the last second: it is asked for with each line that is said above it too."""
        if self._box.now_ns() - self._intervals.begin_ns >= LOOK_NS:
            self._shown = self._made()
        return self._shown

    def _made(self) -> RenderableType:
        """A row for each end: what it did a second since the last page, and how it is now."""
        seconds, since = self._intervals.next(self._box.now_ns())
        rows = [
            {
                **_of_end(port),
                **_each_second(since[port.at], seconds),
                "now": _state(self._box, port),
            }
            for pair in self._box.ports
            for port in pair
        ]
        return table_of(Table("", _WATCHED, rows))


def _each_second(tally: EndTally, seconds: float) -> dict[str, Any]:
    """What an end did a second, and the milliseconds of each of its I/Os."""
    kinds = {kind.name: tally.kinds[kind] / seconds for kind in _KINDS}
    return {
        **kinds,
        "other": tally.order_count / seconds - sum(kinds.values()),
        "mb": tally.written_length / MIB / seconds,
        "pend": _ms(tally.pend_ns, tally.io_count),
        "disc": _ms(tally.disc_ns, tally.io_count),
        "conn": _ms(tally.conn_ns, tally.io_count),
        "collisions": tally.collision_count / seconds,
        "answer": _ms(tally.answer_ns, tally.answer_count),
    }


_WATCHED: Final = (
    *_END,
    Column("write\n/s", CommandClass.WRITE.name, width=5),
    Column("read\n/s", CommandClass.READ.name, width=5),
    Column("ctl\n/s", CommandClass.CONTROL.name, width=5),
    Column("other\n/s", "other", width=5),
    Column("MB\n/s", "mb", width=5, places=1),
    Column("Pend\nms", "pend", width=5, places=2),
    Column("Disc\nms", "disc", width=5, places=2),
    Column("Conn\nms", "conn", width=5, places=2),
    Column("coll\n/s", "collisions", width=5),
    Column("answer\nms", "answer", width=5, places=2),
    Column("now", "now", folds=True),
)
"""At most 80 columns."""


@contextmanager
def watched(box: CtceBox, book: IoBook) -> Iterator[Console]:
    """A page that takes the place of the one before; what the console prints scrolls by above."""
    console = open_console()
    if not console.is_terminal or console.is_dumb_terminal:
        raise ConfigurationError("--watch: expected a terminal; without one --trace says all")
    with Live(
        get_renderable=CtceWatch(box, book).page,
        console=console,
        refresh_per_second=1,
        redirect_stdout=False,
        redirect_stderr=sys.stderr.isatty(),  # what is said there scrolls by above
        vertical_overflow="crop",
        transient=True,
    ):
        yield console


def _ms(total_ns: int, count: int) -> float | str:
    """Milliseconds of each, if there are any."""
    return total_ns / 1e6 / count if count else "-"


def _state(box: CtceBox, port: EndPort) -> str:
    """What is outstanding at an end, or why nothing can be."""
    lost = box.exchange.lost[port.at.ctc]
    here = box.exchange.adapters[port.at.ctc].ends[port.at.end]
    if lost:
        return f"lost: {', '.join(sorted(lost))}"
    if not here.attached:
        return "absent"
    return here.state.name.lower() if here.pending else "idle"
