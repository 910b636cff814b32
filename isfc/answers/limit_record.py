"""What an answer says of what limits a rate; it loads no model."""

from msgspec import Struct

from scenarios.figures.figure import Figure


class Limiting(Struct, frozen=True):
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


class BusyResource(Struct, frozen=True):
    """A resource of the run, in a short run of it."""

    resource: str
    """as in `by`; or `ctcs`, `copying` (a system's lock for it), `cpu` (of one processor)"""
    node: str | None
    busy_percent: float | None
    waited_percent: float | None
    """of its time, that something waited for it; null where nothing can"""
    waiting: float | None
    """how many messages, I/Os or transfers waited, in the mean"""


class LimitedBy(Struct, frozen=True):
    """What limits a link, and what would help."""

    by: list[Limiting]
    """those with the greatest share, several if they are alike"""
    shares: list[Limiting]
    """the same of all that count"""
    without: Figure
    """the rate if `by` took no time"""
    added: dict[str, Figure]
    """by what is added: how many times the rate is what it is"""
    resources: list[BusyResource]
    """all that the run has, busy or not"""
    text: str
    """the same in words"""
    named: str
    """the first of it: what limits"""
    short: str
    """that for a column: `BOSTON receives 97 %`"""
    gain: str
    """what a site could add, and gain"""
