"""``isfc sweep``: a grid of layouts, workloads, pairs and seeds, each combination run once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import PrintOptions, is_read_once
from isfc.cli.options.number import JobsOption
from isfc.cli.options.option import flag, valued
from isfc.cli.options.profile import ProfileOption
from isfc.cli.output.file import (
    ForceOption,
    check_force,
    check_table_file,
    output_option,
    write_table,
)
from isfc.cli.output.notes import note_lines
from isfc.cli.output.picture import check_picture, write_picture
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.sweep.page import (
    HEADING,
    Swept,
    best_lines,
    check_columns,
    length_of,
    odds_line,
    range_line,
    sweep_picture,
    sweep_table,
    with_odds,
)
from isfc.errors import ConfigurationError
from isfc.search.grid import Cell, at_site, read_grid
from isfc.search.store import RowStore
from isfc.search.sweep import Row, cell_notes, execute, finish, row_of
from scenarios.runs.at_site import given_site
from scenarios.runs.notes import several_notes

LISTED = 3
"""How many notes of a kind are shown; the rows have all."""


class PlotOptions(Struct, frozen=True):
    """A picture of the rows, if one is wanted, and what is drawn over what."""

    plot: Annotated[
        Path | None, valued("FILE", "Draw --y over --x; FILE ends with .svg or .png.")
    ] = None
    x: Annotated[str, valued("COLUMN", "The column of the x axis.")] = "pairs"
    y: Annotated[str, valued("COLUMN", "The column of the y axis.")] = "mb_per_s"


class RowsPrinted(PrintOptions, frozen=True):
    """What the rows are printed as."""

    csv: Annotated[bool, flag("--csv", "Print the rows as CSV.")] = False


@flattened
def sweep(
    specification: Annotated[Path, typer.Argument(metavar="SPEC.toml", help="The grid.")],
    *,
    profile: ProfileOption = None,
    output: Annotated[
        Path | None, output_option("Write the rows; FILE ends with .csv or .parquet.")
    ] = None,
    force: ForceOption = False,
    store: Annotated[
        Path | None,
        valued(
            "FILE", "Where finished runs are kept, which are not run again; SPEC.rows if not given."
        ),
    ] = None,
    jobs: JobsOption = None,
    cluster: Annotated[
        str | None, valued("ADDR", "Run on a Dask cluster, such as tcp://scheduler:8786.")
    ] = None,
    picture: PlotOptions,
    printed: RowsPrinted,
) -> None:
    """Run every combination of a grid, a line for each.

    What is finished is kept as it finishes: after Ctrl-C or a crash the same command goes on with
    the rest. The rows are the same wherever they are run.
    """
    if store is None and is_read_once(str(specification)):
        raise ConfigurationError(
            f"SPEC {specification}: expected --store FILE with it; finished runs are kept there"
        )
    check_force("--output or --plot", output, picture.plot, force=force)
    if output is not None:
        check_table_file("--output", output, force=force)
    site = given_site(profile)
    cells = [at_site(cell, site) for cell in read_grid(specification)]
    if picture.plot is not None:
        check_picture(picture.plot, force=force)
        check_columns(cells, picture.x, picture.y)
    kept = RowStore(store or specification.with_suffix(".rows"))
    rows = _rows(cells, kept, jobs, cluster)
    axes = [*cells[0].axes]
    swept = Swept.of(cells, rows, axes)
    told = with_odds(swept)
    if output is not None:
        write_table(output, told)
    if picture.plot is not None:
        write_picture(picture.plot, sweep_picture(rows, axes, picture.x, picture.y))
    if printed.json:
        show_json(told)
    elif printed.csv:
        show_csv(told)
    else:
        notes = several_notes(map(cell_notes, cells, rows), LISTED)
        length = length_of(cells[0].experiment)
        table = sweep_table(swept)
        said = [line for line in (range_line(cells, rows), odds_line(swept)) if line]
        best = best_lines(swept)
        show(*best, *[""] * bool(best), HEADING, table, "", *said, "", length, *note_lines(notes))


def _rows(
    cells: Sequence[Cell], kept: RowStore, jobs: int | None, cluster: str | None
) -> list[Row]:
    """All rows in the order of the grid; after Ctrl-C the command ends and says what is kept."""
    rows: dict[int, Row] = {}
    places = {id(cell): index for index, cell in enumerate(cells)}

    def interrupted(done: float) -> str:
        return (
            f"interrupted after {done} of {len(cells)} runs; they are kept in {kept.path}, "
            "and the same command goes on with the rest"
        )

    with progress_bar(len(cells), "runs", interrupted) as advance:
        for cell, figures in finish(
            cells, kept, lambda work, items: execute(work, items, jobs, cluster)
        ):
            rows[places[id(cell)]] = row_of(cell, figures)
            advance(len(rows))
    return [rows[index] for index in range(len(cells))]
