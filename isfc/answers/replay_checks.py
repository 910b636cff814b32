"""What a replay comes to, as records: errors by groups, bounds and goals, choices."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from msgspec import Struct

from isfc.reports.figure import record_of
from isfc.reports.measures import measure_name
from scenarios.published import decisions
from scenarios.published.table import Bound, Deviation, NotModelled, PublishedTable, Role
from scenarios.published.verdict import (
    STATISTICS,
    ErrorSummary,
    TableVerdict,
    goal_kind,
    in_group,
    summarise,
)

WITHIN = {
    "median": "half",
    "p90": "90 %",
    "but_three": "all but 3",
    "worst": "all",
    "wrong_way": "wrong way",
    "mean": "mean",
}
"""What a number is of, on a page."""

_PERCENT: Final = (Deviation.RELATIVE, Deviation.EXCESS, Deviation.SHORTFALL)


class MeasureCheck(Struct, frozen=True):
    """A measure of a table."""

    table: str
    """the published table"""
    measure: str
    """the figure's column in it"""

    @property
    def name(self) -> str:
        """The measure as the report calls it."""
        return measure_name(self.measure)


class GroupError(MeasureCheck, frozen=True):
    """How near ours is to IBM's in a group of rows; null where ours has nothing beside a figure."""

    group: str
    role: Role | None
    """`calibration` or `acceptance` if it is of these rows alone; null if it is of all"""
    rows: int
    unit: str
    """`%` of IBM's figure, `x`: how many times the smaller one the greater is; else the figures'"""
    half: float | None
    """within what half of the rows are"""
    nine_of_ten: float | None
    """and nine of ten"""
    all_but_three: float | None
    """and all but the three worst"""
    all: float | None
    """and all"""
    worst: str
    """the row that is furthest off"""
    kept: bool | None
    """whether its bounds are kept, null without one"""

    @property
    def bound(self) -> str:
        """Whether bounds are kept, in a word."""
        return "" if self.kept is None else "kept" if self.kept else "left!"

    @property
    def of(self) -> str:
        """Which rows of the group, on a page."""
        return self.role.name_of_rows if self.role else "all"


class Check(MeasureCheck, frozen=True, kw_only=True):
    """A number that is bounded, or wanted."""

    of: str
    """a group of rows, a change or a choice, in words"""
    rows: int | None = None
    """how many; null of choices"""
    statistic: str
    """`median`, `p90`, `but_three`, `worst`, `wrong_way` or `mean`"""
    reached: float | None
    """by this version; null where it is beyond any number"""
    unit: str = "%"
    """`%`, `x` (times), or that of the figures"""
    bound: float | None
    """what every version keeps: what is reached, with a margin"""
    goal: float | None
    """what is wanted"""
    within: bool
    """whether the bound is kept"""
    meets_goal: bool
    """whether what is wanted is reached"""
    worst: str = ""
    """the row that is furthest off, or those that go wrong"""

    @property
    def what(self) -> str:
        """What of it is bounded, on a page."""
        return WITHIN[self.statistic]


class ChoiceCheck(MeasureCheck, frozen=True):
    """How well two rows that differ in one thing are told apart."""

    differ_in: str
    by: str
    """`the model`, or what a site would go by without it"""
    pairs: int
    right_percent: float
    """of the pairs whose figures of IBM's differ by more than 5 %: how many go the same way"""
    half_percent: float | None
    """within what the ratio of half of the pairs is off; null where it is beyond any number"""
    nine_of_ten_percent: float | None
    """of nine of ten"""
    all_percent: float | None
    """of all"""


class BestLink(Struct, frozen=True):
    """What is lost of IBM's MB/s by taking the link of 1 to 16 CTCs that a guess likes best."""

    by: str
    lost_percent: float
    """on average over workloads and pairs"""
    worst_percent: float
    ordinary_lost_percent: float
    """the same without IBM's rows that stand out of the links beside them"""
    ordinary_worst_percent: float


class TableOutcome(Struct, frozen=True, kw_only=True):
    """What a table comes to."""

    name: str
    title: str
    source: str
    measured: str
    """when"""
    rows: int
    """that were replayed"""
    kind: str
    """what its goals are of: `measured runs`, `arithmetic rules`, `channels` or `relocations`"""
    bounds_kept: int
    bounds: int
    goals_met: int
    goals: int
    missed: str
    """of which goals are missed"""
    not_modelled: tuple[NotModelled, ...]
    """`rows` that ours has no figure for, and the `reason`"""

    @property
    def kept(self) -> str:
        """How many bounds are kept, in words."""
        return f"{self.bounds_kept} of {self.bounds}{'!' * (self.bounds_kept < self.bounds)}"

    @property
    def met(self) -> str:
        """How many goals are met, in words."""
        return f"{self.goals_met} of {self.goals}" if self.goals else ""


def outcome_of(verdict: TableVerdict) -> TableOutcome:
    """What a table comes to, of its checks."""
    table, checks = verdict.table, [*checks_of(verdict)]
    bounds = [each.within for each in checks if each.bound is not None]
    goals = [each for each in checks if each.goal is not None]
    missed = dict.fromkeys(f"{each.name} {each.of}" for each in goals if not each.meets_goal)
    return record_of(
        TableOutcome,
        table,
        rows=len(verdict.part.rows),
        kind=goal_kind(table),
        bounds_kept=sum(bounds),
        bounds=len(bounds),
        goals_met=sum(each.meets_goal for each in goals),
        goals=len(goals),
        missed=", ".join(missed),
    )


def errors_of(verdict: TableVerdict) -> Iterator[GroupError]:
    """Of each group that is bounded: of all its rows, if all were replayed, and by their roles."""
    table = verdict.table
    for check in verdict.checks:
        kept = check.within if check.bound else None
        yield _error(table, check.of, None, check.summary, kept)
    subjects = {bound.subject: bound for bound in (*table.goals, *table.bounds)}
    for bound in sorted(subjects.values(), key=lambda each: table.measures.index(each.measure)):
        chosen = in_group(table, table.groups[bound.group], bound.measure, verdict.comparisons)
        for role in Role:
            summary = summarise((each for each in chosen if each.role == role), bound.distance)
            if summary:
                yield _error(table, bound, role, summary, None)


def _error(
    table: PublishedTable, bound: Bound, role: Role | None, summary: ErrorSummary, kept: bool | None
) -> GroupError:
    half, most, but_three, worst = (
        _in_unit(summary.distance, getattr(summary, name)) for name in STATISTICS
    )
    return GroupError(
        *(table.name, bound.measure, bound.group, role, summary.count, _unit(summary.distance)),
        *(half, most, but_three, worst, summary.worst_key, kept),
    )


def _in_unit(distance: Deviation | None, value: float | None) -> float | None:
    """A distance in the unit that `_unit` says; None where it is infinite."""
    if value is None or not isfinite(value):
        return None
    return 100 * value if distance in _PERCENT else value


def _unit(distance: Deviation | None) -> str:
    return "%" if distance in _PERCENT else "x" if distance is Deviation.FACTOR else ""


def checks_of(verdict: TableVerdict) -> Iterator[Check]:
    """Each number of groups of rows, then of changes, then of choices."""
    name = verdict.table.name
    for check in verdict.checks:
        found, group = check.summary, (name, check.of.measure, check.of.group)
        more: dict[str, Any] = {"rows": found.count, "worst": found.worst_key}
        for statistic in STATISTICS:
            bound, goal = (getattr(each, statistic, None) for each in (check.bound, check.goal))
            if bound is not None or goal is not None:
                numbers = getattr(found, statistic), bound, goal
                yield _check(*group, statistic, numbers, found.distance, **more)
    for changed in verdict.changes:
        change = changed.change
        of = f"{change.before} to {change.after}, more than {100 * change.above:g} %"
        counts = len(changed.wrong), change.wrong_max, 0
        more = {"rows": changed.count, "worst": ", ".join(changed.wrong)}
        yield _check(name, change.measure, of, "wrong_way", counts, None, **more)
    for made in verdict.decisions:
        of = f"{'lost by ' * made.is_regret}{made.what}"
        known = made.reached, made.bound, made.goal
        yield _check(name, made.measure, of, made.statistic, known, Deviation.RELATIVE)


def _check(
    table: str,
    measure: str,
    of: str,
    statistic: str,
    numbers: tuple[float, float | None, float | None],
    distance: Deviation | None,
    **more: Any,
) -> Check:
    """What is reached, bounded and wanted: distances of a kind, or counts."""
    reached, bound, goal = numbers
    return Check(
        *(table, measure),
        of=of,
        statistic=statistic,
        reached=_in_unit(distance, reached),
        bound=_in_unit(distance, bound),
        goal=_in_unit(distance, goal),
        unit=_unit(distance),
        within=bound is None or reached <= bound,
        meets_goal=goal is None or reached <= goal,
        **more,
    )


def choices_of(verdict: TableVerdict) -> Iterator[ChoiceCheck]:
    """Choices between two published rows, if all of the table's rows were run."""
    made = decisions.decisions([verdict.table], verdict.comparisons)
    yield from (_choice("the model", each) for each in made)
    if made and (made[0].choice.table, made[0].choice.column) == ("transport", "rdevs"):
        guess = decisions.rule_figures(verdict.table)
        yield _choice("the rule of thumb", decisions.decide(made[0].choice, verdict.table, guess))


def _choice(by: str, found: decisions.DecisionAccuracy) -> ChoiceCheck:
    within = found.median, found.p90, found.worst
    return ChoiceCheck(
        *(found.choice.table, found.choice.measure, found.choice.what, by, found.count),
        100 * found.share(decisions.LEVEL),
        *(_in_unit(Deviation.RELATIVE, each) for each in within),
    )


def best_links_of(verdict: TableVerdict) -> Iterator[BestLink]:
    """What a site loses by its preference, if all of the runs of ISFC Transport were made."""
    table = verdict.table
    figures = decisions.emulated_figures(verdict.comparisons).get((table.name, "mb_per_s"), {})
    if table.name != "transport" or len(figures) < len(table.rows):
        return
    without = decisions.outliers(table)
    guesses = {name: of(table) for name, of in decisions.PREDICTORS.items()}
    for name, liking in ({"the model": figures} | guesses).items():
        lost = decisions.regret(table, liking)
        ordinary = decisions.regret(table, liking, without=without)
        losses = lost.mean, lost.worst, ordinary.mean, ordinary.worst
        yield BestLink(name, *(100 * each for each in losses))
