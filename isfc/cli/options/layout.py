"""The LAYOUT argument, and what is printed of it: what several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

from isfc.answers.given import links_with_disks, opened_link, with_known_traffic
from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from isfc.errors.arguments import STANDARD_INPUT, as_options
from isfc.layout.catalogue import Decks, given_document, is_there, read_content, shipped_layouts
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.document import Document
from isfc.layout.file import collection_of
from isfc.layout.layout import Layout

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration


def complete_layout(incomplete: str) -> list[str]:
    """The shipped layouts that begin so; with none of them the shell offers files."""
    return [name for name in shipped_layouts() if name.startswith(incomplete)]


def _layout(said: str, metavar: str = "LAYOUT") -> Any:
    """An argument for which the shell offers shipped layouts; ``said`` is its help."""
    return typer.Argument(metavar=metavar, help=said, autocompletion=complete_layout)


_LAYOUT_FILE = "A layout file (TOML), or the name of a shipped layout such as published-12"

_IMPORTED = "or IOCP decks or console logs, with commas between, which are imported"

LayoutArgument = Annotated[str, _layout(f"{_LAYOUT_FILE}; {_IMPORTED}; - for standard input.")]
"""To be given to `open_layout`, or to what a command is made from."""

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


class OpenedFile(Struct, frozen=True):
    """What a file says of links, and of disks on their chpids; ``source`` is its name."""

    source: str
    collection: Collection
    disks: "IoConfiguration | None"


def open_collection(argument: str | Path | Decks) -> OpenedFile:
    """All links that a user means: as `given_document`, and from standard input or a pipe too.

    Disks on their chpids, which it may name as ``[[io]]``, are in them. A `Path` is a file.
    """
    document = _document(argument)
    collection, disks = links_with_disks(document)
    return OpenedFile(document.source, collection, disks)


def _document(argument: str | Path | Decks) -> Document:
    """What a user means; messages name options."""
    with as_options():
        return given_document(argument)


def open_layout(argument: str | Decks, link: str | None = None) -> Layout:
    """The link that a user means: as for `open_collection`.

    Raises `ConfigurationError` if there is no such layout or link, or it is not a good one.
    """
    return open_with_disks(open_collection(argument), link)[0]


def open_with_disks(
    opened: OpenedFile, link: str | None
) -> "tuple[Layout, IoConfiguration | None]":
    """One link of a file, and the disks on its chpids, or None if there are none."""
    with within(opened.source):
        layout = opened.collection.link(link, "--link")
    found = opened_link(layout, opened.collection, opened.disks)
    return found.layout, found.disks


def read_collection(argument: str | Decks) -> Collection:
    """All links that a user means, without disks: as for `open_collection`."""
    document = _document(argument)
    return with_known_traffic(collection_of(document), document.source)


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
