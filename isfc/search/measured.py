"""A site's own figures from Python: read them, hold the model against them, fit it to them.

What ``isfc measured`` does for people, `isfc.measured` does for programs; the figures are the same.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final
from warnings import warn

from msgspec import Struct

from isfc.arguments import checked, in_python, spelt
from isfc.errors import ConfigurationError, IsfcError
from isfc.io.shared import given_link_with_disks
from isfc.layout.collection import Collection
from isfc.layout.in_words import find_node
from isfc.layout.layout import Layout
from isfc.layout.site import SiteProfile, format_site
from isfc.link.name import NodeName
from isfc.measured.figures import Reading
from isfc.measured.file import completed, read_measurements
from isfc.measured.measurement import Measurement, Ran
from isfc.measured.record_layout import read_layouts
from isfc.measured.seen import SeenInterval, of_end, seen_intervals
from isfc.search.site_fit import fit as fit_intervals
from isfc.search.site_fitted import Fitted
from isfc.search.site_search import FitInterval, Runs
from isfc.search.workers import calling, check_jobs
from scenarios.figures.site_workload import QuietLink, check_busy, derive, find_ran

_ZONE: Final = re.compile(r"(?:([\w$#@]{1,8})=)?([+-](?:0\d|1[0-4]):[0-5]\d|UTC|Z)", re.ASCII)

Load = tuple[str, int]
"""What ran: a workload's name, and pairs of guests."""


INTERVALS_MAX: Final = 8
"""Intervals that a fit is to at most. Chosen: so it takes less than two minutes, and a few loads
tell what there is to be told."""


class FitRefused(IsfcError):
    """A fit that is not to be believed; ``fitted`` has it, and its ``doubts`` say why."""

    def __init__(self, fitted: Fitted) -> None:
        super().__init__(f"the fit is refused: {'; '.join(fitted.doubts)}")
        self.fitted = fitted

    def __reduce__(self) -> tuple[type["FitRefused"], tuple[Fitted]]:
        """Let it go to another process."""
        return FitRefused, (self.fitted,)


class AboutFiles(Struct, frozen=True):
    """What is said of files of measurements, as `read` takes it."""

    system: str | None = None
    zone: Sequence[str] = ()
    records: Sequence[str | Path] = ()
    usable: bool = False
    decimal_comma: bool = False

    def reading(self) -> Reading:
        """How figures are read; what is left out comes there."""
        return Reading(usable=self.usable, decimal_comma=self.decimal_comma)


@checked
def read(
    files: Sequence[str | Path],
    *,
    system: str | None = None,
    ran: Load | Mapping[str | Path, Load] | None = None,
    zone: Sequence[str] = (),
    records: Sequence[str | Path] = (),
    usable: bool = False,
    decimal_comma: bool = False,
) -> list[Measurement]:
    """What some files hold, one record for each system and interval.

    ``system`` is whose they are, where they do not say it. ``ran`` is what ran, such as
    ``("HL", 50)``; or that of each file, by the path as it is given. ``zone`` has time zones, such
    as ``"+02:00"`` or ``"ATLANTA=UTC"``, ``records`` layouts for MONWRITE files; with
    ``decimal_comma`` figures are written as 61,8. Raises `ConfigurationError` for what is wrong, by
    file and line; if ``usable``, such rows are left out, each with a warning.
    """
    paths = [Path(file) for file in files]
    loads = ran if isinstance(ran, Mapping) else {} if ran is None else dict.fromkeys(paths, ran)
    told = {Path(file): Ran(name, pairs) for file, (name, pairs) in loads.items()}
    for path, load in told.items():
        find_ran(load.workload)
        if path not in paths:
            raise ConfigurationError(f"ran: {path}: none of the files")
    with in_python():
        about = AboutFiles(system, zone, records, usable, decimal_comma)
        reading = about.reading()
        found = read_files(paths, reading, about, told=told)
    for problem in (*reading.notes, *reading.problems):
        warn(problem, stacklevel=3)
    return found


def read_files(
    paths: Sequence[Path],
    reading: Reading,
    about: AboutFiles,
    *,
    told: Mapping[Path, Ran] = MappingProxyType({}),
    client: str | None = None,
    contents: Mapping[Path, bytes] | None = None,
) -> list[Measurement]:
    """As `read`, what is left out coming to ``reading``; ``told`` is what ran in each file.

    ``client`` is the node of the clients, ``contents`` what was read of the files already.
    """
    zones = read_zones(about.zone)
    layouts = [layout for path in about.records for layout in read_layouts(Path(path))]
    node, source = (None if name is None else name.upper() for name in (about.system, client))
    read = read_measurements(paths, reading, layouts, told, contents)
    found = completed(read, node, zones, None, source)
    check_zones(zones, found)
    return found


def read_zones(texts: Sequence[str]) -> dict[str | None, str]:
    """The zone of each node that has one of its own, and under None that of the others."""
    zones: dict[str | None, str] = {}
    for text in texts:
        found = _ZONE.fullmatch(text)
        if found is None:
            raise ConfigurationError(
                f"{spelt('zone')} {text[:20]}: expected one such as +02:00, UTC, or ATLANTA=+02:00"
            )
        zones[found[1].upper() if found[1] else None] = found[2]
    return zones


def check_zones(zones: Iterable[str | None], found: Sequence[Measurement]) -> None:
    """Raise `ConfigurationError` for the zone of a system that no file is of."""
    systems = {one.system for one in found}
    for name in zones:
        if name is not None and found and name not in systems:
            known = "".join(f"{system}, " for system in sorted(map(str, systems - {None})))
            raise ConfigurationError(
                f"{spelt('zone')} {name}: no file says that it is of {name}; expected {known}or "
                f"{spelt('system')}"
            )


@checked
def fit(
    layout: Layout | Collection | str | Path,
    measurements: Sequence[Measurement],
    *,
    client: str | None = None,
    name: str = "site",
    anyway: bool = False,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Fitted:
    """The model fitted to a site: its ``profile`` is what `isfc.simulate` and others take.

    ``jobs`` processes share the runs, and ``progress`` is told how many are done. Raises
    `FitRefused` for a fit that is not to be believed, unless ``anyway``; the profile then holds the
    reasons. Raises `ConfigurationError` as ``isfc measured fit`` does.
    """
    check_jobs(jobs)
    with in_python():
        link, seen = _seen(layout, measurements, client)
    with calling(jobs) as calls:
        runs = Runs(calls, progress or (lambda _: None))
        told, left_out = intervals_of(link, seen, runs)
        fitted = fit_intervals(link, told, name, runs)
    if fitted.doubts and not anyway:
        raise FitRefused(fitted)
    return fitted.marked(left_out)


@checked
def format_profile(profile: SiteProfile) -> str:
    """The text of a profile's file, for ``--profile``."""
    return format_site(profile)


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


def _seen(
    layout: Layout | Collection | str | Path,
    measurements: Sequence[Measurement],
    client: str | None,
) -> tuple[Layout, list[SeenInterval]]:
    link = given_link_with_disks(layout)
    node: NodeName | None = None if client is None else find_node("client", client, link.nodes)
    said = completed(measurements, None, {}, None, node)
    return link, seen_intervals(link, [of_end(link, each, node) for each in said])
