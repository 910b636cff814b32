"""What a change is from and to: layouts, or decks and console logs, which it imports."""

from collections.abc import Sequence

from msgspec.structs import replace

from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout, Decks, Sources, given_collection, read_sources
from isfc.layout.collection import Collection
from isfc.layout.file import collection_of
from isfc.layout.foreign_text import SourceKind
from isfc.layout.layout import Layout
from scenarios.runs.traffic import checked_traffic


def given_sides(
    before: AnyLayout, after: AnyLayout, partitions: str | None, ports: Sequence[str]
) -> tuple[Collection, Collection]:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    old, new = _read(before), _read(after)
    if (partitions or ports) and not (_is_deck(old) or _is_deck(new)):
        name = spelt("partitions" if partitions else "ports")
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    for one in (old, new):
        if isinstance(one, Collection) or one.kind is SourceKind.LAYOUT:
            partitions = partitions or ",".join(_links(one).systems)
    return _links(old, partitions, ports), _links(new, partitions, ports)


def _read(layout: AnyLayout) -> Collection | Sources:
    """The links of a record, or what was read."""
    if isinstance(layout, Layout | Collection):
        return given_collection(layout)
    return read_sources(layout)


def _is_deck(one: Collection | Sources) -> bool:
    return isinstance(one, Sources) and one.kind is SourceKind.DECK


def _links(
    one: Collection | Sources, partitions: str | None = None, ports: Sequence[str] = ()
) -> Collection:
    if isinstance(one, Collection):
        return one
    if _is_deck(one):
        files, said, at = one.decks.files, one.decks.partitions, one.decks.ports
        one = replace(one, decks=Decks(files, said or partitions, at or ports))
    document = one.document()
    return checked_traffic(collection_of(document), document.source)
