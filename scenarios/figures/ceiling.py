"""What to count on: what the model carries, or IBM's ceiling of FICON in command mode if less.

This is the one definition of what a link carries, wherever that is judged or chosen by. Odds and
gains are of two figures of the model.
"""

from math import inf

from msgspec.structs import replace

from isfc.layout.capacity import COMMAND_MODE_MB_PER_S, RULE_GBPS_MAX, directions_of
from isfc.layout.layout import Layout
from isfc.reports.figure import Figure, Interval
from scenarios.runs.result import MIB


def to_count_on(rate: Figure, link: Layout) -> Figure:
    """The rate of a link by the model, or what IBM states of its chpids, if that is less."""
    return no_more_than(rate, ceiling_mb_per_s(link, rate.sender))


def no_more_than(rate: Figure, most: float) -> Figure:
    """A rate by the model, or less, which its range holds then too."""
    if rate.value <= most:
        return rate
    within = rate.range
    if within is not None:
        both = (within.likely, within.sure)
        likely, sure = (Interval(min(most, each.low), each.high) for each in both)
        within = replace(within, likely=likely, sure=sure)
    second = rate.second if (rate.second or most) < most else None
    return replace(rate, value=most, range=within, second=second, by_model=rate.value)


def ceiling_mb_per_s(link: Layout, sender: str | None = None) -> float:
    """What IBM states of a sender's chpids, or of the sender with fewer, in MB/s (2^20) one way.

    Infinite where all are slower than what it was stated of.
    """
    ways = [way for way in directions_of(link) if sender in (None, way.sender)]
    if all(use.fibre.gbps < RULE_GBPS_MAX for way in ways for use in way.chpids):
        return inf
    return min(len(way.ctcs_by_chpid) for way in ways) * COMMAND_MODE_MB_PER_S * 1e6 / MIB
