"""How near the emulator comes to what IBM measured: figures, and pictures of them.

`measured` replays every published table, with three seeds: ``docs/fidelity.csv`` has all its
figures. The page (`tools.pages.fidelity_page`), the pictures, one of each block of the tables that
are grids, and the files of goals and ranges are made of that file.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from isfc.answers.replay_charts import part_charts
from isfc.reports.picture import picture_svg
from isfc.reports.report import Report
from scenarios.published.replay import Part, choose, figures_by_cell
from tools.calibration.left_out import SUMMARY
from tools.calibration.replayed import FIGURES, ReplayedTable, load, replay_all, stored
from tools.pages.fidelity_goals import GOAL_COLUMNS, goals
from tools.pages.fidelity_trust import RANGE_COLUMNS, ranges
from tools.tables import csv_text, read_csv

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
SEEDS: Final = 3
SECONDS: Final = 10.0
"""Of each run: what happens twice a second is known within a seventh then, with three seeds."""


class Picture(NamedTuple):
    """A file, what is on it in words, and of which rows it is."""

    name: str
    title: str
    rows: list[Part]


def measured() -> dict[Path, str]:
    """The figures of a replay of every table, which takes minutes on isfc compiled."""
    with ProcessPoolExecutor() as pool:
        return {FIGURES: stored(replay_all(SEEDS, SECONDS, pool))}


def files() -> dict[Path, str]:
    """The pictures of the figures that are measured, every goal and every range."""
    replays = load()
    drawn = {}
    for replay in replays:
        figures = figures_by_cell(replay.every)
        for picture in pictures(replay):
            charts = [chart for part in picture.rows for chart in part_charts(part, figures)]
            drawn[DOCS / picture.name] = picture_svg(Report(picture.title, [], charts=charts))
    every_goal = goals([replay.verdict for replay in replays], read_csv(SUMMARY))
    tables = {
        DOCS / "goals.csv": csv_text(GOAL_COLUMNS, every_goal),
        DOCS / "ranges.csv": csv_text(RANGE_COLUMNS, ranges()),
    }
    plain = {path: text.replace("`", "").replace("**", "") for path, text in tables.items()}
    return plain | drawn


def pictures(replay: ReplayedTable) -> Iterator[Picture]:
    """A picture of each block of a table, if it is a grid."""
    table = replay.verdict.table
    for block in table.choices(table.key[0]) if table.is_grid else ():
        part = choose([table], {table.key[0]: [block]})
        words = re.findall(r"\w+", f"{table.name} {block}".lower())
        name = f"fidelity-{'-'.join(words).replace('_', '-')}.svg"
        yield Picture(name, table.heading.format_map(part[0].rows[0].columns), part)
