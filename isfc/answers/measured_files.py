"""Files of measurements as arguments: what is said of them, and what they hold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, spelt
from isfc.measured.figures import Reading
from isfc.measured.file import completed, read_measurements
from isfc.measured.measurement import Measurement, Ran, table_rows
from isfc.measured.record_layout import read_layouts
from isfc.reports.reported import Reported
from scenarios.figures.site_workload import find_ran
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


class Measurements(Reported, Struct, frozen=True):
    """What a site measured, a record for each system and interval."""

    reported_by = "isfc.answers.measured_read.measured_read_report"

    measurements: tuple[Measurement, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The table, as a data frame takes it: a row for each device and each link."""
        return [*table_rows(self.measurements)]

    @property
    def record(self) -> MeasuredTable:
        """The same, as it is printed for programs."""
        return MeasuredTable(tuple(self.rows()), self.left_out, self.notes)

    def __repr__(self) -> str:
        return f"<Measurements {len(self.measurements)}, {len(self.left_out)} left out>"


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


def files_and_records(measured: Measured) -> tuple[list[Path], list[Measurement]]:
    """What is to be read, and what has been."""
    given = measured.measurements if isinstance(measured, Measurements) else measured
    paths = [Path(each) for each in given if not isinstance(each, Measurement)]
    return paths, [each for each in given if isinstance(each, Measurement)]


def measurements_of(
    measured: Measured,
    about: AboutFiles | None,
    ran: Sequence[str] = (),
    client: str | None = None,
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
    return Measurements(tuple(found), (*reading.notes, *reading.problems))


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
