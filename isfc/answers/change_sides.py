"""What a change is from and to: layouts, or decks and console logs, which it imports."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from isfc.arguments import STANDARD_INPUT, spelt
from isfc.deck.imported import import_iocp, import_islink
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


def given_sides(
    before: AnyLayout, after: AnyLayout, partitions: str | None, ports: Sequence[str]
) -> Sides:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    given = [_read(before), _read(after)]
    is_deck = [not isinstance(one, Collection) and one[0] is SourceKind.DECK for one in given]
    if (partitions or ports) and not any(is_deck):
        name = spelt("partitions" if partitions else "ports")
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    layouts = (one for one in given if isinstance(one, Collection))
    systems = next((",".join(one.systems) for one in layouts), None)
    old, new = (
        (one, ()) if isinstance(one, Collection) else _imported(*one, partitions or systems, ports)
        for one in given
    )
    return Sides(old[0], new[0], (*old[1], *new[1]))


def _read(layout: AnyLayout) -> Collection | tuple[SourceKind, list[AnyText]]:
    """The links of a layout, or what is to be imported, paths or texts, and what that is."""
    if isinstance(layout, Layout | Collection):
        return given_collection(layout)
    names: list[AnyText] = [layout]
    if isinstance(layout, str) and not _is_one(layout):
        names = [*layout.split(",")]
    texts = [_content(each) for each in names]
    kinds = {source_kind(data.decode(errors="replace")) for data, _ in texts}
    if len(kinds) > 1 or (len(texts) > 1 and SourceKind.LAYOUT in kinds):
        raise ConfigurationError(
            f"{layout}: expected one layout, or IOCP decks, or console logs, with commas between"
        )
    if kinds == {SourceKind.LAYOUT}:
        document = parse_document(*texts[0])
        return checked_traffic(collection_of(document), document.source)
    if layout == str(STANDARD_INPUT):  # which can be read once
        names = [texts[0][0].decode(errors="replace")]
    return kinds.pop(), names


def _is_one(layout: str) -> bool:
    """Whether it is a name or a text; several files have commas between their paths."""
    return "\n" in layout or layout in shipped_layouts() or is_there(Path(layout))


def _content(given: AnyText) -> tuple[bytes, str]:
    """What it has, and its name in messages."""
    if isinstance(given, str) and "\n" in given:
        return given.encode("utf-8", "surrogatepass"), "text"
    return read_content(given)


def _imported(
    kind: SourceKind, given: Sequence[AnyText], partitions: str | None, ports: Sequence[str]
) -> tuple[Collection, tuple[str, ...]]:
    """The links of decks or of console logs, and what is assumed of them."""
    if kind is SourceKind.CONFIGURATION:
        raise ConfigurationError(
            f"{given[0]}: statements, which have no chpids; expected a layout, decks or console "
            "logs"
        )
    is_deck = kind is SourceKind.DECK
    found = (
        import_iocp(given, partitions=partitions, ports=ports) if is_deck else import_islink(given)
    )
    return found.collection, found.remarks
