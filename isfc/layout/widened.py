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
    """The layout over so many fibres: its first ones, and then more like the last.

    A fibre keeps its CTCs, as many of them as a link of 16 has room for; one that is new has as
    many as the last. New CTCs have the numbers after the last; new chpids share nothing.
    """
    fibres = list(layout.fibres[:count])
    last = fibres[-1]
    while len(fibres) < count:
        name, chpids = f"{last.name}+{len(fibres)}", unused_chpids(fibres)
        fibres.append(replace(last, name=name, chpids=chpids, channels=(), ports=()))
    devices = layout.device_list()
    most = CTCS_MAX // count
    own = {fibre: [ctc for ctc in devices if ctc.fibre == fibre][:most] for fibre in fibres}
    ctcs = [ctc for each in own.values() for ctc in each]
    for fibre in fibres[len(layout.fibres) :]:
        ctcs += _more(ctcs, fibre, len(own[last]))
    return replace(layout, fibres=tuple(fibres), ctcs=tuple(ctcs))


def _more(ctcs: list[CtcPair], fibre: Fibre, count: int) -> list[CtcPair]:
    first, second = (max(ctc.rdevs[end] for ctc in ctcs) for end in (0, 1))
    room = min(count, RDEV_MAX - max(first, second))
    return [
        CtcPair(fibre, (Rdev(first + number), Rdev(second + number)))
        for number in range(1, room + 1)
    ]
