"""A site's figures beside the model's: signed errors, and what may explain those that stand out."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from ctc.address import format_rdev
from isfc.errors.in_words import number
from isfc.layout.layout import Layout
from isfc.site.measurement import DeviceFigures, LinkFigures
from isfc.site.seen import SeenInterval, SeenLink
from scenarios.figures.site_workload import Derived
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.run import run

SECONDS: Final = 2.0
WARMUP: Final = 0.5
"""Virtual time of a run: MB/s of the published layouts is within 1 % of that of ten seconds."""

BUSY_LEAST: Final = 5.0
"""Percent busy from which on a device's figures are judged: below it they are a few I/Os'."""

ROUNDING_MAX: Final = 0.1
"""Half of the last digit of a figure, as a share of it, up to which its error is judged."""

_DEVICE_MEASURES: Final = ("io_per_s", "pend_ms", "disc_ms", "conn_ms", "serv_ms", "busy_percent")


class MeasuredFigure(Struct, frozen=True):
    """One figure measured, and ours. ``node`` is the end that showed it.

    ``of`` is an RDEV, or ``link``. ``judged`` says whether it counts: one that rounding makes
    coarse is shown alone.
    """

    node: str
    of: str
    """an RDEV, or `link`"""
    measure: str
    measured: float
    emulated: float
    judged: bool
    """whether it counts"""
    rounding: float = 0.0
    """half of its last digit, as a share of it"""

    error_percent: float | None = None
    """how far ours is off, with its sign; null where 0 was measured"""

    def __post_init__(self) -> None:
        if self.measured:
            force_setattr(self, "error_percent", 100 * (self.emulated / self.measured - 1))


def figures_and_reasons(
    layout: Layout, seen: SeenInterval, derived: Derived
) -> tuple[tuple[MeasuredFigure, ...], tuple[str, ...]]:
    """Run what an interval is taken to be: its figures beside the measured ones, and why.

    The second are in words what may explain figures that stand out.
    """
    beside = run_beside(layout, seen, derived, SECONDS, WARMUP)
    figures = [figure for end, result in beside for figure in figures_beside(end, result)]
    reasons = [reason for end, result in beside for reason in likely_reasons(layout, end, result)]
    return tuple(figures), tuple(dict.fromkeys(reasons))


def run_beside(
    layout: Layout,
    seen: SeenInterval,
    derived: Derived,
    seconds: float,
    warmup: float,
    seed: int = 1,
) -> list[tuple[SeenLink, Result]]:
    """Each end of an interval, and what it shows in one run."""
    recording = run(derived.experiment(layout, seconds, warmup, seed)).link()
    return [(end, recording.at(end.node).whole.result) for end in seen.ends]


def figures_beside(seen: SeenLink, result: Result) -> Iterator[MeasuredFigure]:
    """Every figure that was measured, and that of a run."""
    ours = {device.rdev: device for device in result.devices}
    for device in seen.measurement.devices:
        yield from _of_device(seen.node, device, ours[format_rdev(device.rdev)])
    for link in seen.measurement.links[:1]:
        yield from _of_link(seen.node, link, result)


def _of_device(node: str, theirs: DeviceFigures, ours: DeviceResult) -> Iterator[MeasuredFigure]:
    busy = (theirs.busy_percent or 0.0) >= BUSY_LEAST
    for measure in _DEVICE_MEASURES:
        measured = getattr(theirs, measure)
        if measured is not None:
            decimals = 0 if measure == "busy_percent" else theirs.decimals
            half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
            rounding = half / measured if measured else 0.0
            judged = busy and rounding <= ROUNDING_MAX
            found = measured, getattr(ours, measure)
            yield MeasuredFigure(node, ours.rdev, measure, *found, judged, rounding)


def _of_link(node: str, link: LinkFigures, result: Result) -> Iterator[MeasuredFigure]:
    for side, way, end in (("written", link.written, "out"), ("read", link.read, "in")):
        for measure in ("mb_per_s", "packages_per_s", "messages_per_package"):
            both = getattr(way, measure), getattr(result, f"{measure}_{end}")
            yield MeasuredFigure(node, "link", f"{side}_{measure}", *both, both[0] >= 1)
    both = link.collisions_per_s, result.collisions_per_s
    yield MeasuredFigure(node, "link", "collisions_per_s", *both, both[0] >= 20)


def likely_reasons(layout: Layout, seen: SeenLink, result: Result) -> Iterator[str]:
    """What may explain the figures that stand out, in words."""
    ours = {device.rdev: device for device in result.devices}
    pairs = [(each, ours[format_rdev(each.rdev)]) for each in seen.measurement.devices]
    here = layout.nodes.index(seen.node)
    uses = {ctc.rdevs[here]: ctc.fibre for ctc in layout.ctcs}
    for fibre in layout.fibres:
        busy = [
            (theirs, mine)
            for theirs, mine in pairs
            if uses[theirs.rdev] == fibre
            and (theirs.busy_percent or 0) >= BUSY_LEAST
            and mine.busy_percent >= BUSY_LEAST
        ]
        yield from _of_fibre(f"fibre {fibre.name} ({fibre.profile.feature})", busy)
    idle = [mine.rdev for theirs, mine in pairs if not theirs.io_per_s and mine.io_per_s > 1]
    idle += [
        format_rdev(rdev) for rdev in seen.silent if pairs and ours[format_rdev(rdev)].io_per_s > 1
    ]
    if idle:
        yield (
            f"{', '.join(idle)}: no I/O was measured, and the model uses them: not in the link, "
            "or the device lists are in another order; see QUERY ISLINK"
        )
    extra = [mine.rdev for theirs, mine in pairs if theirs.io_per_s > 10 and mine.io_per_s < 1]
    if extra:
        yield (
            f"{', '.join(extra)}: used there and not in the model: the scan goes another way; "
            "compare the systems' names and the order of device numbers"
        )
    for link in seen.measurement.links[:1]:
        if link.collisions_per_s > 20 and link.collisions_per_s > 3 * result.collisions_per_s:
            yield (
                f"{number(link.collisions_per_s)} collisions a second were measured, the model has "
                f"{number(result.collisions_per_s)}: the systems may have the CTCs in different "
                "orders"
            )


def _of_fibre(name: str, busy: Sequence[tuple[DeviceFigures, DeviceResult]]) -> Iterator[str]:
    if not busy:
        return
    conn = _ratio([(theirs.conn_ms, mine.conn_ms) for theirs, mine in busy])
    if conn is not None and not 0.7 <= conn <= 1.4:
        word = "longer" if conn > 1 else "shorter"
        speed = "slower" if conn > 1 else "faster"
        yield (
            f"{name}: Conn is {number(conn, 1)} times the model's, {word} on every CTC: its link "
            f"may run {speed} than the layout says"
        )
    pend = _ratio([(theirs.pend_ms, mine.pend_ms) for theirs, mine in busy])
    worst = max(theirs.pend_ms or 0.0 for theirs, _ in busy)
    if pend is not None and pend > 2 and worst >= 1.0:
        times = number(pend, 1)
        yield f"{name}: Pend is {times} times the model's: other traffic may use the chpid"


def _ratio(values: Sequence[tuple[float | None, float]]) -> float | None:
    """The median of measured by ours; None where the figures are too small to say."""
    found = [theirs / mine for theirs, mine in values if theirs and theirs >= 0.4 and mine > 0.05]
    return median(found) if found else None
