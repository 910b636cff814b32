"""Causes outside of the constants that a fit scales, each told by one number.

They are what a layout does not say or says otherwise than it is, what starts of I/Os and interrupts
take, and what guests do between messages. Retries on a bad fibre are not among them: the model's
faults are of single frames.
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp
from typing import Final

from msgspec import Struct, structs

from ctc.channel import FAIR_SHARE
from ctc.features import FEATURES, find_profile
from isfc.layout.layout import Fibre, Layout
from isfc.reports.figure import Unit
from isfc.reports.units import amount
from scenarios.figures.site_workload import Derived
from scenarios.runs.guests import GuestCosts


class Cause(Struct, frozen=True):
    """Something that a number tells, 0 where all is as the layout and the model have it.

    ``tried`` are the numbers that are tried; ``said`` has one in words; ``at`` makes a fibre what
    it is then, and ``guests`` says what those of a load take. ``is_layout``: a layout can say it.
    """

    tried: tuple[float, ...]
    said: Callable[[float, Layout], str]
    at: Callable[[Fibre, float], Fibre] = lambda fibre, _: fibre
    guests: Callable[[float], GuestCosts] | None = None
    is_layout: bool = False

    def laid(self, layout: Layout, number: float) -> Layout:
        """The link with it."""
        return layout.with_fibres(lambda fibre: self.at(fibre, number))

    def loaded(self, derived: Derived, number: float) -> Derived:
        """What ran, with it."""
        if self.guests is None:
            return derived
        return structs.replace(derived, guests=self.guests(number))

    def numbers(self, layout: Layout) -> list[float]:
        """What is tried of a link, the least first: nothing of one that cannot have it."""
        return [each for each in self.tried if self.guests or self.laid(layout, each) != layout]


_KM: Final = 10.0
"""Kilometres below which a length hardly tells. Chosen."""


def _longer(fibre: Fibre, number: float) -> Fibre:
    far = max(0.0, round((fibre.km + _KM) * exp(number) - _KM, 1))
    path = fibre.path and structs.replace(fibre.path, km=far)
    return structs.replace(fibre, km=far, path=path)


_OF_LINE: Final = ("feature", "link_gbps", "line_ns_per_byte", "processor_bits_per_ccw")


def _faster(fibre: Fibre, number: float) -> Fibre:
    """A line of another rate: of a later feature, if only that has it and is the same else."""
    own = fibre.profile
    gbps = round(own.link_gbps * exp(number), 1)
    for name, profile in FEATURES.items():
        alike = structs.replace(profile, **{each: getattr(own, each) for each in _OF_LINE})
        if alike == own and profile.link_gbps >= gbps:
            return structs.replace(fibre, profile=find_profile(name, gbps))
    return fibre


def _share(number: float) -> float:
    return 1 - exp(-number)


def _shared(fibre: Fibre, number: float) -> Fibre:
    share = round(_share(number), 2)
    here, there = (
        structs.replace(each, processor=min(FAIR_SHARE, each.processor + share))
        for each in fibre.disks
    )
    return structs.replace(fibre, disks=(here, there))


_STARTS: Final = ("io_ns", "interrupt_ns", "write_interrupt_ns")


def _slower_starts(fibre: Fibre, number: float) -> Fibre:
    times = {each: round(getattr(fibre.profile, each) * exp(number)) for each in _STARTS}
    return structs.replace(fibre, profile=structs.replace(fibre.profile, **times))


_GUEST_NS: Final = 50_000
"""What a guest may take that hardly tells. Chosen."""


def _guest_ns(number: float) -> int:
    return round(_GUEST_NS * (exp(number) - 1))


def _slower_guests(number: float) -> GuestCosts:
    usual = GuestCosts()
    return replace(usual, server_ns=usual.server_ns + _guest_ns(number))


def _of_fibres(layout: Layout, each: Callable[[Fibre], float]) -> str:
    return " and ".join(dict.fromkeys(f"{each(fibre):g}" for fibre in layout.fibres))


CAUSES: Final = (
    Cause(
        (-2.2, -1.4, -0.7, 0.4, 0.8, 1.4, 2.2),
        lambda _, laid: f"fibres of {_of_fibres(laid, lambda it: it.km)} km",
        _longer,
        is_layout=True,
    ),
    Cause(
        (-0.7, -0.35, 0.3, 0.69),
        lambda _, laid: f"lines of {_of_fibres(laid, lambda it: it.gbps)} Gb/s",
        _faster,
        is_layout=True,
    ),
    Cause(
        (0.1, 0.22, 0.4, 0.69),
        lambda number, _: (
            "disks, or whatever is beside, that take "
            f"{amount(100 * _share(number), Unit.PERCENT)} of each channel"
        ),
        _shared,
        is_layout=True,
    ),
    Cause(
        (-0.7, 0.35, 0.7, 1.4),
        lambda number, _: (
            f"starts of I/Os and interrupts that take {amount(exp(number), Unit.TIMES)} the model's"
        ),
        _slower_starts,
    ),
    Cause(
        (1.5, 2.5, 3.5, 4.5),
        lambda number, _: f"guests that need {amount(_guest_ns(number) / 1e6, Unit.MS)} more",
        guests=_slower_guests,
    ),
)
"""What is tried beside a fit. Numbers are such that a tenth more or less tells about as much."""
