"""Which constants of the model a figure rests on: those that move it, and how each is known.

Each constant is made 10 % less and 10 % more, one after the other, in short runs with the same
guests (`scenarios.figures.glance`). What moves the rate by more than 2 % is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Final

from ctc.profiles import EXPRESS2, EXPRESS4, LATER_IO_NS, ChpidProfile
from isfc.layout.layout import Layout
from scenarios.figures.glance import Glance, glances
from scenarios.figures.resources import LINE, RESOURCES, Holder, Resource, scaled, time_constants
from scenarios.runs.experiment import Experiment, RunEach, in_turn

MOVE: Final = 0.1
"""Each constant is moved by this share of itself."""
MOVED_MIN: Final = 0.02
"""A figure rests on a constant that moves it by more than this share."""


class Known(StrEnum):
    """How a constant is known, as in ``docs/sources.md``."""

    PUBLISHED = "published"
    DERIVED = "derived"
    CALIBRATED = "calibrated"
    ASSUMED = "assumed"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class RestsOn:
    """A constant, and what the rate becomes with less and more of it, as shares of it."""

    holder: Holder
    name: str
    known: Known
    less: float
    more: float

    @property
    def moved(self) -> float:
        """The greater of both moves, without sign."""
        return max(abs(self.less - 1), abs(self.more - 1))


_MEASURED: Final = (EXPRESS2.feature, EXPRESS4.feature)
_CHOSEN: Final = ("server_ns", "open_single_length")


def known(holder: Holder, name: str, layout: Layout) -> Known:
    """How a constant is known for the features of a layout; of several features the least so."""
    if holder == Holder.FEATURE:
        profiles = [fibre.profile for fibre in layout.fibres]
        return max((_known_of(name, each) for each in profiles), key=list(Known).index)
    if holder in (Holder.LINK, Holder.GUESTS):
        return Known.CHOSEN if name in _CHOSEN else Known.CALIBRATED
    return Known.DERIVED


def _known_of(name: str, profile: ChpidProfile) -> Known:
    if name in LINE.fields:
        return Known.DERIVED
    if profile.feature in _MEASURED:
        return Known.CALIBRATED
    later = profile.io_ns == LATER_IO_NS
    if later and name == "processor_ns_per_byte":
        return Known.CALIBRATED
    return Known.DERIVED if later and name in _OF_DISKS else Known.ASSUMED


_OF_DISKS: Final = ("processor_bits_per_ccw", "io_ns")
"""What a later feature has from disk I/O."""


def resource_known(resource: Resource, links: Sequence[Layout]) -> str:
    """How far a resource's speed is assumed for these links; nothing where it was measured."""
    features = {fibre.profile.feature for link in links for fibre in link.fibres}
    holder = resource.kind.holder
    if resource.kind == LINE or features <= {*_MEASURED}:
        return ""
    if holder == Holder.LINK:
        return "assumed alike for all features"
    if holder != Holder.FEATURE:
        return ""
    names = resource.kind.fields
    if any(known(holder, name, link) is Known.ASSUMED for name in names for link in links):
        return "assumed, partly, as on Express4"
    return "taken from disk I/O"


def rests_on(experiment: Experiment, run_each: RunEach = in_turn) -> list[RestsOn]:
    """The constants that the rate of a run rests on, those that move it most first."""
    names = [
        (kind.holder, name)
        for kind in RESOURCES
        for name in kind.fields
        if _value(experiment, kind.holder, name)
    ]
    placed = {name for _, name in names}
    names += [
        (holder, name)
        for holder in (Holder.FEATURE, Holder.LINK, Holder.GUESTS)
        for name in time_constants(holder)
        if name not in placed and _value(experiment, holder, name)
    ]
    cases = [
        scaled(experiment, holder, (name,), 1 + move)
        for holder, name in names
        for move in (-MOVE, MOVE)
    ]
    base, *runs = glances([experiment, *cases], run_each)
    found = [
        RestsOn(
            holder,
            name,
            known(holder, name, experiment.layout),
            _ratio(less, base),
            _ratio(more, base),
        )
        for (holder, name), less, more in zip(names, runs[::2], runs[1::2], strict=True)
    ]
    moved = [each for each in found if each.moved > MOVED_MIN]
    return sorted(moved, key=lambda each: -each.moved)


def _value(experiment: Experiment, holder: Holder, name: str) -> bool:
    """Whether there is anything to move."""
    if holder == Holder.FEATURE:
        return any(getattr(fibre.profile, name) for fibre in experiment.layout.fibres)
    record = experiment.link if holder == Holder.LINK else experiment.guests
    return bool(getattr(record, name))


def _ratio(changed: Sequence[Glance], base: Sequence[Glance]) -> float:
    return fmean(
        one.mb_per_s / other.mb_per_s if other.mb_per_s else 1.0
        for one, other in zip(changed, base, strict=True)
    )
