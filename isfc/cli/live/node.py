"""``isfc node``: one system of a layout, live, joined to its partner over sockets."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.live.cp import RunDirOption
from isfc.cli.live.loops import run_live
from isfc.cli.live.measured_page import show_measured
from isfc.cli.live.observe_options import ObserveOptions
from isfc.cli.live.options import LiveOptions
from isfc.cli.live.partner_options import PartnerOptions
from isfc.cli.live.running_node import LiveNode, Measured
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption
from isfc.cli.options.option import valued
from isfc.cli.output.streams import show_error
from isfc.errors import ConfigurationError
from isfc.journal.journal import journalled
from isfc.layout.in_words import find_node
from isfc.layout.layout import Layout
from isfc.live.engine import MakeSystem
from isfc.live.journal_file import JournalWriter, create_journal
from isfc.live.late_file import LateFile
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System, system_of


@flattened
def node(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which system of the layout.")],
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    partner: PartnerOptions,
    options: LiveOptions,
    journal: Annotated[
        Path | None,
        valued(
            "FILE",
            "Record everything the node is given, for isfc journal; of each of several links, "
            "in a file with -PARTNER in its name.",
        ),
    ] = None,
    observed: ObserveOptions,
    run_dir: RunDirOption = None,
    lifeline: Annotated[bool, typer.Option("--lifeline", hidden=True)] = False,
    json: JsonOption = False,
) -> None:
    """Run one system of a layout live, joined to its partners.

    Of two systems one has --listen, the other --connect, here or on another machine; layout, pace
    and workload must be the same. With several links it goes to those of --connect PARTNER=ADDR,
    and others come where it listens. It goes on until Ctrl-C, or measures and ends (--seconds).
    """
    if json and options.seconds is None and not lifeline:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    tls = partner.tls()
    links = options.open_links(layout, link_name, quiet=lifeline)
    live = replace(
        _live_node(name, links, options, partner, journal),
        insecure=partner.insecure,
        lifeline=lifeline,
        run_dir=run_dir,
        observed=observed,
    )
    measured: list[Measured] = []
    code = run_live(lambda stop: live.serve(stop, measured.append, *tls))
    show_measured(options, live.links, measured, layout, json=json)
    if code:
        raise typer.Exit(code)


def _live_node(
    name: str,
    links: tuple[Layout, ...],
    options: LiveOptions,
    partner: PartnerOptions,
    journal: Path | None,
) -> LiveNode:

    named = find_node("NAME", name, dict.fromkeys(node for link in links for node in link.nodes))
    own = tuple(link for link in links if named in link.nodes)
    node = LiveNode(own, named, options, partner.listening())
    if len(own) == 1:
        partner.check_one()
    return replace(
        node,
        connect=partner.connections(node.partners),
        make=_system_maker(journal, several=len(own) > 1),
    )


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
