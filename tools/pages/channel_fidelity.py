"""The published tables of channels, ours beside them: ``docs/channel-fidelity.csv`` and its page.

To replay them takes no runs.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from isfc.reports.measures import measure_name
from scenarios.published.replay import CHANNEL_TABLES, Comparison, choose
from scenarios.published.table import Deviation, PublishedTable, Role, load_table
from scenarios.published.verdict import BoundCheck, TableVerdict, judge
from tools import DOCS
from tools.pages.spans import block
from tools.tables import csv_text, markdown_table

ROWS: Final = DOCS / "channel-fidelity.csv"
COLUMNS: Final = ("table", "row", "figure", "published", "ours", "off", "role", "note")


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
    "isfc.io.sap.Z15": 3,
    "isfc.io.sap.Z14": 1,
    "isfc.io.zhyperlink.ZHYPERLINK": 3,
    "scenarios.published.system_rows.VSAM_READ_IOS": 1,
}
"""How many numbers of each constant were fitted."""

TAKEN: Final = {
    "isfc.io.bandwidth.INTERCONNECT": 1,
    "isfc.io.bandwidth.FANOUT": 2,
    "isfc.io.osa.LINK_SHARE": 1,
}
"""How many are figures of calibration rows, taken as they were published."""

ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}


def files() -> dict[Path, str]:
    """The table of every row."""
    return {ROWS: csv_text(COLUMNS, (row for verdict in _verdicts() for row in _rows(verdict)))}


def figures(_: str) -> dict[str, str]:
    """Those of the page."""
    found = [c for verdict in _verdicts() for c in verdict.comparisons]
    judged = [c for c in found if c.within is not None]
    predicted = [c for c in judged if c.role is Role.ACCEPTANCE]
    checks = [(one.table.name, check) for one in _verdicts() for check in one.checks if check.goal]
    counts = {
        "replayed": len(found),
        "rows": len({(c.table, c.key) for c in found}),
        "judged": len(judged),
        "kept": sum(bool(c.within) for c in judged),
        "predicted": len(predicted),
        "foretold": sum(bool(c.within) for c in predicted),
        "fitted": sum(FITTED.values()),
        "taken": sum(TAKEN.values()),
        "met": sum(check.meets_goal for _, check in checks),
        "goals": len(checks),
        "tables": len(_verdicts()),
    }
    return {
        **{name: str(count) for name, count in counts.items()},
        "missed": block(_missed(checks)),
    }


@cache
def _verdicts() -> list[TableVerdict]:
    return judge(choose([load_table(name) for name in CHANNEL_TABLES], {}), {})


def _missed(goals: Sequence[tuple[str, BoundCheck]]) -> str:
    rows = []
    for table, check in goals:
        if not check.meets_goal and check.goal and check.goal.worst is not None:
            reason = check.bound.reason.strip() if check.bound else ""
            rows.append(
                (
                    f"{table}, {measure_name(check.of.measure)}",
                    check.summary.worst_key,
                    *map(check.of.distance.show, (check.summary.worst, check.goal.worst)),
                    reason or "Less than what the figure is rounded to.",
                )
            )
    return markdown_table(("figures", "worst", "off by", "goal", "why"), rows)


def _rows(verdict: TableVerdict) -> Iterator[Sequence[str]]:
    """What the table is, its rows, and those that are not modelled."""
    table = verdict.table
    source = f"{table.source}, {table.url}" if table.url else table.source
    note = f"{table.title}. {source}, measured {table.measured}. {_told(table)}".strip()
    yield (table.name, *[""] * 6, note)
    for c in verdict.comparisons:
        figures = _figure(c.published), _figure(c.emulated), _off(table, c)
        yield (table.name, c.key, measure_name(c.measure), *figures, ROLES[c.role], "")
    for entry in table.not_modelled:
        for row in entry.rows:
            yield (table.name, row, *[""] * 4, "not modelled", entry.reason)


def _told(table: PublishedTable) -> str:
    """What the companion says at its head, but for how it is to be read."""
    folder = resources.files("scenarios.published") / "channel_tables"
    lines = (folder / f"{table.name}.toml").read_text("utf-8").splitlines()
    head = []
    for line in lines:
        if not line.startswith("#"):
            break
        head.append(line.removeprefix("#").strip())
    return " ".join(head).partition("explains each part.")[2].strip()


def _off(table: PublishedTable, comparison: Comparison) -> str:
    """The error, or that a bound is kept."""
    row = next(row for row in table.rows if row.key == comparison.key)
    bound = table.tolerance(row, comparison.measure)
    if bound and bound.distance in (Deviation.EXCESS, Deviation.SHORTFALL):
        word = "up to" if bound.distance is Deviation.EXCESS else "over"
        off = bound.distance.of(comparison.published, comparison.emulated)
        return f'{bound.distance.show(off)} ("{word}")' if off else f'kept ("{word}")'
    if comparison.error is None:
        return f"{comparison.emulated:+.3g} points"
    return f"{100 * comparison.error:+.1f} %"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
