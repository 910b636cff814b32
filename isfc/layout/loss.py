"""What is left of a layout when a chpid or a CTC is gone, and of a cluster without one piece."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ctc.address import format_chpid, format_rdev
from isfc.layout.capacity import WriteDirection, directions_of
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.sharing import carried_by, channel_name, in_use
from isfc.link.name import NodeName


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is gone, and what is left; ``left`` is None when the link is down.

    The CTCs that are left keep their order, and each end stops short of *their* end, as both ends
    of a link do that loses some. A chpid takes its fibre along, and so the chpid at the other end;
    one that a director leads to several chpids takes ``also`` the other fibres, and so does one
    that is a channel of both systems. ``chpids`` is what the two ends call a chpid and what it
    leads to.
    """

    gone: Fibre | CtcPair
    left: Layout | None
    also: tuple[Fibre, ...] = ()
    chpids: tuple[str, str] = ("", "")

    @property
    def kind(self) -> str:
        """``chpid`` or ``ctc``."""
        return "chpid" if isinstance(self.gone, Fibre) else "ctc"

    @property
    def names(self) -> tuple[str, str]:
        """What is gone, as each end names it."""
        if isinstance(self.gone, Fibre):
            return self.chpids
        first, second = map(format_rdev, self.gone.rdevs)
        return first, second

    @property
    def directions(self) -> tuple[WriteDirection, WriteDirection] | None:
        """What the two ends still write on."""
        return None if self.left is None else directions_of(self.left)


def losses(layout: Layout) -> tuple[Loss, ...]:
    """The loss of each chpid, then that of each CTC, down the device list."""
    devices = layout.device_list()
    return (
        *(
            Loss(
                first, _without(layout, {c for c in devices if c.fibre in (first, *also)}), also, n
            )
            for (first, *rest), n in _together(layout)
            for also in (tuple(rest),)
        ),
        *(Loss(ctc, _without(layout, {ctc})) for ctc in devices),
    )


def _together(layout: Layout) -> Iterable[tuple[tuple[Fibre, ...], tuple[str, str]]]:
    """The fibres that go with each channel, down the device list, and its names at both ends.

    Most have one fibre of their own.
    """
    fibres = tuple(dict.fromkeys(ctc.fibre for ctc in layout.device_list()))
    ends = {
        fibre: [fibre.channel_ends(end, node) for end, node in enumerate(layout.nodes)]
        for fibre in fibres
    }
    found: dict[tuple[tuple[Fibre, ...], tuple[str, str]], None] = {}
    for channel in (channel for fibre in fibres for channel in ends[fibre]):
        group = tuple(fibre for fibre in fibres if channel in ends[fibre])
        first, second = (_names_at(end, channel, group, ends) for end in (0, 1))
        found[group, (first, second)] = None
    return found


def _names_at(
    end: int,
    channel: tuple[str, ...],
    group: Sequence[Fibre],
    ends: Mapping[Fibre, Sequence[tuple[str, ...]]],
) -> str:
    """The chpid of a channel at one end, or the chpids there that it leads to."""
    own = [fibre for fibre in group if ends[fibre][end] == channel]
    return "+".join(dict.fromkeys(format_chpid(fibre.chpids[end]) for fibre in own or group))


def _without(layout: Layout, gone: set[CtcPair]) -> Layout | None:
    """The layout without some CTCs, and without the fibres that then carry none."""
    ctcs = tuple(ctc for ctc in layout.ctcs if ctc not in gone)
    return layout.with_ctcs(ctcs) if ctcs else None


@dataclass(frozen=True, slots=True)
class ClusterLoss:
    """One thing that is gone: a channel, director, path or its inter-switch links, CEC or system.

    ``kind`` is ``channel``, ``director``, ``path``, ``cec`` or ``system``. ``cut`` names the links
    that are down then; ``fewer`` the links that have lost CTCs, each with how many it has left and
    had. ``untouched`` are the others.
    """

    kind: str
    name: str
    cut: tuple[str, ...]
    fewer: tuple[tuple[str, int, int], ...]
    untouched: tuple[str, ...]

    @property
    def takes_systems(self) -> bool:
        """Whether systems go, which take the same of any layout."""
        return self.kind in ("cec", "system")


def cluster_losses(collection: Collection) -> tuple[ClusterLoss, ...]:
    """The loss of each channel, director, path and CEC, and of each of three systems or more."""
    return tuple(loss for loss, _ in cluster_pieces(collection))


def cluster_pieces(collection: Collection) -> Iterator[tuple[ClusterLoss, frozenset[Fibre]]]:
    """The same, each with the fibres that go with it."""
    for kind, name, gone in _pieces(collection):
        yield loss_of(collection, kind, name, gone), frozenset(gone)


def without_fibres(collection: Collection, gone: frozenset[Fibre]) -> Collection:
    """The collection without some fibres, and without links that have none left."""
    lefts = (
        _without(link, {ctc for ctc in link.ctcs if ctc.fibre in gone}) for link in collection.links
    )
    return in_use(replace(collection, links=tuple(left for left in lefts if left is not None)))


def _pieces(collection: Collection) -> Iterator[tuple[str, str, set[Fibre]]]:
    fibres = [(link, fibre) for link in collection.links for fibre in link.fibres]
    for channel in carried_by(collection):
        on = {fibre for _, fibre, _ in collection.fibre_ends(channel)}
        yield ("channel", channel_name(channel), on)
    for director in sorted({name for _, fibre in fibres for name in fibre.directors}):
        led = {fibre for _, fibre in fibres if director in fibre.directors}
        yield ("director", f"director {director}", led)
    for path in dict.fromkeys(fibre.path for _, fibre in fibres if fibre.path is not None):
        crossing = {fibre for _, fibre in fibres if fibre.path == path}
        name = f"path {path.name}"
        yield ("path", name if path.isl is None else f"inter-switch links of {name}", crossing)
    for cec in collection.cecs:
        ended = {fibre for link, fibre in fibres if {*link.nodes} & {*cec.systems}}
        yield ("cec", f"CEC {cec.name}", ended)
    for system in collection.systems if len(collection.links) > 1 else ():
        ended = {fibre for link, fibre in fibres if system in link.nodes}
        yield ("system", f"system {system}", ended)


def loss_of(collection: Collection, kind: str, name: str, gone: set[Fibre]) -> ClusterLoss:
    """What is left of each link without some fibres."""
    left = {
        link.nodes: sum(ctc.fibre not in gone for ctc in link.ctcs) for link in collection.links
    }
    return _left(collection, kind, name, left)


def left_of(collection: Collection, kind: str, name: str, rest: Collection) -> ClusterLoss:
    """What is left of each link of a collection in what is left of all."""
    left = {link.nodes: len(link.ctcs) for link in rest.links}
    return _left(collection, kind, name, left)


def _left(
    collection: Collection, kind: str, name: str, ctcs: Mapping[tuple[NodeName, NodeName], int]
) -> ClusterLoss:
    cut: list[str] = []
    fewer: list[tuple[str, int, int]] = []
    untouched: list[str] = []
    for link in collection.links:
        had, left = len(link.ctcs), ctcs.get(link.nodes, 0)
        if not left:
            cut.append(link.name)
        elif left < had:
            fewer.append((link.name, left, had))
        else:
            untouched.append(link.name)
    return ClusterLoss(kind, name, tuple(cut), tuple(fewer), tuple(untouched))
