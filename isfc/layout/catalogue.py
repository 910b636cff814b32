"""The layouts that are shipped, by name, and finding a layout by name or by path."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.arguments import STANDARD_INPUT, checked, spelt
from isfc.errors.in_words import expected
from isfc.errors.loading import named
from isfc.layout.checked_toml import AnyText, given_bytes, in_utf8, within
from isfc.layout.collection import Collection
from isfc.layout.document import Document, parse_document
from isfc.layout.file import collection_of
from isfc.layout.layout import Layout
from isfc.layout.parts import made_whole
from isfc.layout.sharing import with_notes
from isfc.layout.source_kind import SourceKind, source_kind
from isfc.reports.figure import Note, NoteKind

_SUFFIX = ".toml"

_IS: Final = {
    SourceKind.LAYOUT: "taken for a layout",
    SourceKind.DECK: "an IOCP deck",
    SourceKind.CONSOLE_LOG: "a console log",
    SourceKind.CONFIGURATION: "SYSTEM CONFIG or commands",
}
"""What messages call each kind."""

_IMPORTED: Final = (SourceKind.DECK, SourceKind.CONSOLE_LOG)
"""Of what a layout is made where one is expected."""


class Decks(Struct, frozen=True):
    """IOCP decks or console logs, of which a layout is made where one is expected.

    ``files`` are paths or texts; of a log ``NODE=FILE`` says whose it is. ``partitions`` and
    ``ports`` are of decks, as for `isfc.import_iocp`: without them two partitions are joined, if
    there are no more.
    """

    files: Sequence[AnyText]
    partitions: str | None = None
    ports: Sequence[str] = ()

    @classmethod
    def of(
        cls, given: AnyText, partitions: str | None = None, ports: Sequence[str] = ()
    ) -> "Decks":
        """Those that have commas between their paths; a path, a name or a text is one."""
        is_one = isinstance(given, Path) or "\n" in given or is_there(Path(given))
        return cls([given] if is_one else str(given).split(","), partitions, ports)

    def __str__(self) -> str:
        return ",".join("layout" if "\n" in str(each) else str(each) for each in self.files)


AnyLayout = Layout | Collection | Decks | str | Path
"""A layout as a program means it: records, a shipped one's name, a path, or a file's text; or
decks, or console logs: a text, a path, or several paths with commas between."""


def shipped_layouts() -> tuple[str, ...]:
    """The names of the shipped layouts, ``published-4`` before ``published-12``."""
    names = [file.stem for file in _folder().iterdir() if file.suffix == _SUFFIX]
    return tuple(sorted(names, key=lambda name: (name.rstrip("0123456789"), len(name), name)))


@checked
def load_layout(argument: str | Path | Decks, link: str | None = None) -> Layout:
    """The layout that a user means by ``argument``: a shipped one's name, or a path.

    A shipped name wins, so that it means the same in every folder; ``./published-12`` is a
    file. Of several links ``link`` names the one that is meant, as in ``ATLANTA-BOSTON``. Raises
    `ConfigurationError` if there is no such layout or link, and if it is not a good one. Its notes
    are what figures of it alone do not have.
    """
    document = given_document(argument)
    collection = collection_of(document)
    with within(document.source):
        return with_notes(collection, collection.link(link))


def given_collection(
    layout: AnyLayout, parse: Callable[[Document], Collection] = collection_of
) -> Collection:
    """The links that a program means: records, or what `given_document` reads and ``parse`` too."""
    if isinstance(layout, Layout):
        return Collection.of(*made_whole((layout,)))
    if isinstance(layout, Collection):
        return layout
    return parse(given_document(layout))


def check_devices(collection: Collection, source: str = "") -> Collection:
    """The collection, if no kept deck gives a CTC's number to another device: most keep none."""
    if collection.decks:
        with within(source) if source else nullcontext():
            named("isfc.deck.numbers.check_numbers")(collection)
    return collection


def given_document(layout: str | Path | Decks) -> Document:
    """The document of a shipped layout's name, a path, a text of several lines, or decks.

    Where decks or console logs are given, the layout is the one that they are imported as.
    """
    return read_sources(layout).document()


class Sources(Struct, frozen=True):
    """What was read where a layout is expected: a layout, or what one is made of."""

    decks: Decks
    kind: SourceKind
    texts: tuple[tuple[bytes, str, str], ...]
    """each with its name in messages, and the system that it is said to be of"""

    def document(self) -> Document:
        """The document of the layout."""
        partitions, ports = self.decks.partitions, self.decks.ports
        if (partitions or ports) and self.kind is not SourceKind.DECK:
            option = spelt("partitions" if partitions else "ports")
            raise ConfigurationError(f"{option}: of IOCP decks; {self.decks} is none")
        if self.kind not in _IMPORTED:
            ((data, source, _),) = self.texts
            return parse_document(data, source)
        imported = named("isfc.deck.importing.layout_of")  # little of what is given is a deck
        text, *said = imported(self.kind, self.texts, partitions, ports)
        kinds = NoteKind.LEFT_OUT, NoteKind.ASSUMED
        notes = (Note(kind, each) for kind, some in zip(kinds, said, strict=True) for each in some)
        return structs.replace(parse_document(text, str(self.decks)), assumed=tuple(notes))


def read_sources(given: str | Path | Decks) -> Sources:
    """What files and texts hold. Raises `ConfigurationError` for some of each kind."""
    decks = given if isinstance(given, Decks) else Decks.of(given)
    if not decks.files:
        raise ConfigurationError("layout: no files; expected IOCP decks or console logs")
    texts = tuple(_content(each) for each in decks.files)
    kinds = [source_kind(in_utf8(data).decode("utf-8", "replace")) for data, _, _ in texts]
    if len({*kinds}) > 1 or (len(texts) > 1 and kinds[0] not in _IMPORTED):
        found = ", ".join(
            f"{each[1]} is {_IS[kind]}" for each, kind in zip(texts, kinds, strict=True)
        )
        raise ConfigurationError(
            f"{found}: expected one layout, or IOCP decks, or console logs, with commas between"
        )
    return Sources(decks, kinds[0], texts)


def _content(given: AnyText) -> tuple[bytes, str, str]:
    """What a file or a text holds, its name in messages, and the system of ``NODE=FILE``."""
    if isinstance(given, str) and "\n" in given:
        return given.encode("utf-8", "surrogatepass"), "layout", ""
    node, equals, file = str(given).partition("=")
    if equals and not is_there(Path(given)) and is_there(Path(file)):
        return *read_content(file), node
    return *read_content(given), ""


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


def read_content(argument: str | Path) -> tuple[bytes, str]:
    """The content of a layout file, and its name in messages; ``-`` is standard input."""
    if argument == str(STANDARD_INPUT):
        return given_bytes(STANDARD_INPUT, "a layout")[0], "standard input"
    path = Path(argument)
    shipped = _folder() / f"{argument}{_SUFFIX}"
    if argument == path.name and is_there(shipped):
        return shipped.read_bytes(), str(argument)
    names = shipped_layouts()
    if not argument:
        raise ConfigurationError(f"LAYOUT is empty; expected a path or one of {', '.join(names)}")
    is_name = argument == path.name and path.suffix != _SUFFIX
    if is_name and not is_there(path):
        raise ConfigurationError(
            f"{path.name[:40]}: neither a file nor a shipped layout; "
            f"{expected(path.name, names, 'a path')}"
        )
    return given_bytes(path, "a layout file")


def is_there(path: Path) -> bool:
    """Whether there is something at ``path``. There is nothing where its name is too long."""
    try:
        return path.exists()
    except OSError:
        return False


def _folder() -> Path:
    return Path(__file__).with_name("shipped")
