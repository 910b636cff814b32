"""``isfc export``: what the systems of a layout need: statements, decks, or the layout again."""

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from isfc.cli.capability import command_of
from isfc.cli.options.formats import Printing
from isfc.cli.options.layout import DecksOptions, LayoutArgument, read_collection
from isfc.cli.options.option import Made, valued
from isfc.cli.output.file import ForceOption, OutputOption, write_text
from isfc.cli.output.streams import show_remark
from isfc.deck.export import Exported
from isfc.deck.export import export as exported
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection


class GivenLayout(Made, frozen=True):
    """The layout, whose ``partitions`` leave ``--ports`` to the decks that are written."""

    layout: LayoutArgument
    partitions: Annotated[
        str | None,
        valued("NAME,NAME", "Where LAYOUT is decks: the partitions to join, if they are not two."),
    ] = None

    def made(self) -> Collection:
        """All its links."""
        return read_collection(DecksOptions(self.partitions).given(self.layout))


class StatementsWritten(Printing, frozen=True):
    """Where they are written: a folder has a file for each system, or for each CEC.

    One that is not there is made for several decks, where its name is none of a file.
    """

    output: OutputOption = None
    force: ForceOption = False

    def show(self, found: Exported, _: Callable[[Any], Any]) -> None:
        """Write them, and say what they cannot."""
        for remark in found.remarks:
            show_remark(remark)
        output = self.output
        several = found.is_deck and len(found.texts) > 1
        if output and several and not (output.suffix or output.exists()):
            with suppress(FileExistsError, NotADirectoryError):  # which is refused below
                output.mkdir(parents=True)
        if output is not None and output.is_dir():
            for name, text in found.texts.items():
                write_text(text, output / name, force=self.force)
            return
        if output is not None and several:
            raise ConfigurationError(
                f"{output}: there are {len(found.texts)} decks, and a file holds one; expected a "
                "folder, or --system NODE"
            )
        write_text(found.together, output, force=self.force)


export = command_of(exported, printed=StatementsWritten, made={"layout": GivenLayout})
