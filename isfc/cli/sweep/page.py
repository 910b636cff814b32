"""What ``isfc sweep`` shows: a line for each place in the grid, and any column over any other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from rich.table import Table

from isfc.cli.output.curves import axis, curves, names_axis, nominal
from isfc.cli.output.picture import Spec, picture
from isfc.cli.sweep.standing import BEST, COLUMN, Place, alike_in, standings
from isfc.cli.sweep.standing import HEADING as HEADING_ODDS
from isfc.cli.sweep.standing import NOTE as ODDS_NOTE
from isfc.errors import ConfigurationError
from isfc.layout.in_words import expected, listed
from isfc.reports.ranges import factor_line, plain, range_note
from isfc.reports.table import plain_table
from isfc.search.grid import Cell
from isfc.search.sweep import Row
from scenarios.figures.certainty import Odds
from scenarios.figures.figure import Interval
from scenarios.figures.ranges import run_figures
from scenarios.runs.experiment import Experiment
from scenarios.runs.repeat import MEASURES, spread_percent

SHOWN: Final = {
    "MB/s": ("mb_per_s", "{:.1f}"),
    "msgs/s": ("messages_per_s", "{:.0f}"),
    "util %": ("rdev_util_percent", "{:.0f}"),
    "coll/s": ("collisions_per_s", "{:.1f}"),
}
"""The measures of the table: heading, column and form."""

HEADING: Final = "MB/s (2^20) and messages both ways together, util % of all CTCs together"
"""What the figures of the table are."""

BOTH_WAYS: Final = ("mb_per_s", "messages_per_s")
"""Columns that are of both directions together."""

BEST_SHOWN: Final = 4
"""Best rows that are said before the table; more are found in it."""

HEADINGS: Final = {"ctcs_per_chpid": "each"}
"""The axes that have another heading than their name."""

_SEED: Final = "seed"


def varying_axes(rows: Sequence[Row], axes: Sequence[str]) -> list[str]:
    """The axes that vary, but for the seed; the first if none does."""
    varying = [axis for axis in axes if axis != _SEED and len({row[axis] for row in rows}) > 1]
    return varying or [axes[0]]


@dataclass(frozen=True, slots=True)
class Swept:
    """The rows of a grid by their places on the axes that vary, and which of them is ahead."""

    rows: Sequence[Row]
    varying: list[str]
    groups: dict[Place, list[Row]]
    odds: dict[Place, Odds | str]
    """As `standings` has them."""

    @classmethod
    def of(cls, cells: Sequence[Cell], rows: Sequence[Row], axes: Sequence[str]) -> Self:
        """Compare them."""
        varying = varying_axes(rows, axes)
        found = groups(rows, varying)
        return cls(rows, varying, found, standings(found, cells, rows, varying))


def sweep_table(swept: Swept) -> Table:
    """A line for each place on the axes that vary; seeds become their mean and MB/s' spread."""
    rows, odds = swept.rows, swept.odds
    seeded = len({row[_SEED] for row in rows}) > 1
    places = (
        f"{'' if isinstance(rows[0][axis], str) else '>'}{HEADINGS.get(axis, axis)}"
        for axis in swept.varying
    )
    rate, *others = (f">{heading}" for heading in (*SHOWN, *(["spread"] if seeded else [])))
    ahead = [HEADING_ODDS] if odds else []
    table = plain_table(*places, rate, "~range", *ahead, *others, gap=1, no_wrap=True)
    for place, group in swept.groups.items():
        figures = [[row[column] for row in group] for column, _ in SHOWN.values()]
        means = [sum(values) / len(values) for values in figures]
        spread = spread_percent(figures[0])
        rate, *others = (
            form.format(mean) for mean, (_, form) in zip(means, SHOWN.values(), strict=True)
        )
        table.add_row(
            *(str(value).replace("FICON Express", "Ex") for value in place),
            *(rate, plain(_likely(group)), *([str(odds[place])] if odds else []), *others),
            *(["-" if spread is None else f"{spread:.1f}"] if seeded else []),
        )
    return table


def _likely(group: Sequence[Row]) -> Interval:
    """The range of the mean MB/s of some rows."""
    low, high = (f"mb_per_s_likely_{end}" for end in ("low", "high"))
    return Interval(*(sum(row[end] for row in group) / len(group) for end in (low, high)))


def with_odds(swept: Swept) -> list[Row]:
    """The same rows with one column more, `COLUMN`; of several seeds the odds of their mean."""
    shares = {
        place: (0.5 if said == BEST else None) if isinstance(said, str) else said.share
        for place, said in swept.odds.items()
    }
    return [{**row, COLUMN: shares.get(_place(row, swept.varying))} for row in swept.rows]


def best_lines(swept: Swept) -> list[str]:
    """The best row of each load, the first few; nothing where rows are not compared."""
    best = [place for place, said in swept.odds.items() if said == BEST]
    alike = alike_in(swept.varying)
    lines = []
    for place in best[:BEST_SHOWN]:
        group = swept.groups[place]
        named = {axis: f"{axis} {value}" for axis, value in zip(swept.varying, place, strict=True)}
        load = ", ".join(named[axis] for axis in alike)
        what = ", ".join(words for axis, words in named.items() if axis not in alike)
        rate = sum(row["mb_per_s"] for row in group) / len(group)
        lines.append(
            f"Best{f' of {load}' * bool(load)}: {what}; "
            f"{rate:.1f} ({plain(_likely(group))}) MB/s both ways."
        )
    if more := len(best) - len(lines):
        lines.append(f"And {more} more, in the lines of the table that have '{BEST}'.")
    return lines


def odds_line(swept: Swept) -> str:
    """What the odds of the table are of; nothing where there are none."""
    if not swept.odds:
        return ""
    alike = alike_in(swept.varying)
    return ODDS_NOTE.format(alike=listed(alike) if alike else "sweep")


def range_line(cells: Sequence[Cell], rows: Sequence[Row]) -> str:
    """What the ranges of the table are of, and from what they are made."""
    each = [run_figures(cell.experiment, row) for cell, row in zip(cells, rows, strict=True)]
    known = [ranges for ranges in each if ranges["mb_per_s"].value]
    if not known:
        return ""
    util = factor_line(ranges["rdev_util_percent"] for ranges in known)
    of = f"range: of MB/s, and of msgs/s in proportion; of util % {util}."
    return f"{of} {range_note(ranges['mb_per_s'] for ranges in known)}"


def length_of(experiment: Experiment) -> str:
    """How long each run of the grid was: that is fixed, whether or not it had come to rest."""
    return (
        f"Each run is of {experiment.seconds:g} s of virtual time after {experiment.warmup:g} s of "
        "warm-up, whatever is left of a trend."
    )


def groups(rows: Sequence[Row], axes: Sequence[str]) -> dict[Place, list[Row]]:
    """The rows by their place on some axes, in the order in which the places first come."""
    found: dict[Place, list[Row]] = {}
    for row in rows:
        found.setdefault(_place(row, axes), []).append(row)
    return found


def _place(row: Row, axes: Sequence[str]) -> Place:
    return tuple(row[axis] for axis in axes)


def check_columns(cells: Sequence[Cell], x: str, y: str) -> None:
    """Find out before anything is run whether the picture can be drawn."""
    columns = (*cells[0].axes, *MEASURES)
    for option, column in (("--x", x), ("--y", y)):
        if column not in columns:
            raise ConfigurationError(
                f"{option} {column[:40]!r}: not a column; {expected(column, columns)}"
            )


def sweep_picture(rows: Sequence[Row], axes: Sequence[str], x: str, y: str) -> Spec:
    """``y`` over ``x``, the mean over seeds, a line for each place on the other axes.

    A bar at each point is its range in four of five cases; the axis says where there is none.
    """
    others = [
        axis for axis in axes if axis not in (x, y, _SEED) and len({row[axis] for row in rows}) > 1
    ]
    ends = {"low": f"{y}_likely_low", "high": f"{y}_likely_high"}
    if not (ranged := ends["low"] in rows[0]):
        ends = {}
    values = [
        {
            "curve": " ".join(map(str, place)),
            "x": key[0],
            **{
                end: sum(row[column] for row in same) / len(same)
                for end, column in {"y": y, **ends}.items()
            },
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
