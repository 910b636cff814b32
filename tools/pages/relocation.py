"""The part of ``docs/relocation.md`` that holds ours against what was published.

``python -m tools.pages.relocation`` moves the guests again, which takes seconds, and writes it.
"""

import sys
from pathlib import Path
from textwrap import fill
from typing import Final

from scenarios.published.companion import RELOCATION_TABLES, load_table
from scenarios.published.replay import Comparison, choose
from scenarios.published.table import Deviation, PublishedRow, Role
from scenarios.published.verdict import TableVerdict, judge

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "relocation.md"
BEGIN: Final = "<!-- Made by python -m tools.pages.relocation -->\n"
END: Final = "<!-- Until here -->\n"
_ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}


def renewed(text: str) -> str:
    """The page with ours as they are now."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    verdicts = judge(choose([load_table(name) for name in RELOCATION_TABLES], {}), {})
    return before + BEGIN + "\n".join(map(_section, verdicts)) + END + after


def _section(verdict: TableVerdict) -> str:
    table = verdict.table
    rows = {row.key: row for row in table.rows}
    goals = [check for check in verdict.checks if check.goal]
    met = sum(check.meets_goal for check in goals)
    lines = [
        f"`isfc replay {table.name}`: {table.title}. {met} of {len(goals)} goals are met.\n",
        "| row | what | IBM | ours | off | role |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_line(rows[found.key], found, verdict) for found in verdict.comparisons),
        "",
    ]
    left = [fill(f"- {', '.join(e.rows)}: {e.reason}", 96) for e in table.not_modelled]
    return "\n".join([*lines, "Not modelled:\n", *left, ""])


def _line(row: PublishedRow, found: Comparison, verdict: TableVerdict) -> str:
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
    return (
        f"| {found.key} | {what} | {published} | {found.emulated:.4g} | {off} | "
        f"{_ROLES[found.role]} |"
    )


def main() -> int:
    """Renew the page; return the exit status."""
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
