"""What a replay comes to: its record, and its report of what is kept and met, and how near."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from statistics import median
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.answers import replay_checks as replayed
from isfc.answers.replay_charts import part_charts
from isfc.answers.views import ViewedRuns
from isfc.reports.figure import Reported, Unit
from isfc.reports.measures import measure_name
from isfc.reports.report import Column, Lines, Report, Table, headed, report_of
from isfc.reports.units import shown
from scenarios.published import decisions
from scenarios.published.catalogue import load_table
from scenarios.published.replay import ComparedFigure, Part
from scenarios.published.verdict import left_out


class ReplayedFigure(ComparedFigure, frozen=True, kw_only=True):
    """One published figure beside ours; of several seeds ours is the mean."""

    by_seed: tuple[float, ...]
    """ours with each seed, from the first on"""
    spread_percent: float | None
    """(greatest - least) / mean x 100 of all seeds; null of one, and where the mean is 0"""

    @property
    def error_percent(self) -> float | None:
        """By how much ours is more than IBM's; None where IBM has 0."""
        return None if self.error is None else 100 * self.error

    @property
    def bound(self) -> str:
        """Whether its bound is kept, in a word."""
        return "" if self.within is None else "kept" if self.within else "left!"


class Replayed(Reported, Struct, frozen=True):
    """Published rows beside ours, and what that comes to."""

    reported_by = "isfc.answers.replay_report.replay_report"

    version: str
    """that of isfc"""
    constants: str
    """a digest of the model's constants: the same if and only if all of them are"""
    seconds: float
    """virtual time measured of each run"""
    seeds: int
    """with how many seeds each run was made, from 1 on"""
    within: bool
    """whether every figure, bound and decision is as it is declared"""
    tables: tuple[replayed.TableOutcome, ...] = ()
    """each table of which rows were replayed"""
    figures: tuple[ReplayedFigure, ...] = ()
    """every figure beside ours"""
    errors: tuple[replayed.GroupError, ...] = ()
    """how near ours comes, by groups of rows"""
    checks: tuple[replayed.Check, ...] = ()
    """every number that is bounded or wanted, of groups all of whose rows were replayed"""
    choices: tuple[replayed.ChoiceCheck, ...] = ()
    """how well choices between two rows are told, of tables all of whose rows were replayed"""
    best_links: tuple[replayed.BestLink, ...] = ()
    """what a site loses that takes the link which is best by a guess"""
    shows_all: bool = False
    """whether a page has every figure"""
    report: ViewedRuns | UnsetType = UNSET
    """with `--report`, which has nothing else"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each figure, as a data frame takes them."""
        return [asdict(each) | {"by_seed": str(each.by_seed)} for each in self.figures]


FAILURES_SHOWN = 10
"""So many are told at the end; the answer marks all that is out of tolerance."""

_BOUNDS: Final = (
    "A bound is what this version reaches with several seeds and lengths, and a margin; a figure "
    "that leaves it ends the command with 1. That bounds are kept proves nothing about a "
    "prediction. A goal is wanted; missing it ends nothing."
)
_CHOICES: Final = (
    "A choice goes the right way as IBM's two figures go, where those differ by more than "
    f"{shown(decisions.LEVEL, Unit.SHARE)} %; the ratio is that of the two figures."
)


def replay_report(found: Replayed) -> Report:
    """What holds, then the figures if all are wanted, then what is off."""
    if found.report:
        return report_of(found.report)
    several = len(found.tables) > 1
    told = [each for each in found.tables if each.missed or each.bounds_kept < each.bounds]
    tables = (
        Table("Each figure", _FIGURES, found.figures, "figures", detail=not found.shows_all),
        Table("Goals that are missed, by table", _TABLES, told if several else (), "off"),
        Table("Every table", _TABLES, found.tables if several else (), "tables", detail=True),
        Table(
            "Ours is within so much of IBM's",
            _ERRORS,
            [each for each in found.errors if each.role is None],
            "near",
            detail=several,
        ),
        Table("Choices between two rows", _CHOICE, found.choices, "choices", detail=several),
        Table("What taking the best link loses", _LINKS, found.best_links, "links", detail=several),
        Table(
            "Goals that are missed",
            _MISSED,
            [each for each in found.checks if not each.meets_goal],
            "missed",
            detail=several,
        ),
        Table("Bounds and goals", _CHECKS, found.checks, "checks", detail=True),
        Table(
            "Errors by what rows are for",
            (Column("rows of", "of"), *_ERRORS),
            [each for each in found.errors if each.role is not None],
            "errors",
            detail=True,
        ),
        Table("How far seeds differ", _SPREADS, [*_spreads(found)], "spreads"),
    )
    return Report(
        _title(found),
        [*_answer(found)],
        [each for each in tables if each.rows],
        remarks=[_BOUNDS],
        notes=[*_notes(found)],
        charts=[*replay_charts(found)],
    )


_FIGURES: Final = (
    *headed(key="row", measure="measure"),
    *headed(Unit.OWN, published="IBM", emulated="ours"),
    Column("% off", "error_percent", Unit.CHANGE),
    *headed(bound="bound", table="table"),
)
_TABLES: Final = (
    *headed(name="table", rows="rows", kept="bounds\nkept", met="goals\nmet"),
    Column("goals missed", "missed", folds=True),
)
_ERRORS: Final = (
    *headed(name="", group="of", rows="rows"),
    *headed(Unit.OWN, half="half", nine_of_ten="90 %", all="all"),
    *headed(unit="", worst="worst", bound="bounds"),
)
_CHOICE: Final = (
    *headed(differ_in="two differ in", name="of", by="by", pairs="pairs"),
    Column("right\n%", "right_percent", Unit.PERCENT),
    *headed(Unit.OWN, half_percent="ratio off\nhalf, %", nine_of_ten_percent="90 %"),
    Column("all", "all_percent", Unit.OWN),
)
_LINKS: Final = (
    Column("best by", "by"),
    *headed(Unit.OWN, lost_percent="MB/s lost\n%", worst_percent="at worst"),
    *headed(Unit.OWN, ordinary_lost_percent="without\noutliers", ordinary_worst_percent="at worst"),
)
_MISSED: Final = (
    *headed(name="", of="of", rows="rows", what="within"),
    *headed(Unit.OWN, reached="reached", goal="goal"),
    Column("", "unit"),
    Column("worst", "worst", folds=True),
)
_CHECKS: Final = (
    *_MISSED[:5],
    Column("bound", "bound", Unit.OWN),
    *_MISSED[5:7],
    Column("table", "table"),
)
_SPREADS: Final = (
    *headed(measure="", table="table", figures="figures"),
    *headed(Unit.OWN, median_percent="half, %", worst_percent="all, %"),
    Column("worst", "at"),
)


def _title(found: Replayed) -> str:
    if len(found.tables) > 1:
        return f"{len(found.tables)} of IBM's published tables, replayed"
    (table,) = found.tables
    return f"{table.title}, measured {table.measured}\n{table.source}"


def _answer(found: Replayed) -> Iterator[tuple[str, str]]:
    """Whether all is as declared, how near ours is, and what is to be expected of other runs."""
    bounds = [each for each in found.checks if each.bound is not None]
    judged = [each for each in found.figures if each.within is not None]
    left = len({(each.table, each.key) for each in judged if not each.within})
    rows = len({(each.table, each.key) for each in judged})
    kept = f"{sum(each.within for each in bounds)} of {len(bounds)} kept; " * bool(bounds)
    told = f"{left} of {rows} rows leave theirs" if rows else "none of rows"
    yield "Bounds", f"{kept}{told}"
    if goals := [*_goals(found)]:
        yield "Goals met", ", ".join(goals)
    if near := [*_nearest(found)]:
        yield "Ours is within", near[0]
    if found.best_links:
        model, rule, *_ = found.best_links
        lost, by_rule = (shown(each.lost_percent, Unit.OWN) for each in (model, rule))
        told = f"by the model {lost} % of IBM's MB/s are lost, by {rule.by} {by_rule} %"
        yield "Best link", told
    if any(load_table(each.name).is_measured for each in found.tables):
        yield "Your own load", f"expect MB/s to be off by: {left_out()}"


def _goals(found: Replayed) -> Iterator[str]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in found.tables:
        counts[each.kind][0] += each.goals_met
        counts[each.kind][1] += each.goals
    yield from (f"{met} of {count} of {kind}" for kind, (met, count) in counts.items() if count)


def _nearest(found: Replayed) -> Iterator[str]:
    """Of the first group of rows, or of what was chosen: within what half and all figures are."""
    for each in found.errors:
        if each.role is None and each.unit == "%" and each.half is not None:
            nine, every = (
                "beyond any number" if value is None else f"{shown(value, Unit.OWN)} %"
                for value in (each.nine_of_ten, each.all)
            )
            group = "" if each.group == "all" else f"{each.group} "
            yield (
                f"{shown(each.half, Unit.OWN)} % of IBM's for half of the rows, {nine} for 90 %, "
                f"{every} for all: {each.name}, {each.rows} {group}rows"
            )
    known = [each for each in found.figures if each.error is not None]
    if known:
        worst = max(known, key=lambda each: abs(each.error or 0))
        half = median(abs(each.error_percent or 0) for each in known)
        yield (
            f"{shown(half, Unit.OWN)} % of IBM's for half of {len(known)} figures; furthest off is "
            f"{worst.key}, {measure_name(worst.measure)}: "
            f"{shown(worst.error_percent or 0, Unit.CHANGE)} %"
        )


def _spreads(found: Replayed) -> Iterator[dict[str, Any]]:
    """The middle one and the greatest, by table and measure; none of one seed."""
    if found.seeds == 1:
        return

    def subject(each: ReplayedFigure) -> tuple[str, str]:
        return each.table, each.measure

    known = [each for each in found.figures if each.spread_percent and len(each.by_seed) > 1]
    for (table, measure), group in groupby(sorted(known, key=subject), key=subject):
        spreads = [(each.spread_percent or 0, each.key) for each in group]
        worst, at = max(spreads)
        yield {
            "measure": measure_name(measure),
            "table": table,
            "figures": len(spreads),
            "median_percent": median(spread for spread, _ in spreads),
            "worst_percent": worst,
            "at": at,
        }


def _notes(found: Replayed) -> Iterator[str]:
    """How long runs were, what choices mean, what no ratio can say, what has no figure."""
    seeds = f", the mean of {found.seeds} seeds" if found.seeds > 1 else ""
    yield f"Each run is measured for {found.seconds:g} s of virtual time{seeds}."
    if found.choices:
        yield _CHOICES
    if found.best_links:
        outliers = ", ".join(sorted(decisions.outliers(load_table("transport"))))
        yield (
            "MB/s lost: what a site loses of IBM's MB/s, on average, if of the links of 1 to 16 "
            "CTCs it takes the one that is best by the model, or by another guess. Outliers: rows "
            f"of IBM's that stand out of the links beside them ({outliers})."
        )
    free = [
        each for each in found.figures if each.measure == "collisions_per_s" and not each.published
    ]
    if free:
        worst = max(free, key=lambda each: each.emulated)
        yield (
            f"collisions/s where IBM has none ({len(free)} row{'s' * (len(free) > 1)}): at most "
            f"{shown(worst.emulated, Unit.OWN)} ({worst.key})"
        )
    for table in found.tables:
        for entry in table.not_modelled:
            yield f"Not modelled of {table.name}: {', '.join(entry.rows)}: {entry.reason}"


def replay_failure(found: Replayed) -> str:
    """What leaves its bound, a line for each: first what sums up; nothing if all are kept."""
    failures = [_failed(each) for each in found.checks if not each.within]
    failures += [_outside(each) for each in found.figures if each.within is False]
    if not failures:
        return ""
    more = len(failures) - FAILURES_SHOWN
    listed = failures[:FAILURES_SHOWN] + [f"and {more} more"] * (more > 0)
    return "out of tolerance:\n  " + "\n  ".join(listed)


def _failed(check: replayed.Check) -> str:
    rows = "" if check.rows is None else f"{check.rows} "
    reached = "no number" if check.reached is None else shown(check.reached, Unit.OWN)
    return (
        f"{check.name}, {rows}{check.of}: {check.what} {reached} {check.unit} "
        f"(bound {shown(check.bound or 0, Unit.OWN)})"
    )


def _outside(figure: ReplayedFigure) -> str:
    table = load_table(figure.table)
    row = next(row for row in table.rows if row.key == figure.key)
    bound = table.tolerance(row, figure.measure)
    assert bound is not None, "what is out of tolerance has one"
    return (
        f"{figure.key} {measure_name(figure.measure)}: {shown(figure.emulated, Unit.ANY)}, "
        f"published {figure.published:g}; expected {bound.distance.limit(bound.worst or 0)}"
    )


def replay_charts(found: Replayed) -> Iterator[Lines]:
    """Those of all figures that were replayed."""
    emulated = {(each.table, each.key, each.measure): each.by_seed for each in found.figures}
    cells = {(table, key) for table, key, _ in emulated}
    for table in (load_table(each.name) for each in found.tables):
        rows = tuple(row for row in table.rows if (table.name, row.key) in cells)
        yield from part_charts(Part(table, rows), emulated)
