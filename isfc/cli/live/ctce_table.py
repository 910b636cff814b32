"""What joined CTCs have done: in all, in an interval as in FCX108, and while they are watched."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table

from ctc.address import format_rdev
from ctc.state import CommandClass
from isfc.ctce.exchange import CtcPlace
from isfc.ctce.ios import EndTally, IoBook
from isfc.errors import ConfigurationError
from isfc.live.ctce import CtceBox, EndPort
from isfc.reports.table import open_console, plain_table

if TYPE_CHECKING:
    from scenarios.runs.report import DeviceRow

MIB = 1 << 20
LOOK_NS = 900_000_000
"""A page that is watched is not renewed before."""
THOUSANDS_FROM = 9_999.5
_KINDS = (CommandClass.WRITE, CommandClass.READ, CommandClass.CONTROL)
"""Those that have a column of their own while they are watched."""


def totals(box: CtceBox, book: IoBook) -> Table:
    """A row for each end: all that it has done."""
    table = plain_table(
        *("system", "RDEV", ">commands", ">bytes", ">ms/WRITE", ">joined", ">refused"),
        *(">collided", ">stale"),
        gap=1,
    )
    for port in _ports(box):
        tally = book.tallies[port.at]
        table.add_row(
            *(port.end.system, format_rdev(port.end.rdev)),
            *(f"{n:,}" for n in (tally.order_count, tally.written_length)),
            _ms(tally.write_ns, tally.write_count),
            *(f"{n:,}" for n in (port.attached_count, port.refused_count)),
            *(f"{n:,}" for n in (tally.collision_count, tally.stale_count)),
        )
    return table


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


def device_pages(
    ctcs_ends: list[tuple[CtcPlace, str, str]], intervals: Intervals, now_ns: int
) -> Iterator[RenderableType]:
    """FCX108 DEVICE of the interval that ends now, of each system: place, system and RDEV."""
    from isfc.answers.views import device_table  # few ask for it, and it loads the model

    begin_s = intervals.begin_ns / 1e9
    seconds, since = intervals.next(now_ns)
    for system in dict.fromkeys(name for _, name, _ in ctcs_ends):
        rows = [
            _device_row(system, rdev, since[at], seconds)
            for at, name, rdev in ctcs_ends
            if name == system
        ]
        title = f"FCX108 DEVICE, {system}, {begin_s:.1f} to {now_ns / 1e9:.1f} s"
        yield device_table(title, rows)


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

    def page(self) -> Table:
        """The page of the last second: it is asked for with each line that is said above it too."""
        if self._box.now_ns() - self._intervals.begin_ns >= LOOK_NS:
            self._shown = self._made()
        return self._shown

    def _made(self) -> Table:
        """A row for each end: what it did a second since the last page, and how it is now."""
        seconds, since = self._intervals.next(self._box.now_ns())
        table = plain_table(
            *("system", "RDEV", ">write\n/s", ">read\n/s", ">ctl\n/s", ">other\n/s", ">MB\n/s"),
            *(">Pend\nms", ">Disc\nms", ">Conn\nms", ">coll\n/s", ">answer\nms", "~now"),
            gap=1,
        )
        for port in _ports(self._box):
            tally = since[port.at]
            kinds = [tally.kinds[kind] for kind in _KINDS]
            other = tally.order_count - sum(kinds)
            table.add_row(
                *(port.end.system, format_rdev(port.end.rdev)),
                *(_short(n / seconds, 0) for n in (*kinds, other)),
                _short(tally.written_length / MIB / seconds, 1),
                *(
                    _short_ms(ns, tally.io_count)
                    for ns in (tally.pend_ns, tally.disc_ns, tally.conn_ns)
                ),
                _short(tally.collision_count / seconds, 0),
                _short_ms(tally.answer_ns, tally.answer_count),
                _state(self._box, port),
            )
        return table


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


def _ports(box: CtceBox) -> Iterator[EndPort]:
    for pair in box.ports:
        yield from pair


def _ms(total_ns: int, count: int) -> str:
    return f"{total_ns / 1e6 / count:,.2f}" if count else "-"


def _short(value: float, digits: int) -> str:
    """At most five characters, so that a row fits a terminal of 80 columns."""
    while digits and value >= 10.0 ** (4 - digits):
        digits -= 1
    return f"{value:,.{digits}f}" if value < THOUSANDS_FROM else f"{value / 1000:,.0f}k"


def _short_ms(total_ns: int, count: int) -> str:
    return _short(total_ns / 1e6 / count, 2) if count else "-"


def _state(box: CtceBox, port: EndPort) -> str:
    """What is outstanding at an end, or why nothing can be."""
    lost = box.exchange.lost[port.at.ctc]
    here = box.exchange.adapters[port.at.ctc].ends[port.at.end]
    if lost:
        return f"lost: {', '.join(sorted(lost))}"
    if not here.attached:
        return "absent"
    return here.state.name.lower() if here.pending else "idle"
