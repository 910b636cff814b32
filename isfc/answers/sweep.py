"""A sweep: every combination of a grid run once, and which of them is best, with what odds."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import JOBS_MAX, STANDARD_INPUT, Argument, checked, spelt
from isfc.errors.in_words import check_known, counted, listed
from isfc.layout.checked_toml import within
from isfc.layout.site import GivenSite
from isfc.reports.figure import Figure, Note, Reported, Unit
from isfc.reports.report import Column, Lines, Report, Table, between, data_table
from isfc.reports.units import range_note, with_unit
from scenarios.figures.certainty import Odds, nobody_is_ahead
from scenarios.figures.ranges import run_figures
from scenarios.runs.at_site import given_site
from scenarios.runs.notes import several_notes
from scenarios.runs.result import MEASURES, spread_percent
from scenarios.search import sweep as sweeping
from scenarios.search.grid import Cell, at_site, parse_grid, read_grid
from scenarios.search.workers import told

_LISTED: Final = 3
"""How many notes of a kind are shown; the runs have all."""

_BEST_SHOWN: Final = 4
"""How many loads have the best of theirs in the answer; more are found in the table."""


class SweptPlace(Struct, frozen=True):
    """A place on the axes that vary: means over its seeds, both ways together."""

    place: dict[str, str | int | float]
    """its value on each axis that varies"""
    mb_per_s: Figure
    """MB/s (2^20)"""
    messages_per_s: Figure
    """messages"""
    rdev_util_percent: Figure
    """utilisation of all CTCs together, as the clients' system sees it"""
    collisions_per_s: float
    """write collisions that the clients' system saw"""
    spread_percent: float | None
    """the greatest MB/s of its seeds less the least, in % of the mean; null where that is 0"""
    best_is_ahead_odds: float | None
    """how likely the best place of the same load is ahead of this one on real hardware, of 1;
    0.5 of the best itself, null where nothing is compared"""
    is_best: bool
    """whether it has the most MB/s of all places of the same load"""


class Sweep(Reported, Struct, frozen=True):
    """What every combination of a grid carries."""

    reported_by = "isfc.answers.sweep.sweep_report"

    seconds: float
    """virtual time that each run is measured, whatever is left of a trend"""
    warmup: float
    """and that goes before"""
    seeds: int
    """how many seeds the grid has"""
    varying: tuple[str, ...]
    """the axes that vary, but for the seed"""
    alike: tuple[str, ...]
    """those that say the load: places that differ in others are compared"""
    places: tuple[SweptPlace, ...]
    """in the order of the grid"""
    runs: tuple[sweeping.Row, ...]
    """every run in the order of the grid, a flat record each: [its keys](#the-runs-of-a-sweep)"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`, of all runs; those of one are in its record"""
    x: str
    """the column that is the x axis of a picture"""
    y: str
    """the column that is its y axis"""

    def rows(self) -> list[sweeping.Row]:
        """A flat record for each run, as a data frame takes them."""
        return [*self.runs]

    @property
    def best(self) -> list[SweptPlace]:
        """The best place of each load."""
        return [each for each in self.places if each.is_best]


@checked
def sweep(
    specification: Annotated[str | Path | Mapping[str, Any], Argument("SPEC.toml", "The grid.")],
    *,
    profile: GivenSite = None,
    store: Annotated[
        str | Path | None,
        Argument("FILE", "Where finished runs are kept, which are not run again: else SPEC.rows."),
    ] = None,
    jobs: Annotated[
        int | None,
        Argument("N", "Runs at a time; as many as processors if not given.", 1, JOBS_MAX),
    ] = None,
    cluster: Annotated[
        str | None, Argument("ADDR", "Run on a Dask cluster, such as tcp://scheduler:8786.")
    ] = None,
    x: Annotated[str, Argument("COLUMN", "The column of the x axis of a picture.")] = "pairs",
    y: Annotated[str, Argument("COLUMN", "The column of the y axis.")] = "mb_per_s",
) -> Sweep:
    """Run every combination of a grid, a line for each.

    What is finished is kept as it finishes: after Ctrl-C or a crash the same call goes on with the
    rest. The figures are the same to the last bit wherever they are run.

    Raises `ConfigurationError` for what is wrong with the specification: the path of a TOML file
    (docs/sweep.md), its text, or a dict as the file says it. Of these two runs are not kept without
    ``store``, and layouts are found in the current folder. A script calls it below
    ``if __name__ == "__main__":``; with one job it need not. ``profile`` is one more axis.
    """
    kept = None if store is None else Path(store)
    is_text = isinstance(specification, str) and "\n" in specification
    given = str(specification).encode("utf-8", "surrogatepass") if is_text else specification
    if isinstance(given, str | Path):
        path = Path(given)
        kept = kept or (_where_kept(path) if path.name else None)
        cells = read_grid(path)
    else:
        with within(spelt("specification")):
            cells = parse_grid(given)
    site = given_site(profile)
    cells = [at_site(cell, site) for cell in cells]
    for name, column in (("x", x), ("y", y)):
        check_known(spelt(name), column, (*cells[0].axes, *MEASURES))
    return _swept(cells, _rows(cells, sweeping.RowStore(kept), jobs, cluster), x, y)


def _swept(cells: Sequence[Cell], rows: Sequence[sweeping.Row], x: str, y: str) -> Sweep:
    """The answer, of the rows of all cells."""
    varying = sweeping.varying_axes(rows, [*cells[0].axes])
    places = tuple(_places(cells, rows, varying))
    odds = {tuple(each.place.values()): each.best_is_ahead_odds for each in places}
    keys = dict.fromkeys(key for row in rows for key in row)  # one that carries nothing has fewer
    runs = (
        {
            **{key: row.get(key) for key in keys},
            "best_is_ahead_odds": odds[tuple(row[axis] for axis in varying)],
        }
        for row in rows
    )
    return Sweep(
        cells[0].experiment.seconds,
        cells[0].experiment.warmup,
        len({cell.experiment.seed for cell in cells}),
        tuple(varying),
        tuple(sweeping.alike_in(varying)),
        places,
        tuple(runs),
        several_notes(map(sweeping.cell_notes, cells, rows), _LISTED),
        x,
        y,
    )


def _where_kept(path: Path) -> Path:
    """Where the runs of a file are kept if nothing else is said: beside it."""
    if path == STANDARD_INPUT or path.is_fifo():
        name = spelt("specification")
        raise ConfigurationError(
            f"{name} {path}: expected {spelt('store')} with it; finished runs are kept there"
        )
    return path.with_suffix(".rows")


def _rows(
    cells: Sequence[Cell], kept: sweeping.RowStore, jobs: int | None, cluster: str | None
) -> list[sweeping.Row]:
    """All rows in the order of the grid."""
    rows: dict[int, sweeping.Row] = {}
    places = {id(cell): index for index, cell in enumerate(cells)}

    def interrupted(done: float) -> str:
        where = f"kept in {kept.path}, and the same command goes on with the rest"
        return (
            f"interrupted after {done:g} of {len(cells)} runs; they are "
            f"{where if kept.path else 'not kept'}"
        )

    share_out = partial(sweeping.execute, jobs=jobs, cluster=cluster)
    with told(len(cells), "runs", interrupted) as advance:
        for cell, figures in sweeping.finish(cells, kept, share_out):
            rows[places[id(cell)]] = sweeping.row_of(cell, figures)
            advance(len(rows))
    return [rows[index] for index in range(len(cells))]


def _places(
    cells: Sequence[Cell], rows: Sequence[sweeping.Row], varying: Sequence[str]
) -> Iterator[SweptPlace]:
    """The means of each place, and whether it is ahead of the others of its load."""
    experiments = {id(row): cell.experiment for cell, row in zip(cells, rows, strict=True)}
    found = sweeping.groups(rows, varying)
    said = sweeping.standings(found, cells, rows, varying)
    for place, group in found.items():
        means = {name: sum(row[name] for row in group) / len(group) for name in MEASURES}
        figures = run_figures(experiments[id(group[0])], means)
        standing = said.get(place, "")
        yield SweptPlace(
            dict(zip(varying, place, strict=True)),
            figures["mb_per_s"],
            figures["messages_per_s"],
            figures["rdev_util_percent"],
            means["collisions_per_s"],
            spread_percent([row["mb_per_s"] for row in group]),
            standing.share
            if isinstance(standing, Odds)
            else 0.5
            if standing == sweeping.BEST
            else None,
            standing == sweeping.BEST,
        )


def sweep_report(found: Sweep) -> Report:
    """What is best at each load, then each place, and every run for programs."""
    over = f", the mean over {found.seeds} seeds" if found.seeds > 1 else ""
    caption = f"MB/s and messages both ways{over}; util % of all CTCs together"
    return Report(
        f"{counted(len(found.runs), 'run')} over {listed(found.varying or ['nothing'])}",
        [*_answer(found)],
        [
            data_table("Every run", found.runs, "runs"),
            Table(caption, _columns(found), found.places, "places"),
        ],
        notes=[*_known(found)],
        known=found.notes,
        charts=[_chart(found)],
    )


def _answer(found: Sweep) -> Iterator[tuple[str, str]]:
    """The best of each load, and what is not told apart from it; else what carries most."""
    for each in found.best[:_BEST_SHOWN]:
        load = _words(each, found.alike)
        what = _words(each, [axis for axis in found.varying if axis not in found.alike])
        others = sum(
            other.best_is_ahead_odds is not None
            and not other.is_best
            and nobody_is_ahead(Odds(other.best_is_ahead_odds))
            and _words(other, found.alike) == load
            for other in found.places
        )
        alike = f"; {others} more may be as good" if others else ""
        best = f"{what}: {with_unit(each.mb_per_s)} both ways{alike}"
        yield f"Best of {load}" if load else "Best", best
    if (more := len(found.best) - _BEST_SHOWN) > 0:
        yield "And more", f"the best of {more} more loads: the lines that have '{sweeping.BEST}'"
    if not found.best:
        most = max(found.places, key=lambda each: each.mb_per_s.value)
        yield "Most", f"{_words(most, found.varying)}: {with_unit(most.mb_per_s)} both ways"


def _words(place: SweptPlace, axes: Sequence[str]) -> str:
    """Where it is on some axes."""
    return ", ".join(f"{axis} {place.place[axis]}" for axis in axes)


def _columns(found: Sweep) -> list[Column]:
    odds = any(each.best_is_ahead_odds is not None for each in found.places)
    return [
        *map(_axis, found.varying),
        Column("MB/s", "mb_per_s"),
        *([Column("best\nis ahead", "best_is_ahead", value=_odds)] if odds else []),
        Column("msgs/s", "messages_per_s", ranged=False),
        Column("util %", "rdev_util_percent", ranged=False),
        Column("coll/s", "collisions_per_s", Unit.PER_S),
        *([Column("spread\n%", "spread_percent", Unit.PERCENT)] if found.seeds > 1 else []),
    ]


def _axis(name: str) -> Column:
    heading = "each" if name == "ctcs_per_chpid" else name
    return Column(heading, name, value=lambda place: place.place[name])


def _odds(place: SweptPlace) -> str:
    odds = place.best_is_ahead_odds
    return sweeping.BEST if place.is_best else "" if odds is None else str(Odds(odds))


_BOTH_WAYS: Final = ("mb_per_s", "messages_per_s")
"""Columns that are of both directions together."""


def _chart(found: Sweep) -> Lines:
    """``y`` over ``x``, the mean over seeds, a line for each place on the other axes."""
    x, y = found.x, found.y
    others = [axis for axis in found.varying if axis not in (x, y)]
    others = [axis for axis in others if len({row[axis] for row in found.runs}) > 1]
    rows = [
        {"of": " ".join(map(str, place)), "x": at, "y": _mean(same, y)}
        for place, group in sweeping.groups(found.runs, others).items()
        for (at,), same in sweeping.groups(group, [x]).items()
    ]
    return Lines(
        caption=f"{y} over {x}",
        rows=rows,
        across=Column(x, "x"),
        up=[Column(f"{y}{', both ways' * (y in _BOTH_WAYS)}", "y")],
        of=Column(", ".join(others), "of") if others else None,
    )


def _mean(rows: Sequence[sweeping.Row], column: str) -> Figure | float:
    """The mean of a column and of its ranges; a run that carries nothing has none."""
    columns = column, f"{column}_likely_low", f"{column}_likely_high"
    known = [each for each in columns if all(row.get(each) is not None for row in rows)]
    value, *ends = (float(sum(row[each] for row in rows) / len(rows)) for each in known)
    return between(value, *ends) if len(ends) == 2 else value


def _known(found: Sweep) -> Iterator[str]:
    """How long each run was, and how far the figures are known."""
    yield (
        f"Each run is of {found.seconds:g} s of virtual time after {found.warmup:g} s of warm-up, "
        "whatever is left of a trend."
    )
    if found.best:
        yield (
            "best is ahead: in how many of such choices the row with most MB/s of the same "
            f"{listed(found.alike or ['sweep'])} is ahead of this one on real hardware too."
        )
    yield range_note(each.mb_per_s for each in found.places)
