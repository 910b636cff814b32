"""The layouts that are shipped, by name, and finding a layout by name or by path."""

from collections.abc import Callable
from pathlib import Path

from isfc.arguments import STANDARD_INPUT, checked
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.document import Document, parse_document
from isfc.layout.file import collection_of
from isfc.layout.in_words import expected
from isfc.layout.layout import Layout
from isfc.layout.sharing import with_notes
from isfc.layout.whole import made_whole

_SUFFIX = ".toml"

AnyLayout = Layout | Collection | str | Path
"""A layout as a program means it: records, a shipped one's name, a path, or a file's text."""


def shipped_layouts() -> tuple[str, ...]:
    """The names of the shipped layouts, ``published-4`` before ``published-12``."""
    names = [file.stem for file in _folder().glob(f"*{_SUFFIX}")]
    return tuple(sorted(names, key=lambda name: (name.rstrip("0123456789"), len(name), name)))


@checked
def load_layout(argument: str | Path, link: str | None = None) -> Layout:
    """The layout that a user means by ``argument``: a shipped one's name, or a path.

    A shipped name wins, so that it means the same in every folder; ``./published-12`` is a
    file. Of several links ``link`` names the one that is meant, as in ``ATLANTA-BOSTON``. Raises
    `ConfigurationError` if there is no such layout or link, and if it is not a good one. Its notes
    are what figures of it alone do not have.
    """
    document = load_document(argument)
    collection = collection_of(document)
    with within(document.source):
        return with_notes(collection, collection.link(link))


def load_collection(argument: str | Path) -> Collection:
    """As `load_layout`, with all links of a layout that has several."""
    return collection_of(load_document(argument))


def given_collection(
    layout: AnyLayout, parse: Callable[[Document], Collection] = collection_of
) -> Collection:
    """The links that a program means: records, a shipped layout's name, a path, or a file's text.

    A text of several lines is the content of a layout file, which ``parse`` reads.
    """
    if isinstance(layout, Layout):
        return Collection.of(*made_whole((layout,)))
    if isinstance(layout, Collection):
        return layout
    return parse(given_document(layout))


def given_document(layout: str | Path) -> Document:
    """The document of a shipped layout's name, a path, or a text of several lines itself."""
    if isinstance(layout, str) and "\n" in layout:
        return parse_document(layout, "layout")
    return load_document(layout)


def given_link(
    layout: AnyLayout, parse: Callable[[Document], Collection] = collection_of
) -> Layout:
    """As `given_collection`, the only link of it. Raises `ConfigurationError` for several."""
    links = given_collection(layout, parse).links
    if len(links) > 1:
        raise ConfigurationError(
            f"layout: {len(links)} links; expected one of them, such as "
            f"isfc.load_layout(layout, {links[0].name!r})"
        )
    return links[0]


def load_document(argument: str | Path) -> Document:
    """The document that a user means by ``argument``, as for `load_layout`."""
    return parse_document(*read_content(argument))


def read_content(argument: str | Path) -> tuple[bytes, str]:
    """The content of a layout file, and its name in messages; ``-`` is standard input."""
    if argument == str(STANDARD_INPUT):
        with within("standard input"):
            return read_bytes(STANDARD_INPUT, "a layout"), "standard input"
    names = shipped_layouts()
    path = argument if isinstance(argument, Path) else layout_path(argument)
    if path is None:
        return (_folder() / f"{argument}{_SUFFIX}").read_bytes(), str(argument)
    if not argument:
        raise ConfigurationError(f"LAYOUT is empty; expected a path or one of {', '.join(names)}")
    is_name = argument == path.name and path.suffix != _SUFFIX
    if is_name and not is_there(path):
        raise ConfigurationError(
            f"{path.name[:40]}: neither a file nor a shipped layout; "
            f"{expected(path.name, names, 'a path')}"
        )
    with within(str(path)):
        return read_bytes(path, "a layout file"), str(path)


def layout_path(argument: str) -> Path | None:
    """The file that a user means by ``argument``; None for a shipped layout."""
    return None if argument in shipped_layouts() else Path(argument)


def is_there(path: Path) -> bool:
    """Whether there is something at ``path``. There is nothing where its name is too long."""
    try:
        return path.exists()
    except OSError:
        return False


def _folder() -> Path:
    return Path(__file__).with_name("shipped")
