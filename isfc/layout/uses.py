"""Each CTC of a layout with who may write on it, fibre by fibre: what a drawing shows."""

from msgspec import Struct

from isfc.layout.capacity import directions_of
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName


class CtcUse(Struct, frozen=True):
    """One CTC; ``places`` is its place in the first node's write order and in the second's.

    A place counts from 1, and is None for a node that never writes on the CTC.
    """

    ctc: CtcPair
    places: tuple[int | None, int | None]

    @property
    def writer(self) -> int | None:
        """Which node alone may write on it: 0 or 1, the first or the second; None if both may."""
        down, up = self.places
        if down is not None and up is not None:
            return None
        return 0 if up is None else 1


class FibreUse(Struct, frozen=True):
    """One fibre and its CTCs, down the device list."""

    fibre: Fibre
    uses: tuple[CtcUse, ...]


def fibre_uses(layout: Layout) -> tuple[FibreUse, ...]:
    """The fibres, in the order in which the device list first meets them."""
    orders = [way.write_order for way in directions_of(layout)]
    uses: dict[Fibre, list[CtcUse]] = {}
    for ctc in layout.device_list():
        down, up = (
            order.index(rdev) + 1 if rdev in order else None
            for order, rdev in zip(orders, ctc.rdevs, strict=True)
        )
        uses.setdefault(ctc.fibre, []).append(CtcUse(ctc, (down, up)))
    return tuple(FibreUse(fibre, tuple(found)) for fibre, found in uses.items())


def speed_text(fibre: Fibre) -> str:
    """A fibre's feature and speed, and its length if it is longer than a machine room."""
    speed = f"{fibre.profile.feature.removeprefix('FICON ')} {fibre.profile.link_gbps:g} Gb/s"
    return f"{speed}, {fibre.km:g} km" if fibre.km else speed


def writer_name(nodes: tuple[NodeName, NodeName], use: CtcUse) -> str:
    """``both``, or ``ATLANTA only``."""
    return "both" if use.writer is None else f"{nodes[use.writer]} only"
