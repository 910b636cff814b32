"""Renew the bounds of the published tables: what is reached, rounded up.

``python -m tools.calibration.bounds`` replays every table as `isfc replay` does and puts what it
reaches into the ``[[bound]]`` blocks of ``scenarios/published/tables/*.toml``, into those numbers
that are there; where a goal is reached, the goal. Which measures, groups and numbers are bounded
is decided by hand, and so is what ``git diff`` then shows: a bound that grew needs a reason.
"""

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from scenarios.published.replay import SECONDS
from scenarios.published.table import PublishedTable
from scenarios.published.verdict import BoundCheck, Verdict
from tools.calibration.replayed import replay_all

FOLDER: Final = Path(__file__).parents[2] / "scenarios" / "published" / "tables"

MARGIN: Final = 1.05
"""What a change that is none in the model, such as another order of events, may cost."""

_BLOCK: Final = re.compile(r"(?m)^\[\[(?P<kind>\w+)\]\][^\n]*\n(?:[^\n\[#][^\n]*\n)*")
_NUMBER: Final = re.compile(r"(?m)^(?P<field>median|p90|worst) = [^\n]*$")
_WRONG: Final = re.compile(r"(?m)^wrong_max = [^\n]*$")


def rounded(reached: float, goal: float | None = None) -> float:
    """A bound for what is reached: two digits, and a little more; 0 stays 0.

    It is not wider than a ``goal`` that is reached.
    """
    if reached == 0:
        return 0
    if not math.isfinite(reached):
        raise ValueError("is infinite, which bounds nothing: declare another number")
    wide = reached * MARGIN
    unit = 10.0 ** (math.floor(math.log10(wide)) - 1)
    bound = float(f"{math.ceil(wide / unit - 1e-9) * unit:.2g}")
    return min(bound, goal) if goal is not None and reached <= goal else bound


def renewed(text: str, table: PublishedTable, verdict: Verdict) -> str:
    """A companion with the numbers that ``verdict`` reaches. Raises `ValueError` for infinity."""
    checks = {check.bound: check for check in verdict.checks if check.bound}
    bounds = iter(table.bounds)
    wrong = iter(len(change.wrong) for change in verdict.changes)

    def renew(block: re.Match[str]) -> str:
        if block["kind"] == "bound":
            return _renewed_bound(block[0], checks[next(bounds)])
        if block["kind"] == "change":
            return _WRONG.sub(f"wrong_max = {next(wrong)}", block[0])
        return block[0]

    return _BLOCK.sub(renew, text)


def _renewed_bound(block: str, check: BoundCheck) -> str:
    def renew(number: re.Match[str]) -> str:
        field = number["field"]
        goal = getattr(check.goal, field) if check.goal else None
        try:
            return f"{field} = {rounded(getattr(check.summary, field), goal):g}"
        except ValueError as error:
            subject = f"{check.of.measure}, {check.of.group}: {field}"
            raise ValueError(f"{subject} {error}") from None

    return _NUMBER.sub(renew, block)


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew every companion; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibration.bounds", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"virtual time of each run ({SECONDS:g})"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the companions are")
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(options.jobs) as pool:
        replays = replay_all(1, options.seconds, pool)
    for replay in replays:
        path = options.folder / f"{replay.name}.toml"
        try:
            text = renewed(path.read_text("utf-8"), replay.verdict.table, replay.verdict)
        except ValueError as error:
            print(f"bounds: {path.name}: {error}", file=sys.stderr)
            return 1
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
