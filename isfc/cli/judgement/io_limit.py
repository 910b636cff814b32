"""What limits the I/Os of a configuration, in a line and as a record."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from isfc.io.limit import LOADS, IoLimit, IoResource, IoShare
from isfc.layout.in_words import listed

_WORDS: Final = {
    IoResource.PROCESSOR: "the channels' processors",
    IoResource.LINE: "the lines, or what leads to far storage",
    IoResource.BUS: "the channels' buses",
    IoResource.STORAGE: "the storage",
    IoResource.DISTANCE: "the distance",
    IoResource.TRUNK: "cards, interconnects or fanouts",
    IoResource.OUTSTANDING: "the I/Os under way at a time: no more are allowed",
    IoResource.RATE: "the load: workloads ask for no more",
}

_SOME: Final = 0.3
"""With a smaller share the greatest is one of several."""


class IoShareJson(Struct, frozen=True):
    """The share of something in a limit."""

    resource: str
    """`processor`, `line`, `bus`, `storage`, `distance`, `trunk`, `outstanding` or `rate`"""
    share: float
    """how much of 5 % more speed is gained: 1 if nothing else counts"""
    where: str | None
    """the fullest of its kind"""
    busy_percent: float | None


class IoLimitsJson(Struct, frozen=True):
    """What limits the I/Os, by the estimate of `isfc io plan`."""

    by: list[IoShareJson]
    """those with the greatest share, several if they are alike"""
    shares: list[IoShareJson]
    """all that count"""
    without_io_per_s: float
    """I/Os a second if `by` took no time, or with twice the load"""
    response: list[IoShareJson]
    """what makes the mean response time"""
    text: str
    """the same in words"""


def io_limit_line(limit: IoLimit) -> str:
    """``I/Os limited by: the storage; ...``."""
    by = listed([_named(each) for each in limit.first])
    if limit.first[0].share < _SOME:
        by = f"several things together, most by {by}"
    alike = ", about alike" if len(limit.first) > 1 else ""
    told = "with twice that load" if limit.first[0].resource in LOADS else "without this limit"
    slow = listed(
        [f"{_WORDS[each.resource]} {100 * each.share:.0f} %" for each in limit.response[:3]]
    )
    return (
        f"I/Os are limited by: {by}{alike}; {told}: {limit.without:,.0f} a second. Of their "
        f"response time: {slow}."
    )


def _named(share: IoShare) -> str:
    words = _WORDS[share.resource]
    if share.busiest is None:
        return words
    name, busy = share.busiest
    return f"{words} ({name} busy {100 * min(1.0, busy):.0f} %)"


def io_limits_json(limit: IoLimit) -> IoLimitsJson:
    """The record."""
    return IoLimitsJson(
        _shares(limit.first),
        _shares(limit.shares),
        limit.without,
        _shares(limit.response),
        io_limit_line(limit),
    )


def _shares(shares: Sequence[IoShare]) -> list[IoShareJson]:
    return [IoShareJson(each.resource, each.share, *_where(each)) for each in shares]


def _where(share: IoShare) -> tuple[str | None, float | None]:
    if share.busiest is None:
        return None, None
    name, busy = share.busiest
    return name, 100 * busy
