"""The part of ``docs/relocation.md`` that holds ours against what was published.

To make it moves the guests again, which takes seconds.
"""

from textwrap import fill
from typing import Final

from scenarios.published.relocation_rows import RELOCATION_ROWS
from scenarios.published.replay import Comparison, choose
from scenarios.published.table import Deviation, PublishedRow, Role, load_table
from scenarios.published.verdict import TableVerdict, judge
from tools.pages.spans import block
from tools.tables import markdown_table

_ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}


def figures(_: str) -> dict[str, str]:
    """The published rows beside ours as they are now."""
    verdicts = judge(choose([load_table(name) for name in RELOCATION_ROWS], {}), {})
    return {"replayed": block("\n".join(map(_section, verdicts)))}


def _section(verdict: TableVerdict) -> str:
    table = verdict.table
    rows = {row.key: row for row in table.rows}
    goals = [check for check in verdict.checks if check.goal]
    met = sum(check.meets_goal for check in goals)
    told = f"`isfc replay {table.name}`: {table.title}. {met} of {len(goals)} goals are met."
    if not any(found.error for found in verdict.comparisons):
        return f"{told} All {len(verdict.comparisons)} figures are as published.\n"
    lines = [_line(rows[found.key], found, verdict) for found in verdict.comparisons]
    compared = markdown_table(("row", "what", "IBM", "ours", "off", "role"), lines)
    left = [fill(f"- {', '.join(e.rows)}: {e.reason}", 96) for e in table.not_modelled]
    return "\n".join([f"{told}\n", compared, "Not modelled:\n", *left, ""])


def _line(row: PublishedRow, found: Comparison, verdict: TableVerdict) -> tuple[str, ...]:
    columns = row.columns
    what = str(columns.get("subject") or columns["metric"]).replace("_", " ")
    workload = str(columns.get("workload", "not seen"))
    if workload != "not seen":
        what = f"{what} ({workload})"
    relation = str(columns.get("relation", "=")).replace("=", "")
    published = f"{relation} {found.published:g} {columns['unit']}".strip()
    bound = verdict.table.tolerance(row, "value")
    off = f"{100 * (found.error or 0):+.1f} %"
    if bound and bound.distance is Deviation.EXCESS:
        off = "kept" if found.within else "above"
    return found.key, what, published, f"{found.emulated:.4g}", off, _ROLES[found.role]
