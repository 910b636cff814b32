"""Links of the devices that are defined: which of them to activate, none of them changed.

Their numbers order them, so that a choice is a part of the layout's device list.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from ctc.address import Rdev
from isfc.layout.layout import CtcPair, Layout

CHOICES_MAX: Final = 4_096
"""Choices that are enumerated: all of those from twelve devices."""


def choices(layout: Layout, ctcs: int, fixed: frozenset[Rdev]) -> list[Layout] | None:
    """Every choice of at most so many devices, the largest first; None if there are too many.

    The ``fixed`` ones are in each.
    """
    if 2 ** len(layout.ctcs) > CHOICES_MAX:
        return None
    devices = layout.device_list()
    return [
        activated(layout, chosen)
        for count in range(min(ctcs, len(devices)), 0, -1)
        for chosen in combinations(devices, count)
        if fixed <= {ctc.rdevs[0] for ctc in chosen}
    ]


def one_fewer(layout: Layout, fixed: frozenset[Rdev]) -> Iterator[Layout]:
    """The layout without each of its devices in turn, but the fixed ones."""
    devices = layout.device_list()
    for gone in devices if len(devices) > 1 else ():
        if gone.rdevs[0] not in fixed:
            yield activated(layout, tuple(ctc for ctc in devices if ctc != gone))


def activated(layout: Layout, chosen: tuple[CtcPair, ...]) -> Layout:
    """The layout with no more than these of its CTCs, and with the fibres that carry them."""
    used = {ctc.fibre for ctc in chosen}
    fibres = tuple(fibre for fibre in layout.fibres if fibre in used)
    return replace(layout, fibres=fibres, ctcs=chosen)
