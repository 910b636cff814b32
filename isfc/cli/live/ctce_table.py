"""What joined CTCs have done: in all, in an interval as in FCX108, and while they are watched."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.live import Live
from rich.table import Table

from ctc.address import format_rdev
from ctc.state import CommandClass
from isfc.cli.output.table import open_console, plain_table
from isfc.ctce.exchange import CtcPlace
from isfc.ctce.ios import EndTally, IoBook
from isfc.errors import ConfigurationError
from isfc.live.ctce import CtceBox
from isfc.live.ctce_port import EndPort

if TYPE_CHECKING:
    from scenarios.runs.report import DeviceRow

MIB = 1 << 20
_KINDS = (CommandClass.WRITE, CommandClass.READ, CommandClass.CONTROL)
"""Those that have a column of their own while they are watched."""


def totals(box: CtceBox, book: IoBook) -> Table:
    """A row for each end: all that it has done."""
    table = plain_table(
        *("system", "RDEV", ">commands", ">bytes", ">ms/WRITE", ">joined", ">refused"),
        *(">collided", ">stale"),
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
    from isfc.cli.results.views import device_table  # few ask for it, and it loads the model

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

    def page(self) -> Table:
        """A row for each end: what it did a second since the last page, and how it is now."""
        seconds, since = self._intervals.next(self._box.now_ns())
        table = plain_table(
            *("system", "RDEV", ">write/s", ">read/s", ">control/s", ">other/s", ">MB/s"),
            *(">Pend", ">Disc", ">Conn", ">collided/s", ">answer", "now"),
        )
        for port in _ports(self._box):
            tally = since[port.at]
            kinds = [tally.kinds[kind] for kind in _KINDS]
            other = tally.order_count - sum(kinds)
            table.add_row(
                *(port.end.system, format_rdev(port.end.rdev)),
                *(f"{n / seconds:,.0f}" for n in (*kinds, other)),
                f"{tally.written_length / MIB / seconds:,.1f}",
                *(_ms(ns, tally.io_count) for ns in (tally.pend_ns, tally.disc_ns, tally.conn_ns)),
                f"{tally.collision_count / seconds:,.0f}",
                _ms(tally.answer_ns, tally.answer_count),
                _state(self._box, port),
            )
        return table


@contextmanager
def watched(box: CtceBox, book: IoBook) -> Iterator[Live]:
    """A page that takes the place of the one before; `rich.live.Live.update` shows the next."""
    console = open_console()
    if not console.is_terminal or console.is_dumb_terminal:
        raise ConfigurationError("--watch: expected a terminal; without one --trace says all")
    watch = CtceWatch(box, book)
    with Live(
        get_renderable=watch.page,
        console=console,
        refresh_per_second=1,
        redirect_stdout=False,
        redirect_stderr=sys.stderr.isatty(),  # what is said there scrolls by above
        vertical_overflow="crop",
        transient=True,
    ) as live:
        yield live


def _ports(box: CtceBox) -> Iterator[EndPort]:
    for pair in box.ports:
        yield from pair


def _ms(total_ns: int, count: int) -> str:
    return f"{total_ns / 1e6 / count:,.2f}" if count else "-"


def _state(box: CtceBox, port: EndPort) -> str:
    """What is outstanding at an end, or why nothing can be."""
    lost = box.exchange.lost[port.at.ctc]
    here = box.exchange.adapters[port.at.ctc].ends[port.at.end]
    if lost:
        return f"lost: {', '.join(sorted(lost))}"
    if not here.attached:
        return "not connected"
    return here.state.name.lower() if here.pending else "idle"
