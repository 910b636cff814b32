"""The text of ``docs/fidelity.md``, from what was replayed and what is known about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import msgspec

from isfc.reports.measures import measure_name
from scenarios.published.replay import Comparison, spreads_by_cell
from scenarios.published.table import Deviation, PublishedRow, Role, Value
from scenarios.published.verdict import TableVerdict, in_group, summarise_left_out
from tools.calibration.knobs import present_values
from tools.calibration.left_out import EVERY
from tools.calibration.replayed import ReplayedTable
from tools.calibration.sensitivity import MORE_SEEDS, MOVE, SEEDS, SIGNIFICANT, Sensitivity
from tools.pages.fidelity_goals import goals_part
from tools.pages.fidelity_trust import ablated, decided, held, ranged
from tools.pages.spans import markdown_table, paragraph

WORST_COUNT: Final = 3

MADE: Final = (
    "This page is made from a replay of the published tables. `make docs` makes the page again; "
    "`make fidelity` measures again what each constant does."
)
SENSITIVITY: Final = """
One constant at a time was moved by {move:.0f} %, down and up, while all others stayed. The table
shows by how much the fit's loss on the calibration rows (`tools/calibration/loss.py`) then grows.
*Chance* is {significant} standard errors of that. A constant *matters* if a move changes the loss
by more than chance; where {seeds} seeds could not tell, {more} were run. The fit cannot have found
the value of a constant that does not matter. Shown are the {shown} constants that matter most, and
those that do not matter; [sensitivity.csv](sensitivity.csv) has all {count}."""
SENSITIVE_COUNT: Final = 4
"""How many constants the page shows of those that matter."""

SPREAD_WANTED: Final = 2.0
"""Percent: how far the seeds of a run may differ."""
SPREAD: Final = """
How far the seeds of a run differ: the greatest figure less the least, as a share of their mean.
Less than 2 % is wanted."""

LEFT_OUT: Final = """
How well the model predicts a workload that it was not fitted to. The constants were fitted to the
calibration rows of three suites; the table has the errors of the fourth, in MB/s of its rows with
several CTCs. The rules of the model, however, were chosen with all four suites in sight. Each row
counts once for each draw of searches: {made}. The *fast copy* is a program apart from this code
with the same rules; its searches began at the model's constants, each moved by 30 % up or down.
`make left-out` makes such searches with the model, which begin half-way between the bounds of each
constant. How long a search takes affects its result, so that the figures are uncertain by some
percentage points."""

ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}
"""What a row is for, as the page says it."""

UNKNOWN: Final = "Not known."

INTRODUCTION: Final = """\
# Fidelity: how near the emulator comes to what IBM measured

{how}
**For a workload of your own**, expect the errors of [a suite left out](#a-suite-left-out) of
the fit:
{left_out}.

The published rows are of two kinds. The model's constants were fitted to the **calibration**
rows. All other rows are **predictions**. The errors of these predictions are smaller than those
to expect of a new workload: most predictions are neighbours of calibration rows in one grid,
and the [rules of the model](decisions/0009-what-the-figures-taught.md) were chosen while all
rows were in sight. [Extrapolation](extrapolation.md) lists what no published figure tests.

A **bound** is the error that this version of the model reaches, and a margin. A test fails where
an error exceeds its bound, and so notices a version that is worse; a row within its bound is no
evidence for the predictions. A bound is the greatest error of nine replays of 3 to 20 s with up to
four seeds (`make bounds`), and as a margin the difference to the least, or 5 % if that is more. So
it holds for other seeds, and for every length from 3 s on.

[fidelity.csv](fidelity.csv) has every figure of the replays, IBM's and ours.
[Sources](sources.md) lists every constant with its value and origin. [Timing](timing.md)
describes the model.
"""


class OffReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why some rows are off, one way or the other, as far as we know."""

    where: dict[str, list[Value]]
    faster: bool
    text: str
    table: str = "transport"


@dataclass(frozen=True, slots=True)
class Picture:
    """A file, and what is on it."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that the page tells."""

    how: str
    replays: Sequence[ReplayedTable]
    pictures: Sequence[Picture]
    reasons: Sequence[OffReason]
    sensitivity: Mapping[str, Sensitivity]
    ablations: Sequence[Mapping[str, str]]
    left_out: Sequence[Mapping[str, str]]
    ranges: Sequence[Sequence[str]]


def page(material: Material) -> str:
    """The whole page, in Markdown."""
    worst = [_worst(replay.verdict, material.reasons) for replay in material.replays]
    parts = [
        INTRODUCTION.format(
            how=paragraph(f"{MADE} {material.how}"), left_out=_own(material.left_out)
        ),
        "## What holds\n",
        held([replay.verdict for replay in material.replays]),
        "## Decision accuracy\n",
        decided([replay.verdict for replay in material.replays]),
        "## Ranges\n",
        ranged(material.ranges),
        "## Goals, and what is reached\n",
        goals_part([replay.verdict for replay in material.replays], material.left_out),
        "## Pictures\n",
        _pictures(material.pictures),
        f"## The {WORST_COUNT} worst rows of each table\n",
        *filter(None, worst),
        "## From seed to seed\n",
        _seeds(material.replays),
        "## What each calibrated constant does\n",
        _sensitivity(material.sensitivity),
        "## What each rule does\n",
        ablated(material.ablations),
        "## A suite left out\n",
        _left_out(material.left_out),
    ]
    return "\n".join(parts)


def explain(reasons: Iterable[OffReason], table: str, row: PublishedRow, error: float) -> str:
    """What is known of why a row is off."""
    for reason in reasons:
        if reason.table == table and row.is_in(reason.where) and reason.faster == (error > 0):
            return reason.text.strip()
    return UNKNOWN


def _pictures(pictures: Sequence[Picture]) -> str:
    lines = [
        "IBM's figures are dots on a solid line, ours are crosses on a broken line. Each number",
        "of pairs has its own lines. Bars go from the least to the greatest figure of the seeds.\n",
    ]
    lines += [f"![{one.title}: published against emulated]({one.name})\n" for one in pictures]
    return "\n".join(lines)


def _worst(verdict: TableVerdict, reasons: Sequence[OffReason]) -> str:
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
        + "".join(f"{paragraph(f'{number}. {text}')}" for text, number in numbers.items())
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
    return paragraph(SPREAD) + "\n" + markdown_table(heading, lines)


def _sensitivity(found: Mapping[str, Sensitivity]) -> str:
    if not found:
        return "Not measured yet: `python -m tools.calibration.sensitivity`.\n"
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
    numbers = {"move": 100 * MOVE, "seeds": SEEDS, "more": MORE_SEEDS, "significant": SIGNIFICANT}
    numbers |= {"shown": len(matter), "count": len(rows)}
    text = paragraph(SENSITIVITY.format(**numbers)) + "\n"
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
    return text + markdown_table(heading, lines)


def _own(rows: Sequence[Mapping[str, str]]) -> str:
    """What to expect of a workload of one's own."""
    suites = [row for row in rows if row["suite"] != EVERY]
    return str(summarise_left_out(suites)) if suites else "not measured yet"


def _left_out(rows: Sequence[Mapping[str, str]]) -> str:
    if not rows:
        return "Not done yet: `python -m tools.calibration.calibrate --leave-out SUITE --record`.\n"
    made = "; ".join(dict.fromkeys(row["made"] for row in rows))
    text = paragraph(LEFT_OUT.format(made=made)) + "\n"
    lines = [
        (
            *(row["suite"], row["rows"]),
            *(f"{100 * float(row[name]):.1f} %" for name in ("median", "p90", "worst")),
            row["worst_row"],
        )
        for row in rows
    ]
    heading = ("suite", "rows", "median", "90 % within", "worst", "at")
    return text + markdown_table(heading, lines)
