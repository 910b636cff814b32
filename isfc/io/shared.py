"""Disks on the chpids of a link: what they want of them, and what they get beside its CTCs.

`with_disks` writes what the disks want into a layout, so that whatever runs it has them; what
the CTCs then use makes the disks' own mean values (`isfc.io.estimate`) longer. `ctc.channel`
says how the two share.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from ctc.address import ChpidId, format_chpid, parse_chpid
from ctc.channel import NOTHING, ChannelUse
from isfc.errors.arguments import checked
from isfc.errors.in_words import listed
from isfc.io.configuration import IoConfiguration
from isfc.io.configuration_file import io_configuration_of
from isfc.io.demand import ChannelRoute, Demand, make_demand, make_route
from isfc.io.estimate import ChannelEstimate, estimate_channel
from isfc.layout.catalogue import AnyLayout, given_collection, given_link
from isfc.layout.checked_toml import given_bytes
from isfc.layout.collection import Collection
from isfc.layout.document import Document, parse_document
from isfc.layout.file import collection_of
from isfc.layout.layout import Fibre, Layout
from isfc.layout.sharing import with_notes
from isfc.reports.figure import Note, NoteKind


class DiskChannel(Struct, frozen=True):
    """One channel that CTCs and disks use, at the system of the disks, and what they ask of it.

    ``ends`` is what each system that has it calls it.
    """

    node: str
    chpid: ChpidId
    ends: tuple[str, ...]
    route: ChannelRoute
    demands: tuple[Demand, ...]

    @property
    def name(self) -> str:
        """The chpid as people write it."""
        return format_chpid(self.chpid)

    def estimate(self, ctcs: ChannelUse = NOTHING) -> ChannelEstimate:
        """What the disks get beside CTCs that use so much of the chpid."""
        return estimate_channel(self.route, self.demands, ctcs.bounded())

    def wanted(self) -> ChannelUse:
        """What the disks use of the chpid if nothing else does."""
        alone = self.estimate()
        return ChannelUse(
            min(1.0, alone.processor), min(1.0, alone.line_write), min(1.0, alone.line_read)
        )


def read_disks(config: str | Path) -> tuple[IoConfiguration, tuple[Note, ...]]:
    """The I/O configuration at a path, and what figures of it alone do not have: a link's CTCs.

    A text of several lines is the configuration itself. Raises `ConfigurationError`.
    """
    document = parse_document(*given_bytes(config, "an I/O configuration", name="config"))
    if not document.has_links:
        return io_configuration_of(document), ()
    collection = collection_of(document)
    configuration = io_configuration_of(document, collection)
    notes = (_disks_alone(link, find_shared(configuration, link)) for link in collection.links)
    return configuration, tuple(note for note in notes if note is not None)


def _disks_alone(link: Layout, shared: Sequence[DiskChannel]) -> Note | None:
    if not shared:
        return None
    chpids = dict.fromkeys(f"{each.name} at {each.node}" for each in shared)
    verb = "carries" if len(chpids) == 1 else "carry"
    return Note(
        NoteKind.ALONE,
        f"The figures take the disks as if they were alone: chpid{'s' * (len(chpids) > 1)} "
        f"{listed([*chpids])} {verb} CTCs of {link.name} too. "
        "'isfc io beside' has both.",
    )


def find_shared(configuration: IoConfiguration, *links: Layout) -> tuple[DiskChannel, ...]:
    """The channels of some links that disks use too, in the order of their fibres."""
    found: dict[tuple[str, ...], DiskChannel] = {}
    for link in links:
        for fibre in link.fibres:
            for end, node in enumerate(link.nodes):
                ends = fibre.channel_ends(end, node)
                if ends not in found and (shared := _shared(ends, configuration)) is not None:
                    found[ends] = shared
    return tuple(found.values())


def _shared(ends: tuple[str, ...], configuration: IoConfiguration) -> DiskChannel | None:
    """What disks ask of the channel, if any use it."""
    for channel in configuration.channels.values():
        if f"{channel.system} {channel.chpid}" in ends:
            route = make_route(channel)
            users = configuration.users_of(channel.chpid)
            demands = tuple(make_demand(each, route) for each in users)
            return DiskChannel(channel.system, parse_chpid(channel.chpid), ends, route, demands)
    return None


def with_disks(layout: Layout, configuration: IoConfiguration) -> Layout:
    """The layout, with what the disks want of its chpids, whichever partition they are of."""
    uses = {each.ends: each.wanted() for each in find_shared(configuration, layout)}
    nodes = tuple(enumerate(layout.nodes))

    def used(fibre: Fibre) -> Fibre:
        here, there = (uses.get(fibre.channel_ends(*node), NOTHING) for node in nodes)
        return structs.replace(fibre, disks=(here, there))

    return layout.with_fibres(used)


def links_with_disks(document: Document) -> tuple[Collection, IoConfiguration | None]:
    """The links of a document, disks on their chpids in them; and these disks, None if none."""
    collection = collection_of(document)
    if not document.has_disks:
        return collection, None
    configuration = io_configuration_of(document, collection)
    links = tuple(with_disks(link, configuration) for link in collection.links)
    return replace(collection, links=links), configuration


@checked
def parse_links(data: bytes | str, source: str = "layout") -> Collection:
    """Every link that the content of a layout file describes, disks on their chpids in them.

    Each has notes of what figures of it alone do not have.

    ``source`` is its name in messages. Raises `ConfigurationError` for what is wrong with it.
    """
    collection = links_with_disks(parse_document(data, source))[0]
    links = tuple(with_notes(collection, link) for link in collection.links)
    return replace(collection, links=links)


def given_with_disks(layout: AnyLayout) -> Collection:
    """As `isfc.layout.catalogue.given_collection`; disks on chpids of the links are in them."""
    return given_collection(layout, lambda document: links_with_disks(document)[0])


def given_link_with_disks(layout: AnyLayout) -> Layout:
    """As `isfc.layout.catalogue.given_link`; disks on chpids of the link are in it."""
    return given_link(layout, lambda document: links_with_disks(document)[0])


def without_disks(layout: Layout) -> Layout:
    """The layout, its CTCs alone on their chpids."""
    return layout.with_fibres(lambda fibre: structs.replace(fibre, disks=(NOTHING, NOTHING)))
