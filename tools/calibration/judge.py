"""The published tables replayed with several seeds, and every bound and goal of them judged.

``docs/fidelity.md`` is made of such replays. ``python -m tools.calibration.judge`` replays with
three seeds of 10 s each unless told otherwise, as the model stands in the code, and prints a line
for each number that is bounded or wanted. It ends with 1 if a bound is not kept.
``--set chpid.turn_ns=0`` judges with another value of a constant.

``make bounds`` replays with several seeds and lengths of the runs, and writes the ``[[bound]]``
blocks of ``scenarios/published/tables/*.toml`` again: into each number that is there the greatest
that was reached, and as much more as it differed. So a bound holds for other seeds and for any
length from the shortest on. The bounds of decisions, in ``decisions.csv`` beside that folder, are
renewed in the same way. Which measures, groups and numbers are bounded is decided by hand, and so
is what ``git diff`` then shows: a bound that grew needs a reason.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct

from isfc.answers.replay_checks import Check, checks_of
from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.decisions import check_decisions, declared
from scenarios.published.replay import ComparedFigure, Part, choose, compare_all, runs_of
from scenarios.published.table import PublishedTable
from scenarios.published.verdict import BoundCheck, TableVerdict, check_bounds, check_changes
from scenarios.published.verdict import judge as verdicts_of
from scenarios.runs.result import repetitions
from scenarios.runs.run import run
from tools import DOCS, PROJECT
from tools.calibration.knobs import Constants, build_constants
from tools.tables import csv_text, read_csv

COLUMNS: Final = ("table", "key", "measure", "role", "published", "emulated", "least", "greatest")
"""Of ``docs/fidelity.csv``: ``emulated`` is the mean of the seeds."""

FIGURES: Final = DOCS / "fidelity.csv"


class ReplayedTable(Struct, frozen=True):
    """One table, replayed: what the means come to, and the comparisons of each seed."""

    verdict: TableVerdict
    by_seed: tuple[Sequence[ComparedFigure], ...]

    @property
    def name(self) -> str:
        """Which table it is."""
        return self.verdict.table.name

    @property
    def every(self) -> list[ComparedFigure]:
        """The comparisons of all seeds."""
        return [comparison for of_seed in self.by_seed for comparison in of_seed]


def replay_all(
    seeds: int, seconds: float, pool: Executor | None, constants: Constants | None = None
) -> list[ReplayedTable]:
    """Repeat every run of every table with the seeds from 1 on, and ``constants`` if given.

    Without a pool runs are made one after the other.
    """
    parts = choose([load_table(name) for name in TABLES], {}, seconds)
    experiments = runs_of(parts)
    run_as = [constants.apply(run) for run in experiments] if constants else experiments
    repeated = [once for each in run_as for once in repetitions(each, seeds)]
    made = pool.map(run, repeated, chunksize=4) if pool else map(run, repeated)
    found = [each.link() for each in made]
    recordings = {
        run: found[seeds * index : seeds * (index + 1)] for index, run in enumerate(experiments)
    }
    alone = [{run: [each[seed]] for run, each in recordings.items()} for seed in range(seeds)]
    return [
        ReplayedTable(verdict, tuple(compare_all([verdict.part], of_seed) for of_seed in alone))
        for verdict in verdicts_of(parts, recordings)
    ]


def stored(replays: Iterable[ReplayedTable]) -> str:
    """Every figure, IBM's and ours, as CSV."""
    return csv_text(COLUMNS, (line for one in replays for line in _lines(one)))


def load(path: Path = FIGURES) -> list[ReplayedTable]:
    """The replays of a file of `stored`, of three seeds: the mean, least and greatest tell each."""
    lines = {(row["table"], row["key"], row["measure"]): row for row in read_csv(path)}
    return [_loaded(load_table(name), lines) for name in dict.fromkeys(key[0] for key in lines)]


def _loaded(
    table: PublishedTable, lines: Mapping[tuple[str, str, str], Mapping[str, str]]
) -> ReplayedTable:
    found = []
    for row in table.rows:
        for measure in table.measures:
            if row.has_number(measure):
                line = lines[table.name, row.key, measure]
                mean, least, greatest = (float(line[name]) for name in COLUMNS[-3:])
                third = min(max(3 * mean - least - greatest, least), greatest)
                seeds = mean, least, third, greatest
                found.append([ComparedFigure.of(table, row, measure, each) for each in seeds])
    means, *by_seed = map(tuple, zip(*found, strict=True))
    return ReplayedTable(TableVerdict.of(Part(table, table.rows), means), tuple(by_seed))


def _lines(one: ReplayedTable) -> Iterator[list[str]]:
    each = zip(*one.by_seed, strict=True)
    for mean, seeds in zip(one.verdict.comparisons, each, strict=True):
        emulated = [comparison.emulated for comparison in seeds]
        figures = (mean.emulated, min(emulated), max(emulated))
        yield [
            *(mean.table, mean.key, mean.measure, mean.role, f"{mean.published:g}"),
            *(f"{figure:.5g}" for figure in figures),
        ]


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


def renewed_files() -> dict[Path, str]:
    """Every companion, and the file of decisions. Raises `ValueError` for a bound of infinity."""
    with ProcessPoolExecutor() as pool:
        lengths = [replay_all(seeds, seconds, pool) for seconds, seeds in SEEDS_OF_LENGTH.items()]
    found = {}
    for replays in zip(*lengths, strict=True):
        path = FOLDER / f"{replays[0].name}.toml"
        found[path] = renewed(path.read_text("utf-8"), replays[0].verdict.table, replays)
    lines = renewed_decisions(lengths)
    return found | {FOLDER.parent / "decisions.csv": csv_text([*lines[0]], lines)}


SEEDS: Final = 3
SECONDS: Final = 10.0
"""What a judgement takes: collisions that happen twice a second are known within a seventh then."""


def judgement(replays: Iterable[ReplayedTable]) -> list[Check]:
    """Every bound and goal of a replay."""
    return [check for one in replays for check in checks_of(one.verdict)]


def line(check: Check) -> str:
    """As it is printed."""
    reached, bound, goal = (
        "" if each is None else f"{each:.3g} {check.unit}"
        for each in (check.reached, check.bound, check.goal)
    )
    of = f"{check.table}, {check.name}, {check.of}: {check.what}"
    verdict = "" if check.within else "NOT KEPT  "
    return f"{of:76}{reached:>10}{bound:>10}{goal:>10}  {verdict}{check.worst}"


def main(
    seeds: int = SEEDS,
    seconds: float = SECONDS,
    settings: Annotated[list[str], typer.Option("--set", metavar="OWNER.FIELD=VALUE")] = [],  # noqa: B006
) -> None:
    """Judge as the command line says; end with 1 if a bound is not kept."""
    try:
        values = {name: float(value) for name, _, value in (s.partition("=") for s in settings)}
        constants = build_constants(values)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
    with ProcessPoolExecutor() as pool:
        replays = replay_all(seeds, seconds, pool, constants)
    found = judgement(replays)
    print(f"{'':76}{'reached':>10}{'bound':>10}{'goal':>10}  worst", *map(line, found), sep="\n")
    wanted = [each.meets_goal for each in found if each.goal is not None]
    print(f"{sum(wanted)} of {len(wanted)} goals are met")
    raise typer.Exit(not all(each.within for each in found))


if __name__ == "__main__":
    typer.run(main)
