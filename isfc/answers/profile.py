"""What an answer says of the site whose profile was taken."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType

if TYPE_CHECKING:  # most commands name no profile
    from isfc.layout.site import SiteProfile


class SiteErrors(Struct, frozen=True):
    """How far judged figures are off, in percent."""

    median: float
    worst: float


class Profile(Struct, frozen=True):
    """A site profile."""

    name: str
    """that of its file"""
    factors: dict[str, float]
    """by constant (`transfer`, `line`, `latency`, `turn`, `receive`, `build`), how many times
    today's value; those that are not told are not among them"""
    features: list[str]
    """those of the layout, which the factors are for"""
    intervals: int
    """how many were fitted to"""
    model: str
    """the digest of the constants that the factors belong to"""
    held_back: SiteErrors | None
    """the error of the judged figures in percent, by fits without them; null without intervals"""
    before: SiteErrors | None
    """the same with today's constants"""
    doubts: list[str]
    """the reasons for which the fit is refused; empty if it is not"""
    layout: str
    """what was measured: the CTCs on each fibre, its feature and its length"""
    loads: list[str]
    """what ran, as `HL:50`, or `HL:300/s` of an open load"""
    covariance: list[list[float]]
    """that of the logarithms of all constants, in their order; ranges are made from it"""


def profile_of(profile: "SiteProfile | None") -> Profile | UnsetType:
    """What ``--json`` has where a profile was taken."""
    return UNSET if profile is None else Profile(**profile_fields(profile))


def profile_fields(profile: "SiteProfile") -> dict[str, Any]:
    """What a profile's record holds, by its keys."""
    return {**asdict(profile), "factors": dict(profile.factors)}
