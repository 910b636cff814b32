"""The published tables of channels, ours beside them: ``docs/channel-fidelity.csv`` and its page.

To replay them takes no runs.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Final

from isfc.reports.figure import Unit
from isfc.reports.measures import measure_name
from isfc.reports.units import shown
from scenarios.published.catalogue import CHANNEL_TABLES, load_table
from scenarios.published.replay import ComparedFigure, choose
from scenarios.published.table import PublishedTable, Role
from scenarios.published.verdict import TableVerdict, judge
from tools import DOCS
from tools.pages.spans import table_block
from tools.tables import csv_text

ROWS: Final = DOCS / "channel-fidelity.csv"
COLUMNS: Final = ("table", "row", "figure", "published", "ours", "off", "is", "role", "note")

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
    "ctc.fibre_channel.STATUS_FRAMES": 1,
    "ctc.fibre_channel.STATUS_LENGTH": 1,
    "ctc.fibre_channel.COMMAND_LENGTH": 1,
    "ctc.fibre_channel.LINE_USE": 1,
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


def files() -> dict[Path, str]:
    """The table of every row."""
    return {ROWS: csv_text(COLUMNS, (row for verdict in _verdicts() for row in _rows(verdict)))}


def figures(_: str) -> dict[str, str]:
    """Those of the page."""
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
        for row in entry.rows:
            yield {
                "table": table.name, "row": row, "role": "not modelled", "note": entry.reason
            }  # fmt: skip


def compared(found: ComparedFigure) -> dict[str, str]:
    """A figure beside ours."""
    return {
        "row": found.key,
        "figure": measure_name(found.measure),
        "published": shown(found.published, Unit.ANY),
        "ours": shown(found.emulated, Unit.ANY),
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
