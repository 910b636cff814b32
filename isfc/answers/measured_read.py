"""What a site measured, of reports in any format: figures by device and by link, as one table."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any, Final

from ctc.address import format_rdev
from isfc.answers.beside import DEVICE_NAMES, across
from isfc.answers.measured_files import AboutFiles, Measured, Measurements, WhatRan, measurements_of
from isfc.errors.arguments import Argument, checked
from isfc.layout.catalogue import AnyLayout
from isfc.measured.measurement import COLUMNS, LinkFigures, Measurement
from isfc.measured.seen import seen_link
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Report, Table
from scenarios.runs.at_site import named_link

_REMARKS_MAX: Final = 2
"""So many the page has without notes."""


@checked
def read(
    measured: Measured,
    *,
    layout: Annotated[
        AnyLayout | None, Argument("LAYOUT", "Keep the rows of this layout's link alone.")
    ] = None,
    link: str | None = None,
    ran: WhatRan = (),
    about: AboutFiles | None = None,
) -> Measurements:
    """Read what a site measured into one table.

    Formats are told by their content: FCX108 DEVICE and FCX110 as text, the link activity that
    IBM's tool makes of Monitor D9 R4, MONWRITE files, CSV, and what 'isfc run' prints. Rows
    that cannot be right are refused by file and line. docs/measured.md names the columns.

    Raises `ConfigurationError` for what is wrong. ``ran`` is what ran in a file, or in all others,
    such as ``["HL:50", "site-2.txt=HM:7"]``.
    """
    found = measurements_of(measured, about, ran)
    if layout is None:
        return found
    of_link = named_link(layout, link)
    seen = [seen_link(of_link, one) for one in found.measurements]
    notes = [f"{each.measurement.place}: {note}" for each in seen for note in each.notes()]
    kept = tuple(each.measurement for each in seen)
    return Measurements(kept, found.left_out, tuple(notes))


def measured_read_report(found: Measurements) -> Report:
    """The devices and the link of each measurement; for programs, all as one table."""
    first, several = found.measurements[0], len(found.measurements) > 1
    told = [*(f"Left out: {each}." for each in found.left_out), *(f"{e}." for e in found.notes)]
    return Report(
        f"{len(found.measurements)} measurements, from {first.place} on"
        if several
        else measured_heading(first),
        [line for one in found.measurements for line in _answer(one, several=several)],
        [
            Table(
                "All of it",
                [Column(name, name) for name in COLUMNS],
                found.rows(),
                "measurements",
                is_data=True,
            ),
            *_tables(found),
        ],
        remarks=told[:_REMARKS_MAX],
        notes=told[_REMARKS_MAX:],
    )


def measurement_report(one: Measurement) -> Report:
    """The same of one of them."""
    return measured_read_report(Measurements((one,)))


def measured_heading(one: Measurement) -> str:
    """Which system, which interval, and what is said to have run."""
    said = [one.system or "a system that is not named", one.interval]
    if one.ran is not None:
        said.append(f"ran {one.ran.workload} with {one.ran.pairs} pairs")
    if one.emulated:
        said.append("emulated")
    return f"{one.place}: {', '.join(said)}"


def _answer(one: Measurement, *, several: bool) -> Iterator[tuple[str, str]]:
    """The links that were configured, and what changed in them."""
    whose = f"{one.system or one.place}: " if several else ""
    for link in one.configured:
        yield f"{whose}link to {link.partner}", " ".join(map(format_rdev, link.rdevs))
    for change in one.changes:
        yield f"{whose}changed", str(change)


def _tables(found: Measurements) -> Iterator[Table]:
    """Of each measurement its devices and its links."""
    several = len(found.measurements) > 1
    for place, one in enumerate(found.measurements, start=1):
        number = str(place) if several else ""
        heading = measured_heading(one)
        if one.devices:
            yield across(
                heading if several else "Each device",
                [("{}", Unit.COUNT)],
                [
                    (format_rdev(each.rdev), measure, (getattr(each, measure),))
                    for each in one.devices
                    for measure in DEVICE_NAMES
                ],
                f"devices{number}",
            )
        if one.links:
            rows = [row for link in one.links for row in _ways(link)]
            caption = f"{heading}, its link" if several else "The link, each way"
            yield Table(caption, _WAY_COLUMNS, rows, f"link{number}")


_WAY_COLUMNS: Final = (
    Column("", "way"),
    Column("MB/s", "mb_per_s", Unit.COUNT),
    Column("messages/s", "messages_per_s", Unit.COUNT),
    Column("packages/s", "packages_per_s", Unit.COUNT),
    Column("bytes/package", "bytes_per_package", Unit.PER_S),
    Column("collisions/s", "collisions_per_s", Unit.COUNT),
)


def _ways(link: LinkFigures) -> Iterator[dict[str, Any]]:
    """What was written and read; who writes meets collisions."""
    to = f" to {link.partner}" if link.partner else ""
    for way, figures, collisions in (
        (f"written{to}", link.written, link.collisions_per_s),
        ("read", link.read, None),
    ):
        yield {"way": way, **asdict(figures), "collisions_per_s": collisions}
