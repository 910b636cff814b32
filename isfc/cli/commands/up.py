"""``isfc up``: both systems of a layout, each in a process of its own, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.commands.run import ClientOption, SeedOption, WorkloadOption
from isfc.cli.live.loops import run_live
from isfc.cli.live.node import Measured
from isfc.cli.live.pair import LivePair
from isfc.cli.options.forward import ForwardOption
from isfc.cli.options.layout import JsonOption, LayoutArgument
from isfc.cli.options.live import (
    RECONNECT_S,
    DilationOption,
    LiveOptions,
    LivePairsOption,
    LiveSecondsOption,
    LiveWarmupOption,
    Pace,
    PaceOption,
    ReconnectOption,
    StrictOption,
    VerifyOption,
)
from isfc.cli.options.observe import (
    LogFormat,
    LogFormatOption,
    LogLevel,
    LogLevelOption,
    MetricsOption,
    ObserveOptions,
)
from isfc.cli.render.live import live_page, live_record
from isfc.cli.render.output import show, show_json
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout

PlainOption = Annotated[
    bool, typer.Option("--plain", help="A line a second, as for a log, instead of a page.")
]
JournalsOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Record what each node is given, in DIR/NAME.journal."),
]


def up(
    layout: LayoutArgument,
    *,
    pace: PaceOption = Pace.NONE,
    dilation: DilationOption = None,
    strict: StrictOption = False,
    workload: WorkloadOption = None,
    pairs: LivePairsOption = None,
    seconds: LiveSecondsOption = None,
    warmup: LiveWarmupOption = 1.0,
    seed: SeedOption = 1,
    client: ClientOption = None,
    verify: VerifyOption = False,
    reconnect: ReconnectOption = RECONNECT_S,
    forward: ForwardOption = None,
    journal: JournalsOption = None,
    metrics: MetricsOption = None,
    log_format: LogFormatOption = LogFormat.TEXT,
    log_level: LogLevelOption = LogLevel.INFO,
    plain: PlainOption = False,
    json: JsonOption = False,
) -> None:
    """Run both systems of a layout live, and watch their link at work.

    Each is a process of its own; a Unix socket joins them, with a connection for each CTC.
    Operate them with 'isfc cp NODE' from another terminal. Ctrl-C ends both.
    """
    options = LiveOptions(
        *(pace, dilation, strict, workload, pairs, seconds, warmup, seed, client, verify),
        reconnect_s=reconnect,
        forwards=tuple(forward or ()),
    )
    if json and seconds is None:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    experiment = options.experiment(layout)
    observed = ObserveOptions(log_format, log_level, metrics)
    pair = LivePair(layout, load_layout(layout).nodes, options, journal, observed)
    measured: list[Measured] = []
    code = run_live(lambda stop: pair.run(stop, measured, plain=plain, quiet=json))
    if measured and experiment is not None:
        if json:
            show_json(live_record(options, experiment, measured))
        else:
            show(live_page(options, experiment, measured))
    if code:
        raise typer.Exit(code)
