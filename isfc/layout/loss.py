"""What people name as gone, each piece of hardware by one name, and what its loss leaves of links.

A channel goes by its chpid at any of the systems that have it, and takes all its fibres along,
those of the others too; ``vary:NODE:40`` is the chpid at that one system alone, as VARY OFFLINE
takes it. The others are directors, their ports, paths, inter-switch links, CECs and systems.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from msgspec import Struct, structs

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.in_words import expected, grouped
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.parts import Cec
from isfc.layout.sharing import channel_name, in_use, with_ctcs
from isfc.link.name import NodeName

DIRECTOR, PORT, PATH, ISL, CEC, SYSTEM = "director", "port", "path", "isl", "cec", "system"
VARY, CHPID, CTC, TOGETHER = "vary", "chpid", "ctc", "together"

Pieces = dict[str, frozenset[Fibre]]
"""Everything of a link that can be named as gone, and the fibres that go with it."""


def named_pieces(layout: Layout, cecs: Sequence[Cec] = ()) -> Pieces:
    """Everything of a link that can be named as gone, and the fibres that go with it.

    A chpid of the first system is ``40``, one of any system ``BOSTON:50``; the others are
    ``vary:BOSTON:50``, ``director:NAME``, ``port:DIRECTOR:04``, ``path:NAME``, ``isl:NAME`` (one of
    the inter-switch links of a path), ``cec:NAME`` and ``system:NAME``. A CEC takes along every
    link of its systems.
    """
    return {name: frozenset(fibres) for name, fibres in grouped(_names(layout, cecs)).items()}


def _names(layout: Layout, cecs: Sequence[Cec]) -> Iterator[tuple[str, Fibre]]:
    fibres, nodes = layout.fibres, layout.nodes
    channels = {
        fibre: [name for end in (0, 1) for name in fibre.channel_ends(end, nodes[end])]
        for fibre in fibres
    }
    for fibre in fibres:
        chpid = format_chpid(fibre.chpids[0])
        own = f"{nodes[0]} {chpid}"
        yield from ((chpid, other) for other in fibres if own in channels[other])
    for end, node in enumerate(nodes):
        for fibre in fibres:
            for name in fibre.channel_ends(end, node):
                yield name.replace(" ", ":"), fibre
    for end, node in enumerate(nodes):
        for fibre in fibres:
            yield f"{VARY}:{node}:{format_chpid(fibre.chpids[end])}", fibre
    yield from _names_of_the_way(fibres)
    homes = [cec.name for cec in cecs if {*nodes} & {*cec.systems}]
    for name in (*(f"{CEC}:{home}" for home in homes), *(f"{SYSTEM}:{node}" for node in nodes)):
        yield from ((name, fibre) for fibre in fibres)


def _names_of_the_way(fibres: Sequence[Fibre]) -> Iterator[tuple[str, Fibre]]:
    """The names of what lies between the chpids."""
    for fibre in fibres:
        yield from ((f"{DIRECTOR}:{director}", fibre) for director in fibre.directors)
    for fibre in fibres:
        for director, port in zip(fibre.directors, fibre.ports, strict=False):
            yield f"{PORT}:{director}:{port}", fibre
    for fibre in fibres:
        if fibre.path is not None:
            yield f"{PATH}:{fibre.path.name}", fibre
            if fibre.isl is not None:
                yield f"{ISL}:{fibre.path.name}", fibre


def link_without(layout: Layout, pieces: Sequence[str], cecs: Sequence[Cec] = ()) -> Layout | None:
    """What is left of a link without some pieces; those that are no part of it take nothing.

    None if it is down. An inter-switch link that is not the last one of its path leaves the fibres,
    and less rate; to be named as often as such links are gone.
    """
    known = named_pieces(layout, cecs)
    gone: set[Fibre] = set()
    fewer: dict[Fibre, int] = {}
    for name, count in Counter(spelt(piece, known) for piece in pieces).items():
        for fibre in known.get(name, ()):
            if _goes(fibre, name, count):
                gone.add(fibre)
            else:
                fewer[fibre] = count
    ctcs = tuple(ctc for ctc in layout.ctcs if ctc.fibre not in gone)
    left = layout.with_ctcs(ctcs) if ctcs else None

    def with_fewer(fibre: Fibre) -> Fibre:
        lost = fewer.get(fibre, 0)
        return fibre.with_isl(lambda isl: structs.replace(isl, count=isl.count - lost))

    return left.with_fibres(with_fewer) if left is not None and fewer else left


def _goes(fibre: Fibre, name: str, count: int = 1) -> bool:
    """Whether a fibre goes with a piece that it needs: not with one inter-switch link of several.

    ``count`` pieces of that name are gone.
    """
    isl = fibre.isl if name.startswith(f"{ISL}:") else None
    return isl is None or count >= isl.count


def known_pieces(links: Iterable[Layout], cecs: Sequence[Cec]) -> list[str]:
    """The names of everything that can be lost of some links, each once."""
    return list(dict.fromkeys(name for link in links for name in named_pieces(link, cecs)))


def named_alone(links: Iterable[Layout], cecs: Sequence[Cec], *kinds: str) -> list[str]:
    """Of pieces of some kinds the names, and those of one of several inter-switch links."""
    found = [
        name
        for link in links
        for name, fibres in named_pieces(link, cecs).items()
        if name.startswith(tuple(f"{kind}:" for kind in kinds))
        or not all(_goes(fibre, name) for fibre in fibres)
    ]
    return list(dict.fromkeys(found))


def links_with(piece: str, collection: Collection) -> list[str]:
    """The links that a piece is part of. A chpid without its system is of none."""
    names = [(link, named_pieces(link, collection.cecs)) for link in collection.links]
    return [link.name for link, known in names if ":" in piece and spelt(piece, known) in known]


@checked
def pieces(layout: AnyLayout) -> dict[str, list[str]]:
    """Everything that can be named as lost, the smallest first, with the fibres that go with it.

    Each chpid is named with its system. One of several inter-switch links takes no fibre.
    """
    collection = given_collection(layout)
    found: dict[str, list[str]] = {}
    for link in collection.links:
        for name, gone in named_pieces(link, collection.cecs).items():
            if ":" in name:  # a chpid alone is that of another system in another link
                names = [each.name for each in link.fibres if each in gone and _goes(each, name)]
                found.setdefault(name, []).extend(names)
    kinds = (VARY, PORT, ISL, PATH, DIRECTOR, CEC, SYSTEM)
    place = {kind: place for place, kind in enumerate(kinds, start=1)}
    smallest_first = sorted(found, key=lambda name: place.get(name.split(":")[0], 0))
    return {name: found[name] for name in smallest_first}


def collection_without(collection: Collection, pieces: Sequence[str]) -> Collection:
    """What is left of all links of a file without some pieces."""
    lefts = (link_without(link, pieces, collection.cecs) for link in collection.links)
    return in_use(replace(collection, links=tuple(left for left in lefts if left is not None)))


class OneOfSeveral(Struct, frozen=True):
    """One of ``count`` inter-switch links of a path, which leaves its CTCs with less rate.

    ``trunks`` are the two ways of them, by their names in a fabric, with what a byte takes (ns) of
    all of them together.
    """

    path: str
    count: int
    trunks: tuple[tuple[str, float], ...]

    def without(self, gone: int) -> tuple[tuple[str, float], ...]:
        """The same with fewer of them, of which some are left."""
        share = (self.count - gone) / self.count
        return tuple((trunk, ns_per_byte / share) for trunk, ns_per_byte in self.trunks)


def one_of_several(piece: str, collection: Collection) -> OneOfSeveral | None:
    """The inter-switch link that a piece is, if its path has several; None for all else."""
    trunks: dict[str, float] = {}
    name, count = "", 0
    for fibre in (fibre for link in collection.links for fibre in link.fibres):
        path = fibre.path
        if path is None or path.isl is None or path.isl.count < 2:
            continue
        if f"{ISL}:{path.name}".upper() == piece.strip().upper():
            name, count = path.name, path.isl.count
            for route in (fibre.route(0), fibre.route(1)):
                assert route is not None, "inter-switch links are in a fabric"
                trunks[route.trunk] = route.trunk_ns_per_byte
    return OneOfSeveral(name, count, tuple(trunks.items())) if count else None


def places_of(piece: str, collection: Collection) -> tuple[tuple[NodeName, Rdev], ...]:
    """An end of each CTC that goes with a piece of hardware, of all links.

    None goes with one of several inter-switch links. Raises `ConfigurationError` for a piece that
    there is not.
    """
    links, cecs = collection.links, collection.cecs
    check_pieces([piece], known_pieces(links, cecs), "piece")
    found: list[tuple[NodeName, Rdev]] = []
    for link in links:
        left = link_without(link, [piece], cecs)
        kept = {ctc.rdevs for ctc in left.ctcs} if left is not None else set()
        found += [
            (link.nodes[0], ctc.rdevs[0]) for ctc in link.device_list() if ctc.rdevs not in kept
        ]
    return tuple(found)


def check_pieces(pieces: Sequence[str], known: Sequence[str], option: str) -> None:
    """Raise `ConfigurationError` for a piece that is not one of those that are known."""
    for piece in pieces:
        if spelt(piece, known) not in known:
            raise ConfigurationError(
                f"{option} {piece[:40]!r}: there is no such piece; expected {', '.join(known)}"
            )


def spelt(piece: str, known: Iterable[str]) -> str:
    """A piece as it is known, whatever the case of its letters."""
    return next((name for name in known if name.upper() == piece.strip().upper()), piece)


class Loss(Struct, frozen=True):
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
        return self.kind in (CEC, SYSTEM)


def losses(collection: Collection, only: str = "") -> Iterator[Loss]:
    """The loss of each chpid, director, path and CEC; of each CTC of a single link.

    And of each of three systems or more; of one kind ``only``, if it is said. A chpid takes its
    fibres along, and so the chpids at their other ends; one that is a channel of several systems is
    one piece.
    """
    for kind, name, gone, names in _pieces(collection):
        if only in ("", kind):
            yield _loss(kind, name, collection, _left(collection, gone), names)


def _left(collection: Collection, gone: Set[CtcPair]) -> Collection:
    return with_ctcs(collection, lambda _, ctc: ctc not in gone)


def loss_of(collection: Collection, pieces: Sequence[str]) -> Loss:
    """The loss of some pieces together, named as in `isfc.layout.loss`."""
    known = known_pieces(collection.links, collection.cecs)
    name = " + ".join(spelt(piece, known) for piece in pieces)
    return _loss(TOGETHER, name, collection, collection_without(collection, pieces))


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
            yield *taken(CHPID, f"chpid {_both(ends)}", {*gone})[:3], ends
    else:
        channels = grouped(
            (fibre.channel_ends(end, node), fibre)
            for link, fibre in fibres
            for end, node in enumerate(link.nodes)
        )
        for channel, on in channels.items():
            yield taken(CHPID, channel_name(channel), {*on})
    for director in sorted({name for _, fibre in fibres for name in fibre.directors}):
        led = {fibre for _, fibre in fibres if director in fibre.directors}
        yield taken(DIRECTOR, f"director {director}", led)
    for path in dict.fromkeys(fibre.path for _, fibre in fibres if fibre.path is not None):
        crossing = {fibre for _, fibre in fibres if fibre.path == path}
        yield taken(PATH, f"path {path.name}", crossing)
    for cec in collection.cecs:
        ended = {fibre for link, fibre in fibres if {*link.nodes} & {*cec.systems}}
        yield taken(CEC, f"CEC {cec.name}", ended)
    for system in collection.systems if len(links) > 1 else ():
        ended = {fibre for link, fibre in fibres if system in link.nodes}
        yield taken(SYSTEM, f"system {system}", ended)
    for ctc in links[0].device_list() if len(links) == 1 else ():
        names = tuple(map(format_rdev, ctc.rdevs))
        yield CTC, f"CTC {_both(names)}", {ctc}, names


def _both(names: Sequence[str]) -> str:
    """``40 (mate 50)``: what both ends call one thing, once where they call it the same."""
    here, there = names
    return here if here == there else f"{here} (mate {there})"


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


@checked
def without(layout: AnyLayout, fibres: Set[str] | Sequence[str]) -> Collection:
    """What is left when some fibres, named, are lost: CTCs keep their numbers and their order.

    A link that loses its last CTC goes too. Raises `ConfigurationError` if no link is left, and for
    a fibre that there is not.
    """
    collection = given_collection(layout)
    names = [fibre.name for link in collection.links for fibre in link.fibres]
    for name in sorted(fibres):
        if name not in names:
            raise ConfigurationError(f"there is no [fibre.{name}]; {expected(name, names)}")
    left = with_ctcs(collection, lambda _, ctc: ctc.fibre.name not in fibres)
    if not left.links:
        raise ConfigurationError("no CTC is left: the link is down")
    return left
