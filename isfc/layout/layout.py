"""Layouts: the CTCs of a logical link, the fibres they use and its systems; and several links.

A `Layout` is one logical link between two systems. A `Collection` is any number of them; what
a layout file describes is one, mostly of a single link. `Channel` says which chpids are one piece
of hardware: that is what links share.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from ctc.fabric import FabricRoute
from ctc.fibre_channel import (
    FRAME_DATA_LENGTH,
    NS_PER_KM,
    PORT_CREDITS,
    credit_bytes_per_s,
    full_frame_ns,
)
from ctc.profiles import ChpidProfile
from ctc.sharing import NOTHING, ChannelUse
from isfc.errors import ConfigurationError
from isfc.layout.note import Note
from isfc.layout.path import FarPath
from isfc.layout.shown import drawn
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice

if TYPE_CHECKING:
    from isfc.layout.site import SiteProfile


_BETWEEN: Final = "="


FibreKind = tuple[
    ChpidProfile, tuple[ChannelUse, ChannelUse], float, FarPath | None, tuple[str, ...]
]


@dataclass(frozen=True, slots=True, repr=False)
class Fibre:
    """One FICON path between the two systems; ``chpids`` is (first node's, second node's).

    ``disks`` is what disks want of the two chpids, where a file has them: `isfc.io.shared`. ``km``
    is its length beyond a machine room's, that of its ``path`` if it has one: two fibres of one
    path share its inter-switch links. ``directors`` is (first node's, second node's), maybe the
    same one, or empty; ``ports`` likewise, those of the directors. ``channels`` likewise, the names
    of the channels of its chpids, if it shares any of them or inter-switch links with anything.
    ``port_credits`` are the buffer credits of its channels' ports.
    """

    name: str
    profile: ChpidProfile
    chpids: tuple[ChpidId, ChpidId]
    disks: tuple[ChannelUse, ChannelUse] = (NOTHING, NOTHING)
    km: float = 0.0
    path: FarPath | None = None
    directors: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    port_credits: float = PORT_CREDITS

    @property
    def chpid_names(self) -> tuple[str, str]:
        """``("40", "50")``: its chpids as people write them, and as edits take them."""
        here, there = map(format_chpid, self.chpids)
        return here, there

    @property
    def way_ns(self) -> int:
        """How long light takes for its ``km``, one way, in ns."""
        return round(self.km * NS_PER_KM)

    @property
    def line_profile(self) -> ChpidProfile:
        """Its profile with a line as slow as its ports' buffer credits make it over its length.

        Over inter-switch links those of the directors count instead (`Isl`).
        """
        profile = self.profile
        if not self.km or (self.path is not None and self.path.isl is not None):
            return profile
        frame_ns = full_frame_ns(profile.link_gbps)
        let_through = credit_bytes_per_s(self.port_credits, self.km, FRAME_DATA_LENGTH, frame_ns)
        is_limited = 0 < profile.line_ns_per_byte < 1e9 / let_through
        return replace(profile, line_ns_per_byte=1e9 / let_through) if is_limited else profile

    @property
    def line_share(self) -> float:
        """The share of its line that its ports' buffer credits can fill, from 0 to 1."""
        limited_ns = self.line_profile.line_ns_per_byte
        return self.profile.line_ns_per_byte / limited_ns if limited_ns else 1.0

    def channel_ends(self, end: int, node: NodeName) -> tuple[str, ...]:
        """What its channel at one end, that of ``node``, is called at each system that has it."""
        if not self.channels:
            return (f"{node} {format_chpid(self.chpids[end])}",)
        return tuple(self.channels[end].split(_BETWEEN))

    @property
    def kind(self) -> FibreKind:
        """What makes it as fast as it is: two fibres of one kind may change places."""
        return self.profile, self.disks, self.km, self.path, self.channels

    @property
    def kind_back(self) -> FibreKind:
        """The same as the second node sees it."""
        return self.profile, self.disks[::-1], self.km, self.path, self.channels[::-1]

    @property
    def ways(self) -> tuple[str, str]:
        """What to call the two ways through inter-switch links, by where each begins."""
        if self.directors:
            first, second = self.directors
            return f"director {first}", f"director {second}"
        return "the first node", "the second node"

    def route(self, end: int) -> FabricRoute | None:
        """The path of what the node at ``end`` sends, None if the fibre shares nothing."""
        if not self.channels:
            return None
        here, there = self.channels[end], self.channels[1 - end]
        if self.path is None or self.path.isl is None:
            return FabricRoute(here, there)
        trunk, trunk_back = (f"{self.path.name} from {self.ways[way]}" for way in (end, 1 - end))
        return FabricRoute(here, there, trunk, self.path.isl.ns_per_byte(self.path.km), trunk_back)

    def __repr__(self) -> str:
        feature = f"{self.profile.feature} at {self.profile.link_gbps:g} Gb/s"
        return f"<Fibre {self.name}: chpids {' - '.join(self.chpid_names)}, {feature}>"


@dataclass(frozen=True, slots=True, repr=False)
class CtcPair:
    """One CTC; ``rdevs`` is its device number at (the first node, the second node)."""

    fibre: Fibre
    rdevs: tuple[Rdev, Rdev]

    @property
    def rdev_names(self) -> tuple[str, str]:
        """``("6000", "7000")``: its device numbers as people write them, and as edits take them."""
        here, there = map(format_rdev, self.rdevs)
        return here, there

    def __repr__(self) -> str:
        return f"<CtcPair {' - '.join(self.rdev_names)} on fibre {self.fibre.name}>"


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """A logical link between two systems. ``nodes`` is (lesser name, greater name).

    ``site`` is the profile that its fibres have been given, and that its link driver takes.
    ``notes`` are what the figures of a run of it alone do not have, though its file says so.
    """

    nodes: tuple[NodeName, NodeName]
    fibres: tuple[Fibre, ...]
    ctcs: tuple[CtcPair, ...]
    site: "SiteProfile | None" = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def name(self) -> str:
        """``ALPHA-BETA``."""
        return "-".join(self.nodes)

    def devices(self, node: NodeName) -> tuple[LinkDevice, ...]:
        """The CTCs as ``node`` sees them, in the order of the file."""
        here = self.nodes.index(node)
        return tuple(LinkDevice(ctc.rdevs[here], ctc.rdevs[1 - here]) for ctc in self.ctcs)

    def device_list(self) -> tuple[CtcPair, ...]:
        """The CTCs by the first node's device numbers: the list that both nodes scan.

        The first node scans it from the top down, the second from the bottom up.
        """
        return tuple(sorted(self.ctcs, key=lambda ctc: ctc.rdevs[0]))

    def in_order(self) -> "Layout":
        """The link with its CTCs as `device_list` has them, and its fibres as these come to them.

        The order of the tables of a file means nothing.
        """
        ctcs = self.device_list()
        return replace(self, fibres=tuple(dict.fromkeys(ctc.fibre for ctc in ctcs)), ctcs=ctcs)

    def with_ctcs(self, ctcs: tuple[CtcPair, ...]) -> "Layout":
        """The link with these CTCs, and with those of its fibres that carry any of them."""
        used = {ctc.fibre for ctc in ctcs}
        fibres = tuple(fibre for fibre in self.fibres if fibre in used)
        return replace(self, fibres=fibres, ctcs=ctcs)

    def with_fibres(self, change: Callable[[Fibre], Fibre]) -> "Layout":
        """The link with every fibre changed, and its CTCs on the changed ones."""
        fibres = {fibre: change(fibre) for fibre in self.fibres}
        ctcs = tuple(replace(ctc, fibre=fibres[ctc.fibre]) for ctc in self.ctcs)
        return replace(self, fibres=tuple(fibres.values()), ctcs=ctcs)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each CTC, as a data frame takes them."""
        return [
            {
                "fibre": ctc.fibre.name,
                "feature": ctc.fibre.profile.feature,
                "km": ctc.fibre.km,
                **{f"chpid_{node}": chpid for node, chpid in self._ends(ctc.fibre.chpid_names)},
                **{f"rdev_{node}": rdev for node, rdev in self._ends(ctc.rdev_names)},
            }
            for ctc in self.device_list()
        ]

    def _ends(self, names: tuple[str, str]) -> Iterable[tuple[NodeName, str]]:
        return zip(self.nodes, names, strict=True)

    def __repr__(self) -> str:
        return f"<Layout {self.name}: {len(self.ctcs)} CTCs, {len(self.fibres)} fibres>"

    def _repr_html_(self) -> str:
        return drawn(self)


@dataclass(frozen=True, slots=True)
class ChannelEnd:
    """A chpid as one system knows it."""

    node: NodeName
    chpid: ChpidId

    def __str__(self) -> str:
        return f"{self.node} {format_chpid(self.chpid)}"


Channel = tuple[ChannelEnd, ...]
"""One channel of a machine: its chpid at each system that has it. Most are of one system."""


def channel_key(channel: Channel) -> str:
    """The one name of a channel: ``ALPHA 40=BETA 41``."""
    return _BETWEEN.join(map(str, channel))


@dataclass(frozen=True, slots=True)
class Cec:
    """A machine, and the systems that are its partitions."""

    name: str
    systems: tuple[NodeName, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """What a system has room for: memory that is free for guests that come, and overcommit.

    ``overcommit`` is GiB of guests for each GiB of it.
    """

    system: NodeName
    free_gib: float
    overcommit: float = 1.0

    @property
    def room(self) -> int:
        """Bytes of guests."""
        return int(self.free_gib * self.overcommit * 2**30)


@dataclass(frozen=True, slots=True)
class KeptDeck:
    """An IOCP deck that systems were read from: ``cards`` is its text, as it was.

    ``partitions`` are the systems, each with its partition: a name, or its CSS and MIF image id as
    in ``0.1``. ``ports`` are the ports that its channels are known to be on, as ``--ports`` takes
    them.
    """

    name: str
    partitions: Mapping[NodeName, str]
    ports: tuple[str, ...]
    cards: str

    def of(self, systems: Iterable[NodeName]) -> "KeptDeck | None":
        """What it is to some systems; None if it is of none of them."""
        members = frozenset(systems)
        partitions = {node: name for node, name in self.partitions.items() if node in members}
        ports = tuple(each for each in self.ports if each.partition(":")[0] in members)
        return replace(self, partitions=partitions, ports=ports) if partitions else None


@dataclass(frozen=True, slots=True)
class LinkTraffic:
    """What a file lets run over a link: ``pairs`` of guests, the clients on ``client``.

    ``workload`` is a name that `scenarios.runs.workload` knows.
    """

    client: NodeName
    server: NodeName
    workload: str
    pairs: int

    def __str__(self) -> str:
        return f"{self.client}-{self.server}:{self.workload}:{self.pairs}"


@dataclass(frozen=True, slots=True, repr=False)
class Collection:
    """Systems and the logical links between them: at most one for each two systems.

    What ISFC calls a collection. Links may share chpids, channels and inter-switch links.
    ``shared_channels`` are those of several systems, ``cecs`` the machines, ``decks`` what the
    machines' IOCP decks were, which `isfc.deck.amend` brings up to date. ``memory`` is of every
    system, or empty.
    """

    links: tuple[Layout, ...]
    io: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the file says beside the links in tables that are written back as they were read."""
    shared_channels: tuple[Channel, ...] = ()
    cecs: tuple[Cec, ...] = ()
    traffic: tuple[LinkTraffic, ...] = ()
    decks: tuple[KeptDeck, ...] = field(default=(), compare=False, repr=False)
    memory: tuple[Memory, ...] = ()

    def with_first(self, link: Layout) -> "Collection":
        """The same with one link before the others: what concerns several is found at the first."""
        return replace(self, links=(link, *(each for each in self.links if each != link)))

    def channel(self, node: NodeName, chpid: ChpidId) -> Channel:
        """The channel that a chpid of a system is."""
        end = ChannelEnd(node, chpid)
        return next((channel for channel in self.shared_channels if end in channel), (end,))

    def channels_of(self, fibre: Fibre, nodes: tuple[NodeName, NodeName]) -> tuple[Channel, ...]:
        """The channels at the two ends of a fibre: twice the same if it is straight."""
        return tuple(
            self.channel(node, chpid) for node, chpid in zip(nodes, fibre.chpids, strict=True)
        )

    def fibres(self) -> Iterator[tuple[Layout, Fibre, tuple[Channel, ...]]]:
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
        ends = set(name.upper().split("-"))
        for link in self.links:
            if ends == set(link.nodes):
                return link
        raise ConfigurationError(
            f"{option} {name[:40]!r}: no such link; expected {' or '.join(names)}"
        )

    def beside(self, link: Layout) -> tuple[Layout, ...]:
        """The other links, with which ``link`` may share chpids."""
        return tuple(other for other in self.links if other.nodes != link.nodes)

    def links_of(self, system: NodeName) -> tuple[Layout, ...]:
        """The links that ``system`` has an end of, in the order of the file."""
        return tuple(link for link in self.links if system in link.nodes)

    def __repr__(self) -> str:
        return f"<Collection {', '.join(link.name for link in self.links) or 'without links'}>"

    def _repr_html_(self) -> str:
        return drawn(self)

    def rdevs_of(self, system: NodeName) -> set[Rdev]:
        """The device numbers that the CTCs of all its links have at ``system``."""
        return {
            ctc.rdevs[link.nodes.index(system)]
            for link in self.links_of(system)
            for ctc in link.ctcs
        }
