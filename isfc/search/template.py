"""Layouts made of a few parameters: chpids, CTCs on each, and the order of device numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ctc.address import ChpidId, Rdev
from ctc.profiles import find_profile
from isfc.errors import ConfigurationError
from isfc.layout.build import CtcChoice, build_layout
from isfc.layout.layout import Layout
from isfc.link.name import NodeName

CHPIDS_MAX: Final = 16
"""A chpid without a CTC is none of the link's, and a link has at most sixteen CTCs."""

_FIRST_CHPIDS: Final = 0x40, 0x60
_FIRST_RDEVS: Final = 0x6000, 0x7000
_STEP: Final = 0x10


class DeviceOrder(StrEnum):
    """How device numbers, and so the write order, go over the chpids."""

    BY_CHPID = "by-chpid"
    """All CTCs of the first chpid, then all of the next: as IBM numbered its own."""
    ACROSS = "across"
    """The first CTC of each chpid, then the second of each."""


@dataclass(frozen=True, slots=True)
class Template:
    """A layout by its parameters.

    ``features`` has the FICON feature of each chpid in order; a single one is that of all. All
    fibres have a length of ``km``.
    """

    systems: tuple[NodeName, NodeName]
    features: tuple[str, ...]
    chpids: int
    ctcs_per_chpid: int
    order: DeviceOrder = DeviceOrder.BY_CHPID
    km: float = 0.0

    def layout(self) -> Layout:
        """The layout; raises `ConfigurationError` or `CtcError` for what cannot be one."""
        if not 1 <= self.chpids <= CHPIDS_MAX:
            raise ConfigurationError(f"chpids {self.chpids}: expected 1 to {CHPIDS_MAX}")
        if self.ctcs_per_chpid < 1:
            raise ConfigurationError(f"ctcs_per_chpid {self.ctcs_per_chpid}: expected 1 or more")
        if len(self.features) not in (1, self.chpids):
            raise ConfigurationError(
                f"feature: {len(self.features)} for {self.chpids} chpids; expected one of all or "
                "one of each"
            )
        counts = [self.ctcs_per_chpid] * self.chpids
        return layout_of(self.systems, self.features, placed(counts, self.order), self.km)


def placed(counts: Sequence[int], order: DeviceOrder) -> list[int]:
    """The chpid of each CTC down the device list; ``counts`` has the CTCs of each chpid."""
    slots = [(chpid, slot) for chpid, count in enumerate(counts) for slot in range(count)]
    if order is DeviceOrder.ACROSS:
        slots.sort(key=lambda place: (place[1], place[0]))
    return [chpid for chpid, _ in slots]


def layout_of(
    systems: tuple[NodeName, NodeName],
    features: Sequence[str],
    chpids: Sequence[int],
    km: float = 0.0,
) -> Layout:
    """The layout whose device list uses ``chpids``, each named by its position from 0 on.

    Device numbers go up by 10 (hexadecimal) where the chpid changes, and by 1 on the same one.
    """
    profiles = [find_profile(feature, None) for feature in features]
    connections, rdev = [], -1
    for position, chpid in enumerate(chpids):
        new = position > 0 and chpid != chpids[position - 1]
        rdev = (rdev // _STEP + 1) * _STEP if new else rdev + 1
        ends = [
            (ChpidId(first_chpid + chpid), Rdev(first_rdev + rdev))
            for first_chpid, first_rdev in zip(_FIRST_CHPIDS, _FIRST_RDEVS, strict=True)
        ]
        connections.append(CtcChoice((ends[0][0], ends[1][0]), (ends[0][1], ends[1][1])))
    first = systems[0]
    return build_layout(
        systems,
        connections,
        lambda ends: profiles[(ends[first] - _FIRST_CHPIDS[0]) % len(profiles)],
        km=lambda _: km,
    )
