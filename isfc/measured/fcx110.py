"""Performance Toolkit's FCX110, the details of a single device: labels, each with its figure.

The layout is published with a sample of a disk; a CTC's page has the same labels.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ctc.address import Rdev
from isfc.measured.fcx108 import CTC_TYPES
from isfc.measured.figures import BadFigure, Reading
from isfc.measured.measurement import DeviceFigures, Measurement

_HEADING: Final = re.compile(r"Detailed Analysis for Device\s+([0-9A-F]{4})\b", re.IGNORECASE)
_TYPE: Final = re.compile(r"Device type\s*:\s*(\w+)", re.IGNORECASE)
_FIGURE: Final = {
    "io_per_s": re.compile(r"SSCH rate/s\s*:\s*(\S+)", re.IGNORECASE),
    "pend_ms": re.compile(r"Function pend\.\s*:\s*(\S+)", re.IGNORECASE),
    "disc_ms": re.compile(r"Disconnected\s*:\s*(\S+)", re.IGNORECASE),
    "conn_ms": re.compile(r"(?<!s)Connected\s*:\s*(\S+)", re.IGNORECASE),
    "serv_ms": re.compile(r"Service time\s*:\s*(\S+)", re.IGNORECASE),
    "busy_percent": re.compile(r"Device busy\s*:\s*(\S+)", re.IGNORECASE),
}


def heading_of(line: str) -> str | None:
    """The device number of a line that begins the details of a device, or None."""
    found = _HEADING.search(line)
    return found[1] if found else None


@dataclass(slots=True)
class Details:
    """The details of one device, as they are read; ``page`` is what stood above them."""

    address: str
    page: Measurement
    kind: str | None = None
    figures: dict[str, str] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """Take what a line says."""
        if found := _TYPE.search(line):
            self.kind = found[1].upper()
        for name, pattern in _FIGURE.items():
            if found := pattern.search(line):
                self.figures.setdefault(name, found[1])

    def device(self, reading: Reading) -> DeviceFigures | None:
        """The figures of the device; None for one that is no CTC.

        Raises `BadFigure` for a page that lacks some.
        """
        if self.kind is not None and self.kind not in CTC_TYPES:
            return None
        if missing := [name for name in _FIGURE if name not in self.figures]:
            raise BadFigure(
                f"the details of device {self.address} lack {', '.join(missing)}; expected them: "
                "has the page been cut?"
            )
        numbers: Mapping[str, float | None] = {
            name: reading.number(text.removesuffix("ms")) for name, text in self.figures.items()
        }
        return DeviceFigures(
            Rdev(int(self.address, 16)),
            numbers["io_per_s"] or 0.0,
            numbers["pend_ms"],
            numbers["disc_ms"],
            numbers["conn_ms"],
            numbers["serv_ms"],
            numbers["busy_percent"],
            self.page.place,
        )
