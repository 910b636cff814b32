"""The published tables that are shipped: their names in order, and how one is read.

``tables/NAME.csv`` (of a link; ``channel_tables/NAME.csv`` of a channel, and ``relocation_tables``)
is a table as it was published. ``NAME.toml``, its companion, says where it comes from, how its runs
are repeated, which rows constants may be fitted to, and how near ours must come. What of them would
silently have no effect is refused.
"""

import csv
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.errors.in_words import expected
from scenarios.published import ficon_rows, system_rows, table
from scenarios.published.system_rows import RELOCATION_ROWS
from scenarios.runs.report import KEY_SEPARATOR

TABLES: Final = (
    "transport",
    "appc_regression",
    "appc_scaling",
    "device_reports",
    "link_activity",
    "capacity_estimates",
    "chpid_estimates",
    "stop_short",
)
"""The published tables of links, in the order in which they are shown."""

CHANNEL_TABLES: Final = (*ficon_rows.ROWS, *system_rows.ROWS)
"""The published tables of channels and of all else that uses the fibre; they need no run."""

ALL_TABLES: Final = (*TABLES, *CHANNEL_TABLES, *RELOCATION_ROWS)
"""Every published table that can be replayed, in the order in which they are shown."""

_FOLDERS: Final = ("tables", "channel_tables", "relocation_tables")

_ALSO_CALLED: Final = {"ficon_maxima": "ficon_generations"}
"""By what is in them: maxima of one channel, by generation."""


@cache
def load_table(name: str) -> table.PublishedTable:
    """The published table called ``name``. Raises `ConfigurationError` if there is none."""
    name = _ALSO_CALLED.get(name, name)
    folders = (resources.files("scenarios.published") / each for each in _FOLDERS)
    found = [each for each in folders if name.isidentifier() and (each / f"{name}.csv").is_file()]
    if not found:
        raise ConfigurationError(f"table {name[:40]!r} is unknown; {expected(name, ALL_TABLES)}")
    texts = ((found[0] / f"{name}.{kind}").read_text("utf-8") for kind in ("csv", "toml"))
    try:
        return parse_table(name, *texts)
    except ValueError as error:
        raise ConfigurationError(f"table {name}: {error}") from None


def parse_table(name: str, figures: str, companion: str) -> table.PublishedTable:
    """A table from the content of its two files. Raises `ValueError` if they do not agree."""
    beside = msgspec.convert({**tomllib.loads(companion), "name": name}, table.PublishedTable)
    header, *lines = csv.reader(figures.splitlines())
    more = {"release": beside.runs.release, "side": beside.runs.side}
    known = more if beside.view in table.MEASURED else {}
    rows = []
    for line in lines:
        columns = {**known, **dict(zip(header, map(_value, line), strict=True))}
        key = KEY_SEPARATOR.join(str(columns[column]) for column in beside.key)
        fitted = any(table.is_in(columns, selection) for selection in beside.calibration)
        role = table.Role.CALIBRATION if fitted else table.Role.ACCEPTANCE
        rows.append(table.PublishedRow(key, role, columns))
    found = structs.replace(beside, rows=tuple(rows))
    _check(found, header)
    return found


def _value(text: str) -> table.Value:
    """A field of the table: a number if it is one, else text, as the names of runs are."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"\d*\.\d+", text) else text


def _check(found: table.PublishedTable, header: Sequence[str]) -> None:
    """Find what would silently have no effect."""
    if len({row.key for row in found.rows}) != len(found.rows):
        raise ValueError(f"two rows have the same {KEY_SEPARATOR.join(found.key)}")
    if found.view in table.MEASURED and not (found.runs.layout or found.runs.names_of):
        raise ValueError(f"view {found.view}: expected [runs] with layout, or with names_of")
    for column in _named(found):
        if column not in header:
            raise ValueError(f"there is no column {column}; expected one of {', '.join(header)}")
    for selection in _selections(found):
        if not any(row.is_in(selection) for row in found.rows):
            raise ValueError(f"no row has {selection}")
    for entry in found.not_modelled:
        for key in entry.rows:
            if key not in {row.key for row in found.rows}:
                raise ValueError(f"not_modelled: there is no row {key}")
    _check_bounds(found)


def _check_bounds(found: table.PublishedTable) -> None:
    for bounds in (found.bounds, found.goals):
        if len({bound.subject for bound in bounds}) != len(bounds):
            raise ValueError("two bounds, or two goals, are of the same measure, group, distance")
    for bound in (*found.bounds, *found.goals):
        if bound.group not in found.groups:
            raise ValueError(f"bound of group {bound.group}: expected {', '.join(found.groups)}")
    for bound in found.bounds:
        count = sum(row.is_in(found.groups[bound.group]) for row in found.rows)
        if count == 1 < len(found.rows) and not bound.reason.strip():
            raise ValueError(f"bound of group {bound.group}: is of one row, which needs a reason")


def _named(found: table.PublishedTable) -> Iterator[str]:
    """Every column that the companion speaks of."""
    yield from found.key
    yield from found.measures
    yield from (column for selection in _selections(found) for column in selection)
    yield from (bound.measure for bound in (*found.bounds, *found.goals))
    yield from (name for change in found.changes for name in (change.measure, change.column))


def _selections(found: table.PublishedTable) -> Iterator[table.Selection]:
    """Every choice of rows that the companion makes."""
    yield from found.calibration
    yield from found.groups.values()
    for change in found.changes:
        yield from ({change.column: [value]} for value in (change.before, change.after))
