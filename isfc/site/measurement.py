"""The record of what a site measured: one system, one interval, rows by RDEV and by link.

Every format is read into it, and whatever uses measurements uses nothing else. Figures are as the
source prints them: times per I/O in ms, MB of 2^20 bytes, "written" as the system sees it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from msgspec import Struct

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.layout.pasted import spans
from isfc.reports.figure import Reported


class FilePlace(Struct, frozen=True):
    """Where something stands: the file as the user named it, and the line, from 1 on.

    In a file without lines, ``unit`` says what is counted instead, such as ``byte``, from 0 on.
    """

    file: str
    line: int
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.unit} {self.line}" if self.unit else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class DeviceFigures:
    """A row of FCX108. Times are None where no I/O was done, or where the source has none.

    ``decimals`` is how many digits after the point its times are printed with; None: all of them.
    Rows are equal that say the same, wherever they stand.
    """

    rdev: Rdev
    io_per_s: float
    pend_ms: float | None
    disc_ms: float | None
    conn_ms: float | None
    serv_ms: float | None
    busy_percent: float | None
    place: FilePlace = field(compare=False)
    decimals: int | None = field(default=1, compare=False)


class WayFigures(Struct, frozen=True):
    """One direction of a link."""

    mb_per_s: float
    messages_per_s: float
    packages_per_s: float
    bytes_per_package: float
    messages_per_package: float


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """A row of link activity; ``partner`` is the node at the other end, if the source says it."""

    partner: str | None
    tx_pend_count: float
    collisions_per_s: float
    written: WayFigures
    read: WayFigures
    place: FilePlace = field(compare=False)

    @classmethod
    def of(cls, partner: str | None, at: Mapping[str, float], place: FilePlace) -> "LinkFigures":
        """Figures by the names of `LINK_COLUMNS`."""
        written, read = (
            WayFigures(*(at[f"{side}_{name}"] for name in WAY_COLUMNS)) for side in WAYS
        )
        return cls(partner, at["tx_pend_count"], at["collisions_per_s"], written, read, place)


WAY_COLUMNS: Final = WayFigures.__struct_fields__
WAYS: Final = ("written", "read")


@dataclass(frozen=True, slots=True)
class ConfiguredLink:
    """The devices of a link when monitoring began, in CP's order, and the node at its other end."""

    partner: str
    rdevs: tuple[Rdev, ...]
    place: FilePlace = field(compare=False)


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A device that was activated or deactivated in an interval, at a time in its zone."""

    partner: str
    rdev: Rdev
    activity: str
    time: str
    place: FilePlace = field(compare=False)

    def __str__(self) -> str:
        return f"{self.time} {format_rdev(self.rdev)} to {self.partner}: {self.activity}"


@dataclass(frozen=True, slots=True)
class ForeignFigures:
    """What z/OS counts of a CTC that XCF or VTAM drives: nothing of ISFC, nor of how busy it is.

    ``way`` is one of `WAYS`, ``partner`` the system or the line at the other end. ``transfer_us``
    is the mean time of a transfer. None is what the source does not tell.
    """

    software: str
    rdev: Rdev
    way: str
    partner: str
    io_per_s: float | None
    bytes_per_io: float | None
    transfer_us: float | None
    place: FilePlace = field(compare=False)

    @property
    def mb_per_s(self) -> float | None:
        """MB (2^20 bytes) a second."""
        if self.io_per_s is None or self.bytes_per_io is None:
            return None
        return self.io_per_s * self.bytes_per_io / 2**20


class Ran(Struct, frozen=True):
    """What ran, where the source or the user says it: a workload's name, and pairs of guests."""

    workload: str
    pairs: int

    def __str__(self) -> str:
        return f"{self.workload}:{self.pairs}"


@dataclass(frozen=True, slots=True, repr=False)
class Measurement(Reported):
    """What one system showed in one interval.

    ``begin`` and ``end`` are as the source prints them, in ``zone`` (as ``+02:00``; None if nobody
    says it). ``clients`` says whether the clients were on this system, None if nobody says it.
    ``passed`` are devices whose rows were left out, as they are no CTCs, with the type of each.
    """

    reported_by = "isfc.answers.measured_read.measurement_report"

    system: str | None
    begin: str | None
    end: str | None
    place: FilePlace = field(compare=False)
    zone: str | None = None
    ran: Ran | None = None
    clients: bool | None = None
    emulated: bool = False
    devices: tuple[DeviceFigures, ...] = ()
    links: tuple[LinkFigures, ...] = ()
    configured: tuple[ConfiguredLink, ...] = ()
    changes: tuple[LinkChange, ...] = ()
    passed: tuple[tuple[Rdev, str], ...] = ()
    foreign: tuple[ForeignFigures, ...] = ()

    @property
    def interval(self) -> str:
        """The interval in words."""
        times = " to ".join(time for time in (self.begin, self.end) if time)
        if not times:
            return "an interval without a time"
        return f"{times} {self.zone or '(no time zone said)'}"

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for the interval, each device and each link, as `table_rows` has them."""
        return [dict(row) for row in table_rows([self])]

    def __repr__(self) -> str:
        found = f"{len(self.devices) + len(self.foreign)} CTCs, {len(self.links)} links"
        return f"<Measurement {self.system or 'of no system'}, {self.interval}: {found}>"


_OF_MEASUREMENT: Final = ("system", "begin", "end", "zone", "clients", "emulated")
HEAD_COLUMNS: Final = ("kind", "system", "begin", "end", "zone", "workload", "pairs", "clients")
DEVICE_COLUMNS: Final = tuple(
    part.name for part in fields(DeviceFigures) if part.name not in ("place", "decimals")
)
_OF_LINK: Final = ("partner", "tx_pend_count", "collisions_per_s")
LINK_COLUMNS: Final = (*_OF_LINK, *(f"{side}_{name}" for side in WAYS for name in WAY_COLUMNS))
_OF_FOREIGN: Final = ("software", "way", "bytes_per_io", "transfer_us")
COLUMNS: Final = (
    *(*HEAD_COLUMNS, *DEVICE_COLUMNS, *LINK_COLUMNS, "emulated", "activity", "time"),
    *_OF_FOREIGN,
)
"""Of the neutral table, in order. ``kind`` is device, link, configured, change or foreign."""


@checked
def table_rows(measurements: Iterable[Measurement]) -> Iterator[dict[str, Any]]:
    """The neutral table, with all of `COLUMNS`: a row for each device and each link.

    And one for each device that was configured or changed.
    """
    for one in measurements:
        ran = one.ran
        head = {name: getattr(one, name) for name in _OF_MEASUREMENT}
        head |= {"workload": ran and ran.workload, "pairs": ran and ran.pairs}
        blank: dict[str, Any] = dict.fromkeys(COLUMNS)
        for device in one.devices:
            figures = {name: getattr(device, name) for name in DEVICE_COLUMNS}
            figures["rdev"] = format_rdev(device.rdev)
            yield {**blank, **head, "kind": "device", **figures}
        for link in one.links:
            figures = {name: getattr(link, name) for name in _OF_LINK}
            for side in WAYS:
                way = getattr(link, side)
                figures |= {f"{side}_{name}": getattr(way, name) for name in WAY_COLUMNS}
            yield {**blank, **head, "kind": "link", **figures}
        for each in one.configured:
            for rdev in each.rdevs:
                row = {"partner": each.partner, "rdev": format_rdev(rdev)}
                yield {**blank, **head, "kind": "configured", **row}
        for change in one.changes:
            row = {"partner": change.partner, "rdev": format_rdev(change.rdev)}
            row |= {"activity": change.activity, "time": change.time}
            yield {**blank, **head, "kind": "change", **row}
        for ctc in one.foreign:
            figures = {name: getattr(ctc, name) for name in ("partner", "io_per_s", *_OF_FOREIGN)}
            yield {**blank, **head, "kind": "foreign", **figures, "rdev": format_rdev(ctc.rdev)}


def without_copies(measurements: Sequence[Measurement], notes: list[str]) -> list[Measurement]:
    """The measurements without those pasted twice: the same figures of the same time, or of none.

    What is left out is told to ``notes``, those of two files in one of them.
    """
    found: dict[Measurement, FilePlace] = {}
    copies: dict[tuple[str, FilePlace], list[int]] = {}
    for one in measurements:
        if one in found:
            copies.setdefault((one.place.file, found[one]), []).append(one.place.line)
        else:
            found[one] = one.place
    notes += [
        f"{file}: {spans(lines)}, a copy: all figures are those of {before}, and so the interval"
        for (file, before), lines in copies.items()
    ]
    return [*found]


def joined(measurements: Sequence[Measurement]) -> list[Measurement]:
    """The measurements, those of one system and one interval as one.

    Device rows and link activity of an interval mostly come in files of their own. Where a file
    says no time, it goes with any other of its system: so there may be one such of each kind.
    """
    found: list[Measurement] = []
    for one in measurements:
        for index, other in enumerate(found):
            if _go_together(one, other):
                found[index] = _merged(other, one)
                break
        else:
            found.append(one)
    return found


def _go_together(one: Measurement, other: Measurement) -> bool:
    if one.system != other.system or one.foreign or other.foreign:
        return False
    if one.devices and other.devices:
        return _one_list(one, other)
    if one.links and other.links:
        # activity of several links
        partners = {link.partner for link in (*one.links, *other.links)}
        several = None not in partners and len(partners) == len(one.links) + len(other.links)
        return several and one.end is not None and one.end == other.end
    return None in (one.end, other.end) or one.end == other.end


def _one_list(one: Measurement, other: Measurement) -> bool:
    """Whether two lists of devices are one that went over a page or a screen.

    That is so for one interval of a system that is named, where no row contradicts another.
    """
    if one.system is None or one.end is None or (one.begin, one.end) != (other.begin, other.end):
        return False
    if one.links and other.links:
        return False
    if (one.zone, one.ran, one.clients) != (other.zone, other.ran, other.clients):
        return False
    rows = {each.rdev: each for each in one.devices}
    return all(rows[each.rdev] == each for each in other.devices if each.rdev in rows)


def _merged(first: Measurement, second: Measurement) -> Measurement:
    if None not in (first.ran, second.ran) and first.ran != second.ran:
        raise ConfigurationError(
            f"{second.place}: ran {second.ran}, and {first.ran} in {first.place}, of the same "
            "interval; expected one load for an interval"
        )
    known = {each.rdev for each in first.devices}
    said = ("begin", "end", "zone", "ran", "configured", "changes")
    return replace(
        first,
        **{name: getattr(first, name) or getattr(second, name) for name in said},
        clients=second.clients if first.clients is None else first.clients,
        devices=(*first.devices, *(each for each in second.devices if each.rdev not in known)),
        links=(*first.links, *second.links),
        passed=(*first.passed, *second.passed),
    )
