"""What a change is from and to: layouts, or decks and console logs, which it imports."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from isfc.arguments import STANDARD_INPUT, spelt
from isfc.deck.imported import import_iocp, import_islink
from isfc.deck.place import decode
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import (
    AnyLayout,
    given_collection,
    is_there,
    read_content,
    shipped_layouts,
)
from isfc.layout.checked_toml import AnyText
from isfc.layout.collection import Collection
from isfc.layout.document import parse_document
from isfc.layout.file import collection_of
from isfc.layout.foreign_text import SourceKind, source_kind
from isfc.layout.layout import Layout
from scenarios.runs.traffic import checked_traffic


class Sides(Struct, frozen=True):
    """The links on both sides, and what is assumed of decks and console logs among them."""

    before: Collection
    after: Collection
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A layout, deck or console log: its content, its name in messages, and what was given."""

    data: bytes
    source: str
    given: AnyText

    @property
    def kind(self) -> SourceKind:
        """What it looks like; a layout says itself what of it is no text."""
        try:
            return source_kind(decode(self.data, self.source))
        except ConfigurationError:
            return SourceKind.LAYOUT


def given_sides(
    before: AnyLayout, after: AnyLayout, partitions: str | None, ports: Sequence[str]
) -> Sides:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    given = [_read(before), _read(after)]
    is_deck = [not isinstance(one, Collection) and one[0].kind is SourceKind.DECK for one in given]
    if (partitions or ports) and not any(is_deck):
        name = spelt("partitions" if partitions else "ports")
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    layouts = (one for one in given if isinstance(one, Collection))
    systems = next((",".join(one.systems) for one in layouts), None)
    old, new = (
        (one, ()) if isinstance(one, Collection) else _imported(one, partitions or systems, ports)
        for one in given
    )
    return Sides(old[0], new[0], (*old[1], *new[1]))


def _read(layout: AnyLayout) -> Collection | list[_Text]:
    """The links of a layout, or what is to be imported."""
    if isinstance(layout, Layout | Collection):
        return given_collection(layout)
    texts = [*map(_text, _names(layout))]
    kinds = {each.kind for each in texts}
    if len(kinds) > 1 or (len(texts) > 1 and SourceKind.LAYOUT in kinds):
        raise ConfigurationError(
            f"{layout}: expected one layout, or IOCP decks, or console logs, with commas between"
        )
    if kinds != {SourceKind.LAYOUT}:
        return texts
    (text,) = texts
    document = parse_document(text.data, text.source)
    return checked_traffic(collection_of(document), document.source)


def _names(layout: str | Path) -> list[str | Path]:
    """Several files have commas between their names, and a text none."""
    is_one = isinstance(layout, Path) or "\n" in layout or layout in shipped_layouts()
    return [layout] if is_one or is_there(Path(layout)) else [*str(layout).split(",")]


def _text(given: str | Path) -> _Text:
    if isinstance(given, str) and "\n" in given:
        return _Text(given.encode("utf-8", "surrogatepass"), "text", given)
    data, source = read_content(given)
    if given == str(STANDARD_INPUT):  # which can be read once
        return _Text(data, source, data.decode("utf-8-sig", "replace"))
    return _Text(data, source, Path(source))


def _imported(
    texts: Sequence[_Text], partitions: str | None, ports: Sequence[str]
) -> tuple[Collection, tuple[str, ...]]:
    """The links of decks or of console logs, and what is assumed of them."""
    given = [each.given for each in texts]
    match texts[0].kind:
        case SourceKind.DECK:
            found = import_iocp(given, partitions=partitions, ports=ports)
        case SourceKind.CONSOLE_LOG:
            found = import_islink(given)
        case _:
            raise ConfigurationError(
                f"{texts[0].source}: statements, which have no chpids; expected a layout, decks or "
                "console logs"
            )
    return found.collection, found.remarks
