"""Layouts for tests, made from what matters about them."""

from ctc.address import ChpidId, Rdev
from ctc.profiles import find_profile
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName


def layout_of(*groups: tuple[float, int]) -> Layout:
    """A link whose device list has, for each (Gb/s, CTCs), a fibre of its own."""
    fibres = tuple(
        Fibre(
            str(index),
            find_profile("FICON Express8", gbps),
            (ChpidId(0x40 + index), ChpidId(0x50 + index)),
        )
        for index, (gbps, _) in enumerate(groups)
    )
    ctcs = tuple(
        CtcPair(fibre, (Rdev(0x6000 + 16 * index + unit), Rdev(0x7000 + 16 * index + unit)))
        for index, (fibre, (_, count)) in enumerate(zip(fibres, groups, strict=True))
        for unit in range(count)
    )
    return Layout((NodeName("ATLANTA"), NodeName("BOSTON")), fibres, ctcs)
