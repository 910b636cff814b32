"""``isfc import``: a layout from what a site has: a deck, a console log, partition links."""

from typing import Annotated, Any

import typer
from msgspec import Struct

from isfc.arguments import as_options
from isfc.cli.capability import command_of
from isfc.cli.import_.told import show_told
from isfc.cli.options.layout import JsonOption, read_collection
from isfc.cli.options.option import valued
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import show_json
from isfc.deck import importing
from isfc.deck.dpm import import_dpm
from isfc.deck.imported import Imported, layout_text
from isfc.deck.importing import CEC, import_iocp, import_islink
from isfc.layout.write import format_collection


class WrittenOptions(Struct, frozen=True):
    """Where a layout is written, and whether a record is printed."""

    output: OutputOption = None
    force: ForceOption = False
    json: JsonOption = False

    def check(self) -> None:
        """Nothing: what is there is held against what is written."""

    def show(self, found: Imported, _: Any) -> None:
        """One layout of all links; to a folder, a layout of each. With ``json``, its record."""
        heading, output = f"Imported from {', '.join(found.files)}.", self.output
        if self.json:
            show_json(found)
            if output is None:
                return
        if output is not None and output.is_dir():
            for alone, said in zip(found.apart, found.link_remarks, strict=True):
                text = format_collection(alone, heading=[heading, *said])
                path = output / f"{'-'.join(alone.links[0].nodes)}.toml"
                write_text(text, path, force=self.force)
            return
        once = dict.fromkeys(remark for said in found.link_remarks for remark in said)
        write_text(layout_text(found, [heading, *once]), output, force=self.force)


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make a layout from IOCP decks, console logs or configurations."""


app.command("iocp")(command_of(import_iocp, printed=WrittenOptions, tell=show_told))
app.command("islink")(command_of(import_islink, printed=WrittenOptions, tell=show_told))
app.command("dpm")(command_of(import_dpm, printed=WrittenOptions, tell=show_told))


@app.command("config")
def import_config(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[NODE=]FILE...", help="SYSTEM CONFIG files, or commands; - is standard input."
        ),
    ],
    layout: Annotated[
        str,
        valued("LAYOUT", "The layout that has all devices: a file, or the name of a shipped one."),
    ],
    cec: Annotated[list[str] | None, valued(CEC.metavar, CEC.said)] = None,
    output: OutputOption = None,
    *,
    force: ForceOption = False,
) -> None:
    """Keep the devices that ACTIVATE ISLINK names.

    Those are the devices in the link; the layout loses the others. Statements and commands of both
    systems are read, DEACTIVE ISLINK among them, and all else is passed over. A system without any
    keeps its devices. 'isfc import iocp --config FILE' does the same as it pairs.
    """
    with as_options():
        found = importing.import_config(
            files, read_collection(layout), cec=cec or [], tell=show_told
        )
    heading = [f"{layout}, as activated by {', '.join(found.files)}."]
    write_text(format_collection(found.collection, heading=heading), output, force=force)
