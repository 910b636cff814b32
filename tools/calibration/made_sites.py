"""The study of docs/measured.md: sites whose truth is known, and what the fit to each is worth.

``python -m tools.calibration.made_sites`` writes ``docs/made-sites.csv``, of which `make docs`
makes the table. It takes a minute or two of a processor compiled; with numbers, from 0 on, it
prints those rows alone.
"""

import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from tests.isfc.measured.made_sites import SITES, MadeSite, medians_percent
from tools.pages.console import PROJECT
from tools.pages.spans import block, markdown_table

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


def table() -> str:
    """The study as a table in Markdown, without the words of what each fit says."""
    with STUDY.open(encoding="utf-8", newline="") as file:
        headings, *rows = csv.reader(file)
    said = headings.index("says")
    for one in rows:
        one[said] = one[said] and ("refused" if one[said].startswith("refused") else "a doubt")
    return block(markdown_table(headings, rows))


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
