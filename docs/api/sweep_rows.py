"""A sweep, row by row."""

from pathlib import Path
from tempfile import mkdtemp

import isfc

GRID = """
seconds = 0.05
warmup = 0.01

[grid]
layout = ["published-1", "published-4"]
workload = ["HS"]
pairs = [1, 2]
"""

grid = Path(mkdtemp(), "grid.toml")
grid.write_text(GRID, "utf-8")
for row in isfc.sweep(grid, jobs=1).rows():
    print(row["layout"], row["pairs"], row["mb_per_s"])
