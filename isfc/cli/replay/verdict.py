"""What a replay comes to, as tables and lines: errors, bounds, goals, tallies, failures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from rich.table import Table
from rich.text import Text

from isfc.cli.replay.holds import describe_decision
from isfc.reports.measures import measure_name
from isfc.reports.table import plain_table
from scenarios.published.replay import Cell, Comparison
from scenarios.published.table import Bound, PublishedTable, Role
from scenarios.published.verdict import (
    BoundCheck,
    ChangeCheck,
    TableVerdict,
    count_goals,
    in_group,
    left_out,
    summarise,
)

LEGEND = (
    "err% is (ours - IBM) / IBM. ! marks what leaves its bound: what this version reaches with "
    "several seeds and lengths, and a margin. A bound kept proves nothing about a prediction."
)

VERDICT_LEGEND = (
    "A bound is what this version reaches, and a margin: a figure that leaves it is marked ! and "
    "ends the command with 1. A goal is wanted; missing it ends nothing. --full shows every figure."
)

STATISTICS = (
    ("median", "median"),
    ("p90", "90 %"),
    ("but_three", "but three"),
    ("worst", "worst"),
)
SHOWN = tuple(pair for pair in STATISTICS if pair[0] != "but_three")
"""What a bound may be of, and its name on the screen."""

ROLES = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}
"""What a row is for, on the screen."""

_BAD = "bold red"


def describe_failure(table: PublishedTable, comparison: Comparison) -> str:
    """A figure that is out of tolerance, in one line."""
    row = next(row for row in table.rows if row.key == comparison.key)
    bound = table.tolerance(row, comparison.measure)
    assert bound is not None, "what is out of tolerance has one"
    return (
        f"{comparison.key} {measure_name(comparison.measure)}: {comparison.emulated:.5g}, "
        f"published {comparison.published:g}; expected {bound.distance.limit(bound.worst or 0)}"
    )


def describe_check(check: BoundCheck) -> str:
    """A bound and what it bounds, in one line."""
    bound, summary = check.bound or check.of, check.summary
    reached = (
        f"{name} {bound.distance.show(getattr(summary, field))} "
        f"({'bound ' * (index == 0)}{bound.distance.show(getattr(bound, field))})"
        for index, (field, name) in enumerate(
            (field, name) for field, name in STATISTICS if getattr(bound, field) is not None
        )
    )
    return f"{measure_name(bound.measure)}, {summary.count} {bound.group} rows: " + ", ".join(
        reached
    )


def describe_change(check: ChangeCheck) -> str:
    """A declared change and how many of ours go the same way, in one line."""
    change = check.change
    wrong = f"; wrong: {', '.join(check.wrong)}" if check.wrong else ""
    return (
        f"{measure_name(change.measure)}, {change.before} to {change.after}: "
        f"{check.count - len(check.wrong)} of {check.count} published changes of more than "
        f"{100 * change.above:.0f} % have the right sign{wrong}"
    )


def describe_failures(verdict: TableVerdict) -> Iterator[str]:
    """All that is out of tolerance, a line for each: first what sums up."""
    yield from (describe_check(check) for check in verdict.checks if not check.within)
    yield from (describe_change(check) for check in verdict.changes if not check.within)
    outside = (c for c in verdict.comparisons if c.within is False)
    yield from (describe_failure(verdict.table, comparison) for comparison in outside)
    yield from (describe_decision(made) for made in verdict.decisions if not made.within)


def summary_table(verdict: TableVerdict) -> Table:
    """The sizes of the errors, by measure, group and role, of all that is bounded."""
    figures = (">rows", ">median", ">90 %", ">worst")
    page = plain_table("error", "group", "role", *figures, "at", gap=1, no_wrap=True)
    table = verdict.table
    for bound in _subjects(table):
        for role in Role:
            chosen = in_group(table, table.groups[bound.group], bound.measure, verdict.comparisons)
            summary = summarise((c for c in chosen if c.role == role), bound.distance)
            if summary:
                page.add_row(
                    *(measure_name(bound.measure), bound.group, ROLES[role], str(summary.count)),
                    *(bound.distance.show(getattr(summary, field)) for field, _ in SHOWN),
                    summary.worst_key,
                )
    return page


def _subjects(table: PublishedTable) -> list[Bound]:
    """One bound or goal for everything that is bounded, in the order of the measures."""
    found = {bound.subject: bound for bound in (*table.goals, *table.bounds)}
    return sorted(found.values(), key=lambda bound: table.measures.index(bound.measure))


def quiet_lines(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """What no ratio can say: how many collisions ours has where IBM has none."""
    free = [c for c in comparisons if c.measure == "collisions_per_s" and not c.published]
    if free:
        worst = max(free, key=lambda comparison: comparison.emulated)
        yield (
            f"collisions/s where IBM has none ({len(free)} row{'s' * (len(free) > 1)}): "
            f"at most {worst.emulated:.1f} ({worst.key})"
        )


def check_table(checks: Sequence[BoundCheck]) -> Table:
    """Bounds, which are kept, and goals that are met, beside what is reached."""
    figures = (">reached", ">bound", ">goal met")
    page = plain_table("what holds", "group", ">rows", "", *figures)
    for check in checks:
        subject = [measure_name(check.of.measure), check.of.group, str(check.summary.count)]
        for index, line in enumerate(_check_lines(check)):
            page.add_row(*(["", "", ""] if index else subject), *line)
    return page


def overview(verdicts: Iterable[TableVerdict]) -> Table:
    """A line for each table: how many of its bounds are kept, and which goals are missed."""
    page = plain_table("table", ">rows", ">bounds kept", ">goals met", no_wrap=True)
    page.add_column("goals missed")
    for verdict in verdicts:
        kept = [check.within for check in verdict.checks if check.bound]
        missed = [check for check in verdict.checks if check.goal and not check.meets_goal]
        left = len(kept) - sum(kept)
        page.add_row(
            verdict.table.name,
            str(len(verdict.part.rows)),
            Text(f"{sum(kept)} of {len(kept)}{'!' * bool(left)}", _BAD if left else ""),
            "".join(f"{goals.met} of {goals.count}" for goals in count_goals([verdict])),
            ", ".join(dict.fromkeys(f"{measure_name(c.of.measure)} {c.of.group}" for c in missed)),
        )
    return page


def _check_lines(check: BoundCheck) -> Iterator[tuple[str | Text, ...]]:
    """A line for each number that is bounded, or wanted and reached."""
    for field, name in STATISTICS:
        bound, goal = (
            getattr(limits, field) if limits else None for limits in (check.bound, check.goal)
        )
        reached = getattr(check.summary, field)
        if goal is not None and reached > goal:
            goal = None
        if bound is None and goal is None:
            continue
        shown = check.summary.distance.show
        left = bound is not None and reached > bound
        yield (
            name,
            Text(f"{shown(reached)}{'!' * left}", _BAD if left else ""),
            "" if bound is None else shown(bound),
            "" if goal is None else shown(goal),
        )


def tallies(verdicts: Sequence[TableVerdict]) -> Iterator[Text]:
    """Goals that are met, measured ones apart; rows that leave a bound; one's own workload."""
    for goals in count_goals(verdicts):
        yield Text(f"{goals.kind} met: {goals.met} of {goals.count}")
    judged = [c for verdict in verdicts for c in verdict.comparisons if c.within is not None]
    rows = {(c.table, c.key) for c in judged}
    bad = {(c.table, c.key) for c in judged if not c.within}
    if rows:
        yield Text(f"rows that leave a bound: {len(bad)} of {len(rows)}", _BAD if bad else "")
    if any(verdict.table.is_measured for verdict in verdicts):
        yield Text(f"your own workload, MB/s both ways: {left_out()}")


def replay_spreads(tables: Sequence[PublishedTable], spreads: Mapping[Cell, float | None]) -> Table:
    """The spreads of a replay, by table and measure: the middle one and the greatest."""
    page = plain_table("spread of seeds", "table", ">figures", ">median", ">worst", "at")
    for table in tables:
        for measure in table.measures:
            found = [
                (spread, row.key)
                for row in table.rows
                if (spread := spreads.get((table.name, row.key, measure))) is not None
            ]
            if found:
                worst, key = max(found)
                middle = median(spread for spread, _ in found)
                page.add_row(
                    measure_name(measure),
                    *(table.name, str(len(found)), f"{middle:.1f} %", f"{worst:.1f} %", key),
                )
    return page
