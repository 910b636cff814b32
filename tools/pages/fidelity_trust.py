"""Of ``docs/fidelity.md``: what holds, which choices are right, ranges, and what rules do."""

from collections.abc import Sequence
from typing import Final

from isfc.reports.measures import measure_name
from scenarios.figures.assumptions import ASSUMPTIONS
from scenarios.figures.certainty import (
    FOUR_OF_FIVE,
    NINETEEN_OF_TWENTY,
    ONE_CTC,
    QUIET,
    SEVERAL_CTCS,
    SMALL,
    Family,
    FigureKind,
    errors_of,
    every_errors,
)
from scenarios.published.decisions import (
    CHOICES,
    LEVELS,
    PREDICTORS,
    DecisionAccuracy,
    Regret,
    decide,
    decisions,
    emulated_figures,
    outliers,
    regret,
    rule_figures,
)
from scenarios.published.verdict import TableVerdict
from tools.calibration import ablations, certainty
from tools.calibration.certainty import covered, foretold
from tools.pages.spans import block
from tools.tables import markdown_table, read_csv

HELD_ROWS_MIN: Final = 10


ABLATED_COUNT: Final = 5
"""How many rules the page shows."""
ABLATED_COLUMNS: Final = 5
"""How many of the columns the page shows: MB/s, and the rule's name."""

RANGE_NAMES: Final = {
    "rate": "MB/s, messages/s",
    "rdev_util": "RDEV util",
    "cpu": "%CPU/msg",
    "service": "DISC, CONN, SERV",
    "rdevs": "ratio of two layouts",
    "pairs": "ratio of two numbers of pairs",
    "suite": "ratio of two workloads",
}


def told(verdicts: Sequence[TableVerdict]) -> dict[str, str]:
    """Figures of the page."""
    small = errors_of(FigureKind.RATE, Family(QUIET, SMALL))
    assumed = [(each.name, " ".join(each.reason.split())) for each in ASSUMPTIONS]
    return {
        "held": block(held(verdicts)),
        **decided(verdicts),
        "small": f"x {small.nineteen_of_twenty:.2f}",
        "ranges": block(markdown_table(RANGE_COLUMNS[:-1], foretold_ranges())),
        "assumed": block(markdown_table(("wider for", "ends"), assumed)),
        "ablated": block(ablated()),
    }


def held(verdicts: Sequence[TableVerdict]) -> str:
    """Within what half of the rows are, nine of ten, and all: of what is bounded or wanted."""
    lines = []
    for verdict in verdicts:
        found = {check.of.subject: check for check in verdict.checks if verdict.table.is_measured}
        for (measure, group, distance), check in found.items():
            if check.summary.count < HELD_ROWS_MIN:
                continue
            sizes = (check.summary.median, check.summary.p90, check.summary.worst)
            cells = (f"`{verdict.table.name}`", group, measure_name(measure))
            lines.append((*cells, str(check.summary.count), *map(distance.show, sizes)))
    heading = ("table", "rows", "measure", "count", "half within", "90 % within", "all within")
    return markdown_table(heading, lines)


def decided(verdicts: Sequence[TableVerdict]) -> dict[str, str]:
    """Choices between published rows, and what a site loses by its preference."""
    lines, lost, standing_out = [], [], ""
    for verdict in verdicts:
        table = verdict.table
        lines += [_decision(made) for made in decisions([table], verdict.comparisons)]
        figures = emulated_figures(verdict.comparisons).get(("transport", "mb_per_s"), {})
        if table.name == "transport" and len(figures) == len(table.rows):
            rule = decide(CHOICES[0], table, rule_figures(table))
            lines.append(("IBM's rule of thumb", *_decision(rule)[1:]))
            likings = {"the model": figures} | {n: of(table) for n, of in PREDICTORS.items()}
            lost = [
                (name, regret(table, liking), regret(table, liking, without=outliers(table)))
                for name, liking in likings.items()
            ]
            standing_out = ", ".join(sorted(outliers(table)))
    shares = [f"over {100 * level:.0f} %" for level in LEVELS]
    heading = ("two rows differ in", "measure", "pairs", *shares, "half within", "90 %", "all")
    losing = ("taken by", "lost on average", "at worst", "at", "without outliers", "at worst", "at")
    rows = [(name, *_regretted(every), *_regretted(ordinary)) for name, every, ordinary in lost]
    return {
        "decided": block(markdown_table(heading, lines)),
        "outliers": standing_out,
        "regretted": block(markdown_table(losing, rows)),
    }


def _regretted(lost: Regret) -> tuple[str, ...]:
    return f"{100 * lost.mean:.1f} %", f"{100 * lost.worst:.1f} %", lost.worst_at


def _decision(made: DecisionAccuracy) -> tuple[str, ...]:
    return (
        *(made.choice.what, measure_name(made.choice.measure), str(made.count)),
        *(f"{100 * made.share(level):.0f} %" for level in LEVELS),
        *(f"{100 * error:.1f} %" for error in (made.median, made.p90, made.worst)),
    )


RANGE_COLUMNS: Final = (
    *("figure", "family", "rows", "four of five"),
    *("nineteen of twenty", "foretold", "errors of"),
)


def ranges() -> list[tuple[str, ...]]:
    """Factors of ranges by `RANGE_COLUMNS`: a line for each kind of figure and family."""
    found = certainty.families([*certainty.figures(), *certainty.ratios()])
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


def _foretold(misses: Sequence[certainty.Miss]) -> str:
    found = [foretold(misses, share) for share in (FOUR_OF_FIVE, NINETEEN_OF_TWENTY)]
    return ", ".join(f"{100 * each:.0f} %" for each in found if each is not None)


def ablated() -> str:
    """Figures without one rule at a time."""
    columns = ablations.COLUMNS[:ABLATED_COLUMNS]
    nothing, *rules = ([line[name] for name in columns] for line in read_csv(ablations.FIGURES))
    rules.sort(key=lambda cells: -float(cells[2]))
    return markdown_table(columns, [nothing, *rules[:ABLATED_COUNT]])
