"""CTCs of links that a layout does not have, on its channels: how many, and the links themselves.

An import keeps of decks what other partitions have on the channels of the links that it makes
(``[[other_link]]``). No figure has these CTCs but that of `with_others`.
"""

from collections.abc import Sequence
from itertools import count
from typing import Final

from msgspec.structs import replace

from ctc.address import CHPID_MAX, ChpidId, Rdev
from ctc.channel import NOTHING
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.parts import Channel, ChannelEnd, OtherCtcs, OtherLink
from isfc.link.name import NodeName

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
            fibre = replace(
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
        return Layout((first, second), fibres, tuple(found), site=site)

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
        return replace(known, km=0.0, path=None)

    def _chpid(self, node: NodeName, channel: Channel) -> ChpidId:
        """The chpid of a channel at a system: its number elsewhere, or the next that is free."""
        taken = {chpid for (owner, _), chpid in self._chpids.items() if owner == node}
        wanted = channel[0].chpid
        free = (ChpidId((wanted + n) % (CHPID_MAX + 1)) for n in count())
        return self._chpids.setdefault((node, channel), next(n for n in free if n not in taken))

    def _rdev(self, node: NodeName) -> Rdev:
        used = self._rdevs.setdefault(node, set())
        rdev = next(Rdev(n) for n in count() if n not in used)
        used.add(rdev)
        return rdev
