"""How near the emulator comes to what IBM measured: figures, and pictures of them.

`measured` replays every published table, with three seeds: ``docs/fidelity.csv`` has all its
figures. The page (`tools.pages.fidelity_page`), the pictures, one of each block of the tables that
are grids, and the files of goals and ranges are made of that file.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from isfc.answers.replay_checks import WITHIN, Check, GroupError, checks_of, errors_of
from isfc.answers.replay_report import part_charts
from isfc.reports.picture import picture_svg
from isfc.reports.report import Report
from scenarios.figures.certainty import (
    FOUR_OF_FIVE,
    NINETEEN_OF_TWENTY,
    ONE_CTC,
    SEVERAL_CTCS,
    every_errors,
)
from scenarios.published.replay import Part, choose, figures_by_cell
from scenarios.published.table import Role
from scenarios.published.verdict import STATISTICS, TableVerdict
from tools import DOCS
from tools.calibration.certainty import Miss, covered, families, figures, foretold, ratios
from tools.calibration.knobs import present_values
from tools.calibration.left_out import EVERY, SUMMARY
from tools.calibration.replayed import FIGURES, ReplayedTable, load, replay_all, stored
from tools.pages.spans import block
from tools.tables import csv_text, markdown_table, read_csv

SEEDS: Final = 3
SECONDS: Final = 10.0
"""Of each run: what happens twice a second is known within a seventh then, with three seeds."""


LEFT_OUT_GOALS: Final = {"median": 5, "p90": 16, "worst": 30}
"""Percent within which suites that are left out are wanted."""
CONSTANTS_MAX: Final = 26
"""How many calibrated constants are wanted at most."""
Goal = tuple[str, ...]
"""A line of the table of goals."""

GOAL_COLUMNS: Final = (
    *("table", "rows", "measure", "goal"),
    *("calibration", "prediction", "all", "missed by"),
)


def goals(verdicts: Sequence[TableVerdict], left_out: Sequence[Mapping[str, str]]) -> list[Goal]:
    """A line for each goal, by `GOAL_COLUMNS`: those of measured tables, then the others."""
    measured = [line for v in verdicts if v.table.is_measured for line in _goals_of(v)]
    rules = [line for v in verdicts if not v.table.is_measured for line in _goals_of(v)]
    return [*measured, *_model_goals(left_out), *rules]


def _goals_of(verdict: TableVerdict) -> Iterator[Goal]:
    """A line for each number that is wanted: what calibration rows, predictions, all reach."""
    errors = {(each.measure, each.group, each.unit, each.role): each for each in errors_of(verdict)}
    for check in checks_of(verdict):
        if check.goal is None:
            continue
        roles = [errors.get((check.measure, check.of, check.unit, role)) for role in Role]
        yield (
            *(verdict.table.name, check.of, check.name),
            f"{WITHIN[check.statistic]}: {_figure(check.goal, check.unit)} at most",
            *("" if each is None else _of_rows(each, check) for each in roles),
            f"{_figure(check.reached, check.unit)} of {check.rows}".removesuffix(" of None"),
            "" if check.meets_goal else _missed(check.reached, check.goal, check.unit),
        )


def _of_rows(error: GroupError, check: Check) -> str:
    """What a check is of, of rows of one role."""
    numbers = zip(
        STATISTICS, (error.half, error.nine_of_ten, error.all_but_three, error.all), strict=True
    )
    return f"{_figure(dict(numbers)[check.statistic], error.unit)} of {error.rows}"


def _figure(value: float | None, unit: str) -> str:
    return "infinite" if value is None else f"{value:.3g} {unit}".strip()


def _missed(reached: float | None, goal: float, unit: str) -> str:
    """By how much, in its unit, or how many times too much."""
    if reached is None:
        return "infinite"
    return _figure(reached / goal if unit == "x" else reached - goal, unit)


def _model_goals(left_out: Sequence[Mapping[str, str]]) -> Iterator[Goal]:
    """Goals that are of no published table: a suite left out, and how many constants there are."""
    for row in left_out:
        for statistic, limit in LEFT_OUT_GOALS.items() if row["suite"] == EVERY else ():
            reached = 100 * float(row[statistic])
            yield (
                *("suites left out", "multi-CTC", "MB/s both ways"),
                f"{WITHIN[statistic]}: {limit} % at most",
                *("", f"{_figure(reached, '%')} of {row['rows']}", ""),
                _missed(reached, limit, "%") if reached > limit else "",
            )
    count = len(present_values())
    too_many = str(count - CONSTANTS_MAX) if count > CONSTANTS_MAX else ""
    wanted = f"at most {CONSTANTS_MAX}"
    yield "the model", "", "calibrated constants", wanted, "", "", str(count), too_many


class Picture(NamedTuple):
    """A file, what is on it in words, and of which rows it is."""

    name: str
    title: str
    rows: list[Part]


def told_goals(
    verdicts: Sequence[TableVerdict], left_out: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """Figures of the page: how many goals are met, and the table of those that are missed."""
    every = goals(verdicts, left_out)
    ruled = {verdict.table.name for verdict in verdicts if not verdict.table.is_measured}
    return {
        "met": _met([line for line in every if line[0] not in ruled]),
        "rules_met": _met([line for line in every if line[0] in ruled]),
        "missed": block(_missed_by_table(every, {verdict.table.name for verdict in verdicts})),
    }


def _missed_by_table(every: Sequence[Goal], tables: Container[str]) -> str:
    """Of each table that misses a goal: how many it meets, and how many it misses of a measure."""
    lines = []
    for name in dict.fromkeys(goal[0] for goal in every if goal[-1]):
        of_table = [goal for goal in every if goal[0] == name]
        missed = Counter(goal[2] for goal in of_table if goal[-1])
        named = ", ".join(f"{count} of {measure}" for measure, count in missed.items())
        lines.append((f"`{name}`" if name in tables else name, _met(of_table), named))
    return markdown_table(("table", "goals met", "missed"), lines)


def _met(lines: Sequence[Goal]) -> str:
    return f"{sum(not line[-1] for line in lines)} of {len(lines)}"


RANGE_NAMES: Final = {
    "rate": "MB/s, messages/s",
    "rdev_util": "RDEV util",
    "cpu": "%CPU/msg",
    "service": "DISC, CONN, SERV",
    "rdevs": "ratio of two layouts",
    "pairs": "ratio of two numbers of pairs",
    "suite": "ratio of two workloads",
}
RANGE_COLUMNS: Final = (
    *("figure", "family", "rows", "four of five"),
    *("nineteen of twenty", "foretold", "errors of"),
)


def ranges() -> list[tuple[str, ...]]:
    """Factors of ranges by `RANGE_COLUMNS`: a line for each kind of figure and family."""
    found = families([*figures(), *ratios()])
    return [
        (
            *(RANGE_NAMES.get(one.of, one.of), str(one.family), str(one.rows)),
            *(
                f"x {factor:.2f}, covered {100 * covered(one.family, misses, share, factor):.0f} %"
                for share, factor in (
                    (FOUR_OF_FIVE, one.four_of_five),
                    (NINETEEN_OF_TWENTY, one.nineteen_of_twenty),
                )
            ),
            _foretold(misses),
            one.source,
        )
        for one in every_errors()
        if one.kind == "figure" or one.family.regime in (SEVERAL_CTCS, ONE_CTC)
        for misses in [found[one.kind, one.of, one.family]]
    ]


def foretold_ranges() -> list[tuple[str, ...]]:
    """Of `ranges` those foretold whose family is part of no other."""
    return [line[:-1] for line in ranges() if "," not in line[1] and line[-2]]


def _foretold(misses: Sequence[Miss]) -> str:
    found = [foretold(misses, share) for share in (FOUR_OF_FIVE, NINETEEN_OF_TWENTY)]
    return ", ".join(f"{100 * each:.0f} %" for each in found if each is not None)


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
    return tables | drawn


def pictures(replay: ReplayedTable) -> Iterator[Picture]:
    """A picture of each block of a table, if it is a grid."""
    table = replay.verdict.table
    for value in table.choices(table.key[0]) if table.is_grid else ():
        part = choose([table], {table.key[0]: [value]})
        words = re.findall(r"\w+", f"{table.name} {value}".lower())
        name = f"fidelity-{'-'.join(words).replace('_', '-')}.svg"
        yield Picture(name, table.heading.format_map(part[0].rows[0].columns), part)
