"""Of ``docs/fidelity.md``: what holds, which choices are right, ranges, and what rules do."""

from collections.abc import Mapping, Sequence
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
    LEVEL,
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
from tools.pages.spans import markdown_table, paragraph

HOLDS: Final = """
How far our figures are from IBM's: half of the rows are within the first error, nine of ten within
the second, all within the third. Errors are shares of IBM's figure, or factors; those of *quiet*
and *silent* rows are our own collisions a second, and those of busy % are points. The groups of
rows are [explained](#goals-and-what-is-reached) below. What is of fewer than {least} rows is in
[fidelity.csv](fidelity.csv) alone."""
HELD_ROWS_MIN: Final = 10

DECISIONS: Final = """
Two published rows that differ in one thing are a choice that a site may have to make. The table
shows for how many of such pairs the model goes the right way, where IBM's two figures differ by
more than 3, 5 and 10 %, and how far the ratio of the two is off: it is so many percent too great or
too small. Each of IBM's links has the CTCs of the smaller ones, so that "more CTCs" goes the right
way as often; what the model adds is by how much. A goal is about differences of more than
{level}."""

REGRET: Final = """
Of the links of 1 to 16 CTCs one is the best for each workload and number of pairs. The table
shows how much of IBM's MB/s a site loses, in 20 such cases, if it takes the link that is best by
the model, by the rule of thumb or by the number of CTCs. *Outliers* are
rows of IBM's that stand out by more than {level} of the link with fewer CTCs *and* of that with
more, as no model can have it in which more CTCs carry more: {outliers}."""

RANGES: Final = """
A figure of the model has two ranges, for four of five cases and for nineteen of twenty: the figure
divided and multiplied by a factor. The factors come from the errors of suites that nothing was
fitted to, and where these tell nothing, from those of the rows themselves (*in sample*). What a
search for constants finds is chance in part, so each row counts with its errors in two draws of
searches that began elsewhere. Ranges that are told by three suites cover the fourth as they state,
within five points: a test holds them to that, and *covered* is what they reach. A family with few
rows, or whose suites tell too little of each other, takes the factors of a wider one, or what its
own rows take if that is more: there, and in sample, *covered* is of its own rows. The table has
families that suites foretell; [ranges.csv](ranges.csv) has all, also by the size of messages and
the number of pairs, and whose errors each is made of.

Odds that one of two is ahead, and whether a gain is known, are read off the range of their ratio.
Of IBM's pairs of rows, those that it leaves open turn out as the model has it as often as the odds
say on average, and so do the others, within three points: a test holds them to that.

*Foretold* is a harder test: how many rows are covered by what other suites say in the other draw,
and nothing more, for four of five and for nineteen of twenty. MB/s of several CTCs are covered as
stated, within five points, whatever their size, with one exception: for nineteen of twenty of small
messages it is 85 %. All of that is HS in the second draw, where few pairs of short messages become
up to half too fast, of which nothing else tells: the range is as wide as the rows themselves take,
{small}. Ranges of RDEV util hold less well by size, and those of one CTC, which rest on twenty
rows. A suite of messages shorter than HS's may lie outside of these ranges."""

ASSUMED: Final = """
What nobody has measured of CTCs makes a range wider. The model is run at both ends of each
assumption; several count as squares do."""

ABLATIONS: Final = """
For this table one rule at a time was left out, by a constant at which it does nothing; nothing was
fitted again. One seed, {seconds:g} s; errors in percent. Shown are the {count} rules without which
MB/s of several CTCs are worst by the error within which 90 % are; [ablations.csv](ablations.csv)
has all, and more figures."""
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
    return paragraph(HOLDS.format(least=HELD_ROWS_MIN)) + "\n" + markdown_table(heading, lines)


def decided(verdicts: Sequence[TableVerdict]) -> str:
    """Choices between published rows, and what a site loses by its preference."""
    text = paragraph(DECISIONS.format(level=f"{100 * LEVEL:.0f} %")) + "\n"
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
    said = REGRET.format(level=f"{100 * LEVEL:.0f} %", outliers=standing_out)
    text += markdown_table(heading, lines) + "\n" + paragraph(said) + "\n"
    return text + markdown_table(
        ("taken by", "lost on average", "at worst", "at", "without outliers", "at worst", "at"),
        [(name, *_regretted(every), *_regretted(ordinary)) for name, every, ordinary in lost],
    )


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
    misses_of_ratios = (miss for miss, _, _ in certainty.ratios())
    found = certainty.families([*certainty.figures(), *misses_of_ratios])
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


def ranged(lines: Sequence[Sequence[str]]) -> str:
    """Of `ranges` those foretold whose family is part of no other, and what makes ranges wider."""
    small = errors_of(FigureKind.RATE, Family(QUIET, SMALL))
    shown = [line[:-1] for line in lines if "," not in line[1] and line[-2]]
    assumed = [(each.name, " ".join(each.reason.split())) for each in ASSUMPTIONS]
    parts = (
        paragraph(RANGES.format(small=f"x {small.nineteen_of_twenty:.2f}")),
        markdown_table(RANGE_COLUMNS[:-1], shown),
        paragraph(ASSUMED),
        markdown_table(("wider for", "ends"), assumed),
    )
    return "\n".join(parts)


def _foretold(misses: Sequence[certainty.Miss]) -> str:
    found = [foretold(misses, share) for share in (FOUR_OF_FIVE, NINETEEN_OF_TWENTY)]
    return ", ".join(f"{100 * each:.0f} %" for each in found if each is not None)


def ablated(lines: Sequence[Mapping[str, str]]) -> str:
    """Figures without one rule at a time."""
    if not lines:
        return "Not measured yet: `python -m tools.calibration.ablations`.\n"
    text = paragraph(ABLATIONS.format(seconds=ablations.SECONDS, count=ABLATED_COUNT)) + "\n"
    columns = ablations.COLUMNS[:ABLATED_COLUMNS]
    nothing, *rules = ([line[column] for column in columns] for line in lines)
    rules.sort(key=lambda cells: -float(cells[2]))
    return text + markdown_table(columns, [nothing, *rules[:ABLATED_COUNT]])
