"""``isfc ctce``: CTCs between real Hercules, each of which takes this for its partner."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.live.ctce_observe import ShownOptions
from isfc.cli.live.ctce_operator import operated, read_commands
from isfc.cli.live.ctce_options import CtceOptions, made_layout
from isfc.cli.live.ctce_table import DeviceReports, totals, watched
from isfc.cli.live.loops import late_stdout, run_live
from isfc.cli.options.layout import complete_layout
from isfc.cli.options.option import flag, flattened, within
from isfc.cli.options.source import write_text
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption, output_option
from isfc.cli.output.streams import show, show_error, show_lines
from isfc.engine.framed import CTCE_HEADER, MAGIC_LENGTH
from isfc.errors import ConfigurationError, JournalError
from isfc.errors.in_words import exact, number
from isfc.live.ctce.exchange import Exchange
from isfc.live.ctce.ios import IoBook
from isfc.live.ctce.join import JoinedCtc
from isfc.live.ctce.journal import CtceJournal, replay
from isfc.live.ctce_box import CtceBox
from isfc.live.endpoint import TcpEndpoint
from isfc.live.metrics import MetricsServer, ctce_families


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
            metavar="LAYOUT|CTCE.TOML|JOURNAL|FILE FILE",
            help="A layout, whose CTCs are to be served; a ctce.toml, which says all that options "
            "say; the configuration files of two Hercules with CTCE devices; or a journal, which "
            "is replayed.",
            autocompletion=complete_layout,
        ),
    ],
    *,
    options: CtceOptions,
    lines: Annotated[
        bool, flag("--lines", "Print the lines for both configuration files, and end.")
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
        show_lines(_configuration_lines(ctcs))
        return
    if output is not None:
        write_text(made_layout(ctcs), output, force=force)
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


def _configuration_lines(ctcs: Sequence[JoinedCtc]) -> Iterator[str]:
    for index in (0, 1):
        yield f"# {ctcs[0][index].system}"
        for ctc in ctcs:
            yield str(ctc[index].statement)
