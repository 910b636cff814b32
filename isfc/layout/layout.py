"""A `Layout`: one logical link between two systems, its CTCs and the fibres that they use.

A fibre may take a far path, of some length, on which several share inter-switch links.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, structs

from ctc.address import CHPID_MAX, RDEV_MAX, ChpidId, Rdev, format_chpid, format_rdev
from ctc.channel import NOTHING, NS_PER_KM, PORT_CREDITS, ChannelUse, full_frames_by_credits
from ctc.features import ChpidProfile, line_payload_bytes_per_s
from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields
from isfc.layout.processors import Processors
from isfc.link.name import NodeName, Nodes
from isfc.link.scan import CTCS_MAX, LinkDevice
from isfc.reports.figure import Drawn, Note

if TYPE_CHECKING:
    from ctc.fabric import FabricRoute
    from isfc.layout.site import SiteProfile


class Isl(Struct, frozen=True):
    """Inter-switch links side by side: each with ``gbps`` and ``credits`` each way."""

    count: int
    gbps: float
    credits: int

    def ns_per_byte(self, km: float) -> float:
        """What a byte of CTCs' data takes of all of them together, one way.

        As long as on lines of their rate, or as their credits let frames through so far away.
        """
        by_credits = full_frames_by_credits(self.credits, km, self.gbps)
        by_line = line_payload_bytes_per_s(self.gbps)
        return 1e9 / (self.count * min(by_credits, by_line))


class FarPath(Struct, frozen=True):
    """A way between channels, or to storage: ``km`` of fibre, over inter-switch links or not."""

    name: str
    km: float
    isl: Isl | None = None

    @property
    def way_ns(self) -> int:
        """How long light takes, one way, in ns."""
        return round(self.km * NS_PER_KM)


CHANNEL_SEPARATOR: Final = "="
"""Between the names of one channel: ``ALPHA 40=BETA 41``."""


FibreKind = tuple[
    ChpidProfile, tuple[ChannelUse, ChannelUse], float, FarPath | None, tuple[str, ...]
]


class Fibre(Struct, frozen=True):
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

    def __post_init__(self) -> None:
        check_fields(self)

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
    def isl(self) -> Isl | None:
        """The inter-switch links on its way, if it has some."""
        return None if self.path is None else self.path.isl

    def with_isl(self, change: Callable[[Isl], Isl]) -> "Fibre":
        """The same with its inter-switch links changed; itself without any."""
        if self.path is None or self.path.isl is None:
            return self
        return structs.replace(self, path=structs.replace(self.path, isl=change(self.path.isl)))

    @property
    def gbps(self) -> float:
        """How fast its line is, nominally."""
        return self.profile.link_gbps

    @property
    def line_profile(self) -> ChpidProfile:
        """Its profile with a line as slow as its ports' buffer credits make it over its length.

        Over inter-switch links those of the directors count instead (`Isl`).
        """
        profile = self.profile
        if not self.km or self.isl is not None:
            return profile
        let_through = full_frames_by_credits(self.port_credits, self.km, profile.link_gbps)
        is_limited = 0 < profile.line_ns_per_byte < 1e9 / let_through
        return (
            structs.replace(profile, line_ns_per_byte=1e9 / let_through) if is_limited else profile
        )

    @property
    def line_share(self) -> float:
        """The share of its line that its ports' buffer credits can fill, from 0 to 1."""
        limited_ns = self.line_profile.line_ns_per_byte
        return self.profile.line_ns_per_byte / limited_ns if limited_ns else 1.0

    def channel_ends(self, end: int, node: NodeName) -> tuple[str, ...]:
        """What its channel at one end, that of ``node``, is called at each system that has it."""
        if not self.channels:
            return (f"{node} {format_chpid(self.chpids[end])}",)
        return tuple(self.channels[end].split(CHANNEL_SEPARATOR))

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

    def route(self, end: int) -> "FabricRoute | None":
        """The path of what the node at ``end`` sends, None if the fibre shares nothing."""
        if not self.channels:
            return None
        from ctc.fabric import FabricRoute  # the model, which a plan by rule does without

        here, there = self.channels[end], self.channels[1 - end]
        if self.path is None or self.path.isl is None:
            return FabricRoute(here, there)
        trunk, trunk_back = (f"{self.path.name} from {self.ways[way]}" for way in (end, 1 - end))
        return FabricRoute(here, there, trunk, self.path.isl.ns_per_byte(self.path.km), trunk_back)

    def __repr__(self) -> str:
        feature = f"{self.profile.feature} at {self.profile.link_gbps:g} Gb/s"
        return f"<Fibre {self.name}: chpids {' - '.join(self.chpid_names)}, {feature}>"


class CtcPair(Struct, frozen=True):
    """One CTC; ``rdevs`` is its device number at (the first node, the second node)."""

    fibre: Fibre
    rdevs: tuple[Rdev, Rdev]

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def rdev_names(self) -> tuple[str, str]:
        """``("6000", "7000")``: its device numbers as people write them, and as edits take them."""
        here, there = map(format_rdev, self.rdevs)
        return here, there

    def __repr__(self) -> str:
        return f"<CtcPair {' - '.join(self.rdev_names)} on fibre {self.fibre.name}>"


Machines = tuple[Processors | None, Processors | None]
"""What the first node runs on, and the second."""


@dataclass(frozen=True, repr=False)
class Layout(Drawn):
    """A logical link between two systems. ``nodes`` is (lesser name, greater name).

    ``site`` is the profile that its fibres have been given, and that its link driver takes.
    ``notes`` are what the figures of a run of it alone do not have, though its file says so.
    """

    nodes: Nodes
    fibres: tuple[Fibre, ...]
    ctcs: tuple[CtcPair, ...]
    site: "SiteProfile | None" = None
    machines: Machines = (None, None)
    """what each node runs on; None is a z10 EC, on which IBM measured"""
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def name(self) -> str:
        """``ALPHA-BETA``."""
        return "-".join(self.nodes)

    def partner(self, node: NodeName) -> NodeName:
        """The node at the other end."""
        return self.nodes[self.nodes[0] == node]

    def machine(self, node: NodeName) -> Processors | None:
        """What a node runs on, if that is said."""
        return self.machines[self.nodes.index(node)]

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
        if all(old is new for old, new in fibres.items()):
            return self
        ctcs = tuple(structs.replace(ctc, fibre=fibres[ctc.fibre]) for ctc in self.ctcs)
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


def first_free(begin: int, end: int, taken: Container[int]) -> int:
    """The first chpid or device number that is free: from ``begin`` up to ``end``, then from 0."""
    numbers = chain(range(begin, end), range(begin))
    return next(number for number in numbers if number not in taken)


def free_chpid(begin: int, taken: Container[int]) -> ChpidId:
    """The first chpid from ``begin`` on that is free, as `first_free` finds it."""
    return ChpidId(first_free(begin, CHPID_MAX + 1, taken))


def free_rdev(begin: int, taken: Container[int]) -> Rdev:
    """The first device number from ``begin`` on that is free, as `first_free` finds it."""
    return Rdev(first_free(begin, RDEV_MAX + 1, taken))


Down = Sequence[Fibre]
"""The fibre of each CTC, down the device list."""


def around(outer: Down, inner: Down) -> Down:
    """Half of the one, the other, and the other half of the one."""
    half = len(outer) // 2
    return [*outer[:half], *inner, *outer[half:]]


def unused_chpids(fibres: Down) -> tuple[ChpidId, ChpidId]:
    """A chpid at each end that no fibre has."""
    used = [{int(fibre.chpids[end]) for fibre in fibres} for end in (0, 1)]
    near = free_chpid(0, used[0])
    return near, free_chpid(0, used[1] | {near})


CHANNELS_MAX: Final = 8
"""Channels of a link that is widened. Chosen: two CTCs on each of them."""


def widened(layout: Layout, count: int) -> Layout:
    """The layout over so many fibres: its first ones, and then more like the fullest of these.

    A fibre that is new has as many CTCs as that; where a link of 16 has no room for all, each
    keeps as many as there is room for. New CTCs have the numbers after the last; new chpids share
    nothing.
    """
    devices = layout.device_list()
    own = {fibre: [ctc for ctc in devices if ctc.fibre == fibre] for fibre in layout.fibres[:count]}
    fullest = max(own, key=lambda fibre: len(own[fibre]))
    fibres = [*own]
    while len(fibres) < count:
        name, chpids = f"{fullest.name}+{len(fibres)}", unused_chpids(fibres)
        fibres.append(structs.replace(fullest, name=name, chpids=chpids, channels=(), ports=()))
    new, each = fibres[len(own) :], len(own[fullest])
    is_full = sum(map(len, own.values())) + each * len(new) > CTCS_MAX
    most = CTCS_MAX // count if is_full else CTCS_MAX
    ctcs = [ctc for kept in own.values() for ctc in kept[:most]]
    for fibre in new:
        first, second = (max(ctc.rdevs[end] for ctc in ctcs) for end in (0, 1))
        room = min(each, most, RDEV_MAX - max(first, second))
        rdevs = ((Rdev(first + n), Rdev(second + n)) for n in range(1, room + 1))
        ctcs += (CtcPair(fibre, both) for both in rdevs)
    return replace(layout, fibres=tuple(fibres), ctcs=tuple(ctcs))


def layout_kind(layout: Layout) -> str:
    """What makes a layout another one: its CTCs on each fibre, feature and length; its machines."""
    counts = Counter(ctc.fibre.name for ctc in layout.ctcs)
    fibres = ", ".join(
        f"{counts[fibre.name]} on {fibre.profile.feature}"
        + (f" of {fibre.km:g} km" if fibre.km else "")
        for fibre in layout.fibres
    )
    if layout.machines == (None, None):
        return fibres
    return f"{fibres}{_OF_MACHINES}{' and '.join(map(str, layout.machines))}"


_OF_MACHINES: Final = "; machines "


def machines_of(links: Iterable[Layout]) -> dict[NodeName, Processors]:
    """What the systems of some links run on, of those that say it."""
    ends = (end for link in links for end in zip(link.nodes, link.machines, strict=True))
    return {node: said for node, said in ends if said}


def on_machines(layout: Layout, known: Mapping[NodeName, Processors | None]) -> Layout:
    """The layout on the machines of its nodes that are known."""
    first, second = map(known.get, layout.nodes)
    if (first, second) == layout.machines:
        return layout
    return replace(layout, machines=(first, second))


def with_site(layout: Layout, profile: "SiteProfile | None") -> Layout:
    """The layout as it is at the site of a profile; itself without one."""
    if profile is None:
        return layout
    if profile.layout and (_OF_MACHINES in profile.layout) != any(layout.machines):
        raise ConfigurationError(
            f"profile {profile.name}: fitted to {profile.layout}, this is {layout_kind(layout)}; "
            "expected machines in both or in neither, as the factors are of these"
        )
    fitted = layout.with_fibres(
        lambda fibre: structs.replace(fibre, profile=profile.of_feature(fibre.profile))
    )
    return replace(fitted, site=profile)
