"""What a link shares with others, and with itself: channels, chpids and inter-switch links.

An import keeps of decks what other partitions have on the channels of the links that it makes
(``[[other_link]]``). No figure has these CTCs but that of `with_others`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ctc.address import ChpidId, format_chpid
from isfc.errors.in_words import first_listed, grouped, listed
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import Cec, Channel, ChannelEnd
from isfc.link.name import NodeName
from isfc.reports.figure import Note, NoteKind


def channel_name(channel: Sequence[ChannelEnd | str]) -> str:
    """A channel in words: ``chpid 40 at ALPHA``, or ``the channel ALPHA 40 = BETA 41``."""
    if len(channel) > 1:
        return f"the channel {' = '.join(map(str, channel))}"
    node, _, chpid = str(channel[0]).rpartition(" ")
    return f"chpid {chpid} at {node}"


def channel_rates(collection: Collection, system: NodeName) -> dict[Channel, float]:
    """The speed of each channel that a system's links use, in Gb/s."""
    return {
        collection.channel(system, fibre.chpids[link.nodes.index(system)]): fibre.profile.link_gbps
        for link in collection.links_of(system)
        for fibre in link.fibres
    }


def carried_by(collection: Collection) -> dict[Channel, tuple[Layout, ...]]:
    """Each channel with the links that use it, in the order of the file."""
    found: dict[Channel, list[Layout]] = {}
    for link, _, channels in collection.fibres():
        for channel in channels:
            links = found.setdefault(channel, [])
            if link not in links:
                links.append(link)
    return {channel: tuple(links) for channel, links in found.items()}


def in_use(collection: Collection) -> Collection:
    """The collection without mention of chpids, systems and links that no CTC uses any more."""
    links = collection.links
    ends = {*collection.chpid_ends}
    channels = (tuple(e for e in channel if e in ends) for channel in collection.shared_channels)
    systems = set(collection.systems)
    cecs = (Cec(c.name, tuple(s for s in c.systems if s in systems)) for c in collection.cecs)
    joined = [set(link.nodes) for link in links]
    return replace(
        collection,
        shared_channels=tuple(channel for channel in channels if len(channel) > 1),
        cecs=tuple(cec for cec in cecs if cec.systems),
        traffic=tuple(t for t in collection.traffic if {t.client, t.server} in joined),
        decks=tuple(d for each in collection.decks if (d := each.of(systems)) is not None),
        memory=tuple(each for each in collection.memory if each.system in systems),
        others=tuple(
            other
            for other in collection.others
            if any(end in ends for each in other.ctcs for end in each.channels)
        ),
    )


def only(collection: Collection, link: Layout) -> Collection:
    """What the collection says of one of its links, which may have more, such as notes."""
    return in_use(replace(collection, links=(link,)))


def shares_anything(collection: Collection) -> bool:
    """Whether any link shares anything with another, or the file knows machines or directors."""
    return bool(
        collection.cecs
        or any(shared_by(collection, link) for link in collection.links)
        or any(fibre.directors for link in collection.links for fibre in link.fibres)
    )


def shared_by(collection: Collection, link: Layout) -> tuple[str, ...]:
    """What ``link`` shares with other links, each in words; nothing if it shares nothing.

    What it shares with itself, as when a channel is both its ends, every run has in it.
    """
    carriers: dict[str, tuple[list[str], list[str]]] = {}
    for name, is_path, others in _shared(collection, link):
        names = carriers.setdefault(", ".join(other.name for other in others), ([], []))[is_path]
        if name not in names:
            names.append(name)
    return tuple(
        _carriers(channels, paths, others) for others, (channels, paths) in carriers.items()
    )


def _carriers(channels: Sequence[str], paths: Sequence[str], others: str) -> str:
    """``2 of its channels and path far carry ALPHA-BETA too``."""
    several = [f"{len(channels)} of its channels"] if len(channels) > 1 else channels
    carriers = [*several, *paths]
    verb = "carries" if len(channels) + len(paths) == 1 else "carry"
    return f"{listed(carriers)} {verb} {others} too"


def with_notes(collection: Collection, link: Layout, *, alone: bool = True) -> Layout:
    """The link of the collection, with notes of what its own figures do not have.

    ``alone`` says that it is run without the links that it shares channels with.
    """
    shared = shared_by(collection, link) if alone else ()
    text = f"The figures take {link.name} as if it were alone: {'; '.join(shared)}."
    notes = [Note(NoteKind.ALONE, text)] if shared else []
    return replace(link, notes=(*notes, *open_questions(collection, link)))


_PLACES: Final = 4
"""Pairs of systems, alike ones counted once, of which a note lists the chpids (chosen)."""

OPEN: Final = frozenset({NoteKind.ONE_CHANNEL, NoteKind.JOINED, NoteKind.ASSUMED})
"""Kinds of what `open_questions` says."""


def open_questions(collection: Collection, link: Layout | None = None) -> tuple[Note, ...]:
    """What a file leaves open, of figures of a ``link``, or of all links if it is None."""
    links = collection.links if link is None else (link,)
    assumed = [Note(NoteKind.ASSUMED, each) for each in collection.assumed]
    return (*_one_channel(maybe_one(collection, link)), *_joined(links), *assumed)


def _one_channel(found: Mapping[tuple[NodeName, NodeName], tuple[str, ...]]) -> Iterator[Note]:
    by_chpids = grouped((chpids, " and ".join(nodes)) for nodes, chpids in found.items())
    places = [
        f"chpid{'s' * (len(chpids) > 1)} {first_listed(chpids, 8)} at {first_listed(pairs, 3)}"
        for chpids, pairs in by_chpids.items()
    ]
    more = len(places) - _PLACES
    where = "; ".join(places[:_PLACES]) + (f"; and in {more} more places" if more > 0 else "")
    if places:
        yield Note(
            NoteKind.ONE_CHANNEL,
            f"The figures are of two channels where {where} may be one of a CEC: "
            "[[shared_channel]] says that it is one, [cec.NAME] that it is not.",
        )


def _joined(links: Sequence[Layout]) -> Iterator[Note]:
    pairs = dict.fromkeys(
        " and ".join(sorted(fibre.directors))
        for link in links
        for fibre in link.fibres
        if len(set(fibre.directors)) > 1 and fibre.isl is None
    )
    if pairs:
        yield Note(
            NoteKind.JOINED,
            f"Directors {first_listed([*pairs], 3)} are both on the way, and the file does not say "
            "how they are joined: the figures have no inter-switch links there. path, with km and "
            "isl, says it.",
        )


def maybe_one(
    collection: Collection, link: Layout | None = None
) -> dict[tuple[NodeName, NodeName], tuple[str, ...]]:
    """The chpids that have one number at two systems and may be one channel, or two, by systems.

    ``[[shared_channel]]`` says that they are one, systems of two CECs that they are two. Those of a
    ``link``, and of all links if it is None.
    """
    users = grouped((end.chpid, end.node) for end in collection.chpid_ends)
    found: dict[tuple[NodeName, NodeName], dict[str, None]] = {}
    for each in (link,) if link is not None else collection.links:
        for fibre in each.fibres:
            for node, chpid in zip(each.nodes, fibre.chpids, strict=True):
                for other in users.get(chpid, ()):
                    if other != node and _may_be_one(collection, node, other, chpid):
                        first, second = sorted((node, other), key=lambda name: name.collation)
                        found.setdefault((first, second), {})[format_chpid(chpid)] = None
    return {nodes: tuple(sorted(chpids)) for nodes, chpids in sorted(found.items())}


def _may_be_one(collection: Collection, one: NodeName, other: NodeName, chpid: ChpidId) -> bool:
    """Whether the file leaves open if a chpid of two systems is one channel."""
    homes = collection.cec_of(one), collection.cec_of(other)
    if None not in homes and homes[0] != homes[1]:
        return False
    return collection.channel(one, chpid) != collection.channel(other, chpid)


def _shared(collection: Collection, link: Layout) -> Iterator[tuple[str, bool, list[Layout]]]:
    """What a link shares, whether that is a path, and with which links."""
    carried = carried_by(collection)
    for fibre in link.fibres:
        for channel in collection.channels_of(fibre, link.nodes):
            others = [other for other in carried[channel] if other.nodes != link.nodes]
            if others:
                yield channel_name(channel), False, others
        if fibre.path is not None and fibre.isl is not None:
            others = [
                other
                for other in collection.links
                if other.nodes != link.nodes
                and any(each.path == fibre.path for each in other.fibres)
            ]
            if others:
                yield f"path {fibre.path.name}", True, others
