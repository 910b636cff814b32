"""The constants that may be fitted: where each stands, and between what it may lie.

A test holds this list to ``docs/sources.csv``: what is marked calibrated there is here, and
nothing else is.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from msgspec import Struct, structs

from ctc.features import FEATURES, ChpidProfile
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts

Values = Mapping[str, float]
"""A value for each of some knobs, by its name."""

EXPRESS2: Final = "FICON Express2"
EXPRESS4: Final = "FICON Express4"
BOTH: Final = f"{EXPRESS2} and {EXPRESS4}"

OWNERS: Final = {
    "link": ("link",),
    "guests": ("guests",),
    BOTH: (EXPRESS2, EXPRESS4),
    "chpid": (EXPRESS2, EXPRESS4),
}
"""The records that a constant stands in, by what its name begins with."""


class Knob(Struct, frozen=True):
    """One calibrated constant: its name, as ``link.build_package_ns``, and what it may be.

    The bounds are what could be true of a z10 and its channels; between them the search works
    on a logarithmic scale from 0 to 1.
    """

    name: str
    low: float
    high: float

    @property
    def owners(self) -> tuple[str, ...]:
        """The records it stands in."""
        return OWNERS[self.name.partition(".")[0]]

    @property
    def field(self) -> str:
        """Its name there."""
        return self.name.partition(".")[2]

    @property
    def is_of_transport(self) -> bool:
        """Whether the throughput of ISFC Transport depends on it, and not APPC/VM or %CPU alone."""
        return "appc" not in self.field and not self.field.startswith("cpu_")

    def position(self, value: float) -> float:
        """Where ``value`` lies on the scale; the end of the scale if it lies outside."""
        bounded = min(max(value, self.low), self.high)
        return math.log(bounded / self.low) / math.log(self.high / self.low)

    def value(self, position: float) -> float:
        """The value at a place on the scale."""
        return float(self.low * (self.high / self.low) ** min(max(position, 0.0), 1.0))


KNOBS: Final = (
    Knob("link.build_package_ns", 1_000, 250_000),
    Knob("link.recovery_ns", 10_000, 1_000_000),
    Knob("link.release_ns_per_byte", 0.01, 1),
    Knob("link.single_ctc_release_ns_per_byte", 0.03, 2),
    Knob("link.open_backlog_length", 20_000, 600_000),
    Knob("link.open_backlog_count", 2, 200),
    Knob("link.open_length_exponent", 0.1, 1),
    Knob("link.share_length", 50_000, 800_000),
    Knob("link.appc_ns_per_byte_built", 0.05, 10),
    Knob("link.appc_ns_per_byte_taken", 0.05, 10),
    Knob("link.single_ctc_length", 40_000, 300_000),
    Knob("link.single_ctc_appc_length", 40_000, 600_000),
    Knob("link.single_ctc_message_length", 2_000, 60_000),
    Knob("link.cpu_message_ns", 50, 50_000),
    Knob("link.cpu_read_package_ns", 50, 50_000),
    Knob("link.cpu_ns_per_byte", 0.02, 5),
    Knob("link.cpu_appc_message_ns", 500, 50_000),
    Knob("guests.client_ns_per_byte", 0.01, 2),
    Knob("guests.client_latency_ns", 1_000, 400_000),
    Knob("guests.appc_server_ns", 5_000, 500_000),
    Knob("guests.appc_client_ns", 5_000, 500_000),
    Knob(f"{BOTH}.processor_bits_per_ccw", 1_000, 100_000),
    Knob(f"{BOTH}.io_ns", 3_000, 100_000),
    Knob(f"{BOTH}.turn_ns", 500, 400_000),
    Knob(f"{BOTH}.interrupt_ns", 1_000, 250_000),
    Knob(f"{BOTH}.roll_off", 0.001, 0.1),
)
"""Everything that may be fitted. What two records share is one constant."""


class Constants(Struct, frozen=True):
    """The records that the knobs stand in."""

    link: LinkParameters
    guests: GuestCosts
    profiles: Mapping[str, ChpidProfile]

    def apply(self, experiment: Experiment) -> Experiment:
        """The same experiment with these constants; what its release has of its own stays."""
        fitted = experiment.layout.with_fibres(
            lambda fibre: structs.replace(fibre, profile=self.profiles[fibre.profile.feature])
        )
        usual = LinkParameters()
        own = {
            part.name: value
            for part in fields(usual)
            if (value := getattr(experiment.link, part.name)) != getattr(usual, part.name)
        }
        link = replace(self.link, **own)
        return replace(experiment.over(fitted), link=link, guests=self.guests)


def present_values(knobs: Iterable[Knob] = KNOBS) -> dict[str, float]:
    """The knobs as they stand in the code."""
    records = _records()
    return {knob.name: float(getattr(records[knob.owners[0]], knob.field)) for knob in knobs}


def build_constants(values: Values) -> Constants:
    """The code's records with ``values`` in them; whole numbers where the record has them.

    A constant that is no knob is named in the same way: ``link.mih_ns``, and ``chpid.turn_ns`` for
    what both features have. Raises `ValueError` for one that no record has.
    """
    records = _records()
    for name, value in values.items():
        owner, _, field = name.partition(".")
        if owner not in OWNERS:
            raise ValueError(f"{name}: expected link, guests or chpid, and the constant's name")
        for record in OWNERS[owner]:
            present = getattr(records[record], field, None)
            if not isinstance(present, int | float):
                raise ValueError(f"{name}: there is no such constant")
            rounded = round(value) if isinstance(present, int) else value
            change = structs.replace if record in FEATURES else replace
            records[record] = change(records[record], **{field: rounded})
    profiles = {name: records[name] for name in FEATURES}
    return Constants(records["link"], records["guests"], profiles)


def values_at(knobs: Iterable[Knob], point: Iterable[float]) -> dict[str, float]:
    """The values at a point of the search."""
    return {knob.name: knob.value(position) for knob, position in zip(knobs, point, strict=True)}


def _records() -> dict[str, Any]:
    return {"link": LinkParameters(), "guests": GuestCosts(), **FEATURES}
