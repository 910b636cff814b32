"""What ``isfc ctce`` shows and keeps of what happens: a trace, a timeline, FCX108, a journal.

In a timeline each system is a process, each of its devices a thread; times are since the start.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from msgspec import Struct

from ctc.adapter import Step
from ctc.address import format_rdev
from ctc.order import RESET, name_of
from ctc.state import State
from isfc.cli.live.ctce_table import DeviceReports
from isfc.cli.live.options import ObserveOptions
from isfc.cli.options.option import flag, valued, within
from isfc.cli.output import trace_events
from isfc.cli.output.file import check_file, check_force
from isfc.cli.output.streams import show_error, show_lines
from isfc.cli.output.trace_events import Event
from isfc.engine.framed import CTCE_HEADER
from isfc.errors import ConfigurationError
from isfc.errors.in_words import reason_of
from isfc.live.ctce.exchange import (
    Changed,
    CtcPlace,
    Exchange,
    ExchangeDefinition,
    ExchangeEvent,
    Noted,
    Observe,
    OrderStep,
    Told,
)
from isfc.live.ctce.ios import CommandIo, IoBook
from isfc.live.ctce.join import JoinedCtc
from isfc.live.ctce.journal import ToldDigest, begin_record, end_record, input_record
from isfc.live.ctce.wire import nje_name
from isfc.live.ctce_box import CtceBox
from isfc.live.endpoint import TcpEndpoint
from isfc.live.journal_file import JournalWriter

_Taken = TypeVar("_Taken")

IOS_MAX: Final = 600_000
"""I/Os of a timeline: as many as Perfetto takes with ease."""

RATE_BIN_NS: Final = 10_000_000
DATA_LENGTH: Final = 16
"""Bytes of a WRITE that a timeline and a line of a trace show."""


def harmless(what: str, take: Callable[[_Taken], None]) -> Callable[[_Taken], None]:
    """What takes until its output takes no more, says so once, and harms nobody who is served."""
    ended = False

    def taken(each: _Taken) -> None:
        nonlocal ended
        try:
            if not ended:
                take(each)
        except (OSError, SystemExit) as error:  # the latter: its reader has gone
            ended = True
            reason = "nobody reads it" if isinstance(error, SystemExit) else reason_of(error)
            show_error(f"{what}: {reason}: it ends here; the CTCs go on without")

    return taken


class CtceTimeline:
    """Adds the events of each I/O, of `IOS_MAX` at most."""

    def __init__(self, ctcs: Sequence[JoinedCtc], add: Callable[[Event], None]) -> None:
        self._add = add
        self._ctcs = ctcs
        self._io_count = 0
        systems = list(dict.fromkeys(end.system for ctc in ctcs for end in ctc))
        self._systems = systems
        self._bin: defaultdict[CtcPlace, tuple[int, int]] = defaultdict(lambda: (0, 0))
        """Of each end the bin of time in which it wrote last, and the bytes of that."""
        for system, name in enumerate(systems):
            for event in trace_events.process_events(system, name):
                add(event)
        for index, ctc in enumerate(ctcs):
            for end, each in enumerate(ctc):
                system, number = self._place(CtcPlace(index, end))
                for event in trace_events.thread_events(
                    system, number, index, format_rdev(each.rdev)
                ):
                    add(event)

    def take(self, io: CommandIo) -> None:
        """An I/O is over. Raises `OSError` if there are too many, or the file takes no more."""
        self._io_count += 1
        if self._io_count > IOS_MAX:
            raise OSError(f"it has {IOS_MAX:,} I/Os")
        order = io.order
        details: dict[str, Any] = {"outcome": io.outcome, "count": order.count}
        if order.data:
            details |= {"bytes": len(order.data), "data": order.data[:DATA_LENGTH].hex()}
        place = trace_events.device_place(*self._place(io.at))
        times_ns = (io.begin_ns, io.end_ns)
        for event in trace_events.io_events(
            name_of(order.code), place, details, times_ns, _phases(io)
        ):
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
        counter = trace_events.counter(system, in_bin * RATE_BIN_NS)
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


INTERVAL_S_MAX = 86_400.0


class ShownOptions(Struct, frozen=True):
    """What of joined CTCs is shown, and what is kept."""

    trace: Annotated[bool, flag("--trace", "Print a line for each command of a guest.")] = False
    interval: Annotated[
        float | None,
        typer.Option(
            help="Print FCX108 DEVICE of each interval of so many seconds, and of the last.",
            callback=within(0.1, INTERVAL_S_MAX),
        ),
    ] = None
    timeline: Annotated[
        Path | None, valued("FILE.json", "Write every I/O of each device, for ui.perfetto.dev.")
    ] = None
    watch: Annotated[
        bool, flag("--watch", "Show on a terminal what each end does, every second.")
    ] = False
    journal: Annotated[
        Path | None,
        valued(
            "FILE",
            "Record all that comes; 'isfc ctce FILE' replays it, with --trace, --timeline "
            "and --interval.",
        ),
    ] = None
    metrics: Annotated[
        str | None, valued("HOST:PORT", "Answer Prometheus there, under /metrics.")
    ] = None

    def check(self, output: Path | None, *, force: bool) -> TcpEndpoint | None:
        """Where Prometheus may ask; raise `ConfigurationError` for what cannot be written."""
        check_force("--output or --timeline", output, self.timeline, force=force)
        if self.timeline is not None:
            check_file("--timeline", self.timeline, (".json",), force=force)
        if self.watch and self.trace:
            raise ConfigurationError("--watch and --trace: expected one of them on a terminal")
        return ObserveOptions(metrics=self.metrics).endpoint()

    @contextmanager
    def observing(
        self, exchange: Exchange, ctcs: Sequence[JoinedCtc], now_ns: Callable[[], int]
    ) -> Iterator[tuple[IoBook, DeviceReports]]:
        """Show and write what happens while the block runs; what it has counted is the book's."""
        book = IoBook(exchange.adapters)
        exchange.observers.append(book)

        def say(event: ExchangeEvent) -> None:
            if isinstance(event, Noted):
                show_error(f"{ctcs[event.at.ctc][event.at.end]}: {event.text}")

        exchange.observers.append(say)
        if self.trace:
            exchange.observers.append(harmless("--trace", tracing(ctcs)))
        with ExitStack() as stack:
            if self.timeline is not None:
                add = stack.enter_context(trace_events.trace_file(self.timeline))
                timeline = CtceTimeline(ctcs, add)
                book.ended.append(harmless(f"--timeline {self.timeline}", timeline.take))
            reports = DeviceReports(book, ctcs, self.interval, now_ns())
            try:
                yield book, reports
            finally:
                book.finish(now_ns())
                reports.last(now_ns())

    @contextmanager
    def recording(self, box: CtceBox, definition: ExchangeDefinition) -> Iterator[None]:
        """Record all that comes while the block runs, if it is wanted."""
        if self.journal is None:
            yield
            return
        digest = ToldDigest()
        box.exchange.observers.append(digest)
        with JournalWriter(self.journal, show_error, header=CTCE_HEADER) as write:
            write(begin_record(box.ctcs, definition))
            box.record = lambda now_ns, given: write(input_record(given, now_ns, digest.value))
            try:
                yield
            finally:
                box.record = None
                now_ns = box.now_ns()
                box.exchange.advance(now_ns)
                write(end_record(now_ns, digest.value))


def tracing(ctcs: Sequence[JoinedCtc]) -> Observe:
    """Shows on stdout each command, and what happens to the CTC: losses and resets."""

    def take(event: ExchangeEvent) -> None:
        if isinstance(event, OrderStep):
            show_lines([trace_line(event, ctcs)])
        elif isinstance(event, Changed):
            show_lines([_begin(event, ctcs) + event.text])
        elif isinstance(event, Told) and event.order.code == RESET:
            show_lines([f"{_begin(event, ctcs)}{name_of(RESET):<19} is told"])

    return take


STEPS: Final = {
    Step.PENDS: "attention to the mate",
    Step.HELD: "held: the mate is not there",
    Step.ENDS_BOTH: "meets the mate's: both end",
    Step.RELEASES: "ends the mate's PREPARE",
    Step.CROSSES: "collides",
    Step.FAILS_BOTH: "collides: both fail",
    Step.ENDS_ALONE: "ends alone",
    Step.TELLS: "the mate is told",
    Step.UNNOTICED: "the mate notices nothing",
    Step.STALE: "stale: answers nothing",
    Step.RESETS: "resets",
}
"""In the words of a trace."""


def trace_line(event: OrderStep, ctcs: Sequence[JoinedCtc]) -> str:
    """One line: seconds since the start, who, which command, its count, what became of it, data.

    A block of network job entry is named behind its first bytes.
    """
    order = event.order
    count = f"{order.count:,}" if order.count else ""
    waits = "waits" if order.state is not State.AVAILABLE else "ended"
    begin = bytes(order.data[:DATA_LENGTH])
    data = begin.hex() + ("..." if len(order.data) > DATA_LENGTH else "")
    name = nje_name(begin)
    named = "" if name is None else f"  {name}"
    line = (
        f"{_begin(event, ctcs)}{name_of(order.code):<19} "
        f"{waits}  {count:>6}  {STEPS[event.step]:<27} {data}{named}"
    )
    return line.rstrip()


def _begin(event: OrderStep | Told | Changed, ctcs: Sequence[JoinedCtc]) -> str:
    """When, and which device."""
    end = ctcs[event.at.ctc][event.at.end]
    return f"{event.at_ns / 1e9:12.6f}  {end!s:<14} "
