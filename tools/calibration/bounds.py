"""Renew the bounds of the published tables: what is reached, with every seed and length.

``make bounds`` replays every table as `isfc replay` does, with several
seeds and lengths of the runs, and writes the ``[[bound]]`` blocks of
``scenarios/published/tables/*.toml`` again: into each number that is there the greatest that was
reached, and as much more as it differed. So a bound holds for other seeds and for any length from
the shortest on. The bounds of decisions, in ``decisions.csv`` beside that folder, are renewed in
the same way. Which measures, groups and numbers are bounded is decided by hand, and so is what
``git diff`` then shows: a bound that grew needs a reason.
"""

import math
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from scenarios.published.decisions import check_decisions, declared
from scenarios.published.table import PublishedTable
from scenarios.published.verdict import BoundCheck, check_bounds, check_changes
from tools import PROJECT
from tools.calibration.judge import ReplayedTable, replay_all
from tools.tables import csv_text

FOLDER: Final = PROJECT / "scenarios" / "published" / "tables"

SEEDS_OF_LENGTH: Final = {3.0: 4, 5.0: 2, 10.0: 2, 20.0: 1}
"""How many seeds for each length of a run, in virtual seconds: short runs differ the most.

The shortest is the least that bounds hold for.
"""

MARGIN: Final = 1.05
"""What a change that is none in the model, such as another order of events, may cost."""

_BLOCK: Final = re.compile(r"(?m)^\[\[(?P<kind>\w+)\]\][^\n]*\n(?:[^\n\[#][^\n]*\n)*")
_NUMBER: Final = re.compile(r"(?m)^(?P<field>median|p90|but_three|worst) = [^\n]*$")
_WRONG: Final = re.compile(r"(?m)^wrong_max = [^\n]*$")


def rounded(reached: Sequence[float]) -> float:
    """A bound for what was reached: two digits, the greatest and the spread more; 0 stays 0."""
    most, least = max(reached), min(reached)
    if most == 0:
        return 0
    if not math.isfinite(most):
        raise ValueError("is infinite, which bounds nothing: declare another number")
    wide = max(most * MARGIN, most + (most - least))
    unit = 10.0 ** (math.floor(math.log10(wide)) - 1)
    return float(f"{math.ceil(wide / unit - 1e-9) * unit:.2g}")


def renewed(text: str, table: PublishedTable, replays: Sequence[ReplayedTable]) -> str:
    """A companion with the numbers that ``replays`` reach. Raises `ValueError` for infinity."""
    seeds = [found for one in replays for found in one.by_seed]
    checks: dict[object, list[BoundCheck]] = {}
    for check in (check for found in seeds for check in check_bounds(table, found)):
        if check.bound:
            checks.setdefault(check.bound.subject, []).append(check)
    bounds = iter(table.bounds)
    changes = zip(*(check_changes(table, found) for found in seeds), strict=True)
    wrong = iter([max(len(one.wrong) for one in each) for each in changes])

    def renew(block: re.Match[str]) -> str:
        if block["kind"] == "bound":
            return _renewed_bound(table.name, block[0], checks[next(bounds).subject])
        if block["kind"] == "change":
            return _WRONG.sub(f"wrong_max = {next(wrong)}", block[0])
        return block[0]

    return _BLOCK.sub(renew, text)


def renewed_decisions(replays: Sequence[Sequence[ReplayedTable]]) -> list[dict[str, str]]:
    """The lines of ``decisions.csv`` with the bounds that all tables of some replays reach."""
    reached: dict[object, list[float]] = {}
    for tables in replays:
        for of_seed in zip(*(one.by_seed for one in tables), strict=True):
            found = [comparison for each in of_seed for comparison in each]
            for made in check_decisions([one.verdict.table for one in tables], found):
                subject = made.table, made.column, made.measure, made.statistic
                reached.setdefault(subject, []).append(made.reached)
    return [
        line | {"bound": f"{rounded(reached[subject]):g}"}
        for line in declared()
        for subject in [(line["table"], line["column"], line["measure"], line["statistic"])]
    ]


def _renewed_bound(table: str, block: str, checks: Sequence[BoundCheck]) -> str:
    def renew(number: re.Match[str]) -> str:
        field = number["field"]
        try:
            return f"{field} = {rounded([getattr(one.summary, field) for one in checks]):g}"
        except ValueError as error:
            of = checks[0].of
            raise ValueError(f"{table}: {of.measure}, {of.group}: {field} {error}") from None

    return _NUMBER.sub(renew, block)


def files() -> dict[Path, str]:
    """Every companion, and the file of decisions. Raises `ValueError` for a bound of infinity."""
    with ProcessPoolExecutor() as pool:
        lengths = [replay_all(seeds, seconds, pool) for seconds, seeds in SEEDS_OF_LENGTH.items()]
    found = {}
    for replays in zip(*lengths, strict=True):
        path = FOLDER / f"{replays[0].name}.toml"
        found[path] = renewed(path.read_text("utf-8"), replays[0].verdict.table, replays)
    lines = renewed_decisions(lengths)
    return found | {FOLDER.parent / "decisions.csv": csv_text([*lines[0]], lines)}
