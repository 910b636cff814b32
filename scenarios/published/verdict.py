"""What a replay comes to: how far the figures are off, and whether that is near enough.

`left_out` is how well a suite is predicted that no constant was fitted to. That is the figure for a
workload of one's own: the rows called predictions are neighbours of rows that constants were fitted
to. ``left_out.csv`` sums up ``docs/left_out.csv``, which ``make left-out`` renews.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from statistics import median
from typing import Final

from msgspec import Struct

from isfc.errors.in_words import number
from scenarios.published.decisions import DecisionCheck, check_decisions
from scenarios.published.replay import ComparedFigure, Part, compare_all
from scenarios.published.table import (
    Bound,
    Deviation,
    PublishedChange,
    PublishedRow,
    PublishedTable,
    Selection,
    TableView,
    Value,
)
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import shipped_lines
from scenarios.runs.run import Recording

STATISTICS: Final = ("median", "p90", "but_three", "worst")
"""The numbers that a bound or a goal may be of."""


class ErrorSummary(Struct, frozen=True):
    """How far some figures are off, and the worst of them."""

    distance: Deviation
    count: int
    median: float
    p90: float
    but_three: float
    worst: float
    worst_key: str

    def keeps(self, bound: Bound) -> bool:
        """Whether nothing exceeds what ``bound`` allows."""
        limits = ((getattr(self, name), getattr(bound, name)) for name in STATISTICS)
        return all(limit is None or reached <= limit for reached, limit in limits)


class BoundCheck(Struct, frozen=True):
    """Something that is bounded: what is reached, what must be kept, what is wanted.

    ``bound`` is kept by every version; ``goal`` may be out of reach. One of them may be None.
    """

    summary: ErrorSummary
    bound: Bound | None
    goal: Bound | None

    @property
    def of(self) -> Bound:
        """The one that there is: it tells measure and group."""
        found = self.bound or self.goal
        assert found is not None, "a check is of a bound or of a goal"
        return found

    @property
    def within(self) -> bool:
        """Whether the bound is kept."""
        return self.bound is None or self.summary.keeps(self.bound)

    @property
    def meets_goal(self) -> bool:
        """Whether what is wanted is reached; true where nothing is."""
        return self.goal is None or self.summary.keeps(self.goal)


class ChangeCheck(Struct, frozen=True):
    """A declared change: in how many places it was published, and where ours goes wrong."""

    change: PublishedChange
    count: int
    wrong: tuple[str, ...]

    @property
    def within(self) -> bool:
        """Whether not more go wrong than is declared."""
        return len(self.wrong) <= self.change.wrong_max


class TableVerdict(Struct, frozen=True):
    """Some rows of a table, every figure of them beside ours, and what that comes to."""

    part: Part
    comparisons: tuple[ComparedFigure, ...]
    checks: tuple[BoundCheck, ...]
    changes: tuple[ChangeCheck, ...]
    decisions: tuple[DecisionCheck, ...] = ()

    @classmethod
    def of(cls, part: Part, comparisons: Iterable[ComparedFigure]) -> "TableVerdict":
        """What the figures of some rows come to."""
        table, found = part.table, tuple(comparisons)
        checks, changes = check_bounds(table, found), check_changes(table, found)
        decided = check_decisions([table], found)
        return TableVerdict(part, found, tuple(checks), tuple(changes), tuple(decided))

    @property
    def table(self) -> PublishedTable:
        """Which table it is."""
        return self.part.table

    @property
    def within(self) -> bool:
        """Whether every figure, bound and decision is as it is declared."""
        return (
            all(each.within for each in self.checks)
            and all(each.within for each in self.changes)
            and all(each.within for each in self.decisions)
            and all(each.within is not False for each in self.comparisons)
        )


def goal_kind(table: PublishedTable) -> str:
    """What the goals of a table are of."""
    if table.is_measured:
        return "measured runs"
    others = {TableView.CHANNEL: "channels", TableView.RELOCATION: "relocations"}
    return others.get(table.view, "arithmetic rules")


def judge(
    parts: Iterable[Part], recordings: Mapping[Experiment, Sequence[Recording]]
) -> list[TableVerdict]:
    """What every part comes to; each run has one recording, or one for each seed."""
    return [TableVerdict.of(part, compare_all([part], recordings)) for part in parts]


def summarise(
    comparisons: Iterable[ComparedFigure], distance: Deviation = Deviation.RELATIVE
) -> ErrorSummary | None:
    """How far figures are off; None if none of them has a distance.

    A relative error has none where the published figure is 0.
    """
    sized = sorted(
        (
            (distance.of(c.published, c.emulated), c.key)
            for c in comparisons
            if c.published or distance is not Deviation.RELATIVE
        ),
        key=lambda pair: pair[0],
    )
    if not sized:
        return None
    sizes = [size for size, _ in sized]
    return ErrorSummary(
        distance,
        len(sizes),
        median(sizes),
        sizes[-(-len(sizes) * 90 // 100) - 1],
        sizes[max(0, len(sizes) - 4)],
        sizes[-1],
        sized[-1][1],
    )


def check_bounds(table: PublishedTable, comparisons: Sequence[ComparedFigure]) -> list[BoundCheck]:
    """The bounds and goals of those groups of which every row has been run."""
    bounds = {bound.subject: bound for bound in table.bounds}
    goals = {goal.subject: goal for goal in table.goals}
    checks = []
    for subject in dict.fromkeys((*goals, *bounds)):
        measure, group, distance = subject
        found = in_group(table, table.groups[group], measure, comparisons)
        if len(found) == sum(row.has_number(measure) for row in table.select(table.groups[group])):
            summary = summarise(found, distance)
            assert summary is not None, "a bounded measure has published figures"
            checks.append(BoundCheck(summary, bounds.get(subject), goals.get(subject)))
    return checks


def check_changes(
    table: PublishedTable, comparisons: Sequence[ComparedFigure]
) -> list[ChangeCheck]:
    """The declared changes, if every row of the table has been run."""
    if len({comparison.key for comparison in comparisons}) < len(table.rows):
        return []
    return [_check_change(table, change, comparisons) for change in table.changes]


def in_group(
    table: PublishedTable, group: Selection, measure: str, comparisons: Iterable[ComparedFigure]
) -> list[ComparedFigure]:
    """The comparisons of one measure in one group of rows."""
    keys = {row.key for row in table.select(group)}
    return [c for c in comparisons if c.measure == measure and c.key in keys]


def _check_change(
    table: PublishedTable, change: PublishedChange, comparisons: Sequence[ComparedFigure]
) -> ChangeCheck:
    emulated = {c.key: c.emulated for c in comparisons if c.measure == change.measure}
    pairs: dict[tuple[Value, ...], dict[Value, PublishedRow]] = defaultdict(dict)
    for row in table.rows:
        others = tuple(row.columns[column] for column in table.key if column != change.column)
        pairs[others][row.columns[change.column]] = row
    count, wrong = 0, []
    for pair in pairs.values():
        before, after = pair[change.before], pair[change.after]
        published = after.number(change.measure) / before.number(change.measure) - 1
        if abs(published) > change.above:
            count += 1
            if (emulated[after.key] - emulated[before.key]) * published <= 0:
                wrong.append(after.key)
    return ChangeCheck(change, count, tuple(wrong))


class LeftOut(Struct, frozen=True):
    """Errors of MB/s, as ratios: of the suites' medians the least and the greatest, and so on."""

    median_least: float
    median_most: float
    p90_least: float
    p90_most: float
    worst: float

    def __str__(self) -> str:
        return (
            f"median {_percent(self.median_least)} to {_percent(self.median_most)} %, 90 % within "
            f"{_percent(self.p90_least)} to {_percent(self.p90_most)} %, "
            f"worst {_percent(self.worst)} %"
        )


@cache
def left_out() -> LeftOut:
    """What the latest searches without a suite came to."""
    rows = shipped_lines(__package__, "left_out.csv")
    return summarise_left_out([row for row in rows if row["suite"] != "all"])


def summarise_left_out(rows: Sequence[Mapping[str, str]]) -> LeftOut:
    """The least and the greatest of the suites."""
    medians = [float(row["median"]) for row in rows]
    nine_tenths = [float(row["p90"]) for row in rows]
    worst = max(float(row["worst"]) for row in rows)
    return LeftOut(min(medians), max(medians), min(nine_tenths), max(nine_tenths), worst)


def _percent(ratio: float) -> str:
    return number(100 * ratio)
