"""Reading the published tables that are shipped.

``tables/NAME.csv`` (of a link; ``channel_tables/NAME.csv`` of a channel, and ``relocation_tables``)
is a table as it was published. ``NAME.toml``, its companion, says where it comes from, how its runs
are repeated, which rows constants may be fitted to, and how near ours must come.
"""

import csv
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import msgspec
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.in_words import expected
from scenarios.published import table
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

CHANNEL_TABLES: Final = (
    "ficon_generations",
    "ficon_ratios",
    "ficon_mix",
    "ficon_response",
    "channel_activity",
    "channel_generation_codes",
    "ficon_frames",
    "ficon_iu_counts",
    "ficon_distance",
    "isl_capacity",
    "endpoint_security",
    "endpoint_security_batch",
    "fcp",
    "sap_capacity",
    "sap_iop_activity",
    "z15_models",
    "guidelines",
    "ioss_bandwidth",
    "zhyperlink_latency",
    "zhyperlink_limits",
    "zhyperlink_rmf",
    "zhyperlink_workloads",
    "zhyperlink_link_statistics",
    "latency_ladder",
    "transaction_breakdown",
    "osa_link_capacity",
    "osa_streams",
    "sas_members",
    "sas_elapsed",
    "sas_channel_utilization",
)
"""Those of channels and of all else that uses the fibre; they need no run."""

RELOCATION_TABLES: Final = ("relocation", "relocation_rules")
"""Those of live guest relocation."""

ALL_TABLES: Final = (*TABLES, *CHANNEL_TABLES, *RELOCATION_TABLES)
"""Every published table that can be replayed."""

_FOLDERS: Final = {
    **dict.fromkeys(CHANNEL_TABLES, "channel_tables"),
    **dict.fromkeys(RELOCATION_TABLES, "relocation_tables"),
}

_ALSO_CALLED: Final = {"ficon_maxima": "ficon_generations"}
"""By what is in them: maxima of one channel, by generation."""


def load_table(name: str) -> table.PublishedTable:
    """The published table called ``name``. Raises `ConfigurationError` if there is none."""
    name = _ALSO_CALLED.get(name, name)
    if name not in ALL_TABLES:
        raise ConfigurationError(f"table {name[:40]!r} is unknown; {expected(name, ALL_TABLES)}")
    folder = _folder(_FOLDERS.get(name, "tables"))
    texts = ((folder / f"{name}.{kind}").read_text("utf-8") for kind in ("csv", "toml"))
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
    rows = tuple(
        _row(
            {**known, **dict(zip(header, map(_value, line), strict=True))},
            *(beside.key, beside.calibration),
        )
        for line in lines
    )
    found = structs.replace(beside, rows=rows)
    _check(found, header)
    return found


def _row(
    columns: dict[str, table.Value], key: Iterable[str], calibration: Iterable[table.Selection]
) -> table.PublishedRow:
    name = KEY_SEPARATOR.join(str(columns[column]) for column in key)
    fitted = any(table.is_in(columns, selection) for selection in calibration)
    return table.PublishedRow(
        name, table.Role.CALIBRATION if fitted else table.Role.ACCEPTANCE, columns
    )


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


def _folder(name: str) -> Traversable:
    return resources.files("scenarios.published") / name
