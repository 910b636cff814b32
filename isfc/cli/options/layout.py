"""The LAYOUT argument, and what is printed of it: what several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Struct

from isfc.answers.given import links_of, open_links
from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from isfc.errors.arguments import STANDARD_INPUT, as_options
from isfc.layout.catalogue import Decks, given_document, is_there, read_content, shipped_layouts
from isfc.layout.collection import Collection


def complete_layout(incomplete: str) -> list[str]:
    """The shipped layouts that begin so; with none of them the shell offers files."""
    return [name for name in shipped_layouts() if name.startswith(incomplete)]


def _layout(said: str, metavar: str = "LAYOUT") -> Any:
    """An argument for which the shell offers shipped layouts; ``said`` is its help."""
    return typer.Argument(metavar=metavar, help=said, autocompletion=complete_layout)


_LAYOUT_FILE = "A layout file (TOML), or the name of a shipped layout such as published-12"

_IMPORTED = "or IOCP decks or console logs, with commas between, which are imported"

LayoutArgument = Annotated[str, _layout(f"{_LAYOUT_FILE}; {_IMPORTED}; - for standard input.")]
"""To be given to `open_collection`, or to what a command is made from."""

LayoutsArgument = Annotated[
    list[str],
    _layout(
        "Layout files (TOML), or names of shipped layouts such as published-12; each may be "
        "IOCP decks or console logs, with commas between; - for standard input.",
        "LAYOUT...",
    ),
]
"""Several of them."""


class DecksOptions(Struct, frozen=True):
    """What is said of decks where a layout is expected."""

    partitions: Annotated[
        str | None,
        valued(
            "NAME,NAME",
            "Of decks: the partitions to join, as for 'isfc import iocp', if they are not two.",
        ),
    ] = None
    ports: Annotated[
        list[str] | None, valued("NODE:50=C1,...", "Of decks: the director port of a chpid.")
    ] = None

    def given(self, layout: Any) -> Any:
        """The layout that is meant, or each of several."""
        if layout is None or (self.partitions is None and not self.ports):
            return layout
        if isinstance(layout, list):
            return [*map(self.given, layout)]
        return Decks.of(layout, self.partitions, self.ports or ())


LayoutFileArgument = Annotated[str, _layout(f"{_LAYOUT_FILE}.")]
"""Where other processes read it as well; to be given to `check_lasting` first."""


ProfileOption = Annotated[
    Path | None, valued("FILE", "The model as fitted to a site by 'isfc measured fit'.")
]
"""What every command has that runs the model of links."""


def open_collection(argument: str | Path | Decks) -> Collection:
    """All links that a user means, disks on their chpids in them; messages name options."""
    with as_options():
        return open_links(argument)[0].collection


def read_collection(argument: str | Decks) -> Collection:
    """The same, as the file has it: without disks."""
    with as_options():
        document = given_document(argument)
    return links_of(document)


def check_lasting(argument: str) -> None:
    """Raise `ConfigurationError` for what is read only once.

    That is standard input, and a pipe as the shell makes of ``<(command)``.
    """
    path = Path(argument)
    is_pipe = is_there(path) and path.is_fifo() and argument not in shipped_layouts()
    if path == STANDARD_INPUT or is_pipe:
        raise ConfigurationError(
            f"LAYOUT {argument}: expected a file, as each system is a process that reads it"
        )


def read_text(argument: str) -> tuple[str, str]:
    """The text of the layout, deck or console log that a user means, and its name in messages."""
    from isfc.deck.place import decode

    data, source = read_content(argument)
    return decode(data, source), source
