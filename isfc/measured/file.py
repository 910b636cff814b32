"""Files of measurements: which format each has, and all of them as one list."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes
from isfc.measured.figures import Reading
from isfc.measured.measurement import Measurement, Ran, joined
from isfc.measured.page import read_text
from isfc.measured.plausible import checked
from isfc.measured.table import read_csv, read_json

LENGTH_MAX: Final = 64 * 2**20
"""Bytes of a file. A day of pages of a minute each, with some hundred devices, is about 10 MB."""

_EXPECTED: Final = "pages of FCX108 DEVICE or of link activity, CSV, or JSON of 'isfc'"


def read_measurements(files: Iterable[Path], reading: Reading) -> list[Measurement]:
    """Everything that some files hold, in their order; those of one interval as one.

    Raises `ConfigurationError` for what is wrong, by file and line, unless ``reading`` takes what
    is usable; and for a file in which there is nothing to be read.
    """
    found = [one for file in files for one in _read(file, reading)]
    reading.end()
    return joined(found)


def _read(path: Path, reading: Reading) -> list[Measurement]:
    try:
        data = read_bytes(path, "a measurement", LENGTH_MAX)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    if len(data) > LENGTH_MAX:
        raise ConfigurationError(f"{path}: is too long; expected at most {LENGTH_MAX} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\x00" in text:
        raise ConfigurationError(f"{path}: is not text; expected {_EXPECTED}")
    before = len(reading.problems)
    found = checked(_parse(path, text, reading), reading)
    if not found and len(reading.problems) == before:
        raise ConfigurationError(f"{path}: no measurement in it; expected {_EXPECTED}")
    return found


def _parse(path: Path, text: str, reading: Reading) -> list[Measurement]:
    if text.lstrip()[:1] in ("{", "["):
        return read_json(text, str(path), reading)
    first = text.lstrip("\n").split("\n", 1)[0]
    if path.suffix == ".csv" or (
        "," in first and {"rdev", "tx_pend_count"} & set(first.split(","))
    ):
        return read_csv(text, str(path), reading)
    return read_text(text, str(path), reading)


def said(
    measurements: Sequence[Measurement],
    system: str | None,
    zone: str | None,
    ran: Ran | None,
    client: str | None = None,
) -> list[Measurement]:
    """The measurements with what the user says of all of them, where they do not say it."""
    return [
        replace(
            one,
            system=system or one.system,
            zone=one.zone or zone,
            ran=ran or one.ran,
            clients=one.clients if client is None else (system or one.system) == client,
        )
        for one in measurements
    ]
