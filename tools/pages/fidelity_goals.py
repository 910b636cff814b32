"""Goals, and what is reached of them: a part of ``docs/fidelity.md``."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from isfc.reports.measures import measure_name
from scenarios.published.table import Bound, Deviation, Role
from scenarios.published.verdict import BoundCheck, ErrorSummary, TableVerdict, in_group, summarise
from tools.calibration.knobs import present_values
from tools.calibration.left_out import EVERY
from tools.pages.spans import block
from tools.tables import markdown_table

STATISTICS: Final = (
    ("median", "median"),
    ("p90", "90 %"),
    ("but_three", "but three"),
    ("worst", "worst"),
)
"""What a goal may be of, and its name on the page."""

LEFT_OUT_GOALS: Final = (
    ("median", "median", 0.05),
    ("p90", "90 %", 0.16),
    ("worst", "every one", 0.3),
)
CONSTANTS_MAX: Final = 26
"""How many calibrated constants are wanted at most."""

_Goal = tuple[str, ...]

GOAL_COLUMNS: Final = (
    *("table", "rows", "measure", "goal"),
    *("calibration", "prediction", "all", "missed by"),
)


def goals(verdicts: Sequence[TableVerdict], left_out: Sequence[Mapping[str, str]]) -> list[_Goal]:
    """A line for each goal, by `GOAL_COLUMNS`: those of measured tables, then the others."""
    measured = [line for v in verdicts if v.table.is_measured for line in _goal_lines(v)]
    rules = [line for v in verdicts if not v.table.is_measured for line in _goal_lines(v)]
    return [*measured, *_model_goals(left_out), *rules]


def told(verdicts: Sequence[TableVerdict], left_out: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Figures of the page: how many goals are met, and the table of those that are missed."""
    every = goals(verdicts, left_out)
    ruled = {f"`{v.table.name}`" for v in verdicts if not v.table.is_measured}
    return {
        "met": _met([line for line in every if line[0] not in ruled]),
        "rules_met": _met([line for line in every if line[0] in ruled]),
        "missed": block(_missed_by_table(every)),
    }


def _missed_by_table(every: Sequence[_Goal]) -> str:
    """Of each table that misses a goal: how many it meets, and how many it misses of a measure."""
    lines = []
    for table in dict.fromkeys(goal[0] for goal in every if goal[-1]):
        of_table = [goal for goal in every if goal[0] == table]
        missed = Counter(goal[2] for goal in of_table if goal[-1])
        named = ", ".join(f"{count} of {measure}" for measure, count in missed.items())
        lines.append((table, _met(of_table), named))
    return markdown_table(("table", "goals met", "missed"), lines)


def _met(lines: Sequence[Sequence[str]]) -> str:
    return f"{sum(not line[-1] for line in lines)} of {len(lines)}"


def _model_goals(left_out: Sequence[Mapping[str, str]]) -> Iterator[_Goal]:
    """Goals that are of no published table: a suite left out, and how many constants there are."""
    for name, of, limit in LEFT_OUT_GOALS:
        for row in left_out:
            if row["suite"] == EVERY:
                reached = float(row[name])
                yield (
                    *(
                        "suites left out",
                        "multi-CTC",
                        "MB/s both ways",
                        f"{of} within {100 * limit:.0f} %",
                    ),
                    *("", f"{100 * reached:.1f} % of {row['rows']}", ""),
                    _missed(reached, limit),
                )
    count = len(present_values())
    yield (
        *("the model", "", "calibrated constants", f"at most {CONSTANTS_MAX}"),
        *("", "", str(count)),
        _missed(count, CONSTANTS_MAX, Deviation.POINTS),
    )


def _goal_lines(verdict: TableVerdict) -> Iterator[_Goal]:
    """A line for each number that is wanted: what calibration rows, predictions, all reach."""
    name = f"`{verdict.table.name}`"
    for check in verdict.checks:
        if check.goal is not None:
            yield from ((name, *line) for line in _check_lines(verdict, check, check.goal))
    for made in verdict.decisions:
        if made.goal is not None:
            statistic = "wrong way" if made.statistic == "wrong_way" else made.statistic
            yield (
                *(name, made.what, measure_name(made.measure)),
                f"{statistic}: {100 * made.goal:.1f} % at most",
                *("", "", f"{100 * made.reached:.1f} %"),
                _missed(made.reached, made.goal),
            )
    for change in verdict.changes:
        wanted = change.change
        yield (
            *(name, f"{wanted.before} to {wanted.after}", measure_name(wanted.measure)),
            f"right sign of every change of more than {100 * wanted.above:.0f} %",
            *("", "", f"{change.count - len(change.wrong)} of {change.count}"),
            _missed(len(change.wrong), 0, Deviation.POINTS),
        )


def _check_lines(
    verdict: TableVerdict, check: BoundCheck, goal: Bound
) -> Iterator[tuple[str, ...]]:
    table = verdict.table
    found = in_group(table, table.groups[goal.group], goal.measure, verdict.comparisons)
    groups = [
        *(summarise((c for c in found if c.role is role), goal.distance) for role in Role),
        check.summary,
    ]
    for field, name in STATISTICS:
        limit = getattr(goal, field)
        if limit is not None:
            yield (
                *(goal.group, measure_name(goal.measure)),
                f"{'every one' if field == 'worst' else name} {goal.distance.limit(limit)}",
                *(_reached(summary, field) for summary in groups),
                _missed(getattr(check.summary, field), limit, goal.distance),
            )


def _reached(summary: ErrorSummary | None, field: str) -> str:
    if summary is None:
        return "no rows"
    return f"{summary.distance.show(getattr(summary, field))} of {summary.count}"


def _missed(reached: float, limit: float, distance: Deviation = Deviation.RELATIVE) -> str:
    """By how much a goal is missed, in its unit, or how many times too much; nothing if met."""
    if reached <= limit:
        return ""
    too_much = reached / limit if distance is Deviation.FACTOR else reached - limit
    return f"**{distance.show(too_much)}**"
