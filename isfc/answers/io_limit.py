"""What limits the I/Os of a configuration, in words and as a record."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from isfc.io.limit import LOADS, IoLimit, IoResource, IoShare
from isfc.layout.in_words import listed
from isfc.reports.units import shown
from scenarios.figures.figure import Unit

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


class IoLimiting(Struct, frozen=True):
    """The share of something in a limit."""

    resource: IoResource
    """`processor`, `line`, `bus`, `storage`, `distance`, `trunk`, `outstanding` or `rate`"""
    share: float
    """how much of 5 % more speed is gained: 1 if nothing else counts"""
    where: str | None
    """the fullest of its kind"""
    busy_percent: float | None


class IoLimits(Struct, frozen=True):
    """What limits the I/Os, by the estimate of `isfc io plan`."""

    by: list[IoLimiting]
    """those with the greatest share, several if they are alike"""
    shares: list[IoLimiting]
    """all that count"""
    without_io_per_s: float
    """I/Os a second if `by` took no time, or with twice the load"""
    response: list[IoLimiting]
    """what makes the mean response time"""
    text: str
    """the same in words"""


def io_limits(limit: IoLimit) -> IoLimits:
    """What an answer says of a limit."""
    by, shares, response = map(_limiting, (limit.first, limit.shares, limit.response))
    return IoLimits(by, shares, limit.without, response, io_limited_by(limit))


def io_limited_by(limit: IoLimit) -> str:
    """``the storage; ...``: what limits, what there is to gain, and of what responses consist."""
    by = listed([_named(each) for each in limit.first])
    if limit.first[0].share < _SOME:
        by = f"several things together, most by {by}"
    alike = ", about alike" if len(limit.first) > 1 else ""
    told = "with twice that load" if limit.first[0].resource in LOADS else "without this limit"
    slow = listed(
        [
            f"{_WORDS[each.resource]} {shown(each.share, Unit.SHARE)} %"
            for each in limit.response[:3]
        ]
    )
    rate = shown(limit.without, Unit.PER_S)
    return f"{by}{alike}; {told}: {rate} a second. Of their response time: {slow}"


def _named(share: IoShare) -> str:
    words = _WORDS[share.resource]
    if share.busiest is None:
        return words
    name, busy = share.busiest
    return f"{words} ({name} busy {shown(min(1.0, busy), Unit.SHARE)} %)"


def _limiting(shares: Sequence[IoShare]) -> list[IoLimiting]:
    return [IoLimiting(each.resource, each.share, *_where(each)) for each in shares]


def _where(share: IoShare) -> tuple[str | None, float | None]:
    if share.busiest is None:
        return None, None
    name, busy = share.busiest
    return name, 100 * busy
