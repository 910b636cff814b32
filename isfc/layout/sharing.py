"""What a link shares with others, and with itself: channels, chpids and inter-switch links.

An import keeps of decks what other partitions have on the channels of the links that it makes
(``[[other_link]]``). No figure has these CTCs but that of `with_others`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from msgspec import structs

from ctc.address import ChpidId, Rdev, format_chpid
from ctc.channel import NOTHING
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed, grouped, listed
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout, free_chpid, free_rdev, on_machines
from isfc.layout.parts import Channel, ChannelEnd, OtherCtcs, OtherLink
from isfc.link.name import NodeName, Nodes
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
        collection.channel(system, fibre.chpids[link.nodes.index(system)]): fibre.gbps
        for link in collection.links_of(system)
        for fibre in link.fibres
    }


def carried_by(collection: Collection) -> dict[Channel, tuple[Layout, ...]]:
    """Each channel with the links that use it, in the order of the file."""
    found: dict[Channel, list[Layout]] = {}
    for link in collection.links:
        used = [collection.channels_of(fibre, link.nodes) for fibre in link.fibres]
        for channel in dict.fromkeys(channel for both in used for channel in both):
            found.setdefault(channel, []).append(link)
    return {channel: tuple(links) for channel, links in found.items()}


def in_use(collection: Collection) -> Collection:
    """The collection without mention of chpids, systems and links that no CTC uses any more."""
    links = collection.links
    ends = {*collection.chpid_ends}
    channels = (tuple(e for e in channel if e in ends) for channel in collection.shared_channels)
    systems = set(collection.systems)
    cecs = (
        structs.replace(cec, systems=tuple(s for s in cec.systems if s in systems))
        for cec in collection.cecs
    )
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


def with_ctcs(collection: Collection, is_kept: Callable[[Layout, CtcPair], bool]) -> Collection:
    """The collection with some of its CTCs alone; a link of which none is kept goes too."""
    links = (
        link.with_ctcs(tuple(ctc for ctc in link.ctcs if is_kept(link, ctc)))
        for link in collection.links
    )
    return in_use(replace(collection, links=tuple(link for link in links if link.ctcs)))


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

OPEN: Final = frozenset(
    {NoteKind.ONE_CHANNEL, NoteKind.JOINED, NoteKind.LEFT_OUT, NoteKind.ASSUMED}
)
"""Kinds of what `open_questions` says."""


def open_questions(collection: Collection, link: Layout | None = None) -> tuple[Note, ...]:
    """What a file leaves open, of figures of a ``link``, or of all links if it is None."""
    links = collection.links if link is None else (link,)
    return (*_one_channel(maybe_one(collection, link)), *_joined(links), *collection.assumed)


def _one_channel(found: Mapping[Nodes, tuple[str, ...]]) -> Iterator[Note]:
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


def maybe_one(collection: Collection, link: Layout | None = None) -> dict[Nodes, tuple[str, ...]]:
    """The chpids that have one number at two systems and may be one channel, or two, by systems.

    ``[[shared_channel]]`` says that they are one, systems of two CECs that they are two. Those of a
    ``link``, and of all links if it is None.
    """
    users = grouped((end.chpid, end.node) for end in collection.chpid_ends)
    found: dict[Nodes, dict[str, None]] = {}
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


LINKS_MAX: Final = 28
"""Links of a run with all of them busy: a mesh of eight systems, the greatest SSI cluster (chosen).
Each takes its part of the run's work."""


def others_on(collection: Collection, link: Layout) -> tuple[OtherLink, ...]:
    """The other links that have CTCs on channels of ``link``, with these CTCs."""
    own = {each for fibre in link.fibres for each in collection.channels_of(fibre, link.nodes)}
    found = (
        (other, tuple(each for each in other.ctcs if own.intersection(_channels(collection, each))))
        for other in collection.others
    )
    return tuple(OtherLink(other.nodes, ctcs) for other, ctcs in found if ctcs)


def say_others(others: Sequence[OtherLink]) -> str:
    """``By the decks these chpids also carry 40 CTCs of 5 other links``."""
    ctcs = sum(each.count for other in others for each in other.ctcs)
    links = f"{len(others)} other link{'s' * (len(others) > 1)}"
    return f"By the decks these chpids also carry {ctcs} CTC{'s' * (ctcs > 1)} of {links}"


def with_others(collection: Collection, link: Layout) -> Collection:
    """All links of a collection, and the others on channels of ``link``, with these CTCs.

    Features, lengths and paths are those of the file's fibres on the same channels. Raises
    `ConfigurationError` that says why some cannot be built.
    """
    others = others_on(collection, link)
    if unknown := sum(len(other.nodes) < 2 for other in others):
        raise ConfigurationError(
            f"{unknown} of these links end in decks that were not given, or on ports not known"
        )
    if (links := len(collection.links) + len(others)) > LINKS_MAX:
        raise ConfigurationError(
            f"that takes a run of {links} links, and at most {LINKS_MAX} are run"
        )
    places = _Places(collection)
    built = [places.build(other) for other in others]
    return Collection((*collection.links, *built), shared_channels=places.shared_channels())


def _channels(collection: Collection, ctcs: OtherCtcs) -> tuple[Channel, ...]:
    return tuple(collection.channel(end.node, end.chpid) for end in ctcs.channels)


class _Places:
    """Which chpids and device numbers are taken, and which fibres there are between channels."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._chpids: dict[tuple[NodeName, Channel], ChpidId] = {}
        self._rdevs = {node: collection.rdevs_of(node) for node in collection.systems}
        self._fibres: dict[frozenset[Channel], Fibre] = {}
        for link, fibre, channels in collection.fibres():
            for node, chpid, channel in zip(link.nodes, fibre.chpids, channels, strict=True):
                self._chpids[node, channel] = chpid
                self._fibres.setdefault(frozenset((channel,)), fibre)
            self._fibres[frozenset(channels)] = fibre

    def build(self, other: OtherLink) -> Layout:
        """The link, with device numbers in the order of its CTCs."""
        turned = other.nodes[1].precedes(other.nodes[0])
        first, second = other.nodes[::-1] if turned else other.nodes
        found: list[CtcPair] = []
        for number, ctcs in enumerate(other.ctcs, start=1):
            channels = _channels(self._collection, ctcs)
            here, there = channels[::-1] if turned else channels
            fibre = structs.replace(
                self._like(channels),
                name=str(number),
                chpids=(self._chpid(first, here), self._chpid(second, there)),
                disks=(NOTHING, NOTHING),  # that one has them already
                directors=(),
                ports=(),
                channels=(),
            )
            found += (
                CtcPair(fibre, (self._rdev(first), self._rdev(second))) for _ in range(ctcs.count)
            )
        fibres = tuple(dict.fromkeys(ctc.fibre for ctc in found))
        site = self._collection.links[0].site
        link = Layout((first, second), fibres, tuple(found), site=site)
        return on_machines(link, self._collection.machines)

    def shared_channels(self) -> tuple[Channel, ...]:
        """The channels of several systems, by all chpids that were taken."""
        ends = grouped(
            (channel, ChannelEnd(node, chpid)) for (node, channel), chpid in self._chpids.items()
        )
        return tuple(tuple(each) for each in ends.values() if len(each) > 1)

    def _like(self, channels: tuple[Channel, ...]) -> Fibre:
        """A fibre of the file between the same channels; else one on either, of no length."""
        if known := self._fibres.get(frozenset(channels)):
            return known
        known = next(
            (each for channel in channels if (each := self._fibres.get(frozenset((channel,))))),
            self._collection.links[0].fibres[0],
        )
        return structs.replace(known, km=0.0, path=None)

    def _chpid(self, node: NodeName, channel: Channel) -> ChpidId:
        """The chpid of a channel at a system: its number elsewhere, or the next that is free."""
        taken = {chpid for (owner, _), chpid in self._chpids.items() if owner == node}
        return self._chpids.setdefault((node, channel), free_chpid(channel[0].chpid, taken))

    def _rdev(self, node: NodeName) -> Rdev:
        used = self._rdevs.setdefault(node, set())
        rdev = free_rdev(0, used)
        used.add(rdev)
        return rdev
