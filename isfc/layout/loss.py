"""The loss of a piece of hardware, and what it leaves of one link or several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ctc.address import format_chpid, format_rdev
from isfc.layout import lost
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.sharing import channel_name, in_use


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is gone, or several together, and the links that are left in ``rest``.

    ``kind`` is ``chpid``, ``director``, ``path``, ``cec``, ``system``, ``ctc`` or ``together``.
    ``names`` is what each end of a single link calls a chpid or a CTC, else empty. ``cut`` names
    the links that are down, ``fewer`` those that have lost CTCs, each with how many it has left and
    had, ``untouched`` the others.

    The CTCs that are left keep their order, and each end stops short of *their* end, as both ends
    of a link do that loses some.
    """

    kind: str
    name: str
    rest: Collection
    cut: tuple[str, ...]
    fewer: tuple[tuple[str, int, int], ...]
    untouched: tuple[str, ...]
    names: tuple[str, ...] = ()

    @property
    def left(self) -> Layout | None:
        """What is left of a single link; None if it is down."""
        return next(iter(self.rest.links), None)

    @property
    def takes_systems(self) -> bool:
        """Whether systems go, which take the same of any layout."""
        return self.kind in (lost.CEC, lost.SYSTEM)


def losses(collection: Collection) -> Iterator[Loss]:
    """The loss of each chpid, director, path and CEC; of each CTC of a single link.

    And of each of three systems or more. A chpid takes its fibres along, and so the chpids at their
    other ends; one that is a channel of several systems is one piece.
    """
    for kind, name, gone, names in _pieces(collection):
        links = (
            _with(link, [ctc for ctc in link.ctcs if ctc not in gone]) for link in collection.links
        )
        rest = in_use(replace(collection, links=tuple(link for link in links if link)))
        yield _loss(kind, name, collection, rest, names)


def chpid_losses(collection: Collection) -> list[Loss]:
    """Those of chpids alone."""
    return [loss for loss in losses(collection) if loss.kind == lost.CHPID]


def loss_of(collection: Collection, pieces: Sequence[str]) -> Loss:
    """The loss of some pieces together, named as in `isfc.layout.lost`."""
    known = lost.known_pieces(collection.links, collection.cecs)
    name = " + ".join(lost.spelt(piece, known) for piece in pieces)
    return _loss(lost.TOGETHER, name, collection, lost.collection_without(collection, pieces))


def _with(link: Layout, ctcs: Sequence[CtcPair]) -> Layout | None:
    return link.with_ctcs(tuple(ctcs)) if ctcs else None


def _loss(
    kind: str, name: str, whole: Collection, rest: Collection, names: tuple[str, ...] = ()
) -> Loss:
    left = {link.nodes: len(link.ctcs) for link in rest.links}
    both = [(link.name, left.get(link.nodes, 0), len(link.ctcs)) for link in whole.links]
    return Loss(
        kind,
        name,
        rest,
        tuple(name for name, left, _ in both if not left),
        tuple(each for each in both if 0 < each[1] < each[2]),
        tuple(name for name, left, had in both if left == had),
        names,
    )


_Piece = tuple[str, str, set[CtcPair], tuple[str, ...]]
"""Its kind and name, the CTCs that go with it, and what the ends of a single link call it."""


def _pieces(collection: Collection) -> Iterator[_Piece]:
    links = collection.links
    fibres = [(link, fibre) for link in links for fibre in link.fibres]

    def taken(kind: str, name: str, gone: set[Fibre]) -> _Piece:
        return kind, name, {ctc for link in links for ctc in link.ctcs if ctc.fibre in gone}, ()

    if len(links) == 1:
        for gone, ends in _chpids(links[0]):
            yield *taken(lost.CHPID, f"chpid {_both(ends)}", {*gone})[:3], ends
    else:
        channels: dict[tuple[str, ...], set[Fibre]] = {}
        for link, fibre in fibres:
            for end, node in enumerate(link.nodes):
                channels.setdefault(fibre.channel_ends(end, node), set()).add(fibre)
        for channel, on in channels.items():
            yield taken(lost.CHPID, channel_name(channel), on)
    for director in sorted({name for _, fibre in fibres for name in fibre.directors}):
        led = {fibre for _, fibre in fibres if director in fibre.directors}
        yield taken(lost.DIRECTOR, f"director {director}", led)
    for path in dict.fromkeys(fibre.path for _, fibre in fibres if fibre.path is not None):
        crossing = {fibre for _, fibre in fibres if fibre.path == path}
        yield taken(lost.PATH, f"path {path.name}", crossing)
    for cec in collection.cecs:
        ended = {fibre for link, fibre in fibres if {*link.nodes} & {*cec.systems}}
        yield taken(lost.CEC, f"CEC {cec.name}", ended)
    for system in collection.systems if len(links) > 1 else ():
        ended = {fibre for link, fibre in fibres if system in link.nodes}
        yield taken(lost.SYSTEM, f"system {system}", ended)
    for ctc in links[0].device_list() if len(links) == 1 else ():
        names = tuple(map(format_rdev, ctc.rdevs))
        yield lost.CTC, f"CTC {_both(names)}", {ctc}, names


def _both(names: Sequence[str]) -> str:
    """``40 (50)``: what both ends call one thing, once where they call it the same."""
    here, there = names
    return here if here == there else f"{here} ({there})"


def _chpids(layout: Layout) -> dict[tuple[tuple[Fibre, ...], tuple[str, ...]], None]:
    """The fibres that go with each channel of a link, down the device list, and its names.

    Most have one fibre of their own. At the end to which a channel leads it goes by the chpids
    there.
    """
    fibres = tuple(dict.fromkeys(ctc.fibre for ctc in layout.device_list()))
    ends = {
        fibre: [fibre.channel_ends(end, node) for end, node in enumerate(layout.nodes)]
        for fibre in fibres
    }
    found: Final[dict[tuple[tuple[Fibre, ...], tuple[str, ...]], None]] = {}
    for channel in (channel for fibre in fibres for channel in ends[fibre]):
        group = tuple(fibre for fibre in fibres if channel in ends[fibre])
        names = []
        for end in (0, 1):
            own = [fibre for fibre in group if ends[fibre][end] == channel] or group
            names.append("+".join(dict.fromkeys(format_chpid(fibre.chpids[end]) for fibre in own)))
        found[group, tuple(names)] = None
    return found
