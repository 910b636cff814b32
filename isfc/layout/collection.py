"""A `Collection`: systems and the logical links between them.

What a layout file describes is one, mostly of a single link. `Channel` says which chpids are one
piece of hardware: that is what links share.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from msgspec import structs

from ctc.address import ChpidId, Rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields
from isfc.errors.in_words import check_between
from isfc.layout import parts
from isfc.layout.checked_toml import within
from isfc.layout.document import PAIRS_MAX
from isfc.layout.layout import CHANNEL_SEPARATOR, Fibre, Layout, machines_of
from isfc.layout.parts import Cec, Channel, ChannelEnd, KeptDeck, LinkTraffic, Memory, OtherLink
from isfc.layout.processors import Processors
from isfc.link.name import NodeName, Nodes
from isfc.reports.figure import Drawn, Note


@dataclass(frozen=True, repr=False)
class Collection(Drawn):
    """Systems and the logical links between them: at most one for each two systems.

    What ISFC calls a collection. Links may share chpids, channels and inter-switch links.
    ``shared_channels`` are those of several systems, ``cecs`` the machines, ``decks`` what the
    machines' IOCP decks were, which `isfc.deck.amend` brings up to date. ``memory`` is of every
    system, or empty. ``others`` are links beside these, which `isfc.layout.sharing` counts.

    One that a program makes is what a file of the same would be read as, or the error of that file:
    links are in the order of their systems' names, and fibres have names of their own. What is
    made of a ``whole`` one by `dataclasses.replace` is taken as it is.
    """

    links: tuple[Layout, ...]
    io: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the file says beside the links in tables that are written back as they were read."""
    shared_channels: tuple[Channel, ...] = ()
    cecs: tuple[Cec, ...] = ()
    traffic: tuple[LinkTraffic, ...] = ()
    decks: tuple[KeptDeck, ...] = field(default=(), compare=False, repr=False)
    memory: tuple[Memory, ...] = ()
    others: tuple[OtherLink, ...] = ()
    assumed: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    """What was taken for granted, or left out, of decks or console logs that they were made of."""
    whole: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.whole:
            return
        check_fields(self)
        object.__setattr__(self, "whole", True)
        object.__setattr__(self, "links", parts.made_whole(self.links))
        self._check_machines()
        object.__setattr__(self, "links", parts.with_machines(self.links, self.cecs))
        object.__setattr__(self, "links", with_channels(self))
        fibres = [*self.fibres()]
        parts.check_profiles(fibres)
        parts.check_ports(fibres)
        parts.check_others(self.others, self.links)

    def _check_machines(self) -> None:
        """Raise `ConfigurationError` for what no file may say of the machines of its links."""
        systems = self.systems
        parts.check_cecs(self.cecs, systems)
        homes = {system: cec for cec in self.cecs for system in cec.systems}
        parts.check_shared_channels(self.shared_channels, {*self.chpid_ends}, homes, systems)
        parts.check_memory(self.memory, systems)
        for number, traffic in enumerate(self.traffic, start=1):
            for key, name in (("from", traffic.client), ("to", traffic.server)):
                with within(f"[[traffic]] #{number} {key}"):
                    parts.check_system(name, systems)
            with within(f"[[traffic]] #{number} to"):
                self.between(traffic.client, traffic.server)
            check_between(f"[[traffic]] #{number} pairs", traffic.pairs, 1, PAIRS_MAX)

    @classmethod
    def of(cls, *links: Layout) -> "Collection":
        """That of links as they are: those of another one, or what a run makes of them.

        Chpids are one channel that were one in the other.
        """
        found = cls(links, whole=True)
        ends = {str(end): end for end in found.chpid_ends}
        channels = dict.fromkeys(
            tuple(ends[name] for name in fibre.channel_ends(end, node) if name in ends)
            for link in links
            for fibre in link.fibres
            if fibre.channels
            for end, node in enumerate(link.nodes)
        )
        shared = tuple(channel for channel in channels if len(channel) > 1)
        return replace(found, shared_channels=shared) if shared else found

    def with_first(self, link: Layout) -> "Collection":
        """The same with one link before the others: what concerns several is found at the first."""
        return replace(self, links=(link, *(each for each in self.links if each != link)))

    def channel(self, node: NodeName, chpid: ChpidId) -> Channel:
        """The channel that a chpid of a system is."""
        end = ChannelEnd(node, chpid)
        return next((channel for channel in self.shared_channels if end in channel), (end,))

    def channels_of(self, fibre: Fibre, nodes: Nodes) -> tuple[Channel, ...]:
        """The channels at the two ends of a fibre: twice the same if it is straight."""
        return tuple(
            self.channel(node, chpid) for node, chpid in zip(nodes, fibre.chpids, strict=True)
        )

    def fibres(self) -> Iterator[parts.UsedFibre]:
        """Every fibre of every link, with the link and the channels at its two ends."""
        for link in self.links:
            for fibre in link.fibres:
                yield link, fibre, self.channels_of(fibre, link.nodes)

    def fibre_ends(self, channel: Channel) -> list[tuple[Layout, Fibre, int]]:
        """The ends of fibres that are on a channel, each with its link and as 0 or 1."""
        systems = {end.node for end in channel}
        return [
            (link, fibre, end)
            for link in self.links
            if not systems.isdisjoint(link.nodes)  # of a mesh few links are
            for fibre in link.fibres
            for end, other in enumerate(self.channels_of(fibre, link.nodes))
            if other == channel
        ]

    def ctc_count(self, channel: Channel, link: Layout) -> int:
        """CTCs of a link on a channel, those with both ends there twice."""
        return sum(self.channels_of(ctc.fibre, link.nodes).count(channel) for ctc in link.ctcs)

    def cec_of(self, system: NodeName) -> Cec | None:
        """The machine that a system runs in, if the file says so."""
        return next((cec for cec in self.cecs if system in cec.systems), None)

    @property
    def systems(self) -> tuple[NodeName, ...]:
        """Every system, the least name first."""
        names = {name for link in self.links for name in link.nodes}
        return tuple(sorted(names, key=lambda name: name.collation))

    @property
    def machines(self) -> dict[NodeName, Processors]:
        """What its systems run on, of those of which it is said."""
        return machines_of(self.links)

    def link(self, name: str | None = None, option: str = "link") -> Layout:
        """The link that ``name``, such as ``ATLANTA-BOSTON``, means; if None, the only one.

        Either of its two systems may come first. ``option`` is where it is named, in the words of
        an error message. Raises `ConfigurationError` if there is no such
        link, or there are several and none is named.
        """
        names = [link.name for link in self.links]
        if name is None:
            if len(self.links) == 1:
                return self.links[0]
            known = ", ".join(names)
            raise ConfigurationError(
                f"[[link]]: {len(self.links)} links; expected {option} with one of {known}"
            )
        if link := self._joining(set(name.upper().split("-"))):
            return link
        raise ConfigurationError(
            f"{option} {name[:40]!r}: no such link; expected {' or '.join(names)}"
        )

    def between(self, one: NodeName, other: NodeName) -> Layout:
        """The link between two systems. Raises `ConfigurationError` if there is none."""
        if link := self._joining({one, other}):
            return link
        names = ", ".join(link.name for link in self.links)
        raise ConfigurationError(
            f"no link joins {one} and {other}, and isfc forwards nothing by way of a third system; "
            f"expected the ends of {names}"
        )

    def _joining(self, ends: Set[str]) -> Layout | None:
        return next((link for link in self.links if ends == {*link.nodes}), None)

    def with_link(self, link: Layout) -> "Collection":
        """The same with this link in the place of that between its systems."""
        links = (link if each.nodes == link.nodes else each for each in self.links)
        return replace(self, links=tuple(links))

    def new_names(self) -> Iterator[str]:
        """Names that none of its fibres has: numbers, the least first."""
        names = {fibre.name for link in self.links for fibre in link.fibres}
        return (name for name in map(str, count(1)) if name not in names)

    def beside(self, link: Layout) -> tuple[Layout, ...]:
        """The other links, with which ``link`` may share chpids."""
        return tuple(other for other in self.links if other.nodes != link.nodes)

    def links_of(self, system: NodeName) -> tuple[Layout, ...]:
        """The links that ``system`` has an end of, in the order of the file."""
        return tuple(link for link in self.links if system in link.nodes)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each CTC of each link, as a data frame takes them."""
        return [
            {
                "link": link.name,
                "fibre": ctc.fibre.name,
                "feature": ctc.fibre.profile.feature,
                "km": ctc.fibre.km,
                **dict(zip(("first", "second"), link.nodes, strict=True)),
                **dict(zip(("chpid_first", "chpid_second"), ctc.fibre.chpid_names, strict=True)),
                **dict(zip(("rdev_first", "rdev_second"), ctc.rdev_names, strict=True)),
            }
            for link in self.links
            for ctc in link.device_list()
        ]

    def __repr__(self) -> str:
        return f"<Collection {', '.join(link.name for link in self.links) or 'without links'}>"

    @property
    def chpid_ends(self) -> tuple[ChannelEnd, ...]:
        """The chpids that fibres end at, of all systems, each once."""
        ends = (
            ChannelEnd(node, chpid)
            for link in self.links
            for fibre in link.fibres
            for node, chpid in zip(link.nodes, fibre.chpids, strict=True)
        )
        return tuple(dict.fromkeys(ends))

    def chpids_of(self, system: NodeName) -> set[int]:
        """The chpids that the fibres of all its links have at ``system``."""
        return {int(end.chpid) for end in self.chpid_ends if end.node == system}

    def rdevs_of(self, system: NodeName) -> set[Rdev]:
        """The device numbers that the CTCs of all its links have at ``system``."""
        return {
            ctc.rdevs[link.nodes.index(system)]
            for link in self.links_of(system)
            for ctc in link.ctcs
        }


def with_channels(collection: Collection, among: Collection | None = None) -> tuple[Layout, ...]:
    """Its links, the fibres that share anything with the names of their channels.

    What ``among`` has counts, which has fibres between the same chpids; by itself, its own.
    """
    among = among or collection
    ends = Counter(channel for *_, channels in among.fibres() for channel in channels)

    def named(fibre: Fibre, nodes: Nodes) -> Fibre:
        channels = among.channels_of(fibre, nodes)
        if fibre.isl is None and all(ends[channel] == 1 for channel in channels):
            return structs.replace(fibre, channels=()) if fibre.channels else fibre
        return structs.replace(
            fibre, channels=tuple(CHANNEL_SEPARATOR.join(map(str, each)) for each in channels)
        )

    return tuple(link.with_fibres(partial(named, nodes=link.nodes)) for link in collection.links)
