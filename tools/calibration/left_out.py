"""What suites came to that no constant was fitted to, row by row: ``docs/left_out.csv``.

``tools.calibration.calibrate --leave-out SUITE --record`` writes it. How the fit was made stands
in each row. ``scenarios/published/left_out.csv`` sums it up for `isfc replay`; ``make docs`` makes
that.

What a search finds is chance in part. So there are several *draws*: searches from other starts,
each of which leaves out every suite in turn. All of them count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scenarios.published.catalogue import load_table
from scenarios.published.replay import ComparedFigure
from scenarios.published.table import Selection
from scenarios.published.verdict import in_group, summarise
from tools import DOCS, PROJECT
from tools.tables import csv_text, read_csv

ROWS: Final = DOCS / "left_out.csv"
SUMMARY: Final = PROJECT / "scenarios" / "published" / "left_out.csv"
SUMMARY_COLUMNS: Final = ("suite", "rows", "median", "p90", "worst", "worst_row", "made")
EVERY: Final = "all"
"""In the place of a suite: all of them together."""

COLUMNS: Final = ("draw", "suite", "key", "measure", "published", "emulated", "made")


@dataclass(frozen=True, slots=True)
class Draw:
    """The rows of every suite that a draw of searches left out, and how they were made."""

    comparisons: Sequence[ComparedFigure]
    made: str


def load_draws(path: Path = ROWS) -> list[Draw]:
    """Every draw, in order; none if not done yet."""
    table = load_table("transport")
    rows = {row.key: row for row in table.rows}
    draws: dict[str, list[Mapping[str, str]]] = {}
    for line in read_csv(path):
        draws.setdefault(line["draw"], []).append(line)
    return [
        Draw(
            [
                ComparedFigure.of(
                    table, rows[line["key"]], line["measure"], float(line["emulated"])
                )
                for line in draws[draw]
            ],
            "; ".join(dict.fromkeys(line["made"] for line in draws[draw])),
        )
        for draw in sorted(draws, key=int)
    ]


def summed_up(path: Path = ROWS) -> list[tuple[str, ...]]:
    """How well each suite came out, and all together: multi-CTC rows, MB/s."""
    table, lines = load_table("transport"), read_csv(path)
    comparisons = [c for draw in load_draws(path) for c in draw.comparisons]
    found = []
    for suite in (*dict.fromkeys(line["suite"] for line in lines), EVERY):
        group: Selection = table.groups["multi-CTC"]
        if suite != EVERY:
            group = {**group, "suite": [suite]}
        summary = summarise(in_group(table, group, "mb_per_s", comparisons))
        assert summary is not None, "every suite has links of several CTCs"
        sizes = (summary.median, summary.p90, summary.worst)
        made = dict.fromkeys(line["made"] for line in lines if suite in (line["suite"], EVERY))
        figures = (str(summary.count), *(f"{size:.4f}" for size in sizes))
        found.append((suite, *figures, summary.worst_key, "; ".join(made)))
    return found


def store_rows(
    suite: str, comparisons: Iterable[ComparedFigure], made: str, draw: int = 1, path: Path = ROWS
) -> None:
    """Put the rows of one suite, of one draw, in the place of its former ones."""
    place = {"draw": str(draw), "suite": suite}
    former = [line for line in read_csv(path) if not place.items() <= line.items()]
    own = [
        {
            **place,
            "key": c.key,
            "measure": c.measure,
            "published": f"{c.published:g}",
            "emulated": f"{c.emulated:.5g}",
            "made": made,
        }
        for c in comparisons
        if c.key.split("/")[0] == suite
    ]
    lines = sorted([*former, *own], key=lambda line: (int(line["draw"]), line["suite"]))
    path.write_text(csv_text(COLUMNS, lines), "utf-8")
