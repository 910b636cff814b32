"""What ``--json`` prints of what limits a rate and what it rests on; it loads no model."""

from msgspec import Struct

from isfc.cli.output.ranges import RangeJson


class LimitJson(Struct, frozen=True):
    """What limits a rate."""

    resource: str
    """what it is: `line`, `processor`, `starts`, `delays`, `distance`, `trunk`, `credits`, `ports`,
    `send`, `receive`, `collisions`, `clients`, `servers`, `load` or `offered`"""
    node: str | None
    """whose it is, where each end has its own"""
    share: float
    """how much of 5 % more speed the rate gains: 1 if nothing else counts"""
    busy_percent: float | None
    """of its time, null where it serves any number together"""
    where: str | None
    """the busiest of its kind, where there are several links"""


class ResourceJson(Struct, frozen=True):
    """A resource of the run, in a short run of it."""

    resource: str
    """as in `by`; or `ctcs`, `copying` (a system's lock for it), `cpu` (of one processor)"""
    node: str | None
    busy_percent: float | None
    waited_percent: float | None
    """of its time, that something waited for it; null where nothing can"""
    waiting: float | None
    """how many messages, I/Os or transfers waited, in the mean"""


class LimitsJson(Struct, frozen=True):
    """What limits a link, and what would help."""

    by: list[LimitJson]
    """those with the greatest share, several if they are alike"""
    shares: list[LimitJson]
    """the same of all that count"""
    without_mb_per_s: float
    """the rate if `by` took no time"""
    without_range: RangeJson | None
    added: dict[str, float]
    """by what is added: the rate with it, as a share of what it is"""
    added_range: dict[str, RangeJson | None]
    """by the same: between what that share would lie"""
    resources: list[ResourceJson]
    """all that the run has, busy or not"""
    text: str
    """the same in words"""


class RestsOnJson(Struct, frozen=True):
    """A constant of the model that moves a rate."""

    constant: str
    of: str
    """the feature, the link driver or the guests"""
    known: str
    """how: `published`, `derived`, `calibrated`, `assumed` or `chosen`"""
    less: float
    """the rate with 10 % less of it, as a share of the rate"""
    more: float
    """with 10 % more"""
