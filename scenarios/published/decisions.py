"""Decision accuracy: does the model prefer what IBM's figures prefer, and by how much?

Two published rows that differ in one thing, such as the CTCs of the link, are a choice that a site
may have to make. A prediction of it has a direction and a ratio. Both are judged here for every
such pair of rows, and so is the *regret*: the share of IBM's MB/s that is lost by taking the link
that a predictor likes best.

``decisions.csv`` has what is reached, with a margin (the bound, which ``make bounds`` renews), and
what is wanted (the goal).
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import inf
from statistics import fmean, median
from typing import Final

from msgspec import Struct

from isfc.errors.in_words import grouped
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from scenarios.published.replay import ComparedFigure
from scenarios.published.table import Deviation, Figures, PublishedRow, PublishedTable, Selection
from scenarios.runs.notes import shipped_lines

LEVELS: Final = (0.03, 0.05, 0.10)
"""Ratios: a direction counts where IBM's two figures differ by more than this."""

LEVEL: Final = LEVELS[1]
"""The one that bounds and goals are about."""


class Choice(Struct, frozen=True):
    """Pairs of rows of ``table`` that differ in ``column`` alone, judged by ``measure``."""

    table: str
    column: str
    measure: str
    what: str
    where: Selection

    @property
    def subject(self) -> tuple[str, str, str]:
        """What is judged, as a line of ``decisions.csv`` names it."""
        return self.table, self.column, self.measure

    def pairs(self, table: PublishedTable) -> list[tuple[str, str]]:
        """The keys of the two rows of each pair, in the order of the table."""
        measured = (row for row in table.select(self.where) if row.has_number(self.measure))
        others = [column for column in table.key if column != self.column]
        cells = grouped((tuple(row.columns[c] for c in others), row) for row in measured)
        return [(a.key, b.key) for rows in cells.values() for a, b in combinations(rows, 2)]


MULTI_CTC: Final[Selection] = {"rdevs": [4, 8, 10, 12, 14, 16]}

CHOICES: Final = (
    Choice("transport", "rdevs", "mb_per_s", "CTCs, 4 to 16", MULTI_CTC),
    Choice("transport", "pairs", "mb_per_s", "pairs of guests", {}),
    Choice("transport", "suite", "mb_per_s", "workload", {}),
    Choice("appc_regression", "pairs", "msgs_per_s", "APPC/VM: pairs", {}),
    Choice("appc_regression", "release", "msgs_per_s", "APPC/VM: release", {}),
    Choice("appc_scaling", "rdevs", "msgs_per_s", "APPC/VM: CTCs", {}),
    Choice("transport", "rdevs", "rdev_util_percent", "CTCs, 4 to 16", MULTI_CTC),
    Choice("transport", "rdevs", "cpu_percent_per_msg", "CTCs, 4 to 16", MULTI_CTC),
    Choice("transport", "pairs", "cpu_percent_per_msg", "pairs of guests", MULTI_CTC),
)
"""What is judged, MB/s and messages first."""


class DecisionAccuracy(Struct, frozen=True):
    """How well a predictor tells the two rows of each pair apart.

    ``directions`` has, for each of `LEVELS`, how many pairs differ by more at IBM's and of how many
    of them the predicted ratio goes the same way. ``median``, ``p90`` and ``worst`` are of the
    error of the predicted ratio, a ratio itself.
    """

    choice: Choice
    count: int
    directions: tuple[tuple[int, int], ...]
    median: float
    p90: float
    worst: float

    def share(self, level: float) -> float:
        """The share of pairs with the right direction, of those that differ by more."""
        differing, right = self.directions[LEVELS.index(level)]
        return right / differing if differing else 1.0

    @property
    def wrong_way(self) -> float:
        """The share of pairs that go the wrong way, where IBM's differ by more than `LEVEL`."""
        return 1 - self.share(LEVEL)


class Regret(Struct, frozen=True):
    """Share of the best MB/s that is lost by a preference: over workloads and pairs."""

    mean: float
    worst: float
    worst_at: str


def decide(choice: Choice, table: PublishedTable, predicted: Figures) -> DecisionAccuracy:
    """Judge what ``predicted`` has for each row."""
    published = {row.key: row.number(choice.measure) for row in table.rows}
    found = [
        (published[b] / published[a], predicted[b] / predicted[a] if predicted[a] else inf)
        for a, b in choice.pairs(table)
    ]
    errors = sorted(Deviation.FACTOR.of(ibm, theirs) - 1 for ibm, theirs in found)
    counts = []
    for level in LEVELS:
        differing = [(ibm, theirs) for ibm, theirs in found if abs(ibm - 1) > level]
        right = sum((ibm - 1) * (theirs - 1) > 0 for ibm, theirs in differing)
        counts.append((len(differing), right))
    p90 = errors[-(-len(errors) * 9 // 10) - 1]
    return DecisionAccuracy(choice, len(found), tuple(counts), median(errors), p90, errors[-1])


def decisions(
    tables: Iterable[PublishedTable], comparisons: Iterable[ComparedFigure]
) -> list[DecisionAccuracy]:
    """The model's accuracy for every choice of which all rows have been run."""
    found = emulated_figures(comparisons)
    named = {table.name: table for table in tables}
    return [
        decide(choice, named[choice.table], figures)
        for choice in CHOICES
        if choice.table in named
        for figures in (found.get((choice.table, choice.measure), {}),)
        if all(row.key in figures for row in named[choice.table].select(choice.where))
    ]


def outliers(table: PublishedTable) -> frozenset[str]:
    """Rows of `transport` that stand out: more MB/s by `LEVEL` than a link less *and* a link more.

    Links lie within each other, so that a figure above both neighbours is the chance of one run,
    or something that IBM does not tell of it. A model that explains neighbours cannot have it.
    """
    found = set()
    for rows in _by_load(table):
        links = sorted(rows, key=lambda row: row.number("rdevs"))
        for fewer, row, more in zip(links, links[1:], links[2:], strict=False):
            beside = max(fewer.number("mb_per_s"), more.number("mb_per_s"))
            if row.number("mb_per_s") > (1 + LEVEL) * beside:
                found.add(row.key)
    return frozenset(found)


def regret(
    table: PublishedTable, liking: Figures, *, without: Collection[str] = frozenset()
) -> Regret:
    """What is lost at IBM's by taking the link with the greatest ``liking``, rows of `transport`.

    Of links that are liked alike, the one with fewer CTCs is taken. Rows ``without`` are left out.
    """
    lost: list[tuple[float, str]] = []
    for every in _by_load(table):
        rows = [row for row in every if row.key not in without]
        best = max(row.number("mb_per_s") for row in rows)
        taken = max(rows, key=lambda row: (liking[row.key], -row.number("rdevs")))
        lost.append((1 - taken.number("mb_per_s") / best, taken.key))
    worst, at = max(lost)
    return Regret(fmean(loss for loss, _ in lost), worst, at)


def rule_figures(table: PublishedTable) -> Figures:
    """IBM's rule of thumb for the link of each row of `transport`: MB/s both ways together."""
    return {row.key: _rule_of(table.runs.layout.format_map(row.columns)) for row in table.rows}


def most_ctcs(table: PublishedTable) -> Figures:
    """A liking for more CTCs."""
    return {row.key: row.number("rdevs") for row in table.rows}


def emulated_figures(
    comparisons: Iterable[ComparedFigure],
) -> dict[tuple[str, str], dict[str, float]]:
    """The model's figures of each table and measure, by row."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for comparison in comparisons:
        found[comparison.table, comparison.measure][comparison.key] = comparison.emulated
    return found


def _by_load(table: PublishedTable) -> Iterator[Sequence[PublishedRow]]:
    """The rows of `transport` for each workload and number of pairs, which differ in the link."""
    for suite, pairs in product(table.choices("suite"), table.choices("pairs")):
        yield table.select({"suite": [suite], "pairs": [pairs]})


@cache
def _rule_of(layout: str) -> float:
    return float(sum(d.estimated_mb_per_s for d in make_plan(load_layout(layout)).directions))


PREDICTORS: Final[Mapping[str, Callable[[PublishedTable], Figures]]] = {
    "the rule of thumb": rule_figures,
    "more CTCs": most_ctcs,
}
"""What a site would go by without a model."""


BEST_LINK: Final = "best link"
"""What `regret` is about, in the place of a column."""

BEST_ORDINARY_LINK: Final = "best ordinary link"
"""The same without the rows that stand out (`outliers`)."""

_BEST: Final = {
    BEST_LINK: "the model's best link",
    BEST_ORDINARY_LINK: "the same, without IBM's outliers",
}


class DecisionCheck(Struct, frozen=True):
    """A line of ``decisions.csv``, and what is reached: all of them shares or ratios.

    ``bound`` is kept by every version, ``goal`` is wanted; None where there is none.
    """

    table: str
    column: str
    measure: str
    statistic: str
    reached: float
    bound: float | None
    goal: float | None

    @property
    def within(self) -> bool:
        """Whether the bound is kept."""
        return self.bound is None or self.reached <= self.bound

    @property
    def meets_goal(self) -> bool:
        """Whether what is wanted is reached; true where nothing is."""
        return self.goal is None or self.reached <= self.goal

    @property
    def is_regret(self) -> bool:
        """Whether it is of MB/s that are lost by a preference."""
        return self.column in _BEST

    @property
    def what(self) -> str:
        """What is chosen, in words."""
        if self.column in _BEST:
            return _BEST[self.column]
        subject = self.table, self.column, self.measure
        return next(choice.what for choice in CHOICES if choice.subject == subject)


def check_decisions(
    tables: Sequence[PublishedTable], comparisons: Sequence[ComparedFigure]
) -> list[DecisionCheck]:
    """Bounds and goals of decisions, of those tables of which every row has been run."""
    made = {each.choice.subject: each for each in decisions(tables, comparisons)}
    figures = emulated_figures(comparisons)
    found = []
    for line in declared():
        subject = line["table"], line["column"], line["measure"]
        reached: DecisionAccuracy | Regret | None = made.get(subject)
        if line["column"] in _BEST:
            table = next((table for table in tables if table.name == line["table"]), None)
            liking = figures.get((line["table"], line["measure"]), {})
            if table and len(liking) == len(table.rows):
                without = outliers(table) if line["column"] == BEST_ORDINARY_LINK else frozenset()
                reached = regret(table, liking, without=without)
        if reached is not None:
            limits = (float(line[name]) if line[name] else None for name in ("bound", "goal"))
            share = getattr(reached, line["statistic"])
            found.append(DecisionCheck(*subject, line["statistic"], share, *limits))
    return found


def declared() -> list[dict[str, str]]:
    """The lines of ``decisions.csv``."""
    return shipped_lines(__package__, "decisions.csv")
