"""The options with which files of measurements are read, and what they lead to."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.render.output import show_log
from isfc.errors import ConfigurationError
from isfc.measured.figures import Reading
from isfc.measured.file import read_measurements, said
from isfc.measured.measurement import Measurement, Ran

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="MEASUREMENT...",
        help="Files with FCX108 DEVICE pages, link activity, CSV, or JSON of isfc.",
        show_default=False,
    ),
]
SystemOption = Annotated[
    str | None,
    typer.Option(metavar="NODE", help="The system that the files are of, where they do not say."),
]
ZoneOption = Annotated[
    str | None,
    typer.Option(metavar="+HH:MM", help="The time zone of the files' times, as +02:00 or UTC."),
]
RanOption = Annotated[
    str | None,
    typer.Option(metavar="NAME:PAIRS", help="What ran, if you know it: a workload, as HL:50."),
]
ClientsOption = Annotated[
    str | None,
    typer.Option("--from", metavar="NODE", help="The node of the clients, where no file says it."),
]
UsableOption = Annotated[
    bool, typer.Option("--usable", help="Leave rows that cannot be out, and say which.")
]
DecimalCommaOption = Annotated[
    bool, typer.Option("--decimal-comma", help="Figures are written as 61,8.")
]


def read_files(
    files: Sequence[Path],
    *,
    system: str | None,
    zone: str | None,
    ran: str | None,
    usable: bool,
    decimal_comma: bool,
    client: str | None = None,
) -> list[Measurement]:
    """The measurements in some files, with what the options say of all of them.

    Rows that are left out are told on stderr.
    """
    if zone is not None and not re.fullmatch(r"[+-]\d\d:\d\d|UTC|Z", zone, re.ASCII):
        raise ConfigurationError(f"--zone {zone[:20]}: expected one such as +02:00, or UTC")
    told = None if ran is None else _read_ran(ran)
    reading = Reading(usable=usable, decimal_comma=decimal_comma)
    node, source = (None if name is None else name.upper() for name in (system, client))
    found = said(read_measurements(files, reading), node, zone, told, source)
    for problem in reading.problems:
        show_log(f"isfc: left out: {problem}")
    if not found:
        raise ConfigurationError(f"{files[0]}: nothing usable is left")
    return found


def _read_ran(text: str) -> Ran:
    name, _, pairs = text.rpartition(":")
    if not name or not (pairs.isascii() and pairs.isdigit()) or not 1 <= int(pairs[:9]) <= 10_000:
        raise ConfigurationError(f"--ran {text[:40]}: expected NAME:PAIRS, such as HL:50")
    return Ran(name, int(pairs))
