"""``isfc node``: one system of a layout, live, joined to its partner over sockets."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.live.loops import run_live
from isfc.cli.live.node import LiveNode, Measured
from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption
from isfc.cli.options.forward import ForwardOption
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption
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
from isfc.cli.render.live import show_measured
from isfc.cli.render.output import show_error
from isfc.errors import ConfigurationError
from isfc.journal.journal import journalled
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.live.endpoint import Endpoint, parse_endpoint
from isfc.live.engine import MakeSystem
from isfc.live.journal_file import JournalWriter, create_journal
from isfc.live.late_file import LateFile
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System, system_of

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Which system of the layout.", show_default=False)
]
ListenOption = Annotated[
    str | None,
    typer.Option(metavar="ADDR", help="Wait for the partner at unix:PATH or HOST:PORT."),
]
ConnectOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[PARTNER=]ADDR",
        help="Or go to where the partner listens. Of several partners each is named: may be given "
        "again.",
        show_default=False,
    ),
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
    """Run one system of a layout live, joined to its partners.

    Of two systems one has --listen, the other --connect, here or on another machine; layout, pace
    and workload must be the same. With several links it goes to those of --connect PARTNER=ADDR,
    and others come where it listens. It goes on until Ctrl-C, or measures and ends (--seconds).
    """
    options = LiveOptions(
        *(pace, dilation, strict, workload, pairs, seconds, warmup, seed, client, verify),
        reconnect_s=reconnect,
        forwards=tuple(forward or ()),
    )
    if json and seconds is None and not lifeline:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    ways = [server for server, given in ((True, listen), (False, connect)) if given is not None]
    tls = [mutual_tls(cert, key, ca, server=server, report=show_error) for server in ways]
    _warn(insecure and not any(tls))
    links = options.open_links(layout, link_name, quiet=lifeline)
    live = replace(
        _live_node(name, links, options, listen, connect, journal),
        insecure=insecure,
        lifeline=lifeline,
        run_dir=run_dir,
        observed=ObserveOptions(log_format, log_level, metrics),
    )
    measured: list[Measured] = []
    code = run_live(lambda stop: live.serve(stop, measured.append, *tls))
    show_measured(options, live.links, measured, layout, json=json)
    if code:
        raise typer.Exit(code)


def _warn(unsafe: bool) -> None:

    if unsafe:
        show_error("--insecure: whoever reaches this address can read, forge and cut the link")


def _live_node(
    name: str,
    links: tuple[Layout, ...],
    options: LiveOptions,
    listen: str | None,
    connect: list[str] | None,
    journal: Path | None,
) -> LiveNode:

    name = name.upper()
    own = tuple(link for link in links if name in link.nodes)
    if not own:
        systems = dict.fromkeys(system for link in links for system in link.nodes)
        raise ConfigurationError(
            f"NAME {name[:40]}: not a node of this layout; expected {' or '.join(systems)}"
        )
    node = LiveNode(own, NodeName(name), options, parse_endpoint(listen) if listen else None)
    if len(own) == 1 and (listen is None) == (connect is None):
        raise ConfigurationError("expected either --listen ADDR or --connect ADDR")
    return replace(
        node,
        connect=_connections(connect or [], node.partners),
        make=_system_maker(journal, several=len(own) > 1),
    )


def _connections(texts: list[str], partners: list[NodeName]) -> dict[NodeName, Endpoint]:
    """Where to go to, by partner, from ``PARTNER=ADDR``; the only one need not be named."""
    found: dict[NodeName, Endpoint] = {}
    for text in texts:
        name, equals, place = text.partition("=")
        if not (equals and name in partners):
            if len(partners) > 1:
                raise ConfigurationError(
                    f"--connect {text[:80]}: expected PARTNER=ADDR, with one of "
                    f"{', '.join(partners)}"
                )
            name, place = partners[0], text
        if name in found:
            raise ConfigurationError(f"--connect: {name} is there twice")
        found[NodeName(name)] = parse_endpoint(place)
    return found


def _system_maker(journal: Path | None, *, several: bool) -> MakeSystem:
    """What makes systems: with ``--journal``, such as record their inputs, a file for each link."""
    if journal is None:
        return system_of
    if not several:
        writer = JournalWriter(journal, show_error, file=LateFile(create_journal(journal)))
        return lambda definition: journalled(definition, writer)

    writers: dict[str, JournalWriter] = {}

    def make(definition: LinkEndDefinition) -> System:
        partner = definition.partner
        if partner not in writers:
            path = journal.with_name(f"{journal.stem}-{partner}{journal.suffix}")
            writers[partner] = JournalWriter(path, show_error, file=LateFile(create_journal(path)))
        return journalled(definition, writers[partner])

    return make
