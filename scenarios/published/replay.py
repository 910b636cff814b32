"""Replaying published tables: their runs again in virtual time, and the difference.

A row of a table names a run, and the table's view says what of the run it shows. So the rows of
several tables may need the same run; it is run once. Tables of rules, estimates and stop-shorts,
are computed without a run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import grouped
from isfc.layout.capacity import FULL_CTC_COUNT, rule_of_thumb_mb_per_s
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from isfc.link.parameters import RELEASES
from isfc.link.scan import stop_short
from scenarios.published import ficon_rows, system_rows
from scenarios.published.catalogue import load_table
from scenarios.published.system_rows import RELOCATION_ROWS
from scenarios.published.table import (
    Figures,
    PublishedRow,
    PublishedTable,
    Role,
    RowFunction,
    TableView,
    Value,
)
from scenarios.runs import report
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import Recording
from scenarios.runs.workload import find_workload

SECONDS: Final = 5.0
"""Virtual seconds measured of each run. IBM measured five minutes; ours is steady by then."""

WARMUP: Final = 0.5
"""Virtual seconds before that."""


_layout: Final = cache(load_layout)


class ComparedFigure(Struct, frozen=True):
    """One published figure beside ours.

    ``error`` is a ratio, (emulated - published) / published, and None where the published
    figure is 0. ``within`` says whether that is tolerated, None if no tolerance is declared.
    """

    table: str
    """the published table"""
    key: str
    """the row: of `transport` suite, CTCs, pairs, as in `HL/12/50`"""
    measure: str
    """the figure's column in the table, such as `mb_per_s` or `rdev_util_percent`"""
    published: float
    """IBM's figure"""
    emulated: float
    """ours"""
    error: float | None
    """(emulated - published) / published, or null where IBM has 0"""
    role: Role
    """`calibration` if constants were fitted to this row, else `acceptance`: a prediction"""
    within: bool | None
    """whether the row's [bound](fidelity.md) is kept, or null if it has none"""

    @classmethod
    def of(
        cls, table: PublishedTable, row: PublishedRow, measure: str, emulated: float
    ) -> "ComparedFigure":
        """A figure of a row beside ours."""
        published = row.number(measure)
        tolerance = table.tolerance(row, measure)
        return ComparedFigure(
            table=table.name,
            key=row.key,
            measure=measure,
            published=published,
            emulated=emulated,
            error=(emulated - published) / published if published else None,
            role=row.role,
            within=tolerance.admits(published, emulated) if tolerance else None,
        )


class Part(Struct, frozen=True):
    """Some rows of a published table, and how long their runs are measured."""

    table: PublishedTable
    rows: tuple[PublishedRow, ...]
    seconds: float = SECONDS

    def experiments(self) -> list[Experiment]:
        """What to run in order to repeat each row; nothing if the table is of rules."""
        if not self.table.is_measured:
            return []
        return [make_experiment(self.table, row, self.seconds) for row in self.rows]


def choose(
    tables: Sequence[PublishedTable],
    wanted: Mapping[str, Sequence[Value]],
    seconds: float = SECONDS,
) -> list[Part]:
    """The rows with one of the values wanted in each column; an empty list takes any value.

    A table that has no such column is left out, and so is one of which no row is left. Raises
    `ConfigurationError`, naming the argument of the column, for a value that is in none.
    """
    selection = {column: values for column, values in wanted.items() if values}
    where = f"the table {tables[0].name}" if len(tables) == 1 else "any table"
    for column, values in selection.items():
        kind = type(values[0])
        each = (table.choices(column) for table in tables)
        like = (found for found in each if all(isinstance(choice, kind) for choice in found))
        choices = dict.fromkeys(choice for found in like for choice in found)
        for value in values:
            if value not in choices:
                given = _listed([value])[:40]
                raise ConfigurationError(
                    f"{spelt(column.removesuffix('_bytes'))} {given}: not in {where}; "
                    f"expected {f'one of {_listed(choices)}' if choices else 'no such option'}"
                )
    having = [table for table in tables if selection.keys() <= table.rows[0].columns.keys()]
    parts = [Part(table, table.select(selection), seconds) for table in having]
    return [part for part in parts if part.rows]


def make_experiment(
    table: PublishedTable, row: PublishedRow, seconds: float = SECONDS
) -> Experiment:
    """What to run in order to repeat a published run; ``seconds`` are measured."""
    runs = table.runs
    if runs.names_of:
        return make_experiment(*_find_run(runs.names_of, row.columns["run"]), seconds)
    release = str(row.columns["release"])
    return Experiment.of(
        _layout(runs.layout.format_map(row.columns)),
        find_workload(runs.workload.format_map(row.columns)),
        pairs=int(row.number("pairs")),
        seconds=seconds,
        warmup=WARMUP,
        link=RELEASES[release.removeprefix("z/VM ")],
    )


def compare(
    table: PublishedTable, row: PublishedRow, recordings: Sequence[Recording]
) -> Iterator[ComparedFigure]:
    """Each published figure of a row beside ours: the mean, if there are several recordings.

    A table of rules, of channels or of relocations needs no recording; figures of the latter two
    that are not modelled are left out.
    """
    measures = [measure for measure in table.measures if row.has_number(measure)]
    if table.is_measured:
        emulated = [_measured(table, row, recording) for recording in recordings]
        ours: Figures = {
            measure: sum(float(getattr(found, measure) or 0) for found in emulated) / len(emulated)
            for measure in measures
        }
    elif table.view is TableView.CAPACITY:
        ours = capacity_row(table.runs.layout.format_map(row.columns))
    else:
        ours = _ROWS[table.name](row)
    for measure in measures:
        if measure in ours:
            yield ComparedFigure.of(table, row, measure, ours[measure])


def compare_all(
    parts: Iterable[Part], recordings: Mapping[Experiment, Sequence[Recording]]
) -> list[ComparedFigure]:
    """Every figure of some rows beside ours; each run has one recording, or one for each seed."""
    found: list[ComparedFigure] = []
    for part in parts:
        experiments = part.experiments()
        for index, row in enumerate(part.rows):
            of_row = recordings[experiments[index]] if experiments else ()
            found += compare(part.table, row, of_row)
    return found


def runs_of(parts: Iterable[Part]) -> list[Experiment]:
    """What to run for all of these rows, each run once."""
    return list(dict.fromkeys(run for part in parts for run in part.experiments()))


def capacity_row(layout: str) -> Figures:
    """What the first node of a layout can send, by its plan (``capacity_estimates.csv``)."""
    client, _ = make_plan(load_layout(layout)).directions
    return {
        "write_ctcs": len(client.write_order),
        "estimated_one_way_mb_per_s": client.estimated_mb_per_s,
    }


def chpid_row(row: PublishedRow) -> Figures:
    """What a chpid of a row's feature that is full carries one way (``chpid_estimates.csv``)."""
    profile = find_profile(str(row.columns["feature"]))
    rate = rule_of_thumb_mb_per_s(profile.link_gbps, FULL_CTC_COUNT)
    return {"link_gbit_per_s": profile.link_gbps, "estimated_one_way_mb_per_s": int(rate)}


def stop_short_row(row: PublishedRow) -> Figures:
    """How many CTCs a scan leaves to the partner, for all numbers in a row (``stop_short.csv``).

    A single CTC is left out: stopping short by one, its ends would have none to write on, and
    the report's own estimates say that they share it.
    """
    least, most = int(row.number("ctcs_min")), int(row.number("ctcs_max"))
    (only,) = {stop_short(count) for count in range(max(2, least), most + 1)}
    return {"scan_stops_short_by": only}


_ROWS: Final[Mapping[str, RowFunction]] = {
    **ficon_rows.ROWS,
    **system_rows.ROWS,
    **RELOCATION_ROWS,
    "chpid_estimates": chpid_row,
    "stop_short": stop_short_row,
}


def _measured(table: PublishedTable, row: PublishedRow, recording: Recording) -> report.Row:
    """What the view shows of a run in the place of a published row."""
    name, side = str(row.columns["run"]), str(row.columns["side"])
    whole = report.whole_run(name, recording, side)
    match table.view:
        case TableView.SUITE:
            return next(report.suite_rows(whole))
        case TableView.APPC:
            return next(report.appc_rows(whole))
        case TableView.DEVICE:
            rdev = str(row.columns["rdev"])
            devices = {device.rdev: device for device in report.device_rows(whole)}
            return devices.get(rdev) or report.idle_device(name, side, rdev)
        case _:
            published = table.select({"run": [name]})
            return list(report.link_rows(report.sampled_run(name, recording, side)))[
                published.index(row)
            ]


@cache
def _find_run(names: tuple[str, ...], run: Value) -> tuple[PublishedTable, PublishedRow]:
    """The row in which a run stands. Raises `ConfigurationError` if there is none."""
    for table in map(load_table, names):
        for row in table.select({"run": [run]}):
            return table, row
    raise ConfigurationError(f"run {run}: is in none of the tables {', '.join(names)}")


def _listed(values: Iterable[Value]) -> str:
    """Values in order, as their options take them."""
    ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
    return ", ".join(str(value).removeprefix("z/VM ") for value in ordered)


Cell = tuple[str, str, str]
"""A published figure: its table, key and measure."""


def figures_by_cell(comparisons: Iterable[ComparedFigure]) -> dict[Cell, list[float]]:
    """What was emulated of each published figure, once for each seed."""
    return grouped(((each.table, each.key, each.measure), each.emulated) for each in comparisons)
