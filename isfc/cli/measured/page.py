"""What ``isfc measured`` shows: measurements as they were read, and beside the model."""

from collections.abc import Iterator, Sequence
from math import exp
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table

from ctc.address import format_rdev
from isfc.layout.in_words import listed
from isfc.layout.site import CONSTANTS
from isfc.measured.measurement import DeviceFigures, LinkFigures, Measurement
from isfc.reports.table import plain_table
from isfc.search.site_fitted import Fitted


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
