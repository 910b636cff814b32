"""What joined CTCs have done: in all, and in the last second while they are watched."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.live import Live
from rich.table import Table

from ctc.address import format_rdev
from isfc.cli.output.console import open_console
from isfc.cli.output.table import plain_table
from isfc.errors import ConfigurationError
from isfc.live.ctce import CtceBox, CtcJoint
from isfc.live.ctce_port import EndPort

MIB = 1 << 20


def totals(box: CtceBox) -> Table:
    """A row for each end: all that it has done."""
    table = plain_table(
        *("system", "RDEV", ">commands", ">bytes", ">ms/WRITE", ">joined", ">refused"),
        *(">collided", ">stale"),
    )
    for joint, port in _ends(box):
        count = port.count
        table.add_row(
            *(port.end.system, format_rdev(port.end.rdev)),
            *(f"{n:,}" for n in (count.orders, count.written_length)),
            _ms(count.write_ns, count.writes),
            *(f"{n:,}" for n in (count.attached, count.refused)),
            *(f"{n:,}" for n in (joint.adapter.collision_count, joint.adapter.stale_count)),
        )
    return table


class CtceWatch:
    """A page that says what each end has done since it was last shown."""

    def __init__(self, box: CtceBox) -> None:
        self._box = box
        self._before_ns = box.now_ns()
        self._before = [self._counts(joint, port) for joint, port in _ends(box)]

    def page(self) -> Table:
        """A row for each end: what it did a second since the last page, and how it is now."""
        now_ns = self._box.now_ns()
        seconds = max(1, now_ns - self._before_ns) / 1e9
        now = [self._counts(joint, port) for joint, port in _ends(self._box)]
        table = plain_table(
            *("system", "RDEV", ">commands/s", ">WRITEs/s", ">MB/s", ">ms/WRITE"),
            *(">collisions/s", "now"),
        )
        for (joint, port), counts, before in zip(_ends(self._box), now, self._before, strict=True):
            orders, length, writes, write_ns, collisions = (
                after - earlier for after, earlier in zip(counts, before, strict=True)
            )
            table.add_row(
                *(port.end.system, format_rdev(port.end.rdev)),
                *(f"{orders / seconds:,.0f}", f"{writes / seconds:,.0f}"),
                *(f"{length / MIB / seconds:,.1f}", _ms(write_ns, writes)),
                *(f"{collisions / seconds:,.0f}", _state(joint, port)),
            )
        self._before_ns, self._before = now_ns, now
        return table

    def _counts(self, joint: CtcJoint, port: EndPort) -> tuple[int, ...]:
        count = port.count
        collisions = joint.adapter.collision_count
        return count.orders, count.written_length, count.writes, count.write_ns, collisions


@contextmanager
def watched(box: CtceBox) -> Iterator[Live]:
    """A page that takes the place of the one before; `rich.live.Live.update` shows the next."""
    console = open_console()
    if not console.is_terminal or console.is_dumb_terminal:
        raise ConfigurationError("--watch: expected a terminal; without one --trace says all")
    watch = CtceWatch(box)
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


def _ends(box: CtceBox) -> Iterator[tuple[CtcJoint, EndPort]]:
    for joint in box.joints:
        for port in joint.ports:
            yield joint, port


def _ms(total_ns: int, count: int) -> str:
    return f"{total_ns / 1e6 / count:,.2f}" if count else "-"


def _state(joint: CtcJoint, port: EndPort) -> str:
    """What is outstanding at an end, or why nothing can be."""
    here = joint.adapter.ends[port.index]
    if joint.lost:
        return f"lost: {', '.join(sorted(joint.lost))}"
    if not here.attached:
        return "not connected"
    return here.state.name.lower() if here.pending else "idle"
