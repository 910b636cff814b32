"""A sweep, row by row."""

import isfc

GRID = {"layout": ["published-1", "published-4"], "workload": ["HS"], "pairs": [1, 2]}
for row in isfc.sweep({"seconds": 0.05, "warmup": 0.01, "grid": GRID}, jobs=1).rows():
    print(row["layout"], row["pairs"], row["mb_per_s"])
