"""System assist processors (SAPs): what starting I/Os and taking interrupts costs their threads.

RMF calls a thread of a SAP an IOP. Starts are dealt to the IOPs in turn, interrupts belong to
some of them. A thread works the longer the more others are busy at the same time, because all
share the control blocks of the channel subsystem, and two of them a core.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from isfc.io.bandwidth import UNLIMITED, finite
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload


@dataclass(frozen=True, slots=True)
class SapProfile:
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


@dataclass(frozen=True, slots=True)
class MachineModel:
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
    configuration: IoConfiguration, carried: Iterable[tuple[IoWorkload, IoChannel, float]]
) -> tuple[SapLoad, ...]:
    """Each system whose SAPs are told, with the I/Os a second that workloads have on channels.

    With one system, those are its that name none.
    """
    systems, rates = configuration.systems, [*carried]
    only = next(iter(systems)) if len(systems) == 1 else ""
    found = []
    for name, saps in systems.items():
        if saps is not None:
            rate = sum(
                io_per_s
                for workload, channel, io_per_s in rates
                if (workload.system or channel.system or only) == name
            )
            busy = sap_busy(Z15, iop_threads(saps), rate, rate)
            found.append(SapLoad(name, saps, rate, finite(100 * busy)))
    return tuple(found)
