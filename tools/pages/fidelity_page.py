"""Figures of ``docs/fidelity.md``, from what was replayed and what is known about it.

They come from ``docs/fidelity.csv`` (`tools.pages.fidelity`), ``docs/reasons.toml`` (by hand),
``docs/sensitivity.csv`` (`tools.calibration.sensitivity`), ``docs/ablations.csv``
(`tools.calibration.ablations`), ``certainty.csv`` (`tools.calibration.certainty`) and
``scenarios/published/left_out.csv`` (`tools.calibration.left_out`).
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from isfc.reports.measures import measure_name
from scenarios.figures.assumptions import ASSUMPTIONS
from scenarios.figures.certainty import QUIET, SMALL, Family, FigureKind, errors_of
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
from scenarios.published.replay import Comparison, spreads_by_cell
from scenarios.published.table import Deviation, PublishedRow, Role, Value
from scenarios.published.verdict import TableVerdict, in_group, summarise_left_out
from tools import DOCS
from tools.calibration import ablations, sensitivity
from tools.calibration.knobs import present_values
from tools.calibration.left_out import EVERY, SUMMARY
from tools.calibration.replayed import ReplayedTable, load
from tools.calibration.sensitivity import MOVE, SIGNIFICANT, Sensitivity
from tools.pages.fidelity import RANGE_COLUMNS, foretold_ranges, pictures, told_goals
from tools.pages.spans import block, paragraph
from tools.tables import markdown_table, read_csv

WORST_COUNT: Final = 3

SENSITIVE_COUNT: Final = 4
"""How many constants the page shows of those that matter."""

SPREAD_WANTED: Final = 2.0
"""Percent: how far the seeds of a run may differ."""


ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}
"""What a row is for, as the page says it."""

UNKNOWN: Final = "Not known."
HELD_ROWS_MIN: Final = 10


ABLATED_COUNT: Final = 5
"""How many rules the page shows."""
ABLATED_COLUMNS: Final = 5
"""How many of the columns the page shows: MB/s, and the rule's name."""


class OffReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why some rows are off, one way or the other, as far as we know."""

    where: dict[str, list[Value]]
    faster: bool
    text: str
    table: str = "transport"


def figures(_: str) -> dict[str, str]:
    """All that the page does not say in words."""
    replays, left_out = load(), read_csv(SUMMARY)
    verdicts = [replay.verdict for replay in replays]
    reasons = load_reasons(DOCS / "reasons.toml")
    worst = (worst_rows(verdict, reasons) for verdict in verdicts)
    return {
        **trusted(verdicts),
        **told_goals(verdicts, left_out),
        **_sensitivity(sensitivity.load()),
        **_left_out(left_out),
        "pictures": block("\n".join(_pictures(replays))),
        "worst": block("\n".join(filter(None, worst))),
        "spreads": block(_seeds(replays)),
    }


def load_reasons(path: Path) -> list[OffReason]:
    """What people wrote about the rows that are off. Raises `ValueError` for a mistake in it."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["reason"], list[OffReason])


def explain(reasons: Iterable[OffReason], table: str, row: PublishedRow, error: float) -> str:
    """What is known of why a row is off."""
    for reason in reasons:
        if reason.table == table and row.is_in(reason.where) and reason.faster == (error > 0):
            return reason.text.strip()
    return UNKNOWN


def _pictures(replays: Sequence[ReplayedTable]) -> Iterator[str]:
    for picture in chain.from_iterable(map(pictures, replays)):
        yield f"![{picture.title}: published against emulated]({picture.name})\n"


def worst_rows(verdict: TableVerdict, reasons: Sequence[OffReason]) -> str:
    """The rows that are farthest off in what the table's first goal is about."""
    table = verdict.table
    if not table.is_measured or not table.goals:
        return ""
    goal = table.goals[0]
    rows = {row.key: row for row in table.rows}
    found = in_group(table, {}, goal.measure, verdict.comparisons)
    found.sort(key=lambda c: -goal.distance.of(c.published, c.emulated))
    chosen = found[:WORST_COUNT]
    texts = [explain(reasons, table.name, rows[c.key], c.emulated - c.published) for c in chosen]
    numbers = {text: str(number) for number, text in enumerate(dict.fromkeys(texts), start=1)}
    lines = [
        (
            *(c.key, f"{c.published:g}", f"{c.emulated:.4g}", _error(c, goal.distance)),
            *(ROLES[c.role], numbers[text]),
        )
        for c, text in zip(chosen, texts, strict=True)
    ]
    return (
        f"`{table.name}`, {measure_name(goal.measure)}; a row is {'/'.join(table.key)}.\n\n"
        + markdown_table(("row", "IBM", "ours", "error", "role", "why"), lines)
        + "\n"
        + "".join(paragraph(f"{number}. {text}") for text, number in numbers.items())
    )


def _error(comparison: Comparison, distance: Deviation) -> str:
    if distance is Deviation.RELATIVE and comparison.error is not None:
        return f"{100 * comparison.error:+.0f} %"
    return f"{comparison.emulated - comparison.published:+.3g}"


def _seeds(replays: Sequence[ReplayedTable]) -> str:
    """How far the seeds differ in what the first goal of each table is about."""
    lines = []
    for replay in replays:
        table = replay.verdict.table
        measure = table.goals[0].measure if table.goals else table.measures[0]
        spreads = [
            (spread, key)
            for (_, key, of), spread in spreads_by_cell(replay.every).items()
            if of == measure and spread is not None
        ]
        if table.is_grid and spreads:
            greatest, key = max(spreads)
            middle = median(spread for spread, _ in spreads)
            above = sum(spread > SPREAD_WANTED for spread, _ in spreads)
            lines.append(
                (
                    *(f"`{table.name}`", measure_name(measure), f"{middle:.2f} %"),
                    *(f"{greatest:.1f} % ({key})", f"{above} of {len(spreads)}"),
                )
            )
    heading = ("table", "measure", "median", "greatest", f"above {SPREAD_WANTED:g} %")
    return markdown_table(heading, lines)


def _sensitivity(found: Mapping[str, Sensitivity]) -> dict[str, str]:
    rows = sorted(found.values(), key=lambda row: -row.loss)
    matter = [row for row in rows if row.matters][:SENSITIVE_COUNT]
    present = present_values()
    lines = [
        (
            *(f"`{row.name}`", f"{row.value:,.4g}"),
            *(
                f"{100 * ((loss - row.unmoved) / row.unmoved):+.2f} %"
                for loss in (row.down, row.up)
            ),
            *(f"{100 * row.loss:+.2f} %", f"{100 * (SIGNIFICANT * row.noise / row.unmoved):.2f} %"),
            *("yes" if row.matters else "**no**", str(row.seeds)),
        )
        for row in rows
        if row in matter or not row.matters
    ]
    text = ""
    stale = [row.name for row in rows if row.value != present.get(row.name)]
    missing = [f"`{name}`" for name in present if name not in found]
    if missing:
        text += paragraph(f"**Not measured yet**: {', '.join(missing)}.") + "\n"
    if stale:
        text += (
            paragraph(
                f"**Measured before the latest fit**: {len(stale)} of these constants have other "
                "values by now (`make fidelity` measures again)."
            )
            + "\n"
        )
    moves = (f"-{100 * MOVE:.0f} %", f"+{100 * MOVE:.0f} %", "on average", "chance")
    heading = ("constant", "value", *moves, "matters", "seeds")
    return {
        "mattering": str(len(matter)),
        "constants": str(len(rows)),
        "sensitivity": block(text + markdown_table(heading, lines)),
    }


def _left_out(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    lines = [
        (
            *(row["suite"], row["rows"]),
            *(f"{100 * float(row[name]):.1f} %" for name in ("median", "p90", "worst")),
            row["worst_row"],
        )
        for row in rows
    ]
    heading = ("suite", "rows", "median", "90 % within", "worst", "at")
    return {
        "own": str(summarise_left_out([row for row in rows if row["suite"] != EVERY])),
        "made": "; ".join(dict.fromkeys(row["made"] for row in rows)),
        "left_out": block(markdown_table(heading, lines)),
    }


def trusted(verdicts: Sequence[TableVerdict]) -> dict[str, str]:
    """What holds, which choices are right, ranges, and what rules do."""
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


def ablated() -> str:
    """Figures without one rule at a time."""
    columns = ablations.COLUMNS[:ABLATED_COLUMNS]
    nothing, *rules = ([line[name] for name in columns] for line in read_csv(ablations.FIGURES))
    rules.sort(key=lambda cells: -float(cells[2]))
    return markdown_table(columns, [nothing, *rules[:ABLATED_COUNT]])
