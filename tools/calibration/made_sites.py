"""The study of docs/measured.md: sites whose truth is known, and what the fit to each is worth.

``python -m tools.calibration.made_sites`` writes ``docs/made-sites.csv``. It takes a minute or
two of a processor compiled; with numbers, from 0 on, it prints those rows alone.
"""

import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from tests.isfc.measured.made_sites import SITES, MadeSite, medians_percent
from tools.pages.console import PROJECT

HEADINGS: Final = (
    *("site", "fit", "held back, %", "says", "predictions off by, %: without it", "with it"),
)
STUDY: Final = PROJECT / "docs" / "made-sites.csv"


def main() -> int:
    """Print the rows, and write them if they are all; return the exit status."""
    chosen = [int(number) for number in sys.argv[1:]] or range(len(SITES))
    rows = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for cells in pool.map(row, chosen):
            rows.append(cells)
            print(*cells, sep=" | ", flush=True)
    if len(rows) == len(SITES):
        with STUDY.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows((HEADINGS, *rows))
    return 0


def row(number: int) -> tuple[str, ...]:
    """One site: its kind, the factors, and what predictions are worth."""
    site: MadeSite = SITES[number]
    fitted = site.fitted()
    today, predicted = medians_percent(site.errors_percent(fitted))
    told = ", ".join(f"{name} {factor:.2f}" for name, factor in fitted.profile.factors)
    held = fitted.profile.held_back
    said = "refused: " + " | ".join(fitted.doubts) if fitted.doubts else " | ".join(fitted.notes)
    return (
        f"{site.kind}: {site.truth}" if site.truth else site.kind,
        told or "nothing told",
        "" if held is None else f"{held.median:.1f}",
        said,
        f"{today:.0f}",
        f"{predicted:.0f}",
    )


if __name__ == "__main__":
    raise SystemExit(main())
