"""A link over more or fewer channels than its own."""

from dataclasses import replace
from typing import Final

from ctc.address import RDEV_MAX, Rdev
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.rules.changes import unused_chpids
from isfc.link.scan import CTCS_MAX

CHANNELS_MAX: Final = 8
"""Channels of a link that is widened. Chosen: two CTCs on each of them."""


def with_channels(layout: Layout, count: int) -> Layout:
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
        fibres.append(replace(fullest, name=name, chpids=chpids, channels=(), ports=()))
    new, each = fibres[len(own) :], len(own[fullest])
    is_full = sum(map(len, own.values())) + each * len(new) > CTCS_MAX
    most = CTCS_MAX // count if is_full else CTCS_MAX
    ctcs = [ctc for kept in own.values() for ctc in kept[:most]]
    for fibre in new:
        ctcs += _more(ctcs, fibre, min(each, most))
    return replace(layout, fibres=tuple(fibres), ctcs=tuple(ctcs))


def _more(ctcs: list[CtcPair], fibre: Fibre, count: int) -> list[CtcPair]:
    first, second = (max(ctc.rdevs[end] for ctc in ctcs) for end in (0, 1))
    room = min(count, RDEV_MAX - max(first, second))
    return [
        CtcPair(fibre, (Rdev(first + number), Rdev(second + number)))
        for number in range(1, room + 1)
    ]
