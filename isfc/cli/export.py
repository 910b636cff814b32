"""``isfc export``: what the systems of a layout need: statements, decks, or the layout again."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from ctc.address import ChpidId, format_chpid
from isfc.cli.options.layout import LayoutArgument, read_collection
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.streams import show_log
from isfc.deck.amend import amended
from isfc.deck.export import (
    Ports,
    activation_text,
    bare_deck,
    deck_text,
    left_out,
    own_ports,
    qualified,
)
from isfc.deck.machines import Machine, file_names, machines
from isfc.deck.number import parse_link
from isfc.errors import ConfigurationError
from isfc.layout.layout import Collection, find_node
from isfc.layout.write import format_collection
from isfc.link.name import NodeName


class ExportFormat(StrEnum):
    """What a layout can be exported as."""

    ACTIVATE = "activate"
    IOCP = "iocp"
    TOML = "toml"


def export(
    layout: LayoutArgument,
    form: Annotated[
        ExportFormat,
        typer.Option("--as", help="ACTIVATE ISLINK statements, IOCP decks, or a layout file."),
    ],
    system: Annotated[
        str | None, typer.Option(metavar="NODE", help="What one system needs, instead of both.")
    ] = None,
    ports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:50=C1,...",
            help="Director ports, for the LINK of IOCP decks, besides those of the layout; without "
            "either, fibres are cables.",
        ),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Write the statements that the systems of a layout need.

    'isfc import' makes the same layout of them again. Of a deck, what IOCP has no keyword for
    stands in comments that begin with *ISFC. A folder gets a file for each system, or for each
    CEC.
    """
    if ports and form is not ExportFormat.IOCP:
        raise ConfigurationError("--ports: of IOCP decks; expected --as iocp with it")
    if system and form is ExportFormat.TOML:
        raise ConfigurationError("--system: a layout file has all systems; expected no --as toml")
    exported = read_collection(layout)
    nodes = [find_node("--system", system, exported.systems)] if system else list(exported.systems)
    if form is ExportFormat.TOML:
        texts = {"-".join(exported.systems) + ".toml": format_collection(exported)}
    elif form is ExportFormat.IOCP:
        told = _ports(ports or [], exported)
        write = _kept_decks if exported.decks else _decks
        texts = write(exported, nodes, told)
    else:
        texts = {
            f"{node}.config": "".join(
                activation_text(link, node) for link in exported.links_of(node)
            )
            for node in nodes
        }
    if output is not None and output.is_dir():
        for name, text in texts.items():
            write_text(text, output / name)
    elif form is ExportFormat.ACTIVATE and len(nodes) > 1:
        blocks = zip(nodes, texts.values(), strict=True)
        write_text("".join(qualified(node, text) for node, text in blocks), output)
    elif output is not None and len(texts) > 1:
        raise ConfigurationError(
            f"{output}: there are {len(texts)} decks, and a file holds one; expected a folder that "
            "exists, or --system NODE"
        )
    else:
        write_text("".join(texts.values()), output)


def _decks(collection: Collection, nodes: Sequence[NodeName], ports: Ports) -> dict[str, str]:
    """The decks that have some of ``nodes``, by file; says on stderr what IOCP cannot say."""
    ports = {**own_ports(collection), **ports}
    decks = machines(collection)
    for systems, problem in _apart(decks).items():
        show_log(
            f"isfc: note: {' and '.join(systems)} have a deck each, as of CECs of their own: "
            f"{problem}. 'isfc import' does not find the CEC and its shared channels again; "
            "--as toml keeps them"
        )
    for remark in left_out(collection, ports):
        show_log(f"isfc: note: not in IOCP decks: {remark}; --as toml keeps it")
    return {
        f"{machine.name}.iocp": deck_text(collection, machine, ports, decks)
        for machine in decks
        if set(machine.systems) & set(nodes)
    }


def _kept_decks(collection: Collection, nodes: Sequence[NodeName], ports: Ports) -> dict[str, str]:
    """The decks that the layout keeps, brought up to date, and bare ones of the other systems."""
    known = {node: deck.name for deck in collection.decks for node in deck.partitions}
    bare = [each for each in machines(collection) if not set(each.systems) <= set(known)]
    for machine in bare:
        if there := set(machine.systems) & set(known):
            new = next(node for node in machine.systems if node not in known)
            raise ConfigurationError(
                f"{new} is in one CEC with {min(there)}, and no partition of its deck, [deck."
                f"{known[min(there)]}]; expected it in RESOURCE and in systems of the deck"
            )
    decks = (*collection.decks, *(bare_deck(collection, machine) for machine in bare))
    done = amended(replace(collection, decks=decks), ports)
    for remark in done.remarks:
        show_log(f"isfc: note: {remark}")
    names = file_names({deck.name: deck.partitions for deck in decks})
    return {
        f"{names[deck.name]}.iocp": done.texts[deck.name]
        for deck in decks
        if set(deck.partitions) & set(nodes)
    }


def _apart(decks: Sequence[Machine]) -> dict[tuple[str, ...], str]:
    """Systems that have no deck in common although they are in one CEC, and why."""
    problems: dict[str, list[str]] = {}
    for machine in decks:
        if machine.apart:
            problems.setdefault(machine.apart, []).extend(machine.systems)
    return {tuple(systems): problem for problem, systems in problems.items()}


def _ports(texts: list[str], collection: Collection) -> Ports:
    """What ``--ports`` says, by node and chpid."""
    known = {
        f"{node}:{format_chpid(chpid)}": (node, chpid)
        for link in collection.links
        for fibre in link.fibres
        for node, chpid in zip(link.nodes, fibre.chpids, strict=True)
    }
    said: dict[tuple[NodeName, ChpidId], str] = {}
    for entry in (part.strip() for text in texts for part in text.split(",")):
        place, _, port = entry.upper().partition("=")
        try:
            said[known[place]] = parse_link(port)
        except (KeyError, ConfigurationError):
            raise ConfigurationError(
                f"--ports {entry[:40]!r}: expected a node and a chpid of the layout, and a port, "
                f"such as {next(iter(known))}=C1"
            ) from None
    return said
