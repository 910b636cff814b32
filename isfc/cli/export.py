"""``isfc export``: what the systems of a layout need: statements, decks, or the layout again."""

from enum import StrEnum
from typing import Annotated

import typer

from isfc.cli.options.layout import DecksOptions, LayoutArgument, read_collection
from isfc.cli.options.option import valued
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import show_log
from isfc.deck.export import qualified
from isfc.deck.exported import chosen, exported
from isfc.deck.renumbered import renumbered
from isfc.deck.scheme import Scheme
from isfc.errors import ConfigurationError


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
        Scheme | None, typer.Option(help="Give all CTCs numbers of this scheme.")
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
    collection = renumbered(
        read_collection(DecksOptions(partitions).given(layout)), scheme, first, show_log
    )
    nodes = chosen(collection, form, system, ports or [])
    texts = exported(collection, form, nodes, ports or [], show_log)
    if output is not None and output.is_dir():
        for name, text in texts.items():
            write_text(text, output / name, force=force)
    elif form is ExportFormat.ACTIVATE and len(nodes) > 1:
        blocks = zip(nodes, texts.values(), strict=True)
        write_text("".join(qualified(node, text) for node, text in blocks), output, force=force)
    elif output is not None and len(texts) > 1:
        raise ConfigurationError(
            f"{output}: there are {len(texts)} decks, and a file holds one; expected a folder that "
            "exists, or --system NODE"
        )
    else:
        write_text("".join(texts.values()), output, force=force)
