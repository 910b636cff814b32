"""``isfc ctce``: CTCs between real Hercules, each of which takes this for its partner."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.live.ctce_hardware import HardwareOptions, made_layout
from isfc.cli.live.ctce_operator import CtceOperator, read_commands
from isfc.cli.live.ctce_options import SourceOptions
from isfc.cli.live.ctce_table import totals, watched
from isfc.cli.live.ctce_trace import trace_line
from isfc.cli.live.loops import run_live
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import complete_layout
from isfc.cli.options.number import within
from isfc.cli.options.source import write_text
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import output_option
from isfc.cli.output.streams import show, show_error, show_lines
from isfc.ctce.join import JoinedCtc
from isfc.live.ctce import Carried, CtceBox, Happened, Observe

SECONDS_MAX = 86_400.0


@flattened
def ctce(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="LAYOUT|CTCE.TOML|FILE FILE",
            help="A layout, whose CTCs are to be served, a ctce.toml, which says all that options "
            "say, or the configuration files of two Hercules with CTCE devices.",
            autocompletion=complete_layout,
        ),
    ],
    *,
    where: SourceOptions,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="Print the lines for both configuration files, and end."),
    ] = False,
    output: Annotated[
        Path | None, output_option("Write the CTCs as a layout, for --layout, and end.")
    ] = None,
    hardware: HardwareOptions,
    trace: Annotated[
        bool, typer.Option("--trace", help="Print a line for each command of a guest.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show on a terminal what each end does, every second.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="End after so long.", callback=within(0.1, SECONDS_MAX)),
    ] = None,
) -> None:
    """Join real Hercules by CTCs, and trace their commands.

    Each Hercules has this as the partner of its CTCE devices. Hercules 4 and 3.13 may be joined to
    each other. Ctrl-C ends it, with a table of what each end has done.
    """
    ctcs, hardware = where.join(sources, hardware)
    if lines:
        show_lines(_configuration_lines(ctcs))
        return
    if output is not None:
        write_text(made_layout(ctcs), output)
        return
    opened = hardware.open(ctcs)
    box = CtceBox(ctcs, _observer(trace=trace), opened.fibres)
    operator = CtceOperator(box, opened, read_commands(hardware.commands, opened))
    code = run_live(lambda stop: _serve(box, operator, stop, seconds, watch=watch))
    show(totals(box))
    if code:
        raise typer.Exit(code)


async def _serve(
    box: CtceBox,
    operator: CtceOperator,
    stop: asyncio.Event,
    seconds: float | None,
    *,
    watch: bool,
) -> int:
    with watched(box) if watch else nullcontext():
        await box.start()
        show_error(f"{len(box.joints)} CTC{'s' * (len(box.joints) > 1)} served; Ctrl-C ends")
        try:
            with operator.operates(), suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)
        finally:
            await box.close()
    return ExitCode.GOOD


def _configuration_lines(ctcs: Sequence[JoinedCtc]) -> Iterator[str]:
    for index in (0, 1):
        yield f"# {ctcs[0][index].system}"
        for ctc in ctcs:
            yield str(ctc[index].statement)


def _observer(*, trace: bool) -> Observe:
    start_ns = time.monotonic_ns()

    def observe(seen: Carried | Happened) -> None:
        if isinstance(seen, Happened):
            show_error(f"{seen.end}: {seen.text}")
        elif trace:
            show_lines([trace_line(seen, time.monotonic_ns() - start_ns)])

    return observe
