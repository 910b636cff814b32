"""What the channels of a machine share: ceilings of bandwidth above them, and SAPs.

Channels stand on cards, these behind PCIe interconnects, these behind fanout cards. Each level
carries the sum of what is below it, up to its own ceilings: one for a direction, one for both
together. MB are 10**6 bytes.

System assist processors (SAPs) start I/Os and take interrupts. RMF calls a thread of a SAP an IOP.
Starts are dealt to the IOPs in turn, interrupts belong to some of them. A thread works the longer
the more others are busy at the same time, because all share the control blocks of the channel
subsystem, and two of them a core.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

UNLIMITED: Final = float("inf")


def finite(figure: float) -> float | None:
    """A figure; None if it is infinite, for which JSON has no word."""
    return None if figure == UNLIMITED else figure


CHANNELS_OF_CARD: Final = 2
CARDS_OF_INTERCONNECT: Final = 8
INTERCONNECTS_OF_FANOUT: Final = 2
"""Published: IBM z15 FICON Express16SA Performance, figures 32 and 33."""


class DataRates(Struct, frozen=True):
    """Data in either direction, in MB/s."""

    read_mb_per_s: float
    write_mb_per_s: float

    @property
    def mb_per_s(self) -> float:
        """Both directions together."""
        return self.read_mb_per_s + self.write_mb_per_s


def total(flows: Sequence[DataRates]) -> DataRates:
    """All of them together."""
    return DataRates(
        sum(flow.read_mb_per_s for flow in flows), sum(flow.write_mb_per_s for flow in flows)
    )


class Ceiling(Struct, frozen=True):
    """What one level carries at most: ``one_way_mb_per_s`` each direction, ``mb_per_s`` both."""

    level: str
    one_way_mb_per_s: float
    mb_per_s: float

    def use(self, wanted: DataRates) -> float:
        """The share of this ceiling that ``wanted`` needs; more than 1 is too much."""
        return max(
            wanted.read_mb_per_s / self.one_way_mb_per_s,
            wanted.write_mb_per_s / self.one_way_mb_per_s,
            wanted.mb_per_s / self.mb_per_s,
        )

    def slowness(self, wanted: DataRates) -> tuple[float, float]:
        """How many times slower reads and writes go than wanted; 1 where there is room.

        Each way by itself, and then both alike: a card moves data both ways at the same time.
        """
        reads = max(1.0, wanted.read_mb_per_s / self.one_way_mb_per_s)
        writes = max(1.0, wanted.write_mb_per_s / self.one_way_mb_per_s)
        both = wanted.read_mb_per_s / reads + wanted.write_mb_per_s / writes
        slower = max(1.0, both / self.mb_per_s)
        return reads * slower, writes * slower

    def raised(self, factor: float) -> "Ceiling":
        """One that carries so many times as much."""
        return Ceiling(self.level, factor * self.one_way_mb_per_s, factor * self.mb_per_s)


CARD: Final = Ceiling("card", UNLIMITED, UNLIMITED)
"""Published: two channels of a card get twice what one gets, 3200 MB/s one way."""

INTERCONNECT: Final = Ceiling("interconnect", UNLIMITED, 38_000.0)
"""Calibrated on the figure published for eight cards: over 38 GB/s, both directions."""

FANOUT: Final = Ceiling("fanout", 40_000.0, 50_000.0)
"""Calibrated on the figures published for sixteen cards: approximately 40 GB/s one way, over
50 GB/s both."""

LEVELS: Final = (
    (CARD, CHANNELS_OF_CARD),
    (INTERCONNECT, CARDS_OF_INTERCONNECT),
    (FANOUT, INTERCONNECTS_OF_FANOUT),
)
"""From the channel up: a level, and how many of the level below it has."""


class Trunk(Struct, frozen=True):
    """What carries the data of several ``channels``: a card, an I/O interconnect or a fanout.

    ``ceiling`` has its level and what it carries at most.
    """

    name: str
    ceiling: Ceiling
    channels: tuple[str, ...]

    @property
    def title(self) -> str:
        """Level and name, as in ``fanout F``."""
        return f"{self.ceiling.level} {self.name}"


class TrunkLoad(Struct, frozen=True):
    """A card, interconnect or fanout."""

    level: str
    name: str
    channels: tuple[str, ...]
    """chpids"""
    gb_per_s_max: float | None
    """10^9 bytes, both ways together; null: no ceiling"""
    gb_per_s_one_way_max: float | None
    gb_per_s_read: float
    gb_per_s_write: float
    percent: float
    """of the nearest ceiling"""

    @property
    def title(self) -> str:
        """As people call it."""
        return f"{self.level} {self.name}"

    @property
    def count(self) -> int:
        """How many channels it carries."""
        return len(self.channels)


def trunk_loads(trunks: Sequence[Trunk], moved: Mapping[str, DataRates]) -> tuple[TrunkLoad, ...]:
    """What each trunk carries, of what each channel moves."""
    return tuple(
        _load(trunk, total([moved[chpid] for chpid in trunk.channels if chpid in moved]))
        for trunk in trunks
    )


def _load(trunk: Trunk, carried: DataRates) -> TrunkLoad:
    ceiling = trunk.ceiling
    return TrunkLoad(
        *(ceiling.level, trunk.name, trunk.channels),
        *(finite(ceiling.mb_per_s / 1e3), finite(ceiling.one_way_mb_per_s / 1e3)),
        *(carried.read_mb_per_s / 1e3, carried.write_mb_per_s / 1e3, 100 * ceiling.use(carried)),
    )


class SapProfile(Struct, frozen=True):
    """What one I/O takes of a SAP thread that works alone, and what others add.

    ``start_ns`` and ``interrupt_ns`` are the time of a thread for a start and for an interrupt;
    ``contention`` is the share by which each other busy thread stretches both.
    """

    machine: str
    start_ns: int
    interrupt_ns: int
    contention: float

    @property
    def io_ns(self) -> int:
        """A start and an interrupt, in ns of a thread that works alone."""
        return self.start_ns + self.interrupt_ns


Z15: Final = SapProfile("z15", start_ns=2_000, interrupt_ns=2_450, contention=0.0167)
"""Calibrated. The two times on IOPs 01 to 04 of RMF's I/O Queuing Activity report in IBM's z15
FICON Express16SA Performance (figure 36), contention on the report's 3.64 million I/Os a second
of 16 SAPs at 70 %. What the sibling thread on the core adds beside the others, those figures do
not show."""

Z14: Final = SapProfile("z14", start_ns=2_700, interrupt_ns=3_308, contention=0.0167)
"""Calibrated: z15's times by 1.35, from the 2.56 million I/Os a second of 15 SAPs at 70 % that
follow from z15's gain over z14 in the same report."""

PROFILES: Final = {profile.machine: profile for profile in (Z14, Z15)}
"""Every machine whose SAPs are known, by name."""


class MachineModel(Struct, frozen=True):
    """A model of a machine: its drawers, the most CPs it can have, and its standard SAPs."""

    machine: str
    name: str
    drawers: int
    cps_max: int
    saps: int


MODELS: Final = {
    model.name: model
    for model in (
        MachineModel("z15", "Max34", 1, 34, 4),
        MachineModel("z15", "Max71", 2, 71, 8),
        MachineModel("z15", "Max108", 3, 108, 12),
        MachineModel("z15", "Max145", 4, 145, 16),
        MachineModel("z15", "Max190", 5, 190, 22),
        MachineModel("z14", "M01", 1, 33, 5),
        MachineModel("z14", "M02", 2, 69, 10),
        MachineModel("z14", "M03", 3, 105, 15),
        MachineModel("z14", "M04", 4, 141, 20),
        MachineModel("z14", "M05", 4, 170, 23),
    )
}
"""Published: figure 35 of the same report, and the text below it."""


def iop_threads(saps: int) -> int:
    """The IOPs that RMF shows for so many SAPs: two threads each, one for the first (published)."""
    return 2 * saps - 1


def iop_busy(
    profile: SapProfile, starts_per_s: float, interrupts_per_s: float, others_busy: float
) -> float:
    """The share of time that one IOP is busy, while on average ``others_busy`` others are."""
    alone = (starts_per_s * profile.start_ns + interrupts_per_s * profile.interrupt_ns) / 1e9
    return alone * (1.0 + profile.contention * others_busy)


def sap_busy(
    profile: SapProfile, threads: int, starts_per_s: float, interrupts_per_s: float
) -> float:
    """The average share of time that ``threads`` are busy with the work of a whole system.

    More than 1 says that it cannot be done. The busier the threads, the longer each piece of
    work takes, so the share grows faster than the rate, and is infinite where it never ends.
    """
    work = iop_busy(profile, starts_per_s, interrupts_per_s, 0.0) / threads
    stretch = work * profile.contention * (threads - 1)
    return work / (1.0 - stretch) if stretch < 1.0 else UNLIMITED


def sap_io_per_s(profile: SapProfile, threads: int, busy: float = 1.0) -> float:
    """I/Os a second, a start and an interrupt each, at which ``threads`` are ``busy`` (0 to 1)."""
    stretched_ns = profile.io_ns * (1.0 + profile.contention * (threads - 1) * busy)
    return busy * threads * 1e9 / stretched_ns


class SapLoad(Struct, frozen=True):
    """The SAPs of a system."""

    system: str
    saps: int
    io_per_s: float
    """that they start; as many interrupts come"""
    busy_percent: float | None
    """null: more than they can do"""


def sap_loads(
    systems: Mapping[str, int | None], carried: Iterable[tuple[str, float]]
) -> tuple[SapLoad, ...]:
    """Each of ``systems`` whose SAPs are told, with the I/Os a second of those ``carried`` for it.

    With one system, those are its that name none.
    """
    rates = [*carried]
    only = next(iter(systems)) if len(systems) == 1 else ""
    found = []
    for name, saps in systems.items():
        if saps is not None:
            rate = sum(io_per_s for system, io_per_s in rates if (system or only) == name)
            busy = sap_busy(Z15, iop_threads(saps), rate, rate)
            found.append(SapLoad(name, saps, rate, finite(100 * busy)))
    return tuple(found)
