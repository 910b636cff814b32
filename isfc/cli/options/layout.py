"""The LAYOUT argument, and what is printed of it: what several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

from isfc.arguments import STANDARD_INPUT, as_options, spelt
from isfc.cli.options.option import flag, valued
from isfc.cli.output.csv_option import CsvOption
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import (
    AnyLayout,
    Decks,
    given_collection,
    given_document,
    is_there,
    read_content,
    shipped_layouts,
)
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.document import Document, parse_document
from isfc.layout.file import collection_of
from isfc.layout.layout import Layout
from isfc.layout.sharing import with_notes

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
"""To be given to `open_layout` or `open_links`."""

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
        list[str] | None,
        valued("NODE:50=C1,...", "Of decks: the director port of a chpid."),
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

LinkOption = Annotated[
    str | None,
    valued("NODE-NODE", "Which link of a layout that has several, as ATLANTA-BOSTON.", "--link"),
]
"""What every command has that knows of one link."""

NotesOption = Annotated[
    bool, flag("--notes", "Say how the figures were made, and how far they are known.")
]
"""What every command has whose page answers first."""

JsonOption = Annotated[bool, flag("--json", "Print one JSON document instead of tables.")]
"""What every command that reports has."""

WhyOption = Annotated[
    bool, flag("--why", "Show also which constants of the model the rate rests on: it takes runs.")
]


LINKS_IN_FULL = 3
"""Links of a file that are shown one by one. Of more a page has all together, and one if named."""


class OpenedFile(Struct, frozen=True):
    """What a file says of links, and of disks on their chpids; ``source`` is its name."""

    source: str
    text: str
    collection: Collection
    disks: "IoConfiguration | None"


def open_collection(argument: str | Path | Decks) -> OpenedFile:
    """All links that a user means: as `given_document`, and from standard input or a pipe too.

    Disks on their chpids, which it may name as ``[[io]]``, are in them. A `Path` is a file.
    """
    document = _document(argument)
    collection, disks = _links_with_disks(document)
    checked = _checked(collection, document.source)
    return OpenedFile(document.source, document.text, checked, disks)


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
    found = _opened(layout, opened.collection, opened.disks)
    return found.layout, found.disks


class OpenedLink(Struct, frozen=True):
    """One link of a layout, what disks are on its chpids, the whole file, and all its disks."""

    layout: Layout
    disks: "IoConfiguration | None"
    collection: Collection
    file_disks: "IoConfiguration | None" = None

    @property
    def neighbours(self) -> tuple[Layout, ...]:
        """The other links of the file."""
        return self.collection.beside(self.layout)


def open_links(argument: str | Decks, link: str | None, *, alone: bool = True) -> list[OpenedLink]:
    """As `open_layout`, for commands that show every link: of several all, if none is named.

    ``alone`` says that each is run without the links that it shares channels with.
    """
    with as_options():
        return _links(given_document(argument), link, alone=alone)


def open_all(
    layout: AnyLayout, link: str | None
) -> "tuple[list[OpenedLink], IoConfiguration | None]":
    """As `open_links`, and what the file says of channels and their I/O, None if nothing.

    A file that says of these alone has no link.
    """
    if not isinstance(layout, Layout | Collection):
        return _all(given_document(layout), link)
    collection = given_collection(layout)
    disks = None
    if collection.io:
        from isfc.layout.write import format_collection  # files have it written

        disks = _disks(parse_document(format_collection(collection), "layout"), collection)
    if link is not None:
        named = collection.link(link)
        return [_opened(named, collection.with_first(named), disks)], disks
    return [_opened(each, collection, disks) for each in collection.links], disks


def _all(document: Document, link: str | None) -> "tuple[list[OpenedLink], IoConfiguration | None]":
    channels = _disks(document)
    if channels and link is None and not document.has_links:
        return [], channels
    return _links(document, link), channels


def _disks(document: Document, collection: Collection | None = None) -> "IoConfiguration | None":
    """What the file says of channels and their I/O; None if nothing."""
    if not document.has_disks:
        return None
    from isfc.io.configuration_file import io_configuration_of  # most files say nothing

    return io_configuration_of(document, collection)


def _links(document: Document, link: str | None, *, alone: bool = True) -> list[OpenedLink]:
    collection, disks = _links_with_disks(document)
    _checked(collection, document.source)
    with within(document.source):
        if link is not None:
            named = collection.link(link, spelt("link"))
            return [_opened(named, collection.with_first(named), disks, alone=alone)]
    return [_opened(each, collection, disks, alone=alone) for each in collection.links]


def _links_with_disks(document: Document) -> "tuple[Collection, IoConfiguration | None]":
    if not document.has_disks:
        return collection_of(document), None
    from isfc.io.shared import links_with_disks  # most files name none

    return links_with_disks(document)


def _opened(
    layout: Layout, collection: Collection, disks: "IoConfiguration | None", *, alone: bool = True
) -> OpenedLink:
    """One link, with its notes, and with the disks if any are on its chpids."""
    noted = with_notes(collection, layout, alone=alone)
    if disks is None:
        return OpenedLink(noted, None, collection)
    from isfc.io.shared import find_shared

    return OpenedLink(noted, disks if find_shared(disks, layout) else None, collection, disks)


def read_collection(argument: str | Decks) -> Collection:
    """All links that a user means, without disks: as for `open_collection`."""
    document = _document(argument)
    return _checked(collection_of(document), document.source)


def _checked(collection: Collection, source: str) -> Collection:
    """The collection, whose traffic is of workloads that there are; most files have none."""
    if not collection.traffic:
        return collection
    from scenarios.runs.traffic import checked_traffic

    return checked_traffic(collection, source)


def check_lasting(argument: str) -> None:
    """Raise `ConfigurationError` for standard input and a pipe, which are read only once."""
    if is_read_once(argument):
        raise ConfigurationError(
            f"LAYOUT {argument}: expected a file, as each system is a process that reads it"
        )


def read_text(argument: str) -> tuple[str, str]:
    """The text of the layout, deck or console log that a user means, and its name in messages."""
    from isfc.deck.place import decode

    data, source = read_content(argument)
    return decode(data, source), source


def is_read_once(argument: str) -> bool:
    """Whether a user means standard input, or a pipe as the shell makes of ``<(command)``."""
    path = Path(argument)
    if argument in shipped_layouts():
        return False
    return path == STANDARD_INPUT or (is_there(path) and path.is_fifo())


class PrintOptions(Struct, frozen=True):
    """What a table is printed as."""

    csv: CsvOption = False
    json: JsonOption = False


def expect_one(**options: object) -> None:
    """Raise `ConfigurationError` for two options of which one at most can be given."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if len(given) > 1:
        raise ConfigurationError(f"{given[0]} and {given[1]}: expected one of them")
