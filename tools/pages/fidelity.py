"""How near the emulator comes to what IBM measured: ``docs/fidelity.md``, its pictures and files.

`measured` replays every published table, with three seeds: ``docs/fidelity.csv`` has all its
figures. What they come to is told as `isfc replay` tells it. The rest is from ``docs/reasons.toml``
(by hand), ``docs/sensitivity.csv`` (`tools.calibration.studies`), ``docs/ablations.csv``
(the same), ``certainty.csv`` and ``scenarios/published/left_out.csv`` (both of
`tools.calibration.certainty`).
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec

from isfc.answers.replay import judged
from isfc.answers.replay_charts import part_charts
from isfc.answers.replay_report import Replayed, ReplayedFigure, replay_report
from isfc.reports.measures import measure_name
from isfc.reports.picture import picture_svg
from isfc.reports.report import Column, Report, Table
from isfc.reports.text import markdown_table as markdown
from scenarios.figures.assumptions import ASSUMPTIONS
from scenarios.figures.certainty import (
    FOUR_OF_FIVE,
    NINETEEN_OF_TWENTY,
    ONE_CTC,
    SEVERAL_CTCS,
    every_errors,
)
from scenarios.published.catalogue import load_table
from scenarios.published.decisions import outliers
from scenarios.published.replay import Part, choose, figures_by_cell
from scenarios.published.table import PublishedRow, Value
from scenarios.published.verdict import TableVerdict, in_group, summarise_left_out
from scenarios.runs.result import spread_percent
from tools import DOCS
from tools.calibration import certainty, studies
from tools.calibration.certainty import EVERY, SUMMARY
from tools.calibration.judge import FIGURES, SECONDS, SEEDS, ReplayedTable, load, replay_all, stored
from tools.calibration.knobs import present_values
from tools.calibration.studies import MOVE, SIGNIFICANT, Sensitivity
from tools.pages.spans import block, paragraph, table_block
from tools.tables import csv_text, read_csv

WORST_COUNT: Final = 3
HELD_ROWS_MIN: Final = 10
SENSITIVE_COUNT: Final = 4
"""How many constants the page shows of those that matter."""
ABLATED_COUNT: Final = 5
"""How many rules the page shows."""
ABLATED_COLUMNS: Final = 5
"""How many of the columns the page shows: MB/s, and the rule's name."""

LEFT_OUT_GOALS: Final = {"median": 5, "p90": 16, "worst": 30}
"""Percent within which suites that are left out are wanted."""
CONSTANTS_MAX: Final = 26
"""How many calibrated constants are wanted at most."""

UNKNOWN: Final = "Not known."


class OffReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why some rows are off, one way or the other, as far as we know."""

    where: dict[str, list[Value]]
    faster: bool
    text: str
    table: str = "transport"


def measured() -> dict[Path, str]:
    """The figures of a replay of every table, which takes minutes on isfc compiled."""
    with ProcessPoolExecutor() as pool:
        return {FIGURES: stored(replay_all(SEEDS, SECONDS, pool))}


def replayed(replays: Iterable[ReplayedTable]) -> Replayed:
    """What `isfc replay` answers of these replays."""
    figures = []
    for one in replays:
        for each, *seeds in zip(one.verdict.comparisons, *one.by_seed, strict=True):
            ours = tuple(comparison.emulated for comparison in seeds)
            was = msgspec.structs.asdict(each)
            figures.append(ReplayedFigure(**was, by_seed=ours, spread_percent=spread_percent(ours)))
    return judged([one.verdict for one in replays], figures, SECONDS, SEEDS)


def files() -> dict[Path, str]:
    """The pictures of the figures that are measured, every goal and every range."""
    replays = load()
    drawn = {}
    for replay in replays:
        figures = figures_by_cell(replay.every)
        for name, title, part in pictures(replay):
            charts = [chart for block in part for chart in part_charts(block, figures)]
            drawn[DOCS / name] = picture_svg(Report(title, [], charts=charts))
    checks = [msgspec.structs.asdict(check) for check in replayed(replays).checks]
    checks += [dict.fromkeys(checks[0], "") | goal for goal in model_goals(read_csv(SUMMARY))]
    factors = ranges()
    return drawn | {
        DOCS / "goals.csv": csv_text([*checks[0]], checks),
        DOCS / "ranges.csv": csv_text([*factors[0]], factors),
    }


def model_goals(left_out: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Goals that are of no published table: a suite left out, and how many constants there are."""
    every = next(row for row in left_out if row["suite"] == EVERY)
    suites = {"table": "suites left out", "measure": "mb_per_s", "of": "multi-CTC", "unit": "%"}
    goals: list[dict[str, Any]] = [
        {**suites, "rows": every["rows"], "statistic": name, "reached": 100 * float(every[name])}
        | {"goal": goal}
        for name, goal in LEFT_OUT_GOALS.items()
    ]
    count = {"reached": len(present_values()), "goal": CONSTANTS_MAX}
    goals.append({"table": "the model", "measure": "calibrated constants", **count})
    return [each | {"meets_goal": each["reached"] <= each["goal"]} for each in goals]


def pictures(replay: ReplayedTable) -> Iterator[tuple[str, str, list[Part]]]:
    """Of each block of a table, if it is a grid: a file, what is on it in words, and its rows."""
    table = replay.verdict.table
    for value in table.choices(table.key[0]) if table.is_grid else ():
        part = choose([table], {table.key[0]: [value]})
        words = re.findall(r"\w+", f"{table.name} {value}".lower())
        name = f"fidelity-{'-'.join(words).replace('_', '-')}.svg"
        yield name, table.heading.format_map(part[0].rows[0].columns), part


def figures(_: str) -> dict[str, str]:
    """All that the page does not say in words."""
    replays, left_out = load(), read_csv(SUMMARY)
    of_model = model_goals(left_out)
    reasons = load_reasons(DOCS / "reasons.toml")
    drawn = (
        f"![{title}: published against emulated]({name})\n"
        for one in replays
        for name, title, _ in pictures(one)
    )
    worst = (worst_rows(one.verdict, reasons) for one in replays)
    assumed = [{"wider for": each.name, "ends": each.reason} for each in ASSUMPTIONS]
    return {
        **told(replays),
        "model_met": f"{sum(bool(goal['meets_goal']) for goal in of_model)} of {len(of_model)}",
        **_sensitivity(studies.load()),
        "own": str(summarise_left_out([row for row in left_out if row["suite"] != EVERY])),
        "made": "; ".join(dict.fromkeys(row["made"] for row in left_out)),
        "left_out": table_block([*map(_left_out, left_out)]),
        "outliers": ", ".join(sorted(outliers(load_table("transport")))),
        "ranges": table_block([*_foretold()]),
        "assumed": table_block(assumed),
        "ablated": table_block([*_ablated()]),
        "pictures": block("\n".join(drawn)),
        "worst": block("\n".join(filter(None, worst))),
    }


def told(replays: Sequence[ReplayedTable]) -> dict[str, str]:
    """What `isfc replay` says of all tables: what holds, choices, and goals."""
    answer = replayed(replays)
    report = replay_report(answer)
    tables = {each.name: each for each in report.tables}
    measured = {one.name for one in replays if one.verdict.table.is_measured}
    held = [
        each
        for each in answer.errors
        if each.role is None and each.table in measured and each.rows >= HELD_ROWS_MIN
    ]
    near = tables["near"]
    tables["near"] = Table(near.caption, (Column("table", "table"), *near.columns[:-1]), held)
    names = ("near", "choices", "links", "off")
    shown = {name: block(markdown(tables[name])) if name in tables else "none" for name in names}
    return {**shown, "met": dict(report.answer)["Goals met"]}


RANGE_NAMES: Final = {
    "rate": "MB/s, messages/s",
    "rdev_util": "RDEV util",
    "cpu": "%CPU/msg",
    "service": "DISC, CONN, SERV",
    "rdevs": "ratio of two layouts",
    "pairs": "ratio of two numbers of pairs",
    "suite": "ratio of two workloads",
}


def ranges() -> list[dict[str, str]]:
    """Factors of ranges: a row for each kind of figure and family."""
    found = certainty.families([*certainty.figures(), *certainty.ratios()])
    rows = []
    for one in every_errors():
        if one.kind == "figure" or one.family.regime in (SEVERAL_CTCS, ONE_CTC):
            misses = found[one.kind, one.of, one.family]
            shares = {FOUR_OF_FIVE: one.four_of_five, NINETEEN_OF_TWENTY: one.nineteen_of_twenty}
            four, nineteen = (
                f"x {factor:.2f}, "
                f"covered {100 * certainty.covered(one.family, misses, share, factor):.0f} %"
                for share, factor in shares.items()
            )
            foretold = [certainty.foretold(misses, share) for share in shares]
            rows.append(
                {
                    "figure": RANGE_NAMES.get(one.of, one.of),
                    "family": str(one.family),
                    "rows": str(one.rows),
                    "four of five": four,
                    "nineteen of twenty": nineteen,
                    "foretold": ", ".join(f"{100 * each:.0f} %" for each in foretold if each),
                    "errors of": one.source,
                }
            )
    return rows


def _foretold() -> Iterator[dict[str, str]]:
    """Of `ranges` those foretold whose family is part of no other."""
    for row in ranges():
        if "," not in row["family"] and row["foretold"]:
            yield {name: cell for name, cell in row.items() if name != "errors of"}


def load_reasons(path: Path) -> list[OffReason]:
    """What people wrote about the rows that are off. Raises `ValueError` for a mistake in it."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["reason"], list[OffReason])


def explain(reasons: Iterable[OffReason], table: str, row: PublishedRow, error: float) -> str:
    """What is known of why a row is off."""
    for reason in reasons:
        if reason.table == table and row.is_in(reason.where) and reason.faster == (error > 0):
            return reason.text.strip()
    return UNKNOWN


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
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts), start=1)}
    lines = [
        {
            "row": c.key,
            "IBM": c.published,
            "ours": c.emulated,
            "off": goal.distance.show(goal.distance.of(c.published, c.emulated)),
            "role": c.role.name_of_rows,
            "why": numbers[text],
        }
        for c, text in zip(chosen, texts, strict=True)
    ]
    return (
        f"`{table.name}`, {measure_name(goal.measure)}; a row is {'/'.join(table.key)}."
        + table_block(lines)
        + "".join(paragraph(f"{number}. {text}") for text, number in numbers.items())
    )


def _sensitivity(found: Mapping[str, Sensitivity]) -> dict[str, str]:
    rows = sorted(found.values(), key=lambda row: -row.loss)
    matter = [row for row in rows if row.matters][:SENSITIVE_COUNT]
    lines = [
        {
            "constant": row.name,
            "value": row.value,
            f"-{100 * MOVE:.0f} %": _percent(row.down / row.unmoved - 1),
            f"+{100 * MOVE:.0f} %": _percent(row.up / row.unmoved - 1),
            "on average": _percent(row.loss),
            "chance": _percent(SIGNIFICANT * row.noise / row.unmoved),
            "matters": "yes" if row.matters else "no",
            "seeds": row.seeds,
        }
        for row in rows
        if row in matter or not row.matters
    ]
    stale = [
        f"`{name}`"
        for name, value in present_values().items()
        if name not in found or found[name].value != value
    ]
    text = paragraph(
        f"**Not measured since the latest fit** (`make fidelity`): {', '.join(stale)}."
    )
    return {
        "mattering": str(len(matter)),
        "constants": str(len(rows)),
        "sensitivity": block(text * bool(stale) + table_block(lines)),
    }


def _percent(share: float) -> str:
    return f"{100 * share:+.2f} %"


def _left_out(row: Mapping[str, str]) -> dict[str, str]:
    shares = {name: f"{100 * float(row[name]):.1f} %" for name in ("median", "p90", "worst")}
    return {"suite": row["suite"], "rows": row["rows"], **shares, "at": row["worst_row"]}


def _ablated() -> Iterator[dict[str, str]]:
    """Figures without one rule at a time, the worst ones first."""
    columns = studies.ABLATION_COLUMNS[:ABLATED_COLUMNS]
    nothing, *rules = ({name: line[name] for name in columns} for line in studies.ABLATIONS.rows())
    rules.sort(key=lambda cells: -float(cells[columns[2]]))
    yield from (nothing, *rules[:ABLATED_COUNT])
