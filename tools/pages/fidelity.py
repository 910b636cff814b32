"""How near the emulator comes to what IBM measured: ``docs/fidelity.md`` and its pictures.

``python -m tools.pages.fidelity`` replays every published table, with three seeds, and writes the
page, ``docs/fidelity.csv`` with all its figures, and a picture of each block of the tables that
are grids. The rest of the page comes from ``docs/reasons.toml`` (by hand),
``docs/sensitivity.csv`` (`tools.calibration.sensitivity`) and ``scenarios/published/left_out.csv``
(`tools.calibration.calibrate`).
"""

import argparse
import csv
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from isfc.cli.replay.plot import check_plot, write_plot
from scenarios.published.replay import choose
from tools.calibration import sensitivity
from tools.calibration.calibrate import LEFT_OUT
from tools.calibration.replayed import ReplayedTable, replay_all, store
from tools.pages.fidelity_page import Material, OffReason, Picture, page

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
SEEDS: Final = 3
SECONDS: Final = 10.0
"""Of each run: what happens twice a second is known within a seventh then, with three seeds."""


def load_reasons(path: Path) -> list[OffReason]:
    """What people wrote about the rows that are off. Raises `ValueError` for a mistake in it."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["reason"], list[OffReason])


def load_left_out(path: Path) -> list[Mapping[str, str]]:
    """How well each suite was predicted that nothing had been fitted to; none if not done."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw(replay: ReplayedTable, folder: Path) -> Iterator[Picture]:
    """A picture of each block of a table, if it is a grid."""
    table = replay.verdict.table
    if not table.is_grid:
        return
    column = table.key[0]
    for block in table.choices(column):
        part = choose([table], {column: [block]})
        words = re.findall(r"\w+", f"{table.name} {block}".lower())
        path = folder / f"fidelity-{'-'.join(words).replace('_', '-')}.svg"
        check_plot(path, part)
        write_plot(path, part, replay.every)
        yield Picture(path.name, table.heading.format_map(part[0].rows[0].columns))


def write(replays: Sequence[ReplayedTable], how: str, folder: Path) -> None:
    """Write the page and all that goes with it."""
    material = Material(
        how,
        replays,
        [picture for replay in replays for picture in draw(replay, folder)],
        load_reasons(DOCS / "reasons.toml"),
        sensitivity.load(),
        load_left_out(LEFT_OUT),
    )
    store(replays, folder / "fidelity.csv")
    (folder / "fidelity.md").write_text(page(material), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew the page; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.pages.fidelity", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"runs of each row ({SEEDS})")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"virtual time of each ({SECONDS:g})"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--folder", type=Path, default=DOCS, help="where to write (docs)")
    options = parser.parse_args(arguments)
    print(f"replaying every table with {options.seeds} seeds ...", file=sys.stderr, flush=True)
    with ProcessPoolExecutor(options.jobs) as pool:
        replays = replay_all(options.seeds, options.seconds, pool)
    how = (
        f"Each run was repeated with {options.seeds} seeds, {options.seconds:g} s of virtual time "
        "each after warm-up."
    )
    write(replays, how, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
