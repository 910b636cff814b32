"""Tables as CSV and JSON: the neutral one, and those that the emulator prints of its runs.

`isfc.site.measurement.COLUMNS` names the neutral columns; a table may lack what it does not
know. ``isfc run --report device --csv`` and ``--report link --csv`` have columns of their own, as
the published tables have them; ``isfc run --json`` is one record of both.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ctc.address import CtcError, Rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.layout import checked_toml
from isfc.layout.csv_table import CsvTable
from isfc.site.dates import read_stamp
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import (
    LINK_COLUMNS,
    WAY_COLUMNS,
    WAYS,
    ConfiguredLink,
    DeviceFigures,
    FilePlace,
    ForeignFigures,
    LinkChange,
    LinkFigures,
    Measurement,
    Ran,
)

_RENAMED: Final = {
    "timestamp": "end",
    "link": "partner",
    "write_collisions_per_s": "collisions_per_s",
    **{
        f"{theirs}_{short}": f"{ours}_{name}"
        for theirs, ours in (("write", "written"), ("read", "read"))
        for short, name in zip(
            ("mb_per_s", "msgs_per_s", "pkgs_per_s", "bytes_per_pkg", "msgs_per_pkg"),
            WAY_COLUMNS,
            strict=True,
        )
    },
}
"""Columns of the published tables by their neutral names."""

_TIMES: Final = ("pend_ms", "disc_ms", "conn_ms", "serv_ms")
_DEVICE_NEEDED: Final = ("rdev", "io_per_s", *_TIMES)


def read_csv(text: str, file: str, reading: Reading) -> list[Measurement]:
    """The measurements of a CSV file with a line of column names; `BadFigure` if it has none."""
    table = CsvTable(text, f"{file}:")
    names = [_RENAMED.get(name, name) for name in table.names]
    if not {"rdev", "tx_pend_count"} & set(names):
        raise ConfigurationError(
            f"{file}:1: no table of devices or links; expected a line of column names with rdev "
            "or tx_pend_count"
        )
    if "" in names:
        raise ConfigurationError(
            f"{file}:1: column {names.index('') + 1} has no name; expected one"
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(f"{file}:1: column {', '.join(twice)} twice; expected it once")
    rows = []
    for number, cells, problem in table:
        place = FilePlace(file, number)
        if problem:
            reading.problems.append(f"{place}: {problem}")
        else:
            rows.append((place, {_RENAMED.get(name, name): text for name, text in cells.items()}))
    return _measurements(rows, reading)


def read_json(text: str, file: str, reading: Reading) -> list[Measurement]:
    """The measurements of a JSON document: a list of rows, or what ``isfc run --json`` prints."""
    document = checked_toml.read_json(text, file)
    place = FilePlace(file, 1)
    if isinstance(document, dict) and "measurements" in document:
        document = document["measurements"]
    if isinstance(document, dict) and isinstance(document.get("devices"), list):
        try:
            return [_run(document, place, reading)]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigurationError(
                f"{file}: not all of what 'isfc run --json' prints ({error})"
            ) from None
    if not isinstance(document, list) or not all(isinstance(row, dict) for row in document):
        raise ConfigurationError(
            f"{file}: expected what 'isfc run --json' or 'isfc measured read --json' prints"
        )
    rows = [
        (
            FilePlace(file, number),
            {_RENAMED.get(k, k): "" if v is None else str(v) for k, v in row.items()},
        )
        for number, row in enumerate(document, start=1)
    ]
    return _measurements(rows, reading)


def _run(record: Mapping[str, Any], place: FilePlace, reading: Reading) -> Measurement:
    """What ``isfc run --json`` says of a run."""
    node = str(record.get("node", ""))
    ran = Ran(str(record["workload"]), int(record["pairs"])) if "workload" in record else None
    clients = record.get("client") == node
    devices: list[DeviceFigures] = []
    for each in record["devices"]:
        row = {name: str(value) for name, value in each.items()}
        device = _device(row, place, reading)
        if not device.io_per_s:
            device = replace(device, pend_ms=None, disc_ms=None, conn_ms=None, serv_ms=None)
        devices.append(device)
    figures = {
        f"{side}_{name}": float(record[f"{name}_{way}"])
        for side, way in zip(WAYS, ("out", "in"), strict=True)
        for name in WAY_COLUMNS
    }
    figures |= {name: float(record[name]) for name in ("tx_pend_count", "collisions_per_s")}
    rows = tuple(devices), (LinkFigures.of(None, figures, place),)
    return Measurement(node or None, None, None, place, None, ran, clients, True, *rows)


def _measurements(
    rows: Iterable[tuple[FilePlace, Mapping[str, str]]], reading: Reading
) -> list[Measurement]:
    """Rows, those of one system and interval together."""
    found: dict[tuple[object, ...], Measurement] = {}

    def take(place: FilePlace, cells: Mapping[str, str]) -> None:
        head = _head(cells, place)
        key = (head.system, head.begin, head.end, head.zone, head.ran, cells.get("run"))
        one = found.get(key, head)
        if cells.get("kind") in ("configured", "change"):
            found[key] = _with_link(one, cells, place)
        elif cells.get("kind") == "foreign":
            found[key] = replace(one, foreign=(*one.foreign, _foreign(cells, place, reading)))
        elif cells.get("rdev"):
            device = _device(cells, place, reading)
            for each in one.devices:
                if each == device:
                    return
                if each.rdev == device.rdev:
                    raise BadFigure(
                        f"RDEV {device.rdev:04X} is in line {each.place.line} of this interval as "
                        "well; expected it once"
                    )
            found[key] = replace(one, devices=(*one.devices, device))
        elif cells.get("tx_pend_count"):
            found[key] = replace(one, links=(*one.links, _link(cells, place, reading)))
        else:
            raise BadFigure("neither rdev nor tx_pend_count; expected one of them")

    for place, cells in rows:
        reading.attempt(place, partial(take, place, cells))
    return [*found.values()]


def _with_link(one: Measurement, cells: Mapping[str, str], place: FilePlace) -> Measurement:
    """A measurement with one more device of a link, or one more change of one."""
    partner, rdev = cells.get("partner") or "", _rdev(cells)
    if cells["kind"] == "change":
        activity, time = cells.get("activity") or "", cells.get("time") or ""
        return replace(
            one, changes=(*one.changes, LinkChange(partner, rdev, activity, time, place))
        )
    *others, last = one.configured or (ConfiguredLink(partner, (), place),)
    if last.partner != partner:
        others, last = [*others, last], ConfiguredLink(partner, (), place)
    return replace(one, configured=(*others, replace(last, rdevs=(*last.rdevs, rdev))))


def _rdev(cells: Mapping[str, str]) -> Rdev:
    try:
        return parse_rdev((cells.get("rdev") or "").strip())
    except CtcError:
        raise BadFigure(f"rdev {cells['rdev'][:10]!r}; expected one such as 6000") from None


def _head(cells: Mapping[str, str], place: FilePlace) -> Measurement:
    clients = cells.get("clients") or {"client": "true", "server": "false"}.get(
        cells.get("side", ""), ""
    )
    begin, end = (
        read_stamp(text) if (text := cells.get(name) or "") else None for name in ("begin", "end")
    )
    pairs, workload = cells.get("pairs") or "", cells.get("workload") or ""
    return Measurement(
        (cells.get("system") or "").upper() or None,
        begin,
        end,
        place,
        zone=cells.get("zone") or None,
        ran=Ran(workload, int(pairs)) if pairs.isdigit() and workload else None,
        clients={"true": True, "false": False}.get(clients.lower()),
        emulated=(cells.get("emulated") or "").lower() == "true",
    )


def _reader(cells: Mapping[str, str], reading: Reading) -> Callable[[str], float | None]:
    def read(name: str) -> float | None:
        text = (cells.get(name) or "").strip()
        return reading.number(text) if text and text != "None" else None

    return read


def _device(cells: Mapping[str, str], place: FilePlace, reading: Reading) -> DeviceFigures:
    if missing := [name for name in _DEVICE_NEEDED if name not in cells]:
        raise BadFigure(f"no column {', '.join(missing)}; expected {', '.join(_DEVICE_NEEDED)}")
    number = _reader(cells, reading)
    rdev = _rdev(cells)
    io_per_s, busy = number("io_per_s"), number("busy_percent")
    pend, disc, conn, serv = times = [number(name) for name in _TIMES]
    if io_per_s is None and (busy or times != [None] * len(times)):
        raise BadFigure(f"RDEV {rdev:04X}: no io_per_s, and times of I/Os; expected both")
    if io_per_s and busy is None and "busy_percent" in cells:
        raise BadFigure(f"RDEV {rdev:04X}: I/Os and no busy_percent; expected both")
    decimals = max(len(cells[name].partition(".")[2]) for name in _TIMES)
    return DeviceFigures(rdev, io_per_s or 0.0, pend, disc, conn, serv, busy, place, decimals)


def _foreign(cells: Mapping[str, str], place: FilePlace, reading: Reading) -> ForeignFigures:
    software, way, partner = (cells.get(name) or "" for name in ("software", "way", "partner"))
    number = _reader(cells, reading)
    io, size, time = figures = [number(n) for n in ("io_per_s", "bytes_per_io", "transfer_us")]
    if way not in WAYS or not software or any(each is not None and each < 0 for each in figures):
        raise BadFigure("a CTC of other software; expected software, way and figures from 0")
    return ForeignFigures(software, _rdev(cells), way, partner, io, size, time, place)


def _link(cells: Mapping[str, str], place: FilePlace, reading: Reading) -> LinkFigures:
    if missing := [name for name in LINK_COLUMNS[3:] if not (cells.get(name) or "").strip()]:
        raise BadFigure(f"link activity without {', '.join(missing)}; expected these figures")
    number = _reader(cells, reading)
    figures = {name: number(name) or 0.0 for name in LINK_COLUMNS[1:]}
    return LinkFigures.of((cells.get("partner") or "").upper() or None, figures, place)
