"""Figures in the prose of pages: a function for each page, or some, of what its marks show."""

import math
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from importlib import resources
from itertools import takewhile
from pathlib import Path
from textwrap import fill
from typing import Final

from ctc.state import TRANSITIONS, CommandOutcome, State
from isfc.answers.check import CHECK_RULES
from isfc.answers.replay_checks import checks_of
from isfc.link.state import SHOWN, WRITE_SIDE
from isfc.reports.figure import Unit
from isfc.reports.measures import measure_name
from isfc.reports.units import shown as in_digits
from scenarios.published.catalogue import CHANNEL_TABLES, load_table
from scenarios.published.replay import ComparedFigure, choose
from scenarios.published.system_rows import RELOCATION_ROWS
from scenarios.published.table import PublishedRow, PublishedTable, Role
from scenarios.published.verdict import TableVerdict, judge, left_out
from tools import DOCS
from tools.calibration.judge import SEEDS_OF_LENGTH, load
from tools.pages.spans import WORDS, block, table_block
from tools.tables import csv_text, markdown_table

_REACHED = {
    "half": ("transport", "mb_per_s", "multi-CTC", "median"),
    "most": ("transport", "mb_per_s", "multi-CTC", "p90"),
    "worst": ("transport", "mb_per_s", "multi-CTC", "worst"),
    "util_half": ("transport", "rdev_util_percent", "multi-CTC", "median"),
    "util_most": ("transport", "rdev_util_percent", "multi-CTC", "p90"),
}
"""Percent, rounded up, of all rows of a check."""


def fit(text: str) -> dict[str, str]:
    """Of README, the changelog and the page on replays: how near the model comes to IBM's."""
    return {name: shown for name, shown in _fit().items() if f"<!--={name}-->" in text}


@cache
def _fit() -> dict[str, str]:
    replays = {one.name: one.verdict for one in load()}
    checks = {
        (check.table, check.measure, check.of, check.statistic): check
        for verdict in replays.values()
        for check in checks_of(verdict)
    }
    reached = {name: math.ceil(check.reached or 0) for name, check in checks.items()}
    kept = checks["transport", "collisions_per_s", "quiet", "worst"].bound
    times = [
        reached["device_reports", f"{time}_ms", "writing devices", "median"]
        for time in ("disc", "conn", "serv")
    ]
    suites = left_out()

    def rows(table: str, measure: str) -> dict[str, tuple[float, float]]:
        """IBM's figure and ours, by row."""
        found = replays[table].comparisons
        return {c.key: (c.published, c.emulated) for c in found if c.measure == measure}

    def ratios(table: str, measure: str) -> list[float]:
        return [ours / ibms for ibms, ours in rows(table, measure).values()]

    collisions = [
        both
        for key, both in rows("transport", "collisions_per_s").items()
        if key.split("/")[1] != "1"
    ]
    many = [max(ours / ibms, ibms / ours) for ibms, ours in collisions if ibms >= 20]
    quiet = [ours for ibms, ours in collisions if ibms <= 0.2]
    replies = ratios("link_activity", "read_pkgs_per_s")
    appc = ratios("appc_regression", "msgs_per_s")
    return {
        **{name: str(reached[check]) for name, check in _REACHED.items()},
        "device_times": str(max(times)),
        "left_out_median": f"{100 * suites.median_least:.0f} to {100 * suites.median_most:.0f}",
        "left_out_most": f"{100 * suites.p90_least:.0f} to {100 * suites.p90_most:.0f}",
        "left_out_worst": f"{100 * suites.worst:.0f}",
        "colliding": WORDS[len(many)],
        "colliding_near": WORDS[sum(factor <= 2 for factor in many)],
        "quiet": str(len(quiet)),
        "quiet_off": WORDS[sum(ours > 2 for ours in quiet)],
        "quiet_worst": f"{kept:.0f}",  # short runs have more than long ones
        "replies_least": WORDS[math.floor(min(replies))],
        "replies_most": WORDS[math.ceil(max(replies))],
        "appc_fast": f"{100 * (max(appc) - 1):.0f}",
        "appc_slow": f"{100 * (1 - min(appc)):.0f}",
        "runs": str(len(load_table("transport").rows)),
        "bounds_from": f"{min(SEEDS_OF_LENGTH):g}",
    }


_COLUMNS: Final = ("table", "row", "figure", "published", "ours", "off", "is", "role", "note")

FITTED: Final = {
    "ctc.channel.COMMAND_IO_NS": 1,
    "ctc.channel.INFORMATION_UNIT_NS": 1,
    "ctc.channel.TRANSPORT_IO_NS": 1,
    "ctc.channel.TRANSPORT_BLOCK_NS": 1,
    "ctc.channel.EXPRESS16S_TRANSPORT_BLOCK_NS": 1,
    "ctc.channel.FCP_IO_NS": 1,
    "ctc.channel.ENCRYPTED_IO_NS": 1,
    "ctc.channel.ENCRYPTED_FCP_WRITE_NS_PER_BYTE": 1,
    "ctc.features.CHANNELS": 3,
    "ctc.channel.STATUS_FRAMES": 1,
    "ctc.channel.STATUS_LENGTH": 1,
    "ctc.channel.COMMAND_LENGTH": 1,
    "ctc.channel.LINE_USE": 1,
    "isfc.io.demand.DS8950": 3,
    "isfc.io.demand.DS8950_FCP": 2,
    "isfc.io.osa.OSA_EXPRESS7S_25GBE": 2,
    "isfc.io.machine.Z15": 3,
    "isfc.io.machine.Z14": 1,
    "isfc.io.zhyperlink.ZHYPERLINK": 3,
    "scenarios.published.system_rows.VSAM_READ_IOS": 1,
}
"""How many numbers of each constant were fitted."""

TAKEN: Final = {
    "isfc.io.machine.INTERCONNECT": 1,
    "isfc.io.machine.FANOUT": 2,
    "isfc.io.osa.LINK_SHARE": 1,
}
"""How many are figures of calibration rows, taken as they were published."""


def channel_files() -> dict[Path, str]:
    """``docs/channel-fidelity.csv``: the published tables of channels, ours beside them."""
    rows = (row for verdict in _verdicts() for row in _rows(verdict))
    return {DOCS / "channel-fidelity.csv": csv_text(_COLUMNS, rows)}


def channels(_: str) -> dict[str, str]:
    """Of ``docs/channel-fidelity.md``, which takes no runs."""
    found = [c for verdict in _verdicts() for c in verdict.comparisons]
    judged = [c for c in found if c.within is not None]
    predicted = [c for c in judged if c.role is Role.ACCEPTANCE]
    goals = [check for one in _verdicts() for check in one.checks if check.goal]
    counts = {
        "replayed": len(found),
        "rows": len({(c.table, c.key) for c in found}),
        "judged": len(judged),
        "kept": sum(bool(c.within) for c in judged),
        "predicted": len(predicted),
        "foretold": sum(bool(c.within) for c in predicted),
        "fitted": sum(FITTED.values()),
        "taken": sum(TAKEN.values()),
        "met": sum(check.meets_goal for check in goals),
        "goals": len(goals),
        "tables": len(_verdicts()),
    }
    missed = [row for verdict in _verdicts() for row in _missed(verdict)]
    return {name: str(count) for name, count in counts.items()} | {"missed": table_block(missed)}


@cache
def _verdicts() -> list[TableVerdict]:
    return judge(choose([load_table(name) for name in CHANNEL_TABLES], {}), {})


def _missed(verdict: TableVerdict) -> Iterator[dict[str, str]]:
    for check in verdict.checks:
        if not check.meets_goal and check.goal and check.goal.worst is not None:
            yield {
                "figures": f"{verdict.table.name}, {measure_name(check.of.measure)}",
                "worst": check.summary.worst_key,
                "off by": check.of.distance.show(check.summary.worst),
                "goal": check.of.distance.show(check.goal.worst),
                "why": (check.bound.reason.strip() if check.bound else "")
                or "Less than what the figure is rounded to.",
            }


def _rows(verdict: TableVerdict) -> Iterator[dict[str, str]]:
    """What the table is, its rows, and those that are not modelled."""
    table = verdict.table
    source = f"{table.source}, {table.url}" if table.url else table.source
    note = f"{table.title}. {source}, measured {table.measured}. {_told(table)}".strip()
    yield {"table": table.name, "note": note}
    for c in verdict.comparisons:
        yield {"table": table.name} | compared(c)
    for entry in table.not_modelled:
        left = {"table": table.name, "role": "not modelled", "note": entry.reason}
        yield from (left | {"row": row} for row in entry.rows)


def compared(found: ComparedFigure) -> dict[str, str]:
    """A figure beside ours."""
    return {
        "row": found.key,
        "figure": measure_name(found.measure),
        "published": in_digits(found.published, Unit.ANY),
        "ours": in_digits(found.emulated, Unit.ANY),
        "off": "" if found.error is None else f"{100 * found.error:+.1f} %",
        "is": "" if found.within is None else "kept" if found.within else "left",
        "role": found.role.name_of_rows,
    }


def _told(table: PublishedTable) -> str:
    """What the companion says at its head, but for how it is to be read."""
    folder = resources.files("scenarios.published") / "channel_tables"
    lines = (folder / f"{table.name}.toml").read_text("utf-8").splitlines()
    head = takewhile(lambda line: line.startswith("#"), lines)
    said = " ".join(line.removeprefix("#").strip() for line in head)
    return said.partition("explains each part.")[2].strip()


def relocation(_: str) -> dict[str, str]:
    """Of ``docs/relocation.md``: the published rows beside ours, guests moved again: seconds."""
    verdicts = judge(choose([load_table(name) for name in RELOCATION_ROWS], {}), {})
    return {"replayed": block("\n".join(map(_moves_replayed, verdicts)))}


def _moves_replayed(verdict: TableVerdict) -> str:
    table = verdict.table
    rows = {row.key: row for row in table.rows}
    goals = [check for check in verdict.checks if check.goal]
    met = sum(check.meets_goal for check in goals)
    told = f"`isfc replay {table.name}`: {table.title}. {met} of {len(goals)} goals are met."
    if not any(found.error for found in verdict.comparisons):
        return f"{told} All {len(verdict.comparisons)} figures are as published.\n"
    lines = [_move_compared(rows[found.key], found) for found in verdict.comparisons]
    left = [fill(f"- {', '.join(e.rows)}: {e.reason}", 96) for e in table.not_modelled]
    return "\n".join([told + table_block(lines) + "Not modelled:\n", *left, ""])


def _move_compared(row: PublishedRow, found: ComparedFigure) -> dict[str, str]:
    """With what the row is of, and the unit and the relation of what was published."""
    columns = row.columns
    what = str(columns.get("subject") or columns["metric"]).replace("_", " ")
    workload = str(columns.get("workload", "not seen"))
    if workload != "not seen":
        what = f"{what} ({workload})"
    cells = compared(found)
    relation = str(columns.get("relation", "=")).replace("=", "")
    published = f"{relation} {cells['published']} {columns['unit']}".strip()
    return cells | {"figure": what, "published": published}


DOCUMENTS: Final = {
    "z/VM 6.2 performance report, ISFC Improvements": "report",
    "IBM, z/VM live guest relocation with Linux": "LGR",
}
"""What the page on sources calls them, for short."""


def rules(_: str) -> dict[str, str]:
    """Of ``docs/check.md``, every rule: what breaks it, why, what to change, and who says so."""
    return {"rules": block("\n".join(_rule_lines()))}


def _rule_lines() -> Iterator[str]:
    told: dict[str, str] = {}
    for rule in CHECK_RULES:
        source = rule.source
        for document, short in DOCUMENTS.items():
            source = source.replace(document, short)
        yield f"\n### {rule.id}\n"
        yield f"{rule.severity.capitalize()}: {rule.title}"
        text = f"{rule.reason}\n\n- Change: {rule.remedy}\n- Source: {source}."
        same = told.setdefault(text, rule.id)
        yield text if same == rule.id else f"\n- Why, change and source: as of [{same}](#{same})."


def states(_: str) -> dict[str, str]:
    """Of ``docs/architecture.md``: what becomes of a command, what software does with its CTC."""
    outcomes = [(_words(each), each.value) for each in CommandOutcome]
    commands = [
        (command.value, *map(_words, outcomes)) for command, outcomes in TRANSITIONS.items()
    ]
    link = [
        (given.cause, _shown(given.changes), _shown(given.changes.values())) for given in WRITE_SIDE
    ]
    return {
        "commands": block(markdown_table(("", *map(_words, State)), commands)),
        "outcomes": block(markdown_table(("outcome", "means"), outcomes)),
        "link": block(markdown_table(("what happens", "to a CTC that is", "which then is"), link)),
    }


def _words(member: Enum) -> str:
    return member.name.lower().replace("_", " ")


def _shown(states: Iterable[int]) -> str:
    """What QUERY ISLINK shows of them."""
    return ", ".join(dict.fromkeys(_words(SHOWN[state]) for state in states))
