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
from scenarios.published.replay import Comparison, spreads_by_cell
from scenarios.published.table import Deviation, PublishedRow, Role, Value
from scenarios.published.verdict import TableVerdict, in_group, summarise_left_out
from tools.calibration import sensitivity
from tools.calibration.knobs import present_values
from tools.calibration.left_out import EVERY, SUMMARY
from tools.calibration.replayed import ReplayedTable, load
from tools.calibration.sensitivity import MOVE, SIGNIFICANT, Sensitivity
from tools.pages import fidelity_goals, fidelity_trust
from tools.pages.fidelity import DOCS, pictures
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
        **fidelity_trust.told(verdicts),
        **fidelity_goals.told(verdicts, left_out),
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
