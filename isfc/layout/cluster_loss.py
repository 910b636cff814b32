"""What is left of a cluster when one piece of hardware is gone, and which links go with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from isfc.layout.layout import Collection, Fibre
from isfc.layout.sharing import carried_by, channel_name, link_name


@dataclass(frozen=True, slots=True)
class ClusterLoss:
    """One thing that is gone: a channel, a director, inter-switch links, or a CEC.

    ``kind`` is ``channel``, ``director``, ``path`` or ``cec``. ``cut`` names the links that are
    down then; ``fewer`` the links that have lost CTCs, each with how many it has left and had.
    ``untouched`` are the others.
    """

    kind: str
    name: str
    cut: tuple[str, ...]
    fewer: tuple[tuple[str, int, int], ...]
    untouched: tuple[str, ...]


def cluster_losses(collection: Collection) -> tuple[ClusterLoss, ...]:
    """The loss of each channel, director, path of inter-switch links and CEC."""
    return tuple(_losses(collection))


def _losses(collection: Collection) -> Iterator[ClusterLoss]:
    fibres = [(link, fibre) for link in collection.links for fibre in link.fibres]
    for channel in carried_by(collection):
        on = {f for link, f in fibres if channel in collection.channels_of(f, link.nodes)}
        yield _loss(collection, "channel", channel_name(channel), on)
    for director in sorted({name for _, fibre in fibres for name in fibre.directors}):
        led = {fibre for _, fibre in fibres if director in fibre.directors}
        yield _loss(collection, "director", f"director {director}", led)
    for path in dict.fromkeys(fibre.path for _, fibre in fibres):
        if path is not None and path.isl is not None:
            crossing = {fibre for _, fibre in fibres if fibre.path == path}
            yield _loss(collection, "path", f"inter-switch links of path {path.name}", crossing)
    for cec in collection.cecs:
        ended = {fibre for link, fibre in fibres if {*link.nodes} & {*cec.systems}}
        yield _loss(collection, "cec", f"CEC {cec.name}", ended)


def _loss(collection: Collection, kind: str, name: str, gone: set[Fibre]) -> ClusterLoss:
    cut: list[str] = []
    fewer: list[tuple[str, int, int]] = []
    untouched: list[str] = []
    for link in collection.links:
        had = len(link.ctcs)
        left = sum(ctc.fibre not in gone for ctc in link.ctcs)
        if not left:
            cut.append(link_name(link))
        elif left < had:
            fewer.append((link_name(link), left, had))
        else:
            untouched.append(link_name(link))
    return ClusterLoss(kind, name, tuple(cut), tuple(fewer), tuple(untouched))
