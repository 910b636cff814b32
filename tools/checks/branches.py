"""Branch coverage by ring, each held to its own floor.

``python -m tools.checks.branches coverage.json`` reads the report of ``coverage json`` and ends
with 1 when a ring lies below its floor. coverage.py's own ``fail_under`` mixes lines with
branches, and well-covered lines would hide a branch that no test takes.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

FLOORS: Final = {
    # folder: percent of its branches; the longest name decides
    "ctc": 95.0,
    "isfc": 95.0,
    "isfc/cli": 80.0,  # what is left out are terminals, signals and the death of workers
    "scenarios": 90.0,
}


def branches(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """(taken, all) branches of each ring in a report of ``coverage json``."""
    rings = dict.fromkeys(FLOORS, (0, 0))
    for path, entry in report["files"].items():
        ring = max((ring for ring in FLOORS if path.startswith(f"{ring}/")), key=len)
        taken, total = rings[ring]
        summary = entry["summary"]
        rings[ring] = (taken + summary["covered_branches"], total + summary["num_branches"])
    return rings


def main(report: Path) -> int:
    """Print each ring's share of branches taken; return the exit status."""
    low = False
    for ring, (taken, total) in branches(json.loads(report.read_text("utf-8"))).items():
        percent = 100.0 * taken / total if total else 0.0
        below = percent < FLOORS[ring]
        low |= below
        verdict = "TOO LOW" if below else "ok"
        print(
            f"{ring:<10} {percent:5.1f} % of {total:4} branches, "
            f"at least {FLOORS[ring]:.0f} %: {verdict}"
        )
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
