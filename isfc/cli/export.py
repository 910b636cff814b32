"""``isfc export``: what the systems of a layout need: statements, decks, or the layout again."""

from typing import Annotated, Literal

import typer

from isfc.cli.options.layout import DecksOptions, LayoutArgument, read_collection
from isfc.cli.options.option import valued
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import show_log
from isfc.deck import exported
from isfc.deck.export import qualified
from isfc.errors import ConfigurationError
from isfc.errors.arguments import as_options
from isfc.link.name import NodeName


def export(
    layout: LayoutArgument,
    form: Annotated[
        Literal["activate", "iocp", "toml"],
        typer.Option("--as", help="ACTIVATE ISLINK statements, IOCP decks, or a layout file."),
    ],
    system: Annotated[str | None, valued("NODE", "What one system needs, instead of both.")] = None,
    ports: Annotated[
        list[str] | None,
        valued(
            "NODE:50=C1,...",
            "Director ports, for the LINK of IOCP decks, besides those of the layout; without "
            "either, fibres are cables.",
        ),
    ] = None,
    scheme: Annotated[
        Literal["alike", "traded", "cuadd", "target"] | None,
        typer.Option(help="Give all CTCs numbers of this scheme."),
    ] = None,
    first: Annotated[
        str | None,
        valued("RDEV", "Where they begin: D000 of alike, 4000 of traded and cuadd if not said."),
    ] = None,
    partitions: Annotated[
        str | None,
        valued("NAME,NAME", "Where LAYOUT is decks: the partitions to join, if they are not two."),
    ] = None,
    output: OutputOption = None,
    *,
    force: ForceOption = False,
) -> None:
    """Write the statements that the systems of a layout need.

    'isfc import' makes the same layout of them again. Of a deck, what IOCP has no keyword for
    stands in comments that begin with *ISFC. A folder gets a file for each system, or for each
    CEC. 'isfc check' says by which scheme CTCs are numbered, and 'isfc change' how to get from the
    numbers that a layout has to those of --scheme.
    """
    collection = read_collection(DecksOptions(partitions).given(layout))
    with as_options():
        found = exported.export(
            collection, form, system=system, ports=ports or [], scheme=scheme, first=first
        )
    for remark in found.remarks:
        show_log(remark)
    blocks = [*found.texts.values()]
    if output is not None and output.is_dir():
        for name, text in found.texts.items():
            write_text(text, output / name, force=force)
        return
    if form == "activate" and len(blocks) > 1:
        nodes = (NodeName(name.removesuffix(".config")) for name in found.texts)
        blocks = list(map(qualified, nodes, blocks))
    elif output is not None and len(blocks) > 1:
        raise ConfigurationError(
            f"{output}: there are {len(blocks)} decks, and a file holds one; expected a folder "
            "that exists, or --system NODE"
        )
    write_text("".join(blocks), output, force=force)
