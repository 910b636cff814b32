"""The files of ``isfc sweep``: its runs as a table, and a picture of any column over any other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from isfc.answers.sweep import Sweep
from isfc.cli.options.layout import is_read_once
from isfc.cli.options.option import valued
from isfc.cli.output.curves import axis, curves, names_axis, nominal
from isfc.cli.output.file import Files, check_table_file, output_option, write_table
from isfc.cli.output.picture import Spec, check_picture, picture, write_picture
from isfc.errors import ConfigurationError
from isfc.layout.in_words import expected
from isfc.search.grid import Cell, at_site, read_grid
from isfc.search.standing import groups
from isfc.search.sweep import Row
from scenarios.runs.at_site import given_site
from scenarios.runs.repeat import MEASURES

BOTH_WAYS: Final = ("mb_per_s", "messages_per_s")
"""Columns that are of both directions together."""


class SweepFiles(Files, frozen=True):
    """Where the runs are written to, and the picture if one is wanted: what is over what."""

    output: Annotated[
        Path | None, output_option("Write the runs; FILE ends with .csv or .parquet.")
    ] = None
    plot: Annotated[
        Path | None, valued("FILE", "Draw --y over --x; FILE ends with .svg or .png.")
    ] = None
    x: Annotated[str, valued("COLUMN", "The column of the x axis.")] = "pairs"
    y: Annotated[str, valued("COLUMN", "The column of the y axis.")] = "mb_per_s"

    @property
    def paths(self) -> tuple[Path | None, ...]:
        """What is written."""
        return self.output, self.plot

    def prepare(self, given: dict[str, Any], *, force: bool) -> None:
        """Check it all before anything is run; the grid is read here, and runs are always kept.

        Raises `ConfigurationError`.
        """
        path = given["specification"]
        if given["store"] is None and is_read_once(str(path)):
            raise ConfigurationError(
                f"SPEC {path}: expected --store FILE with it; finished runs are kept there"
            )
        given["store"] = given["store"] or path.with_suffix(".rows")
        if self.output is not None:
            check_table_file("--output", self.output, force=force)
        site = given_site(given.pop("profile"))
        given["specification"] = cells = [at_site(cell, site) for cell in read_grid(path)]
        if self.plot is not None:
            check_picture(self.plot, force=force)
            check_columns(cells, self.x, self.y)

    def write(self, found: Sweep) -> None:
        """Write what is wanted."""
        if self.output is not None:
            write_table(self.output, found.runs)
        if self.plot is not None:
            write_picture(self.plot, sweep_picture(found, self.x, self.y))


def check_columns(cells: Sequence[Cell], x: str, y: str) -> None:
    """Find out before anything is run whether the picture can be drawn."""
    columns = (*cells[0].axes, *MEASURES)
    for option, column in (("--x", x), ("--y", y)):
        if column not in columns:
            raise ConfigurationError(
                f"{option} {column[:40]!r}: not a column; {expected(column, columns)}"
            )


def sweep_picture(found: Sweep, x: str, y: str) -> Spec:
    """``y`` over ``x``, the mean over seeds, a line for each place on the other axes.

    A bar at each point is its range in four of five cases; the axis says where there is none.
    """
    rows = found.runs
    others = [axis for axis in found.varying if axis not in (x, y)]
    others = [axis for axis in others if len({row[axis] for row in rows}) > 1]
    ends = {"low": f"{y}_likely_low", "high": f"{y}_likely_high"}
    if not (ranged := ends["low"] in rows[0]):
        ends = {}
    values = [
        {
            "curve": " ".join(map(str, place)),
            "x": key[0],
            **{end: _mean(same, column) for end, column in {"y": y, **ends}.items()},
        }
        for place, group in groups(rows, others).items()
        for key, same in groups(group, [x]).items()
    ]
    lower = names_axis("x", x) if isinstance(rows[0][x], str) else axis("x", x, zero=False)
    title = f"{y}{', both ways' * (y in BOTH_WAYS)}"
    bars = "; bars: four of five cases" if ranged else ", without a range"
    names = [*dict.fromkeys(value["curve"] for value in values)]
    colour = nominal("curve", names, orient="right", columns=1) | {"title": ", ".join(others)}
    if not others:
        colour["legend"] = None
    drawn = curves(lower, axis("y", title + bars), colour, ("low", "high") if ranged else None)
    return picture(f"{y} over {x}", data={"values": values}, **drawn)


def _mean(rows: Sequence[Row], column: str) -> float | None:
    """The mean of a column; None where a run that carries nothing has no range."""
    figures = [row[column] for row in rows]
    return None if None in figures else float(sum(figures) / len(figures))
