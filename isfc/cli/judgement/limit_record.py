"""What ``--json`` prints of what limits a rate; it loads no model."""

from msgspec import Struct


class LimitJson(Struct, frozen=True):
    """What limits a rate."""

    resource: str
    """what it is: `line`, `processor`, `starts`, `delays`, `distance`, `trunk`, `credits`, `send`,
    `receive`, `collisions`, `clients`, `servers`, `load` or `offered`"""
    node: str | None
    """whose it is, where each end has its own"""
    share: float
    """how much of 5 % more speed the rate gains: 1 if nothing else counts"""
    busy_percent: float | None
    """of its time, null where it serves any number together"""
    where: str | None
    """the busiest of its kind, where there are several links"""


class LimitsJson(Struct, frozen=True):
    """What limits a link, and what would help."""

    by: list[LimitJson]
    """those with the greatest share, several if they are alike"""
    shares: list[LimitJson]
    """the same of all that count"""
    without_mb_per_s: float
    """the rate if `by` took no time, with a range as of the rate, in proportion"""
    added: dict[str, float]
    """by what is added: the rate with it, as a share of what it is"""
    text: str
    """the same in words"""
