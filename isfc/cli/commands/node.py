"""``isfc node``: one system of a layout, live, joined to its partner over sockets."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.live.loops import run_live
from isfc.cli.live.node import LiveNode, Measured
from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption, choose_node
from isfc.cli.options.forward import ForwardOption
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.live import (
    RECONNECT_S,
    DilationOption,
    JournalOption,
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
from isfc.cli.options.run_directory import RunDirOption
from isfc.cli.options.tls import mutual_tls
from isfc.cli.render.live import live_page, live_record
from isfc.cli.render.output import show, show_error, show_json
from isfc.errors import ConfigurationError
from isfc.journal.journal import journalled
from isfc.layout.layout import Layout
from isfc.live.endpoint import parse_endpoint
from isfc.live.engine import MakeSystem
from isfc.live.journal_file import JournalWriter, create_journal
from isfc.live.late_file import LateFile
from isfc.system.system import system_of

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Which system of the layout.", show_default=False)
]
ListenOption = Annotated[
    str | None,
    typer.Option(metavar="ADDR", help="Wait for the partner at unix:PATH or HOST:PORT."),
]
ConnectOption = Annotated[
    str | None, typer.Option(metavar="ADDR", help="Or go to where the partner listens.")
]
CertOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="This node's certificate (PEM): mutual TLS.")
]
KeyOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key.")]
CaOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The CA that signed the partner's.")
]
InsecureOption = Annotated[
    bool, typer.Option("--insecure", help="Go beyond this machine without TLS.")
]
LifelineOption = Annotated[bool, typer.Option("--lifeline", hidden=True)]


def node(
    name: NameArgument,
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    listen: ListenOption = None,
    connect: ConnectOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    ca: CaOption = None,
    insecure: InsecureOption = False,
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
    journal: JournalOption = None,
    metrics: MetricsOption = None,
    log_format: LogFormatOption = LogFormat.TEXT,
    log_level: LogLevelOption = LogLevel.INFO,
    run_dir: RunDirOption = None,
    lifeline: LifelineOption = False,
    json: JsonOption = False,
) -> None:
    """Run one system of a layout live, joined to its partner.

    Start one with --listen, the other with --connect, here or on another machine; layout, pace
    and workload must be the same. It goes on until Ctrl-C, or measures and ends (--seconds).
    """
    options = LiveOptions(
        *(pace, dilation, strict, workload, pairs, seconds, warmup, seed, client, verify),
        reconnect_s=reconnect,
        forwards=tuple(forward or ()),
    )
    if json and seconds is None and not lifeline:
        raise ConfigurationError("--json: expected --seconds, for a result to print")

    tls = mutual_tls(cert, key, ca, server=listen is not None, report=show_error)
    if insecure and tls is None:
        _warn()
    live = replace(
        _live_node(name, open_layout(layout, link_name), options, listen, connect),
        insecure=insecure,
        lifeline=lifeline,
        run_dir=run_dir,
        make=_system_maker(journal),
        observed=ObserveOptions(log_format, log_level, metrics),
    )
    report = partial(_report, live, layout=layout, json=json)
    code = run_live(lambda stop: live.serve(stop, report, tls))
    if code:
        raise typer.Exit(code)


def _warn() -> None:

    show_error("--insecure: whoever reaches this address can read, forge and cut the link")


def _live_node(
    name: str, link: Layout, options: LiveOptions, listen: str | None, connect: str | None
) -> LiveNode:

    if (listen is None) == (connect is None):
        raise ConfigurationError("expected either --listen ADDR or --connect ADDR")
    chosen = choose_node(link, "NAME", name)
    assert chosen is not None, "a name was given"
    return LiveNode(
        link,
        chosen,
        options,
        options.experiment(link),
        listen=parse_endpoint(listen) if listen else None,
        connect=parse_endpoint(connect) if connect else None,
    )


def _system_maker(journal: Path | None) -> MakeSystem:
    """What makes systems: with ``--journal``, such as record their inputs."""
    if journal is None:
        return system_of

    writer = JournalWriter(journal, show_error, file=LateFile(create_journal(journal)))
    return lambda definition: journalled(definition, writer)


def _report(live: LiveNode, measured: Measured, *, layout: str, json: bool) -> None:
    """Print what was measured."""
    assert live.experiment is not None, "nothing to measure"

    if json:
        show_json(live_record(live.options, live.experiment, [measured], layout))
    else:
        show(live_page(live.options, live.experiment, [measured]))
