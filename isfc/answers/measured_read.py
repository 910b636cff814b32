"""What a site measured, of reports in any format: figures by device and by link, as one table."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct, structs

from ctc.address import format_rdev
from isfc.answers.beside import DEVICE_NAMES, across
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout.catalogue import AnyLayout
from isfc.layout.pasted import lines_read
from isfc.reports.figure import Reported, Unit
from isfc.reports.report import Column, Report, Table, data_table, headed
from isfc.site.figures import Reading
from isfc.site.file import completed, read_measurements
from isfc.site.measurement import LinkFigures, Measurement, Ran, table_rows
from isfc.site.monitor_records import read_layouts
from isfc.site.seen import seen_link
from scenarios.figures.site_exchanges import find_ran
from scenarios.runs.at_site import named_link
from scenarios.runs.experiment import read_load

_ZONE: Final = re.compile(r"(?:([\w$#@]{1,8})=)?([+-](?:0\d|1[0-4]):[0-5]\d|UTC|Z)", re.ASCII)


class MeasuredTable(Struct, frozen=True):
    """What a site measured, as it is printed for programs."""

    measurements: tuple[Mapping[str, Any], ...]
    """each a row of [the table](measured.md#the-table) by its columns"""
    left_out: tuple[str, ...]
    """what files have that is no measurement of a CTC or, with `--usable`, cannot be right"""
    notes: tuple[str, ...]
    """with `--layout`, what is not of the link, and what of it is missing"""
    accounts: tuple[str, ...]
    """what became of each line of each text"""


class Measurements(Reported, Struct, frozen=True):
    """What a site measured, a record for each system and interval."""

    reported_by = "isfc.answers.measured_read.measured_read_report"

    measurements: tuple[Measurement, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The table, as a data frame takes it: a row for each device and each link."""
        return [*table_rows(self.measurements)]

    @property
    def record(self) -> MeasuredTable:
        """The same, as it is printed for programs."""
        return MeasuredTable(tuple(self.rows()), self.left_out, self.notes, self.accounts)


Measured = Annotated[
    Measurements | Sequence[Measurement | str | Path],
    Argument(
        "MEASUREMENT...",
        "Files with FCX108 or FCX110 pages, link activity, MONWRITE records, CSV, or JSON of isfc.",
    ),
]
From = Annotated[str | None, Argument("NODE", "The node of the clients, where no file says it.")]
WhatRan = Annotated[
    Sequence[str],
    Argument(
        "[FILE=]NAME:PAIRS", "What ran, if you know it, as HL:50: in a file, or in all others."
    ),
]


class AboutFiles(Struct, frozen=True):
    """What is said of all files of measurements."""

    system: Annotated[
        str | None, Argument("NODE", "The system that the files are of, where they do not say.")
    ] = None
    zone: Annotated[
        Sequence[str],
        Argument(
            "[NODE=]+HH:MM",
            "The time zone of the files' times, as +02:00 or UTC: for all, or for a node.",
        ),
    ] = ()
    records: Annotated[
        Sequence[str | Path],
        Argument(
            "FILE",
            "Layouts of D6R3 and D9R4 for MONWRITE files: CSV of field, offset, length, type, "
            "unit.",
        ),
    ] = ()
    usable: Annotated[bool, Argument("", "Leave rows that cannot be out, and say which.")] = False
    decimal_comma: Annotated[bool, Argument("", "Figures are written as 61,8.")] = False

    def reading(self) -> Reading:
        """How figures are read; what is left out comes there."""
        return Reading(usable=self.usable, decimal_comma=self.decimal_comma)


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
    IBM's tool makes of Monitor D9 R4, MONWRITE files, CSV, what 'isfc run' prints, and what z/OS
    shows of CTCs. Rows that cannot be right are refused by file and line. docs/measured.md names
    the columns.

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
    return Measurements(kept, found.left_out, tuple(notes), found.accounts)


def measured_read_report(found: Measurements) -> Report:
    """The devices and the link of each measurement; for programs, all as one table."""
    first, several = found.measurements[0], len(found.measurements) > 1
    told = [_OF_FOREIGN] if any(one.foreign for one in found.measurements) else []
    told += [*(f"Left out: {each}." for each in found.left_out), *(f"{e}." for e in found.notes)]
    return Report(
        f"{len(found.measurements)} measurements, from {first.place} on"
        if several
        else measured_heading(first),
        [line for one in found.measurements for line in _answer(one, several=several)],
        [
            data_table("All of it", found.rows(), "measurements"),
            *_tables(found),
        ],
        remarks=told[:_REMARKS_MAX],
        read=lines_read(found.accounts),
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

        if one.foreign:
            rows = [{**asdict(ctc), "mb_per_s": ctc.mb_per_s} for ctc in one.foreign]
            rows = [{**row, "rdev": format_rdev(row["rdev"])} for row in rows]
            caption = f"{heading}, CTCs of z/OS" if several else "CTCs of z/OS"
            known = {name for row in rows for name, value in row.items() if value is not None}
            columns = [column for column in _FOREIGN_COLUMNS if column.field in known]
            yield Table(caption, columns, rows, f"foreign{number}")


_FOREIGN_COLUMNS: Final = (
    *headed(rdev="RDEV", software="", way="", partner="partner"),
    Column("I/O/s", "io_per_s", Unit.COUNT),
    Column("bytes/I/O", "bytes_per_io", Unit.PER_S),
    Column("MB/s", "mb_per_s", Unit.COUNT),
    Column("transfer us", "transfer_us", Unit.PER_S),
)
_OF_FOREIGN: Final = (
    "CTCs of XCF and VTAM show what that software does on the same hardware, and nothing of ISFC, "
    "of collisions, or of how busy a CTC or chpid is: compare and fit do not take them."
)

_WAY_COLUMNS: Final = (
    Column("", "way"),
    *headed(Unit.COUNT, mb_per_s="MB/s", messages_per_s="messages/s", packages_per_s="packages/s"),
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
        yield {"way": way, **structs.asdict(figures), "collisions_per_s": collisions}


def files_and_records(measured: Measured) -> tuple[list[Path], list[Measurement]]:
    """What is to be read, and what has been."""
    given = measured.measurements if isinstance(measured, Measurements) else measured
    paths = [Path(each) for each in given if not isinstance(each, Measurement)]
    return paths, [each for each in given if isinstance(each, Measurement)]


def measurements_of(
    measured: Measured, about: AboutFiles | None, ran: Sequence[str] = (), client: str | None = None
) -> Measurements:
    """What files and records hold.

    ``ran`` is as `WhatRan`, ``client`` the node of the clients. Raises `ConfigurationError` for
    what is wrong, by file and line, and where nothing is left.
    """
    about = about or AboutFiles()
    paths, records = files_and_records(measured)
    told, rest = _read_ran(ran, paths)
    found, reading = completed(records, None, {}, rest, client), about.reading()
    if paths:
        read = read_files(paths, reading, about, told=told, client=client)
        if not read:
            raise ConfigurationError(f"{paths[0]}: nothing usable is left")
        found += read
    left_out, accounts = (*reading.notes, *reading.problems), tuple(reading.accounts)
    return Measurements(tuple(found), left_out, accounts=accounts)


def read_files(
    paths: Sequence[Path],
    reading: Reading,
    about: AboutFiles,
    *,
    told: Mapping[Path, Ran] | None = None,
    client: str | None = None,
    contents: Mapping[Path, bytes] | None = None,
) -> list[Measurement]:
    """What files hold; what is left out comes to ``reading``, ``told`` is what ran in each file.

    ``client`` is the node of the clients, ``contents`` what was read of the files already.
    """
    zones = _read_zones(about.zone)
    layouts = [layout for path in about.records for layout in read_layouts(Path(path))]
    node, source = (None if name is None else name.upper() for name in (about.system, client))
    read = read_measurements(paths, reading, layouts, told, contents)
    found = completed(read, node, zones, None, source)
    _check_zones(zones, found)
    return found


def _read_zones(texts: Sequence[str]) -> dict[str | None, str]:
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


def _check_zones(zones: Iterable[str | None], found: Sequence[Measurement]) -> None:
    """Raise `ConfigurationError` for the zone of a system that no file is of."""
    systems = {one.system for one in found}
    for name in zones:
        if name is not None and found and name not in systems:
            known = "".join(f"{system}, " for system in sorted(map(str, systems - {None})))
            raise ConfigurationError(
                f"{spelt('zone')} {name}: no file says that it is of {name}; expected {known}or "
                f"{spelt('system')}"
            )


def _read_ran(texts: Sequence[str], files: Sequence[Path]) -> tuple[dict[Path, Ran], Ran | None]:
    """What ran in each file, and what if nothing is said of that."""
    found: dict[Path, Ran] = {}
    rest: Ran | None = None
    option = spelt("ran")
    for text in texts:
        name, _, load = text.rpartition("=")
        ran = Ran(*read_load(option, load))
        find_ran(ran.workload)
        if not name:
            if rest is not None:
                raise ConfigurationError(
                    f"{option} {text[:40]}: {rest} ran already in all files; expected a file "
                    f"before it, as {option} FILE=HL:50"
                )
            rest = ran
            continue
        meant = [path for path in files if str(path) == name] or [
            path for path in files if path.name == name
        ]
        if len(meant) != 1 or meant[0] in found:
            known = ", ".join(str(path) for path in files if path not in found)
            raise ConfigurationError(
                f"{option} {text[:80]}: expected one of the files, each once: {known[:200]}"
            )
        found[meant[0]] = ran
    return (found if rest is None else {path: found.get(path, rest) for path in files}), rest
