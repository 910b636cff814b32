"""The files of ``isfc sweep``: its runs as a table, and a picture of any column over any other."""

from collections.abc import Sequence
from typing import Final

from isfc.answers.sweep import Sweep
from isfc.cli.options.own_file import OwnFile, plot
from isfc.cli.output.curves import axis, curves, names_axis, nominal
from isfc.cli.output.file import write_table
from isfc.cli.output.picture import Spec, picture
from isfc.search.sweep import Row, groups

BOTH_WAYS: Final = ("mb_per_s", "messages_per_s")
"""Columns that are of both directions together."""


OUTPUT: Final = OwnFile(
    ("--output", "-o"),
    (".csv", ".parquet"),
    "FILE",
    "Write the runs; FILE ends with .csv or .parquet.",
    lambda path, found: write_table(path, found.runs),
)


def sweep_picture(found: Sweep) -> Spec:
    """``y`` over ``x``, the mean over seeds, a line for each place on the other axes.

    A bar at each point is its range in four of five cases; the axis says where there is none.
    """
    rows, x, y = found.runs, found.x, found.y
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


PLOT: Final = plot(sweep_picture)
