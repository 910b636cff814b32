"""The study of docs/measured.md: sites whose truth is known, and what the fit to each is worth.

``python -m tools.calibration.made_sites`` prints its table, each row as it is made. It takes ten
minutes of a processor; with numbers, from 0 on, it makes those rows alone.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.isfc.measured.made_sites import SITES, MadeSite, medians_percent
from tools.pages.spans import markdown_table

HEADINGS = ("site", "fit", "held back, %", "says", "predictions off by, %: without it", "with it")


def main() -> int:
    """Print the table; return the exit status."""
    chosen = [int(number) for number in sys.argv[1:]] or range(len(SITES))
    print(markdown_table(HEADINGS, []), end="")
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for cells in pool.map(row, chosen):
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


def row(number: int) -> tuple[str, ...]:
    """One site: its kind, the factors, and what predictions are worth."""
    site: MadeSite = SITES[number]
    fitted = site.fitted()
    today, predicted = medians_percent(site.errors_percent(fitted))
    told = ", ".join(f"{name} {factor:.2f}" for name, factor in fitted.profile.factors)
    held = fitted.profile.held_back
    said = "refused: " + "; ".join(fitted.doubts) if fitted.doubts else "; ".join(fitted.notes)
    return (
        site.kind,
        told or "nothing told",
        "" if held is None else f"{held.median:.1f}",
        said,
        f"{today:.0f}",
        f"{predicted:.0f}",
    )


if __name__ == "__main__":
    raise SystemExit(main())
