"""A site profile: constants of the model that were fitted to what one site measured.

`CONSTANTS` is the one table of what may be fitted: a name, and the fields that it scales. A profile
has a factor for each; 1 leaves the model as it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ctc.profiles import ChpidProfile
from isfc.link.parameters import LinkParameters


@dataclass(frozen=True, slots=True)
class Constant:
    """A few fields that change together: of every fitted feature, or of the link driver.

    ``whole`` says that they are whole numbers. Values do not: a fraction may be written as 4013.
    """

    name: str
    meaning: str
    fields: tuple[str, ...]
    of_feature: bool = False
    whole: bool = False


CONSTANTS: Final = (
    Constant(
        "transfer",
        "what a byte and a CCW take of the channel",
        ("line_ns_per_byte", "processor_ns_per_byte", "processor_bits_per_ccw"),
        of_feature=True,
    ),
    Constant("line", "what the fibre takes beside that", ("line_ns_per_byte",), of_feature=True),
    Constant("latency", "what delays a CCW and uses nothing", ("latency_ns_per_ccw",), True),
    Constant("turn", "how long the channel serves one transfer", ("turn_ns",), True, True),
    Constant("receive", "what a byte takes to be received", ("receive_ns_per_byte",)),
    Constant("build", "what a package takes to be built", ("build_package_ns",), whole=True),
)
"""What device figures identify. Chosen: those that calibration found them most sensitive to."""

FACTOR_MAX: Final = 4.0
"""A factor is within this and its inverse. Chosen: no feature is that far from another's rate."""


@dataclass(frozen=True, slots=True)
class Errors:
    """How far judged figures are off, in percent without signs."""

    median: float
    worst: float


@dataclass(frozen=True, slots=True)
class SiteProfile:
    """The constants of the model at a site, and how good they are."""

    name: str
    """that of its file"""
    factors: Mapping[str, float] = field(hash=False)
    """by constant (`transfer`, `line`, `latency`, `turn`, `receive`, `build`), how many times
    today's value; those that are not told are not among them"""
    features: tuple[str, ...]
    """those of the layout, which the factors are for"""
    intervals: int
    """how many were fitted to"""
    model: str
    """the digest of the constants that the factors belong to"""
    held_back: Errors | None = None
    """the error of the judged figures in percent, by fits without them; null without intervals"""
    before: Errors | None = None
    """the same with today's constants"""
    doubts: tuple[str, ...] = ()
    """the reasons for which the fit is refused; empty if it is not"""
    layout: str = ""
    """what was measured: the CTCs on each fibre, its feature and its length"""
    loads: tuple[str, ...] = ()
    """what ran, as `HL:50`, or `HL:300/s` of an open load"""
    covariance: tuple[tuple[float, ...], ...] = ()
    """that of the logarithms of all constants, in their order, with what is not told as uncertain
    as it was; ranges are made from it"""

    def of_feature(self, profile: ChpidProfile) -> ChpidProfile:
        """A feature with its factors, if it is one of those that were fitted."""
        if profile.feature not in self.features:
            return profile
        return replace(profile, **_scaled(profile, self.factors, of_feature=True))

    def of_link(self, parameters: LinkParameters) -> LinkParameters:
        """The link driver with its factors."""
        return replace(parameters, **_scaled(parameters, self.factors, of_feature=False))

    @property
    def is_worse(self) -> bool:
        """Whether what was held back is further off than without the profile, by the median."""
        if self.held_back is None or self.before is None:
            return False
        return self.held_back.median > self.before.median

    def describe(self, features: Iterable[str] = ()) -> str:
        """The profile and its own error figures, in a line; and which ``features`` it leaves."""
        what = "interval" if self.intervals == 1 else "intervals"
        fitted = f"Site profile {self.name}, fitted on {self.intervals} {what}"
        if all(factor == 1.0 for factor in self.factors.values()):
            return f"{fitted}: it leaves the model as it is."
        doubts = [f"The fit was refused: {'; '.join(self.doubts)}."] if self.doubts else []
        return f"{fitted}: {' '.join([self._off(), *self._left(features), *doubts])}"

    def _off(self) -> str:
        """How far it is off."""
        if self.held_back is None:
            return "how far it is off is not said."
        off = (
            f"figures held back are off by {self.held_back.median:.1f} % by the median, "
            f"the worst by {self.held_back.worst:.0f} %."
        )
        if self.is_worse and self.before is not None:
            return f"{off} Without it they are off by {self.before.median:.1f} %."
        return off

    def _left(self, features: Iterable[str]) -> Iterator[str]:
        """What it does not change, though a layout has it."""
        of_feature = {constant.name for constant in CONSTANTS if constant.of_feature}
        left = [name for name in dict.fromkeys(features) if name not in self.features]
        if left and any(self.factors.get(name, 1.0) != 1.0 for name in of_feature):
            yield (
                f"Its constants of the channel are of {', '.join(self.features) or 'no feature'}; "
                f"{', '.join(left)} keeps the model's."
            )


def _scaled(record: Any, factors: Mapping[str, float], *, of_feature: bool) -> dict[str, Any]:
    """The fields of a record that a profile changes; whole numbers stay whole."""
    changed: dict[str, Any] = {}
    for constant in CONSTANTS:
        factor = factors.get(constant.name, 1.0)
        if constant.of_feature is of_feature and factor != 1.0:
            for field in constant.fields:
                value = changed.get(field, getattr(record, field)) * factor
                changed[field] = round(value) if constant.whole else value
    return changed
