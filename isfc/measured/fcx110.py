"""Performance Toolkit's FCX110, the details of a single device: labels, each with its figure.

The layout is published with a sample of a disk; a CTC's page has the same labels.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from ctc.address import Rdev
from isfc.measured.fcx108 import CTC_TYPES
from isfc.measured.figures import BadFigure, Reading
from isfc.measured.measurement import DeviceFigures, Measurement

_HEADING: Final = re.compile(r"Detailed Analysis for Device\s+([0-9A-F]{4})\b", re.IGNORECASE)
_OF_DEVICE: Final = re.compile(r"Path\(s\) to device\s+([0-9A-F]{4})\b", re.IGNORECASE)
_TYPE: Final = re.compile(r"Device type\s*:\s*(\w+)", re.IGNORECASE)
_FIGURE: Final = {
    "io_per_s": re.compile(r"SSCH rate/s\s*:\s*(\S+)", re.IGNORECASE),
    "pend_ms": re.compile(r"Function pend\.\s*:\s*(\S+)", re.IGNORECASE),
    "disc_ms": re.compile(r"Disconnected\s*:\s*(\S+)", re.IGNORECASE),
    "conn_ms": re.compile(r"(?<!s)Connected\s*:\s*(\S+)", re.IGNORECASE),
    "serv_ms": re.compile(r"Service time\s*:\s*(\S+)", re.IGNORECASE),
    "busy_percent": re.compile(r"Device busy\s*:\s*(\S+)", re.IGNORECASE),
}

_FORMS: Final = {"rdev": _OF_DEVICE, "type": _TYPE, **_FIGURE}


def heading_of(line: str) -> str | None:
    """The device number of a line that begins the details of a device, or None."""
    found = _HEADING.search(line)
    return found[1] if found else None


@dataclass(slots=True)
class Details:
    """The details of one device, as they are read; ``page`` is what stood above them."""

    address: str
    page: Measurement
    figures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The heading names the device, as a line below does."""
        self.figures["rdev"] = self.address

    def take(self, line: str) -> None:
        """Take what a line says; raises `BadFigure` if another line said something else."""
        found = {name: each[1] for name, form in _FORMS.items() if (each := form.search(line))}
        for name, text in found.items():
            before = self.figures.setdefault(name, text)
            if before.upper() != text.upper():
                raise BadFigure(
                    f"{name} of device {self.address} is {text}, and {before} above; expected one "
                    "of them: are these two devices without a heading between them?"
                )

    def device(self, reading: Reading) -> DeviceFigures | tuple[Rdev, str]:
        """The figures of the device, or the device and its type if it is no CTC.

        Raises `BadFigure` for a page that lacks some.
        """
        rdev, kind = Rdev(int(self.address, 16)), self.figures.get("type", "").upper()
        if kind and kind not in CTC_TYPES:
            return rdev, kind
        if missing := [name for name in _FIGURE if name not in self.figures]:
            raise BadFigure(
                f"the details of device {self.address} lack {', '.join(missing)}; expected them: "
                "has the page been cut?"
            )
        io, *times, busy = (
            reading.number(self.figures[name].removesuffix("ms")) for name in _FIGURE
        )
        pend, disc, conn, serv = times
        return DeviceFigures(rdev, io or 0.0, pend, disc, conn, serv, busy, self.page.place)
