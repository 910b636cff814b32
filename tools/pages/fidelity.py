"""How near the emulator comes to what IBM measured: ``docs/fidelity.md`` and its pictures.

`measured` replays every published table, with three seeds: ``docs/fidelity.csv`` has all its
figures. The page and the pictures, one of each block of the tables that are grids, are made of that
file. The rest of the page comes from ``docs/reasons.toml`` (by hand), ``docs/sensitivity.csv``
(`tools.calibration.sensitivity`), ``docs/ablations.csv`` (`tools.calibration.ablations`),
``certainty.csv`` (`tools.calibration.certainty`) and ``scenarios/published/left_out.csv``
(`tools.calibration.left_out`).
"""

import csv
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from isfc.cli.replay.plot import write_plot
from scenarios.published.replay import choose, figures_by_cell
from tools.calibration import ablations, sensitivity
from tools.calibration.left_out import SUMMARY
from tools.calibration.replayed import FIGURES, ReplayedTable, load, replay_all, store
from tools.pages.fidelity_goals import GOAL_COLUMNS, goals
from tools.pages.fidelity_page import Material, OffReason, Picture, page
from tools.pages.fidelity_trust import RANGE_COLUMNS, ranges
from tools.pages.figures.published import figures

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
SEEDS: Final = 3
SECONDS: Final = 10.0
"""Of each run: what happens twice a second is known within a seventh then, with three seeds."""


def measured() -> dict[Path, str]:
    """The figures of a replay of every table, which takes minutes on isfc compiled."""
    with ProcessPoolExecutor() as pool:
        replays = replay_all(SEEDS, SECONDS, pool)
    file = StringIO()
    store(replays, file)
    return {FIGURES: file.getvalue()}


def files() -> dict[Path, str]:
    """The page and its pictures, of the figures that are measured."""
    replays = load()
    with TemporaryDirectory() as folder:
        pictures = [picture for replay in replays for picture in _draw(replay, Path(folder))]
        drawn = {DOCS / path.name: path.read_text("utf-8") for path in Path(folder).iterdir()}
    material = _material(replays, pictures)
    every_goal = goals([replay.verdict for replay in replays], material.left_out)
    return {
        DOCS / "fidelity.md": page(material),
        DOCS / "goals.csv": _csv(GOAL_COLUMNS, every_goal),
        DOCS / "ranges.csv": _csv(RANGE_COLUMNS, material.ranges),
        **drawn,
    }


def _csv(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows([heading, *lines])
    return file.getvalue().replace("`", "").replace("**", "")


def _material(replays: Sequence[ReplayedTable], pictures: Sequence[Picture]) -> Material:
    how = (
        f"Each run was repeated with {SEEDS} seeds, {SECONDS:g} s of virtual time each after "
        "warm-up."
    )
    return Material(
        how,
        replays,
        pictures,
        load_reasons(DOCS / "reasons.toml"),
        sensitivity.load(),
        ablations.load(),
        load_left_out(SUMMARY),
        ranges(),
    )


def load_reasons(path: Path) -> list[OffReason]:
    """What people wrote about the rows that are off. Raises `ValueError` for a mistake in it."""
    found = msgspec.convert(tomllib.loads(path.read_text("utf-8"))["reason"], list[OffReason])
    told = figures()
    return [msgspec.structs.replace(each, text=each.text.format_map(told)) for each in found]


def load_left_out(path: Path) -> list[Mapping[str, str]]:
    """How well each suite was predicted that nothing had been fitted to; none if not done."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _draw(replay: ReplayedTable, folder: Path) -> Iterator[Picture]:
    """A picture of each block of a table, if it is a grid."""
    table = replay.verdict.table
    if not table.is_grid:
        return
    column = table.key[0]
    for block in table.choices(column):
        part = choose([table], {column: [block]})
        words = re.findall(r"\w+", f"{table.name} {block}".lower())
        path = folder / f"fidelity-{'-'.join(words).replace('_', '-')}.svg"
        write_plot(path, part, figures_by_cell(replay.every))
        yield Picture(path.name, table.heading.format_map(part[0].rows[0].columns))
