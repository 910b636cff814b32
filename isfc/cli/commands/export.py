"""``isfc export``: what the systems of a layout need: statements, decks, or the layout again."""

from enum import StrEnum
from typing import Annotated

import typer

from ctc.address import ChpidId, parse_chpid
from ctc.errors import CtcError
from isfc.cli.options.layout import LayoutArgument
from isfc.cli.options.source import OutputOption, write_text
from isfc.deck.export import Ports, activation_text, deck_text, qualified
from isfc.deck.iocp import parse_link
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_layout
from isfc.link.name import NodeName


class Form(StrEnum):
    """What a layout can be exported as."""

    ACTIVATE = "activate"
    IOCP = "iocp"
    TOML = "toml"


def export(
    layout: LayoutArgument,
    form: Annotated[
        Form,
        typer.Option("--as", help="ACTIVATE ISLINK statements, IOCP decks, or a layout file."),
    ],
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NODE", help="What one system needs, instead of both.", show_default=False
        ),
    ] = None,
    ports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:50=C1,...",
            help="Director ports, for the LINK of IOCP decks; without them, fibres are cables.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Write the statements that the systems of a layout need.

    'isfc import' makes the same layout of them again. Of a deck, what IOCP has no keyword for
    stands in comments that begin with *ISFC. A folder gets a file for each system.
    """
    exported = load_layout(layout)
    nodes = [_node(system, exported)] if system else list(exported.nodes)
    if form is Form.TOML:
        texts = {"-".join(exported.nodes) + ".toml": format_layout(exported)}
    elif form is Form.IOCP:
        told = _ports(ports or [], exported)
        texts = {f"{node}.iocp": deck_text(exported, node, told) for node in nodes}
    else:
        texts = {f"{node}.config": activation_text(exported, node) for node in nodes}
    if output is not None and output.is_dir():
        for name, text in texts.items():
            write_text(text, output / name)
    elif form is Form.ACTIVATE and len(nodes) > 1:
        blocks = zip(nodes, texts.values(), strict=True)
        write_text("".join(qualified(node, text) for node, text in blocks), output)
    elif output is not None and len(texts) > 1:
        raise ConfigurationError(
            f"{output}: there are {len(texts)} decks, and a file holds one; expected a folder that "
            "exists, or --system NODE"
        )
    else:
        write_text("".join(texts.values()), output)


def _node(name: str, layout: Layout) -> NodeName:
    for node in layout.nodes:
        if node == name.upper():
            return node
    raise ConfigurationError(
        f"--system {name[:40]!r}: expected {layout.nodes[0]} or {layout.nodes[1]}"
    )


def _ports(texts: list[str], layout: Layout) -> Ports:
    """What ``--ports`` says, by node and chpid."""
    said: dict[tuple[NodeName, ChpidId], str] = {}
    for entry in (part for text in texts for part in text.split(",")):
        place, _, port = entry.strip().partition("=")
        name, _, chpid_text = place.partition(":")
        ends = [end for end, node in enumerate(layout.nodes) if node == name.upper()]
        try:
            chpid, link = parse_chpid(chpid_text), parse_link(port)
        except (CtcError, ConfigurationError):
            ends = []
        if not ends or chpid not in (fibre.chpids[ends[0]] for fibre in layout.fibres):
            raise ConfigurationError(
                f"--ports {entry[:40]!r}: expected a node and a chpid of the layout, and a port, "
                f"such as {layout.nodes[0]}:{layout.fibres[0].chpids[0]:02X}=C1"
            )
        said[layout.nodes[ends[0]], chpid] = link
    return said
