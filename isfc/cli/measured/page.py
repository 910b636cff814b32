"""What ``isfc measured`` shows: measurements as they were read, and beside the model."""

from collections.abc import Iterator, Sequence
from math import exp
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table

from ctc.address import format_rdev
from isfc.cli.output.curves import axis, curves, labels, names_axis, nominal
from isfc.cli.output.picture import Spec, picture
from isfc.layout.in_words import listed
from isfc.layout.site import CONSTANTS
from isfc.measured.measurement import DEVICE_COLUMNS, DeviceFigures, LinkFigures, Measurement
from isfc.reports.table import plain_table
from isfc.search.site_fitted import Fitted
from scenarios.figures.site_compare import ComparedInterval, MeasuredFigure

DETAILED_MAX: Final = 3
"""Measurements of which every figure is shown; of more only their line."""

TICKS_MAX: Final = 8
"""Times named below a picture."""

DRIFT: Final = {
    "MB/s": ("written_mb_per_s", "read_mb_per_s"),
    "I/O/s": ("io_per_s",),
    "Serv": ("serv_ms",),
    "Busy": ("busy_percent",),
}
"""What is followed over time."""


def read_page(measurements: Sequence[Measurement]) -> RenderableType:
    """Each measurement: its heading, its devices and its link."""
    parts: list[RenderableType] = []
    for one in measurements:
        parts += [""] * bool(parts)
        parts.append(measured_heading(one))
        if one.devices:
            parts.append(_devices(one.devices))
        if one.links:
            parts.append(_links(one.links))
        for link in one.configured:
            parts.append(f"link to {link.partner}: {' '.join(map(format_rdev, link.rdevs))}")
        parts += [f"changed: {change}" for change in one.changes]
    return Group(*parts)


def measured_heading(one: Measurement) -> str:
    """Which system, which interval, and what is said to have run."""
    said = [one.system or "a system that is not named", one.interval]
    if one.ran is not None:
        said.append(f"ran {one.ran.workload} with {one.ran.pairs} pairs")
    if one.emulated:
        said.append("emulated")
    return f"{one.place}: {', '.join(said)}"


def _devices(devices: Sequence[DeviceFigures]) -> Table:
    table = plain_table("RDEV", ">I/O/s", ">Pend", ">Disc", ">Conn", ">Serv", ">Busy %")
    for each in devices:
        times = (each.pend_ms, each.disc_ms, each.conn_ms, each.serv_ms)
        figures = (each.io_per_s, *times, each.busy_percent)
        table.add_row(format_rdev(each.rdev), *map(_figure, figures))
    return table


def _links(links: Sequence[LinkFigures]) -> Table:
    figures = (">MB/s", ">messages/s", ">packages/s", ">bytes/package", ">collisions/s")
    table = plain_table("", *figures)
    for link in links:
        for cells in _ways(link):
            table.add_row(*cells)
    return table


def _ways(link: LinkFigures) -> Iterator[tuple[str, ...]]:
    for name, way in (("written", link.written), ("read", link.read)):
        yield (
            name,
            f"{way.mb_per_s:.1f}",
            f"{way.messages_per_s:.1f}",
            f"{way.packages_per_s:.1f}",
            f"{way.bytes_per_package:.0f}",
            f"{link.collisions_per_s:.1f}" if name == "written" else "",
        )


def _figure(value: float | None) -> str:
    return "..." if value is None else f"{value:.1f}"


def compare_page(
    compared: Sequence[ComparedInterval], tolerance: float | None = None
) -> RenderableType:
    """Each measurement beside its run; of several, one line each first."""
    parts: list[RenderableType] = []
    if len(compared) > 1:
        parts += [drift_table(compared), ""]
    for each in compared if len(compared) <= DETAILED_MAX else ():
        parts += [*_compared_parts(each, tolerance), ""]
    if len(compared) > DETAILED_MAX:
        parts += [f"The figures of each of the {len(compared)} intervals are in --json.", ""]
    return Group(*parts[:-1])


def drift_table(compared: Sequence[ComparedInterval]) -> Table:
    """Errors over time: a line for each interval, medians of the judged figures' errors."""
    table = plain_table("interval", *(f">{name} %" for name in DRIFT))
    for each in compared:
        one = each.seen.ends[0].measurement
        errors = (each.median_error(*measures) for measures in DRIFT.values())
        cells = ("..." if error is None else f"{error:+.1f}" for error in errors)
        table.add_row(one.end or str(one.place), *cells)
    return table


def _compared_parts(each: ComparedInterval, tolerance: float | None) -> Iterator[RenderableType]:
    derived = each.derived
    for end in each.seen.ends:
        yield measured_heading(end.measurement)
    yield f"Emulated: {derived}, clients on {derived.client}"
    for line in derived.uncertain:
        yield f"  assumed: {line}"
    for line in derived.doubts:
        yield f"  doubtful: {line}"
    for note in each.seen.notes():
        yield f"  {note}"
    yield from _answer(each, tolerance)
    for node in dict.fromkeys(figure.node for figure in each.figures):
        of_node = [figure for figure in each.figures if figure.node == node]
        of_devices = [figure for figure in of_node if figure.of != "link"]
        if len(each.seen.ends) > 1:
            yield ""
            yield f"{node}:"
        if of_devices:
            yield ""
            yield "As measured, and the % that the model is off; a dot where that is not judged"
            yield _device_errors(of_devices)
        if of_link := [figure for figure in of_node if figure.of == "link"]:
            yield ""
            yield _link_errors(of_link)


def _answer(each: ComparedInterval, tolerance: float | None) -> Iterator[str]:
    """How far the model is off, and what may explain that."""
    errors = ((name, each.median_error(*measures)) for name, measures in DRIFT.items())
    medians = [f"{name} {error:+.0f} %" for name, error in errors if error is not None]
    if medians:
        yield ""
        yield f"The model is off, by the median: {', '.join(medians)}."
    if beyond := [] if tolerance is None else each.beyond(tolerance):
        worst = max(beyond, key=lambda figure: abs(figure.error_percent or 0))
        yield (
            f"{len(beyond)} of {len(each.judged())} judged figures are more than {tolerance:g} % "
            f"off; the furthest is {worst.measure} of {worst.of}, {_signed(worst)}."
        )
    if each.reasons:
        yield "What may explain it:"
        yield from (f"- {reason}" for reason in each.reasons)


def _device_errors(figures: Sequence[MeasuredFigure]) -> Table:
    """A line for each device: what was measured, and in percent how far ours is off."""
    measures = ("I/O/s", "Pend", "Disc", "Conn", "Serv", "Busy")
    headings = (heading for name in measures for heading in (f">{name}", ">%"))
    table = plain_table("RDEV", *headings, gap=1)
    for rdev in dict.fromkeys(figure.of for figure in figures):
        found = {figure.measure: figure for figure in figures if figure.of == rdev}
        cells: list[str] = []
        for measure in DEVICE_COLUMNS[1:]:
            figure = found.get(measure)
            cells += ["...", ""] if figure is None else [f"{figure.measured:.1f}", _signed(figure)]
        table.add_row(rdev, *cells)
    return table


def _link_errors(figures: Sequence[MeasuredFigure]) -> Table:
    table = plain_table("link", ">measured", ">emulated", ">% off")
    for figure in figures:
        name = figure.measure.replace("_", " ").replace(" per s", "/s").replace("mb/s", "MB/s")
        cells = (f"{figure.measured:.1f}", f"{figure.emulated:.1f}", _signed(figure))
        table.add_row(name.replace("per package", "a package"), *cells)
    return table


def _signed(figure: MeasuredFigure) -> str:
    """An error with its sign; a dot where the figure is not judged."""
    if figure.error_percent is None or not figure.judged:
        return "."
    return f"{figure.error_percent:+.0f}"


def errors_picture(compared: Sequence[ComparedInterval]) -> Spec:
    """The errors: of one interval each judged figure's, of several their medians over time."""
    values: list[Spec]
    if len(compared) == 1:
        values = [
            {
                "curve": measure.partition("_")[0],
                "x": _whose(figure, compared[0]),
                "y": figure.error_percent or 0.0,
            }
            for measure in ("io_per_s", "conn_ms", "serv_ms", "busy_percent")
            for figure in compared[0].judged()
            if figure.measure == measure
        ]
        x = names_axis("x", "RDEV")
    else:  # where nothing is judged the line has a gap
        values = [
            {"curve": name, "x": place, "y": each.median_error(*measures)}
            for name, measures in DRIFT.items()
            for place, each in enumerate(compared)
        ]
        ends = [each.seen.ends[0].measurement.end or str(i) for i, each in enumerate(compared, 1)]
        x = names_axis("x", "end of interval")
        x["axis"] |= labels(ends, every=-(-len(compared) // TICKS_MAX))
    y = axis("y", "emulated against measured, % off")
    zero = {"test": "datum.value === 0", "value": 3}
    y["axis"] = {"gridWidth": {"condition": zero, "value": 1}}
    drawn = curves(x, y, nominal("curve", [*dict.fromkeys(value["curve"] for value in values)]))
    if len(compared) == 1:
        drawn["layer"] = drawn["layer"][1:]  # points alone: devices are in no order
    return picture("Errors of the emulation", data={"values": values}, **drawn)


def _whose(figure: MeasuredFigure, compared: ComparedInterval) -> str:
    """The RDEV of a figure, with its system if both are shown."""
    return figure.of if len(compared.seen.ends) == 1 else f"{figure.node} {figure.of}"


RIVALS: Final = 3
"""Explanations that the page of a fit names."""


def fit_page(fitted: Fitted, file: str, *, written: bool = True) -> RenderableType:
    """Whether the fit is accepted, what it changes, how good it is; then what is known of it."""
    lines: list[RenderableType] = [*_fit_verdict(fitted), ""]
    if fitted.explanations:
        best, *others = fitted.explanations[:RIVALS]
        named = "; ".join(f"{each} ({each.evidence - best.evidence:.0f} worse)" for each in others)
        lines.append(f"By evidence (AICc, less is better) {best} is nearest; then {named}.")
    lines += [f"Note: {note}." for note in fitted.notes]
    if written:
        lines.append(f"Written: {file}, for --profile.")
    return Group(*lines, *([""] if lines[-1] else []), _fit_table(fitted))


def _fit_verdict(fitted: Fitted) -> Iterator[str]:
    profile = fitted.profile
    if fitted.doubts:
        yield "The fit is refused:"
        yield from (f"- {doubt}" for doubt in fitted.doubts)
        yield REMEDY
    if profile.before is None or profile.held_back is None:
        yield "Nothing was measured that tells a constant: the model stays as it is."
        return
    if not fitted.doubts:
        names = [name for name, _ in profile.factors]
        yield f"The fit is accepted. It changes {listed(names) if names else 'nothing'}."
    yield (
        f"Figures that were held back are off by {profile.held_back.median:.1f} % by the median, "
        f"the worst by {profile.held_back.worst:.0f} %; without the fit by "
        f"{profile.before.median:.1f} %, the worst by {profile.before.worst:.0f} %."
    )
    if profile.is_worse and not fitted.doubts:
        yield (
            "So the fit predicts worse than the model without it: measure more intervals, "
            "with other loads, before you use it."
        )


def _fit_table(fitted: Fitted) -> RenderableType:
    """The factor of each constant, and how well it is known."""
    table = plain_table("constant", ">factor", ">+- %", "")
    factors = dict(fitted.profile.factors)
    uncertainties, skewed = dict(fitted.uncertainties), dict(fitted.skewed)
    for constant in CONSTANTS:
        wide = f"{100 * (exp(uncertainties[constant.name]) - 1):.0f}"
        if constant.name in skewed:
            below, above = skewed[constant.name]
            wide = f"-{100 * (1 - exp(-below)):.0f} +{100 * (exp(above) - 1):.0f}"
        if constant.name in factors:
            cells = (f"{factors[constant.name]:.2f}", wide, constant.meaning)
        else:
            cells = ("1.00", wide, "not told by these figures: it stays as it is")
        table.add_row(constant.name, *cells)
    return table


REMEDY: Final = (
    "Measure two or three intervals in which the link was busy, device rows and link activity of "
    "each, and say what ran: --ran FILE=NAME:PAIRS."
)
"""What to measure where a fit is refused."""
