"""Files of measurements: which format each has, and all of them as one list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.layout.checked_toml import read_bytes, text_of, within
from isfc.layout.source_kind import refuse_foreign
from isfc.site.dates import with_told_dates
from isfc.site.figures import Reading, checked, without_repeats
from isfc.site.measurement import Measurement, Ran, joined, without_copies
from isfc.site.monitor import read_monitor
from isfc.site.monitor_records import FRAME_LENGTH, RecordLayout, is_monwrite
from isfc.site.page import read_text
from isfc.site.table import read_csv, read_json
from isfc.site.tnstat import read_tnstat
from isfc.site.xcf import read_xcf

LENGTH_MAX: Final = 64 * 2**20
"""Bytes of a file. A day of pages of a minute each, with some hundred devices, is about 10 MB."""

MONWRITE_LENGTH_MAX: Final = 2**28
"""Bytes of a MONWRITE file: a minute of a large system is a few MB."""

_EXPECTED: Final = (
    "pages of FCX108 DEVICE, FCX110 or link activity, a MONWRITE file, CSV, or JSON of 'isfc', "
    "or of z/OS what D XCF,PI,DEV=ALL or MODIFY TNSTAT,CNSL shows"
)

_BY_MESSAGE: Final = {"IXC356I": read_xcf, "IST1230I": read_tnstat}
"""What reads the answers of z/OS, by a message that each has."""


def read_content(path: Path) -> bytes:
    """What a file, a pipe or standard input holds; raises `ConfigurationError` that names it."""
    with within(str(path)):
        return read_bytes(path, "a measurement", MONWRITE_LENGTH_MAX)


def read_measurements(
    files: Iterable[Path],
    reading: Reading,
    layouts: Sequence[RecordLayout] = (),
    ran: Mapping[Path, Ran] | None = None,
    contents: Mapping[Path, bytes] | None = None,
) -> list[Measurement]:
    """Everything that some files hold, in their order; those of one interval as one.

    ``layouts`` are those of monitor records that the user supplies, ``ran`` is what the user says
    of files, ``contents`` is what was read of some already: a pipe can be read only once.

    Raises `ConfigurationError` for what is wrong, by file and line, unless ``reading`` takes what
    is usable; and for a file in which there is nothing to be read.
    """
    told, known = ran or {}, contents or {}
    read = [
        replace(one, ran=told[file]) if file in told else one
        for file in files
        for one in _read(file, known.get(file) or read_content(file), reading, layouts)
    ]
    found = joined(without_copies(read, reading.notes))
    kept = without_repeats(found, reading)
    reading.end()
    return kept


def _read(
    path: Path, data: bytes, reading: Reading, layouts: Sequence[RecordLayout]
) -> list[Measurement]:
    reading.begin()
    before = len(reading.problems)
    is_monitor = is_monwrite(data)
    length_max = MONWRITE_LENGTH_MAX if is_monitor else LENGTH_MAX
    if len(data) > length_max:
        raise ConfigurationError(f"{path}: is too long; expected at most {length_max} bytes")
    if is_monitor:
        read = read_monitor(data, str(path), reading, layouts)
    else:
        read = _parse(path, data, reading)
    found = checked(read, reading)
    if not found and len(reading.problems) == before:
        raise ConfigurationError(f"{path}: no measurement in it; expected {_EXPECTED}")
    return found


def _parse(path: Path, data: bytes, reading: Reading) -> list[Measurement]:
    with within(str(path)):
        text = text_of(data, _EXPECTED, other="latin-1")
    if "\x00" in text:
        raise ConfigurationError(
            f"{path}: is binary, and no MONWRITE file as it is; expected one sent as binary, in "
            f"records of {FRAME_LENGTH} bytes, or {_EXPECTED}"
        )
    text = with_told_dates(text)
    first = text.lstrip("\n").split("\n", 1)[0]
    if text.lstrip()[:1] in ("{", "["):
        read = read_json
    elif path.suffix == ".csv" or (
        "," in first and {"rdev", "tx_pend_count"} & set(first.split(","))
    ):
        read = read_csv
    else:
        read = next((own for mark, own in _BY_MESSAGE.items() if mark in text.upper()), read_text)
    found = read(text, str(path), reading)
    if not found:
        refuse_foreign(text, str(path), "measured read")
    return found


def completed(
    measurements: Sequence[Measurement],
    system: str | None,
    zones: Mapping[str | None, str],
    ran: Ran | None,
    client: str | None = None,
) -> list[Measurement]:
    """The measurements with what the user says of all of them, where they do not say it.

    ``zones`` are time zones by system, and under None that of the others.
    """
    found = []
    for one in measurements:
        node = system or one.system
        clients = one.clients if client is None or node is None else node == client
        if one.clients not in (None, clients):
            where = "were" if one.clients else "were not"
            raise ConfigurationError(
                f"{one.place}: says that the clients {where} on {node}; expected the same with "
                f"{spelt('from_')}, not {client}"
            )
        zone = one.zone or zones.get(node) or zones.get(None)
        found.append(replace(one, system=node, zone=zone, ran=ran or one.ran, clients=clients))
    return found
