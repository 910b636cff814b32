"""``isfc up``: both systems of a layout, each in a process of its own, on this machine."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ctc.address import Rdev, format_chpid
from isfc.cli.live.detach import detach, say_ready
from isfc.cli.live.loops import loop_factory, run_live
from isfc.cli.live.node import Measured
from isfc.cli.live.pair import LivePair
from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption
from isfc.cli.options.forward import ForwardOption
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption
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
from isfc.cli.options.number import within
from isfc.cli.options.observe import (
    LogFormat,
    LogFormatOption,
    LogLevel,
    LogLevelOption,
    MetricsOption,
    ObserveOptions,
)
from isfc.cli.render.live import live_page, live_record
from isfc.cli.render.output import show, show_error, show_json
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.live.forward import parse_forwards
from isfc.live.run_directory import run_directory, running_pairs, starting

FILES_MAX = 1_048_576

PlainOption = Annotated[
    bool, typer.Option("--plain", help="A line a second, as for a log, instead of a page.")
]
JournalsOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Record what each node is given, in DIR/NAME.journal."),
]
DetachOption = Annotated[
    bool,
    typer.Option("--detach", help="Return when the link is up; 'isfc down' ends both systems."),
]
ReadyOption = Annotated[int | None, typer.Option(hidden=True, callback=within(3, FILES_MAX))]


def up(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
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
    log_level: LogLevelOption = LogLevel.WARNING,
    plain: PlainOption = False,
    detached: DetachOption = False,
    ready: ReadyOption = None,
    json: JsonOption = False,
) -> None:
    """Run both systems of a layout live, and watch their link work.

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
    link = load_layout(layout, link_name)  # no pipe: the nodes read it too
    named = [layout, *_link_words(link_name)]
    experiment = options.experiment(link)
    observed = ObserveOptions(log_format, log_level, metrics)
    observed.check_pair()
    parse_forwards(options.forwards, link.nodes)
    loop_factory()
    if detached:
        _detach(link, [*named, *options.arguments(), *observed.arguments(0)], journal, options)
        return
    say_up = partial(_say_up, link, log_format) if ready is None else partial(say_ready, ready)
    pair = LivePair(named, link.nodes, options, journal, observed, say_up, _chpids(link))
    measured: list[Measured] = []
    code = run_live(
        lambda stop: pair.run(stop, measured, plain=plain, quiet=json or ready is not None)
    )
    if measured and experiment is not None:
        if json:
            show_json(live_record(options, experiment, measured, layout))
        else:
            show(live_page(options, experiment, measured))
    if code:
        raise typer.Exit(code)


def _chpids(link: Layout) -> dict[Rdev, str]:
    """The chpids of each CTC, by the first node's device numbers."""
    return {ctc.rdevs[0]: " ".join(map(format_chpid, ctc.fibre.chpids)) for ctc in link.ctcs}


def _link_words(name: str | None) -> tuple[str, ...]:
    """The option that names a link, for a process of its own; nothing without a name."""
    return () if name is None else ("--link", name)


def _detach(link: Layout, words: list[str], journal: Path | None, options: LiveOptions) -> None:
    """Let another process run the pair, and end with it only if it does not come up."""
    if options.seconds is not None:
        raise ConfigurationError("--detach and --seconds: nobody would see the result")
    first, second = link.nodes
    with starting(link.nodes):
        if any({first, second} & {*pair.names} for pair in running_pairs()):
            raise ConfigurationError(
                f"--detach: {first} or {second} runs already, and no command could tell the two "
                f"apart; 'isfc down {first}' ends the one that runs"
            )
        log = run_directory() / f"{first}-{second}.log"
        code = detach([*words, *(["--journal", str(journal)] if journal else [])], log)
    if code:
        raise typer.Exit(code)
    show(f"{first} - {second} is up; 'isfc down {first}' ends it.")


def _say_up(link: Layout, log_format: LogFormat) -> None:
    """Say that the link is up, unless every line is to be a JSON document."""
    if log_format is LogFormat.TEXT:
        first, second = link.nodes
        count = len(link.ctcs)
        show_error(f"the link {first} - {second} is up: {count} CTC{'s' * (count > 1)}")
