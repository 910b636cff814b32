"""What suites came to that no constant was fitted to, row by row: ``docs/left_out.csv``.

``tools.calibration.calibrate --leave-out SUITE --record`` writes it. How the fit was made stands
in each row. ``scenarios/published/left_out.csv`` sums it up for `isfc replay`; ``make docs`` makes
that.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from scenarios.published.companion import load_table
from scenarios.published.replay import Comparison
from scenarios.published.table import Selection
from scenarios.published.verdict import in_group, summarise

ROWS: Final = Path(__file__).resolve().parents[2] / "docs" / "left_out.csv"
SUMMARY: Final = ROWS.parents[1] / "scenarios" / "published" / "left_out.csv"
SUMMARY_COLUMNS: Final = ("suite", "rows", "median", "p90", "worst", "worst_row", "made")
EVERY: Final = "all"
"""In the place of a suite: all of them together."""

COLUMNS: Final = ("suite", "key", "measure", "published", "emulated", "made")

MADE: Final = "fits of three suites each"
"""How the rows were made, if nothing else is said."""


def load_rows(path: Path = ROWS) -> tuple[list[Comparison], str]:
    """The rows of every suite that was left out, and how they were made; none if not done yet."""
    if not path.exists():
        return [], ""
    roles = {row.key: row.role for row in load_table("transport").rows}
    with path.open(newline="", encoding="utf-8") as file:
        lines = [*csv.DictReader(file)]
    found = []
    for line in lines:
        published, emulated = float(line["published"]), float(line["emulated"])
        error = emulated / published - 1 if published else None
        cell = (line["key"], line["measure"], published, emulated, error)
        found.append(Comparison("transport", *cell, roles[line["key"]], None))
    return found, "; ".join(dict.fromkeys(line["made"] for line in lines))


def summed_up(path: Path = ROWS) -> list[dict[str, str]]:
    """How well each suite came out, and all together: multi-CTC rows, MB/s."""
    table = load_table("transport")
    comparisons, _ = load_rows(path)
    made = _made(path)
    found = []
    for suite in (*made, EVERY):
        group: Selection = table.groups["multi-CTC"]
        if suite != EVERY:
            group = {**group, "suite": [suite]}
        summary = summarise(in_group(table, group, "mb_per_s", comparisons))
        assert summary is not None, "every suite has links of several CTCs"
        sizes = (summary.median, summary.p90, summary.worst)
        how = made.get(suite) or "; ".join(dict.fromkeys(made.values()))
        cells = (
            *(suite, str(summary.count), *(f"{size:.4f}" for size in sizes)),
            *(summary.worst_key, how),
        )
        found.append(dict(zip(SUMMARY_COLUMNS, cells, strict=True)))
    return found


def _made(path: Path) -> dict[str, str]:
    """How the rows of several CTCs were made, by suite."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["key"].split("/")[1] != "1"]
    return {line["suite"]: line["made"] for line in lines}


def store_rows(
    suite: str, comparisons: Iterable[Comparison], made: str = MADE, path: Path = ROWS
) -> None:
    """Put the rows of one suite in the place of its former ones."""
    former = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            former = [line for line in csv.DictReader(file) if line["suite"] != suite]
    own = [
        dict(
            zip(
                COLUMNS,
                (suite, c.key, c.measure, f"{c.published:g}", f"{c.emulated:.5g}", made),
                strict=True,
            )
        )
        for c in comparisons
        if c.key.split("/")[0] == suite
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*former, *own], key=lambda line: line["suite"]))
