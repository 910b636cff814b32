"""The links that LAYOUT means, each with its notes, and the disks on their chpids."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from isfc.errors.arguments import spelt
from isfc.layout import catalogue
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.document import Document, parse_document
from isfc.layout.file import collection_of
from isfc.layout.layout import Layout, with_site
from isfc.layout.sharing import with_notes

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration
    from isfc.layout.site import GivenSite

LINKS_IN_FULL = 3
"""Links of a file that are shown one by one. Of more a page has all together, and one if named."""


def called(layout: catalogue.AnyLayout, otherwise: str) -> str:
    """What it was given as; ``otherwise`` of records and texts."""
    is_named = isinstance(layout, str | Path) and "\n" not in str(layout)
    return str(layout) if is_named else otherwise


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


def open_links(
    layout: catalogue.AnyLayout,
    link: str | None = None,
    profile: "GivenSite" = None,
    *,
    alone: bool = True,
) -> list[OpenedLink]:
    """The link that is named, or all, at the site of a profile if there is one.

    ``alone`` says that each is run without the links that it shares channels with. Raises
    `ConfigurationError` if there is no such layout or link, or it is not a good one.
    """
    if isinstance(layout, Layout | Collection):
        collection, disks, source = *_of_records(layout), ""
    else:
        document = catalogue.given_document(layout)
        collection, disks, source = *links_with_disks(document), document.source
    if profile is not None:
        from scenarios.runs.at_site import given_site

        site = given_site(profile)
        collection = replace(
            collection, links=tuple(with_site(each, site) for each in collection.links)
        )
    return _opened(collection, disks, link, source, alone=alone)


def open_all(
    layout: catalogue.AnyLayout, link: str | None
) -> "tuple[list[OpenedLink], IoConfiguration | None]":
    """The same, and what the file says of channels and their I/O, None if nothing.

    A file that says of these alone has no link.
    """
    if isinstance(layout, Layout | Collection):
        collection, disks = _of_records(layout)
        return _opened(collection, disks, link), disks
    document = catalogue.given_document(layout)
    channels = _disks(document)
    if channels and link is None and not document.has_links:
        return [], channels
    return _opened(*links_with_disks(document), link, document.source), channels


def links_with_disks(document: Document) -> "tuple[Collection, IoConfiguration | None]":
    """The links of a document, disks on their chpids in them; and these disks, None if none."""
    if not document.has_disks:
        return _known(collection_of(document), document.source), None
    from isfc.io import shared  # most files name none

    collection, disks = shared.links_with_disks(document)
    return _known(collection, document.source), disks


def _known(collection: Collection, source: str) -> Collection:
    return with_known_traffic(catalogue.check_devices(collection, source), source)


def opened_link(
    layout: Layout, collection: Collection, disks: "IoConfiguration | None", *, alone: bool = True
) -> OpenedLink:
    """One link, with its notes, and with the disks if any are on its chpids."""
    noted = with_notes(collection, layout, alone=alone)
    if disks is None:
        return OpenedLink(noted, None, collection)
    from isfc.io.shared import find_shared

    return OpenedLink(noted, disks if find_shared(disks, layout) else None, collection, disks)


def links_of(document: Document) -> Collection:
    """The links of a document, as it has them: without disks."""
    return with_known_traffic(collection_of(document), document.source)


def with_known_traffic(collection: Collection, source: str) -> Collection:
    """The collection, whose traffic is of workloads that there are; most files have none."""
    if not collection.traffic:
        return collection
    from scenarios.runs.workload import checked_traffic

    return checked_traffic(collection, source)


def _opened(
    collection: Collection,
    disks: "IoConfiguration | None",
    link: str | None,
    source: str = "",
    *,
    alone: bool = True,
) -> list[OpenedLink]:
    if link is None:
        return [opened_link(each, collection, disks, alone=alone) for each in collection.links]
    with within(source) if source else nullcontext():
        named = collection.link(link, spelt("link"))
    return [opened_link(named, collection.with_first(named), disks, alone=alone)]


def _of_records(layout: Layout | Collection) -> "tuple[Collection, IoConfiguration | None]":
    collection = catalogue.check_devices(catalogue.given_collection(layout))
    if not collection.io:
        return collection, None
    from isfc.layout.write import format_collection  # files have it written

    return collection, _disks(parse_document(format_collection(collection), "layout"), collection)


def _disks(document: Document, collection: Collection | None = None) -> "IoConfiguration | None":
    """What the file says of channels and their I/O; None if nothing."""
    if not document.has_disks:
        return None
    from isfc.io.configuration_file import io_configuration_of  # most files say nothing

    return io_configuration_of(document, collection)
