"""What figures of one row cannot be: negative, busier than a device can be, at odds."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from isfc.measured.figures import Reading
from isfc.measured.measurement import DeviceFigures, LinkFigures, Measurement

BUSY_MAX: Final = 100.5
"""Percent of one device: reports round to whole ones."""


def checked(measurements: Iterable[Measurement], reading: Reading) -> list[Measurement]:
    """The measurements without the rows that cannot be; what is wrong goes to ``reading``."""
    found = []
    for one in measurements:
        devices = tuple(each for each in one.devices if not _told(each, reading))
        links = tuple(each for each in one.links if not _told(each, reading))
        if devices or links or one.configured or one.changes:
            found.append(replace(one, devices=devices, links=links))
    return found


def once(measurements: Iterable[Measurement], reading: Reading) -> list[Measurement]:
    """The measurements without those of an interval that is there before; told to ``reading``."""
    found: list[Measurement] = []
    for one in measurements:
        before = next((each for each in found if one.end and _same(each, one)), None)
        if before is None:
            found.append(one)
        else:
            reading.problems.append(
                f"{one.place}: the same system and interval as {before.place} ({one.interval}); "
                "expected each once: are these two systems, and --system says of neither which?"
            )
    return found


def _same(one: Measurement, other: Measurement) -> bool:
    if (one.system, one.end, one.zone) != (other.system, other.end, other.zone):
        return False
    rdevs = {each.rdev for each in one.devices} & {each.rdev for each in other.devices}
    partners = {each.partner for each in one.links} & {each.partner for each in other.links}
    return bool(rdevs or partners)


def _told(row: DeviceFigures | LinkFigures, reading: Reading) -> bool:
    problems = [*(_of_device(row) if isinstance(row, DeviceFigures) else _of_link(row))]
    reading.problems += [f"{row.place}: {problem}" for problem in problems]
    return bool(problems)


def _of_device(row: DeviceFigures) -> Iterator[str]:
    name = f"RDEV {row.rdev:04X}"
    times = {"Pend": row.pend_ms, "Disc": row.disc_ms, "Conn": row.conn_ms, "Serv": row.serv_ms}
    for what, value in {"I/O a second": row.io_per_s, "Busy": row.busy_percent, **times}.items():
        if value is not None and value < 0:
            yield f"{name}: {what} {value:g} is negative; expected 0 or more"
    if row.busy_percent is not None and row.busy_percent > BUSY_MAX:
        yield f"{name}: Busy {row.busy_percent:g} %; expected at most 100 of one device"
    parts = (row.pend_ms, row.disc_ms, row.conn_ms)
    if row.serv_ms is None or None in parts:
        return
    total = sum(part for part in parts if part is not None)
    # each of four figures is off by up to half of its last digit
    unit = 10.0 ** -(1 if row.decimals is None else row.decimals)
    # Performance Toolkit drops the digit after the point of what does not fit
    coarse = sum(0.5 for part in (*parts, row.serv_ms) if part is not None and part > 99.5)
    if abs(total - row.serv_ms) > 2 * unit + coarse + 1e-9:
        yield (
            f"{name}: Serv {row.serv_ms:g} ms is not Pend + Disc + Conn, {total:g} ms; "
            "expected the same within rounding: are columns shifted?"
        )


def _of_link(row: LinkFigures) -> Iterator[str]:
    figures = {
        "TXPENDCT": row.tx_pend_count,
        "WCol/sec": row.collisions_per_s,
        "WMB/sec": row.written.mb_per_s,
        "WPkg/sec": row.written.packages_per_s,
        "WMsg/sec": row.written.messages_per_s,
        "RMB/sec": row.read.mb_per_s,
        "RPkg/sec": row.read.packages_per_s,
        "RMsg/sec": row.read.messages_per_s,
    }
    for what, value in figures.items():
        if value < 0:
            yield f"{what} {value:g} is negative; expected 0 or more"
    for side, way in (("W", row.written), ("R", row.read)):
        derived = way.packages_per_s * way.bytes_per_package / 2**20
        if abs(derived - way.mb_per_s) > 0.1 + 0.02 * way.mb_per_s and way.packages_per_s >= 10:
            yield (
                f"{side}MB/sec {way.mb_per_s:g} is not {side}Pkg/sec times bytes a package, "
                f"{derived:.1f}; expected the same within rounding: are columns shifted?"
            )
