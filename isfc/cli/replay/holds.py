"""What a replay is worth to a site: how near figures are, which choices are right, what is not."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from isfc.reports.measures import measure_name
from isfc.reports.table import plain_table
from scenarios.published import decisions
from scenarios.published.verdict import STATISTICS, BoundCheck, TableVerdict

_NAMES = {"median": "half", "p90": "90 %", "but_three": "all but 3", "worst": "all"}
_WITHIN = tuple(name for name in STATISTICS if name != "but_three")
_BAD = "bold red"


def holds_table(checks: Sequence[BoundCheck]) -> Table:
    """How near ours is to IBM's: within what half of the rows are, nine of ten, and all.

    The last column says whether the bounds are kept, and marks what leaves one.
    """
    headings = ("ours is within", "of", ">rows", *(f">{_NAMES[name]}" for name in _WITHIN))
    page = plain_table(*headings, "bound")
    for subject in dict.fromkeys(check.of.subject for check in checks):
        of_subject = [check for check in checks if check.of.subject == subject]
        summary, distance = of_subject[0].summary, of_subject[0].summary.distance
        bounded = [check for check in of_subject if check.bound]
        left = any(not check.within for check in bounded)
        page.add_row(
            *(measure_name(of_subject[0].of.measure), of_subject[0].of.group, str(summary.count)),
            *(distance.show(getattr(summary, name)) for name in _WITHIN),
            Text("left!" if left else "kept" if bounded else "", _BAD if left else ""),
        )
    return page


def decision_table(verdict: TableVerdict) -> Table | None:
    """Choices between two published rows; None if not all of the table's rows were run."""
    table = verdict.table
    made = decisions.decisions([table], verdict.comparisons)
    if not made:
        return None
    page = plain_table(
        *("two differ in", "of", ">pairs", ">right way", ">ratio: half", ">90 %", ">all")
    )
    for found in made:
        page.add_row(*_decision_cells(found))
    if (made[0].choice.table, made[0].choice.column) == ("transport", "rdevs"):
        rule = decisions.decide(made[0].choice, table, decisions.rule_figures(table))
        page.add_row("by the rule of thumb", *_decision_cells(rule)[1:])
    return page


def decision_parts(verdict: TableVerdict) -> Iterator[RenderableType]:
    """What the table of decisions means, and what a site loses by its preference."""
    level = f"{100 * decisions.LEVEL:.0f} %"
    yield f"Right way: as IBM's two figures go, where those differ by more than {level}."
    table = verdict.table
    figures = decisions.emulated_figures(verdict.comparisons).get((table.name, "mb_per_s"), {})
    if table.name != "transport" or len(figures) < len(table.rows):
        return
    without = decisions.outliers(table)
    page = plain_table("best by", ">MB/s lost", ">at worst", ">without outliers", ">at worst")
    likings = {"the model": figures} | {
        name: of(table) for name, of in decisions.PREDICTORS.items()
    }
    for name, liking in likings.items():
        lost = decisions.regret(table, liking), decisions.regret(table, liking, without=without)
        page.add_row(
            name, *(f"{100 * share:.1f} %" for each in lost for share in (each.mean, each.worst))
        )
    yield from ("", page)
    yield (
        "MB/s lost: what a site loses of IBM's MB/s, on average, if of the links of 1 to 16 CTCs "
        "it takes the one that is best by the model, or by another guess. Outliers: rows of IBM's "
        f"that stand out of the links beside them ({', '.join(sorted(without))})."
    )


def missed_table(verdict: TableVerdict) -> Table | None:
    """Goals that are missed, what is reached beside what is wanted; None if none is."""
    page = plain_table("goals missed", "of", ">rows", "within", ">reached", ">goal")
    for check in verdict.checks:
        if check.goal is None:
            continue
        for name in STATISTICS:
            goal, reached = getattr(check.goal, name), getattr(check.summary, name)
            if goal is not None and reached > goal:
                show = check.summary.distance.show
                page.add_row(
                    *(measure_name(check.goal.measure), check.goal.group),
                    *(str(check.summary.count), _NAMES[name], show(reached), show(goal)),
                )
    for made in verdict.decisions:
        if made.goal is not None and not made.meets_goal:
            page.add_row(
                *(measure_name(made.measure), made.what, "", decision_statistic(made)),
                *(f"{100 * share:.1f} %" for share in (made.reached, made.goal)),
            )
    return page if page.row_count else None


def decision_statistic(made: decisions.DecisionCheck) -> str:
    """What of a decision is bounded or wanted."""
    if made.is_regret:
        return f"lost, {made.statistic}"
    return "wrong way" if made.statistic == "wrong_way" else f"ratio, {_NAMES[made.statistic]}"


def describe_decision(made: decisions.DecisionCheck) -> str:
    """A bound of decisions, in one line."""
    return (
        f"{measure_name(made.measure)}, {made.what}: {decision_statistic(made)} "
        f"{100 * made.reached:.1f} % (bound {100 * (made.bound or 0):.1f} %)"
    )


def _decision_cells(found: decisions.DecisionAccuracy) -> tuple[str, ...]:
    choice = found.choice
    return (
        *(choice.what, measure_name(choice.measure), str(found.count)),
        f"{100 * found.share(decisions.LEVEL):.0f} %",
        *(f"{100 * error:.1f} %" for error in (found.median, found.p90, found.worst)),
    )
