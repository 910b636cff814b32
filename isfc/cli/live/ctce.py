"""``isfc ctce``: CTCs between real Hercules, each of which takes this for its partner.

Their operator loses and restores pieces, delays and stalls what is under way. A command is a line,
from a console or from a file with the time before it::

    lose director:61
    at 5s  delay 20ms
    at 8s  restore director:61
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from isfc.cli.live.ctce_hardware import ALL, CtceHardware, made_layout
from isfc.cli.live.ctce_observe import ShownOptions
from isfc.cli.live.ctce_options import LISTEN_DEFAULT, CtceOptions
from isfc.cli.live.ctce_table import DeviceReports, totals, watched
from isfc.cli.live.loops import late_stdout, run_live, typed_lines
from isfc.cli.options.layout import complete_layout
from isfc.cli.options.option import flag, flattened, within
from isfc.cli.output.file import ForceOption, output_option, write_text
from isfc.cli.output.streams import ExitCode, show, show_error, show_lines
from isfc.engine.framed import CTCE_HEADER, MAGIC_LENGTH
from isfc.errors import ConfigurationError, JournalError
from isfc.errors.in_words import exact, expected, grouped, number
from isfc.layout.checked_toml import read_bytes, text_of
from isfc.layout.checked_toml import within as within_file
from isfc.live.ctce.exchange import Delayed, Exchange, Pulled, Restored, Stalled
from isfc.live.ctce.ios import IoBook
from isfc.live.ctce.journal import CtceJournal, replay
from isfc.live.ctce_box import CtceBox
from isfc.live.endpoint import TcpEndpoint
from isfc.live.metrics import MetricsServer, ctce_families
from scenarios.runs.operation import read_time_ns

CTCE_COMMANDS: Final = ("lose", "restore", "delay", "stall", "resume")
"""What each of them does is in docs/ctce.md."""

COMMANDS_MAX: Final = 1_000
"""Lines of a file."""

_AT: Final = re.compile(r"at\s+(\S+)\s+(.*)", re.IGNORECASE)


class OperatorCommand(NamedTuple):
    """One command: ``at_ns`` is when a file has it done, from the start."""

    at_ns: int
    text: str
    do: Callable[[CtceBox], None]


@contextmanager
def operated(
    box: CtceBox, hardware: CtceHardware, planned: Sequence[OperatorCommand]
) -> Iterator[None]:
    """Within the block, on the loop that runs, do what a file has planned, and what is typed."""
    loop = asyncio.get_running_loop()

    def do(command: OperatorCommand) -> None:
        command.do(box)
        show_error(f"{command.text}: {condition(box.exchange)}")

    def hear(line: str) -> None:
        try:
            command = parse_command(line, hardware)
        except ConfigurationError as error:
            show_error(str(error))
            return
        if command.at_ns:
            loop.call_later(command.at_ns / 1e9, do, command)
        else:
            do(command)

    timers = [loop.call_later(command.at_ns / 1e9, do, command) for command in planned]
    try:
        with typed_lines(hear):
            yield
    finally:
        for timer in timers:
            timer.cancel()


def condition(exchange: Exchange) -> str:
    """What is wrong with joined CTCs now, by an operator's commands."""
    said: list[str] = []
    if any(exchange.lost):
        said.append(f"{sum(map(bool, exchange.lost))} of {len(exchange.lost)} CTCs carry nothing")
    fibre = exchange.fibres[0]  # delay and stall are of all
    if fibre.late_ns:
        said.append(f"each command takes {fibre.late_ns / 1e6:g} ms longer")
    if fibre.stalled:
        said.append("nothing moves until 'resume'")
    return ", ".join(said) or "nothing is lost, delayed or stalled"


def read_commands(name: str | None, hardware: CtceHardware) -> list[OperatorCommand]:
    """Those of a file; none without one."""
    if name is None:
        return []
    with within_file(f"--commands {name}"):
        text = text_of(read_bytes(Path(name), "a file of commands"), "commands")
        return parse_commands(text.splitlines(), hardware)


def parse_command(text: str, hardware: CtceHardware) -> OperatorCommand:
    """A line as a command; raise `ConfigurationError` that says what was expected."""
    timed = _AT.fullmatch(text.strip())
    at_ns = 0 if timed is None else _time(timed[1])
    said = (text if timed is None else timed[2]).strip()
    word, _, operand = said.partition(" ")
    word, operand = word.lower(), operand.strip()
    if word not in CTCE_COMMANDS:
        raise ConfigurationError(f"{said[:40]!r}: {expected(word, CTCE_COMMANDS)}")
    if word in ("lose", "restore"):
        piece = _piece(operand, hardware)
        if word == "lose":
            pulled = Pulled(tuple(sorted(hardware.pieces[piece])), piece)
            return OperatorCommand(at_ns, f"lose {piece}", lambda box: box.apply(pulled))
        return OperatorCommand(at_ns, f"restore {piece}", lambda box: _restore(box, piece))
    if word == "delay":
        delayed = Delayed(_time(operand))
        return OperatorCommand(at_ns, f"delay {operand}", lambda box: box.apply(delayed))
    if operand:
        raise ConfigurationError(f"{said[:40]!r}: expected {word!r} alone")
    stalled = Stalled(word == "stall")
    return OperatorCommand(at_ns, word, lambda box: box.apply(stalled))


def parse_commands(lines: Iterable[str], hardware: CtceHardware) -> list[OperatorCommand]:
    """The commands of a file, by their times; ``#`` and ``*`` begin a comment."""
    found: list[OperatorCommand] = []
    for row, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip()[0] in "#*":
            continue
        if len(found) == COMMANDS_MAX:
            raise ConfigurationError(f"line {row}: expected at most {COMMANDS_MAX} commands")
        try:
            if not _AT.fullmatch(line.strip()):
                raise ConfigurationError("expected 'at TIME COMMAND', such as 'at 5s stall'")
            found.append(parse_command(line, hardware))
        except ConfigurationError as error:
            raise ConfigurationError(f"line {row}: {error}") from None
    return sorted(found, key=lambda command: command.at_ns)


def _piece(operand: str, hardware: CtceHardware) -> str:
    for name in hardware.pieces:
        if name.casefold() == operand.casefold():
            return name
    raise ConfigurationError(f"{operand[:40]!r}: {expected(operand, hardware.pieces)}")


def _time(text: str) -> int:
    time_ns = read_time_ns(text)
    if time_ns is None:
        raise ConfigurationError(f"{text[:40]!r}: expected a time, such as 20ms or 1.5s")
    return time_ns


def _restore(box: CtceBox, piece: str) -> None:
    lost = sorted(set().union(*box.exchange.lost)) if piece == ALL else [piece]
    for why in lost:
        box.apply(Restored(why))


def is_ctce_journal(name: str) -> bool:
    """Whether an argument is a file that begins as such a journal does."""
    path = Path(name)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(MAGIC_LENGTH) == CTCE_HEADER[:MAGIC_LENGTH]


def replay_journal(name: str, shown: ShownOptions) -> None:
    """Replay one, and show of it what options ask for; ends with 1 at the first difference."""
    if shown.watch or shown.journal is not None or shown.metrics is not None:
        raise ConfigurationError(
            f"{name}: a journal has no --watch, --journal or --metrics: expected --trace, "
            "--timeline or --interval"
        )
    with Path(name).open("rb") as file:
        try:
            journal = CtceJournal(file.read)
            exchange = Exchange(journal.definition, lambda _at, _order: None)
            now_ns = 0

            def before(at_ns: int) -> None:
                nonlocal now_ns
                now_ns = at_ns
                reports.look(at_ns)

            with shown.observing(exchange, journal.ctcs, lambda: now_ns) as (book, reports):
                replay(journal, exchange, before)
        except JournalError as error:
            show_error(f"{name}: {error}")
            raise typer.Exit(ExitCode.FAILED) from None
    count = sum(tally.order_count for tally in book.tallies.values())
    cut = journal.framed.truncated_length
    show_lines(
        [
            f"{exact(count)} commands in {number(now_ns / 1e9, 1)} s: all that ends were told is "
            "the same again"
            + (f"; {exact(cut)} bytes at the end are no whole record" if cut else "")
        ]
    )


SECONDS_MAX = 86_400.0


@flattened
def ctce(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="LAYOUT|CTCE.TOML|JOURNAL|FILE FILE...",
            help="A layout, whose CTCs are to be served; a ctce.toml, which says all that options "
            "say; the configuration files of two or more Hercules with CTCE devices; or a journal, "
            "which is replayed.",
            autocompletion=complete_layout,
        ),
    ],
    *,
    options: CtceOptions,
    lines: Annotated[
        bool, flag("--lines", "Print the lines for the configuration files, and end.")
    ] = False,
    output: Annotated[
        Path | None, output_option("Write the CTCs as a layout, for --layout, and end.")
    ] = None,
    force: ForceOption = False,
    shown: ShownOptions,
    seconds: Annotated[
        float | None, typer.Option(help="End after so long.", callback=within(0.1, SECONDS_MAX))
    ] = None,
) -> None:
    """Join real Hercules by CTCs, and trace their commands.

    Each Hercules has this as the partner of its CTCE devices. Hercules 4 and 3.13 may be joined to
    each other. Ctrl-C ends it, with a table of what each end has done.
    """
    endpoint = shown.check(output, force=force)
    if len(sources) == 1 and is_ctce_journal(sources[0]):
        replay_journal(sources[0], shown)
        return
    ctcs, said = options.join(sources)
    if lines:
        hosts = {end.at.host for ctc in ctcs for end in ctc}
        if said.listen == LISTEN_DEFAULT and hosts - {"127.0.0.1", "localhost"}:
            show_error(f"note: {LISTEN_DEFAULT} is of this machine alone; see --listen")
        of_system = grouped((end.system, str(end.statement)) for ctc in ctcs for end in ctc)
        show_lines(line for name, each in of_system.items() for line in (f"# {name}", *each))
    if output is not None:
        write_text(made_layout(ctcs), output, force=force)
    if lines or output is not None:
        return
    hardware = said.hardware(ctcs)
    box = CtceBox(ctcs, hardware.definition)
    operating = operated(box, hardware, read_commands(said.commands, hardware))
    with (
        late_stdout(),
        shown.recording(box, hardware.definition),
        shown.observing(box.exchange, ctcs, box.now_ns) as (book, reports),
    ):
        code = run_live(
            lambda stop: serve(box, book, reports, operating, stop, seconds, shown, endpoint)
        )
    show(totals(box, book))
    if code:
        raise typer.Exit(code)


async def serve(
    box: CtceBox,
    book: IoBook,
    reports: DeviceReports,
    operating: AbstractContextManager[None],
    stop: asyncio.Event,
    seconds: float | None,
    shown: ShownOptions,
    endpoint: TcpEndpoint | None,
) -> int:
    """Serve a box until ``stop`` is set, or for so long, with whoever looks at it or acts on it."""

    async def report(interval_s: float) -> None:
        with suppress(OSError, SystemExit):  # nobody reads it, or it takes no more
            while True:
                await asyncio.sleep(interval_s)
                reports.look(box.now_ns())

    async with AsyncExitStack() as stack:
        if shown.watch:
            reports.show = stack.enter_context(watched(box, book)).print
        if endpoint is not None:
            server = MetricsServer(lambda: ctce_families(box, book))
            stack.push_async_callback(server.close)
            show_error(f"metrics at {await server.listen(endpoint)}")
        stack.push_async_callback(box.close)
        await box.start()
        show_error(f"{len(box.ctcs)} CTC{'s' * (len(box.ctcs) > 1)} served; Ctrl-C ends")
        if shown.interval is not None:
            stack.callback(asyncio.create_task(report(shown.interval)).cancel)
        with operating, suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), seconds)
    return ExitCode.GOOD
