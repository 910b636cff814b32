"""A site profile: constants of the model that were fitted to what one site measured, and its file.

`CONSTANTS` is the one table of what may be fitted: a name, and the fields that it scales. A profile
has a factor for each; 1 leaves the model as it is.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Struct, structs

from ctc.features import FEATURES, ChpidProfile
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.in_words import expected
from isfc.layout.checked_toml import check_table_name, convert, decode, holds, read_bytes, within
from isfc.link.parameters import LinkParameters


class Constant(Struct, frozen=True):
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


class FitErrors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far judged figures are off, in percent without signs."""

    median: Annotated[float, holds("a number, in percent")]
    worst: Annotated[float, holds("a number, in percent")]


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
    held_back: FitErrors | None = None
    """the error of the judged figures in percent, by fits without them; null without intervals"""
    before: FitErrors | None = None
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

    def tells_of(self, features: Iterable[str]) -> bool:
        """Whether it knows how well its constants are known, and they are of these features."""
        return bool(self.covariance) and set(features) <= {*self.features}

    def has_fitted(self, fields: Iterable[str], features: Iterable[str]) -> bool:
        """Whether a constant that it has fitted scales one of the fields, on all these features."""
        scaled = {f for each in CONSTANTS if each.name in self.factors for f in each.fields}
        return self.tells_of(features) and not scaled.isdisjoint(fields)

    def of_feature(self, profile: ChpidProfile) -> ChpidProfile:
        """A feature with its factors, if it is one of those that were fitted."""
        if profile.feature not in self.features:
            return profile
        return structs.replace(profile, **_scaled(profile, self.factors, of_feature=True))

    def of_link(self, parameters: LinkParameters) -> LinkParameters:
        """The link driver with its factors."""
        return replace(parameters, **_scaled(parameters, self.factors, of_feature=False))

    @property
    def is_worse(self) -> bool:
        """Whether what was held back is further off than without the profile, by the median."""
        off, before = self.held_back, self.before
        return off is not None and before is not None and off.median > before.median

    def describe(self, features: Iterable[str] = ()) -> str:
        """The profile and its own error figures, in a line; and which ``features`` it leaves."""
        what = "interval" if self.intervals == 1 else "intervals"
        fitted = f"Site profile {self.name}, fitted on {self.intervals} {what}"
        if all(factor == 1.0 for factor in self.factors.values()):
            return f"{fitted}: it leaves the model as it is."
        doubts = [f"The fit was refused: {'; '.join(self.doubts)}."] if self.doubts else []
        off = "how far it is off is not said."
        if self.held_back is not None:
            off = (
                f"figures held back are off by {self.held_back.median:.1f} % by the median, "
                f"the worst by {self.held_back.worst:.0f} %."
            )
        if self.is_worse and self.before is not None:
            off += f" Without it they are off by {self.before.median:.1f} %."
        return f"{fitted}: {' '.join([off, *self._left(features), *doubts])}"

    def _left(self, features: Iterable[str]) -> Iterator[str]:
        """What it does not change, though a layout has it."""
        of_feature = {constant.name for constant in CONSTANTS if constant.of_feature}
        left = [name for name in dict.fromkeys(features) if name not in self.features]
        if left and any(self.factors.get(name, 1.0) != 1.0 for name in of_feature):
            yield (
                f"Its constants of the channel are of {', '.join(self.features) or 'no feature'}; "
                f"{', '.join(left)} keeps the model's."
            )


GivenSite = SiteProfile | str | Path | None
"""What ``profile=`` takes: a record, the path of its file, or nothing."""


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


class _ProfileFile(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, holds("what the profile is called")]
    features: Annotated[tuple[str, ...], holds("a list of the features it was fitted on")]
    intervals: Annotated[int, holds("how many intervals it was fitted on")]
    model: Annotated[str, holds("the digest of the model's constants")]
    factors: Annotated[dict[str, float], holds("a table of factors by constant")]
    held_back: Annotated[FitErrors | None, holds("a table with median and worst")] = None
    before: Annotated[FitErrors | None, holds("a table with median and worst")] = None
    doubts: Annotated[
        tuple[str, ...], holds("a list of reasons for which the fit was refused")
    ] = ()
    layout: Annotated[str, holds("the CTCs on each fibre that were measured")] = ""
    loads: Annotated[tuple[str, ...], holds("a list of what ran, such as HL:50")] = ()
    covariance: Annotated[
        tuple[tuple[float, ...], ...], holds("a row of numbers for each constant")
    ] = ()


@checked
def read_profile(path: str | Path) -> SiteProfile:
    """The profile in a file; raises `ConfigurationError` that names file and key."""
    path = Path(path)
    with within(str(path)):
        document = decode(read_bytes(path, "a site profile"), "a site profile")
        root = convert(document, _ProfileFile, "")
        check_table_name("name", root.name, "a site profile")
        for feature in root.features:
            if feature not in FEATURES:
                raise ConfigurationError(
                    f"features: {feature[:40]!r} is not a FICON feature; "
                    f"{expected(feature, FEATURES)}"
                )
        known = [constant.name for constant in CONSTANTS]
        for name, factor in root.factors.items():
            if name not in known:
                raise ConfigurationError(
                    f"[factors] {name[:40]!r}: no such constant; expected one of {', '.join(known)}"
                )
            if not isfinite(factor) or not 1 / FACTOR_MAX <= factor <= FACTOR_MAX:
                raise ConfigurationError(
                    f"[factors] {name} {factor:g}: expected {1 / FACTOR_MAX:g} to {FACTOR_MAX:g}"
                )
        rows, count = root.covariance, len(known)
        sizes = {len(rows), *map(len, rows)}
        if rows and (sizes != {count} or not all(isfinite(each) for row in rows for each in row)):
            raise ConfigurationError(f"covariance: expected {count} rows of {count} numbers")
        return SiteProfile(**msgspec.structs.asdict(root))


@checked
def format_profile(profile: SiteProfile) -> str:
    """The text of a profile's file, for ``--profile``."""
    features = ", ".join(f'"{feature}"' for feature in profile.features)
    meanings = {constant.name: constant.meaning for constant in CONSTANTS}
    lines = [
        "# A site profile of isfc: factors on the model's constants, fitted to measurements.",
        f'name = "{profile.name}"',
        f"features = [{features}]",
        f"intervals = {profile.intervals}",
        f'model = "{profile.model}"  # the constants that the factors belong to',
    ]
    if profile.doubts:
        reasons = ", ".join(json.dumps(doubt, ensure_ascii=False) for doubt in profile.doubts)
        lines.append(f"doubts = [{reasons}]  # the fit was refused, and written all the same")
    if profile.covariance:
        loads = ", ".join(f'"{load}"' for load in profile.loads)
        rows = (f"    [{', '.join(f'{each:.5f}' for each in row)}]," for row in profile.covariance)
        names = ", ".join(constant.name for constant in CONSTANTS)
        lines += [
            f'layout = "{profile.layout}"  # what was measured',
            f"loads = [{loads}]",
            f"covariance = [  # of the logarithms of {names}",
            *rows,
            "]",
        ]
    lines += ["", "[factors]"]
    factors = profile.factors.items()
    lines += [f"{name} = {factor:.4f}  # {meanings[name]}" for name, factor in factors]
    for table, errors in (("held_back", profile.held_back), ("before", profile.before)):
        if errors is not None:
            lines += ["", f"[{table}]  # percent"]
            lines += [f"median = {errors.median:.2f}", f"worst = {errors.worst:.2f}"]
    return "\n".join(lines) + "\n"
