"""What is left of a layout when a chpid or a CTC is gone."""

from dataclasses import dataclass, replace

from ctc.address import format_chpid, format_rdev
from isfc.layout.capacity import Direction, directions_of
from isfc.layout.layout import CtcPair, Fibre, Layout


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is gone, and what is left; ``left`` is None when the link is down.

    The CTCs that are left keep their order, and each end stops short of *their* end, as both ends
    of a link do that loses some. A chpid takes its fibre along, and so the chpid at the other end.
    """

    gone: Fibre | CtcPair
    left: Layout | None

    @property
    def kind(self) -> str:
        """``chpid`` or ``ctc``."""
        return "chpid" if isinstance(self.gone, Fibre) else "ctc"

    @property
    def names(self) -> tuple[str, str]:
        """What is gone, as each end names it."""
        if isinstance(self.gone, Fibre):
            first, second = map(format_chpid, self.gone.chpids)
        else:
            first, second = map(format_rdev, self.gone.rdevs)
        return first, second

    @property
    def directions(self) -> tuple[Direction, Direction] | None:
        """What the two ends still write on."""
        return None if self.left is None else directions_of(self.left)


def losses(layout: Layout) -> tuple[Loss, ...]:
    """The loss of each chpid, then that of each CTC, down the device list."""
    devices = layout.device_list()
    fibres = dict.fromkeys(ctc.fibre for ctc in devices)
    return (
        *(Loss(f, _without(layout, {c for c in devices if c.fibre == f})) for f in fibres),
        *(Loss(ctc, _without(layout, {ctc})) for ctc in devices),
    )


def _without(layout: Layout, gone: set[CtcPair]) -> Layout | None:
    """The layout without some CTCs, and without the fibres that then carry none."""
    ctcs = tuple(ctc for ctc in layout.ctcs if ctc not in gone)
    if not ctcs:
        return None
    used = {ctc.fibre for ctc in ctcs}
    fibres = tuple(fibre for fibre in layout.fibres if fibre in used)
    return replace(layout, fibres=fibres, ctcs=ctcs)
