"""Links of the devices that are defined: which of them to activate, none of them changed.

Their numbers order them, so that a choice is a part of the layout's device list.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from ctc.address import Rdev
from isfc.layout.layout import Layout

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
        layout.with_ctcs(chosen)
        for count in range(min(ctcs, len(devices)), 0, -1)
        for chosen in combinations(devices, count)
        if fixed <= {ctc.rdevs[0] for ctc in chosen}
    ]


def one_fewer(layout: Layout, fixed: frozenset[Rdev]) -> Iterator[Layout]:
    """The layout without each of its devices in turn, but the fixed ones."""
    devices = layout.device_list()
    for gone in devices if len(devices) > 1 else ():
        if gone.rdevs[0] not in fixed:
            yield layout.with_ctcs(tuple(ctc for ctc in devices if ctc != gone))
