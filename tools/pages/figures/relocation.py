"""The part of ``docs/relocation.md`` that holds ours against what was published.

To make it moves the guests again, which takes seconds.
"""

from textwrap import fill

from scenarios.published.catalogue import load_table
from scenarios.published.relocation_rows import RELOCATION_ROWS
from scenarios.published.replay import Comparison, choose
from scenarios.published.table import PublishedRow
from scenarios.published.verdict import TableVerdict, judge
from tools.pages.channel_fidelity import compared
from tools.pages.spans import block, table_block


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
    lines = [_compared(rows[found.key], found) for found in verdict.comparisons]
    left = [fill(f"- {', '.join(e.rows)}: {e.reason}", 96) for e in table.not_modelled]
    return "\n".join([told + table_block(lines) + "Not modelled:\n", *left, ""])


def _compared(row: PublishedRow, found: Comparison) -> dict[str, str]:
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
