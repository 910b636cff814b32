"""The LAYOUT argument, which several commands share."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.shared import find_shared, with_disks
from isfc.layout.catalogue import is_there, read_content, shipped_layouts
from isfc.layout.checked_toml import FILE_LENGTH_MAX, decode, within
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Collection, Layout


def complete_layout(incomplete: str) -> list[str]:
    """The shipped layouts that begin so; with none of them the shell offers files."""
    return [name for name in shipped_layouts() if name.startswith(incomplete)]


LayoutArgument = Annotated[
    str,
    typer.Argument(
        metavar="LAYOUT",
        help="A layout file (TOML), or the name of a shipped layout such as published-12; "
        "- for standard input.",
        show_default=False,
        autocompletion=complete_layout,
    ),
]
"""To be given to `open_layout` or `open_links`; to `load_layout` where other processes read it."""

LinkOption = Annotated[
    str | None,
    typer.Option(
        "--link",
        metavar="NODE-NODE",
        help="Which link of a layout that has several, as ATLANTA-BOSTON.",
        show_default=False,
    ),
]
"""What every command has that knows of one link."""

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of tables.")
]
"""What every command that reports has."""


def open_layout(argument: str, link: str | None = None) -> Layout:
    """The layout that a user means: as `load_layout`, and from standard input or a pipe as well.

    Disks on its chpids, which it may name as ``[[io]]``, are in it. Raises `ConfigurationError` if
    there is no such layout or link, or it is not a good one.
    """
    return open_with_disks(argument, link)[0]


def open_with_disks(
    argument: str, link: str | None = None
) -> tuple[Layout, IoConfiguration | None]:
    """As `open_layout`, and the disks on chpids of the layout, or None if there are none."""
    content, source = _read(argument)
    layout = parse_layout(content, source, link)
    opened = _with_disks(layout, parse_collection(content, source), content, source)
    return opened.layout, opened.disks


@dataclass(frozen=True, slots=True)
class OpenedLink:
    """One link of a layout, what disks are on its chpids, and the other links of the layout."""

    layout: Layout
    disks: IoConfiguration | None
    neighbours: tuple[Layout, ...]


def open_links(argument: str, link: str | None) -> list[OpenedLink]:
    """As `open_layout`, for commands that show every link: of several all, if none is named."""
    return _links(*_read(argument), link)


def open_all(argument: str, link: str | None) -> tuple[list[OpenedLink], IoConfiguration | None]:
    """As `open_links`, and what the file says of channels and their I/O, None if nothing.

    A file that says of these alone has no link.
    """
    content, source = _read(argument)
    with within(source):
        tables = decode(content, "a layout").keys()
    channels = parse_io_configuration(content, source) if "io" in tables else None
    if channels and link is None and not tables & _LINK_TABLES:
        return [], channels
    return _links(content, source, link), channels


_LINK_TABLES: Final = {"fibre", "ctc", "link"}
"""What only a file has that describes links."""


def _links(content: bytes, source: str, link: str | None) -> list[OpenedLink]:
    collection = parse_collection(content, source)
    with within(source):
        links = collection.links if link is None else [collection.link(link)]
    return [_with_disks(each, collection, content, source) for each in links]


def _with_disks(layout: Layout, collection: Collection, content: bytes, source: str) -> OpenedLink:
    neighbours = collection.beside(layout)
    if collection.io:
        configuration = parse_io_configuration(content, source)
        if find_shared(layout, configuration):
            return OpenedLink(with_disks(layout, configuration), configuration, neighbours)
    return OpenedLink(layout, None, neighbours)


def _read(argument: str) -> tuple[bytes, str]:
    """The content of a layout file, and its name in messages."""
    if argument == "-":
        return sys.stdin.buffer.read(FILE_LENGTH_MAX + 1), "standard input"
    path = Path(argument)
    if argument not in shipped_layouts() and is_there(path) and path.is_fifo():
        return _read_pipe(path), argument
    return read_content(argument)


def _read_pipe(path: Path) -> bytes:
    """What is written to a pipe, or enough of it; nobody waits where nobody writes."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        first = pipe.read(1)  # None if it is still to come
        if first == b"":
            raise ConfigurationError(f"{path}: is a pipe that nobody writes to; expected a layout")
        os.set_blocking(pipe.fileno(), True)
        with os.fdopen(os.dup(pipe.fileno()), "rb") as rest:
            return (first or b"") + rest.read(FILE_LENGTH_MAX)
