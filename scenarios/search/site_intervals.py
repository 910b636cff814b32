"""Which intervals of a site a fit is to: those in which the link was busy, and not too many."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.site.seen import SeenInterval
from scenarios.figures.site_workload import QuietLink, check_busy, derive
from scenarios.search.site_search import FitInterval, Runs

INTERVALS_MAX: Final = 8
"""Intervals that a fit is to at most. Chosen: so it takes less than two minutes, and a few loads
tell what there is to be told."""


def intervals_of(
    layout: Layout, seen: Iterable[SeenInterval], runs: Runs
) -> tuple[list[FitInterval], list[str]]:
    """What can be fitted to, and in words what is left out.

    That are intervals of a quiet link and, if there are others, of a light load. Of more than
    `INTERVALS_MAX` some are taken, from the least busy to the busiest.
    """
    left_out = []
    usable = []
    for one in seen:
        try:
            check_busy(one)
            usable.append(one)
        except QuietLink as error:
            left_out.append(str(error))
    chosen = _spread(usable)
    if len(chosen) < len(usable):
        left_out.append(
            f"fitted to {len(chosen)} of {len(usable)} intervals, from the least busy to the "
            "busiest"
        )
    found = []
    for taken in runs.each([partial(_taken, layout, one) for one in chosen]):
        if isinstance(taken, FitInterval):
            found.append(taken)
        elif isinstance(taken, QuietLink):  # device rows were busy, with no message
            left_out.append(str(taken))
        else:
            raise taken
    busy = [each for each in found if not each.derived.is_light]
    if not busy:
        return found, left_out
    left_out += [
        f"{each.seen.place}: left out: {each.derived.uncertain[0]}"
        for each in found
        if each.derived.is_light
    ]
    return busy, left_out


def _taken(layout: Layout, one: SeenInterval) -> FitInterval | ConfigurationError:
    """An interval and what it is taken to be, or why not: an error ends another process."""
    try:
        return FitInterval(one, derive(layout, one))
    except ConfigurationError as error:
        return error


def _spread(intervals: Sequence[SeenInterval]) -> list[SeenInterval]:
    """At most `INTERVALS_MAX` of the intervals, evenly over how busy the link was."""
    if len(intervals) <= INTERVALS_MAX:
        return [*intervals]
    ranked = sorted(range(len(intervals)), key=lambda index: _busy(intervals[index]))
    step = (len(ranked) - 1) / (INTERVALS_MAX - 1)
    chosen = sorted(ranked[round(place * step)] for place in range(INTERVALS_MAX))
    return [intervals[index] for index in chosen]


def _busy(interval: SeenInterval) -> tuple[float, float]:
    """How busy a link was: MB/s if they are known, and percent busy of its devices."""
    one = interval.ends[0].measurement
    rate = sum(link.written.mb_per_s + link.read.mb_per_s for link in one.links)
    return rate, sum(device.busy_percent or 0.0 for device in one.devices)
