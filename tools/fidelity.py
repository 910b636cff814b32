"""How near the emulator comes to what IBM measured: ``docs/fidelity.md`` and its pictures.

``python -m tools.fidelity`` replays every table that can be replayed, with three seeds, and
writes the page, ``docs/fidelity.csv`` with all its figures, and a picture of each suite. The
rest of the page comes from ``docs/reasons.toml`` (by hand), ``docs/sensitivity.csv``
(`tools.sensitivity`) and ``docs/leave-one-out.csv`` (`tools.calibrate`).
"""

import argparse
import csv
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from isfc.cli.plot import check_plot, write_plot
from scenarios.published import table_names
from scenarios.replay import SECONDS, choose
from tools import sensitivity
from tools.calibrate import LEFT_OUT
from tools.fidelity_page import Material, Reason, page
from tools.replayed import Replay, replay, store

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
SEEDS: Final = 3


def load_reasons(path: Path) -> list[Reason]:
    """What people wrote about the runs that are off. Raises `ValueError` for a mistake in it."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["reason"], list[Reason])


def load_left_out(path: Path) -> list[Mapping[str, str]]:
    """How well each suite was predicted that nothing had been fitted to; none if not done."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw(one: Replay, folder: Path) -> dict[str, str]:
    """A picture of each suite of a table; the names of their files."""
    pictures = {}
    for suite in map(str, one.table.choices("suite")):
        rows = choose(one.table, {"suite": [suite]})
        keys = {row.key for row in rows}
        path = folder / f"fidelity-{suite.lower()}.svg"
        check_plot(path, one.table)
        write_plot(path, one.table, rows, [c for c in one.comparisons if c.key in keys])
        pictures[suite] = path.name
    return pictures


def write(replays: Mapping[str, Replay], how: str, folder: Path) -> None:
    """Write the page and all that goes with it."""
    material = Material(
        how,
        replays,
        draw(replays["transport"], folder),
        load_reasons(DOCS / "reasons.toml"),
        sensitivity.load(),
        load_left_out(LEFT_OUT),
    )
    store(replays.values(), folder / "fidelity.csv")
    (folder / "fidelity.md").write_text(page(material), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew the page; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"runs of each row ({SEEDS})")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"virtual time of each ({SECONDS:g})"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--folder", type=Path, default=DOCS, help="where to write (docs)")
    options = parser.parse_args(arguments)
    replays = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for name in table_names():
            print(f"replaying {name} with {options.seeds} seeds ...", file=sys.stderr, flush=True)
            replays[name] = replay(name, options.seeds, options.seconds, pool)
    how = (
        f"Each run was repeated with {options.seeds} seeds, {options.seconds:g} s of virtual time "
        "each after warm-up."
    )
    write(replays, how, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
