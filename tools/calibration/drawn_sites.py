"""A study of many made sites: what fits to them say, and what their predictions are worth.

``python -m tools.pages "fits to made sites"`` writes ``docs/drawn-sites.csv``, with a row for each
of `NUMBERS` of the sites of `tests.isfc.site.drawn_sites`. ``make docs`` does not: a site takes
some seconds compiled.
"""

import warnings
from math import log
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from isfc.answers.measured_fit import fit
from isfc.errors import ConfigurationError
from isfc.layout.site import SiteProfile
from scenarios.figures.assumptions import NORMAL_80
from scenarios.search.site_fitted import FitRefused, Fitted
from tests.isfc.site.drawn_sites import OUTSIDE_FROM, DrawnSite, drawn, predicted
from tools import DOCS
from tools.pages.spans import block
from tools.tables import Study, markdown_table

COLUMNS: Final = (
    *("number", "kind", "truth", "outcome", "right", "without", "with_fit"),
    *("deviations", "likely", "sure", "factors"),
    *("untold", "misfit", "held_back", "before", "explanations", "said", "seconds"),
)
NUMBERS: Final = (*range(740, 770), *range(1320, 1335), *range(3120, 3135))
"""Of sites that nothing was chosen by: half have a cause outside of the constants, or are links of
a cluster."""

FEW: Final = 4
"""Predictions of a site whose fit is refused: what it would have been worth."""

WORSE: Final = 10
"""Percentage points by which a prediction must not be further off with a fit that is given."""

BLANK: Final = SiteProfile("none", {}, (), 0, "")


def rows_of(number: int) -> list[dict[str, Any]]:
    """What becomes of one site: a row."""
    site, begin = drawn(number), process_time()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome, fitted, told = _fitted(site, Path(folder))
    seconds = process_time() - begin
    said = [each.replace(f"{folder}/", "") for each in told]
    profile = BLANK if fitted is None else fitted.profile
    found = predicted(site, profile, None if outcome == "given" else FEW)
    held, before = profile.held_back, profile.before
    constants = () if fitted is None else fitted.constants
    row = {
        "number": site.number,
        "kind": site.kind,
        "truth": site.truth,
        "outcome": outcome,
        "right": (outcome == "given" and site.is_within)
        or any(word in each for word in site.right for each in said),
        "without": " ".join(f"{100 * (each.today / each.there - 1):.1f}" for each in found),
        "with_fit": " ".join(f"{100 * (each.at_site / each.there - 1):.1f}" for each in found),
        "deviations": " ".join(f"{100 * each.deviation:.1f}" for each in found),
        "likely": " ".join(f"{100 * each.likely:.1f}" for each in found),
        "sure": " ".join(f"{100 * each.sure:.1f}" for each in found),
        "factors": " ".join(f"{name}={value:.2f}" for name, value in profile.factors.items()),
        "untold": " ".join(each.constant for each in constants if not each.told),
        "misfit": "" if fitted is None or fitted.misfit is None else f"{fitted.misfit:.2f}",
        "held_back": "" if held is None else f"{held.median:.1f}",
        "before": "" if before is None else f"{before.median:.1f}",
        "explanations": ""
        if fitted is None
        else " | ".join(f"{each}, {each.aicc:.0f}" for each in fitted.explanations[:6]),
        "said": " | ".join(said),
        "seconds": f"{seconds:.1f}",
    }
    return [row]


STUDY: Final = Study(DOCS / "drawn-sites.csv", COLUMNS, rows_of, NUMBERS)
"""The rows of docs/measured.md."""


def _fitted(site: DrawnSite, folder: Path) -> tuple[str, Fitted | None, list[str]]:
    """Whether the fit is given, and what it says."""
    try:
        found = site.measurements(folder)
        links = site.made.links()
        fitted = fit(links, found, link=links.links[0].name)
    except ConfigurationError as error:
        return "not read", None, [str(error)]
    except FitRefused as error:
        return "refused", error.answer, [*error.answer.doubts]
    return "given", fitted, [*fitted.notes]


def summary(rows: list[dict[str, str]]) -> list[tuple[str, str]]:
    """What is promised of fits, as the rows have it: in words, and the figure."""
    given = [row for row in rows if row["outcome"] == "given"]
    if not given:
        return [("fits given", f"0 of {len(rows)}")]
    without, with_fit = zip(*(pair for row in given for pair in _errors(row)), strict=True)
    inside = [each for row in given for each in _inside(row, "deviations", NORMAL_80)]
    printed = [each for row in given for each in _inside(row, "sure", 1.0)]
    worse = [row["number"] for row in given if worst_points(row) > WORSE]
    needless = [row for row in rows if row["outcome"] == "refused" and _is_good(row)]
    named = [row for row in rows if row["right"] == "True"]
    outside = [row for row in rows if int(row["number"]) >= OUTSIDE_FROM]
    return [
        ("right cause named", f"{len(named)}: {100 * len(named) / len(rows):.0f} %"),
        (
            "of those with another cause, or in clusters",
            f"{sum(row in named for row in outside)} of {len(outside)}",
        ),
        ("fits given", f"{len(given)}"),
        (
            f"their {len(inside)} predictions, off by the median",
            f"{median(with_fit):.1f} %, without the fit {median(without):.1f} %",
        ),
        ("ranges of the fit of 80 % hold", f"{100 * sum(inside) / len(inside):.0f} % of them"),
        ("outside of both printed ranges", f"{printed.count(False)}"),
        (f"given, a prediction further off by {WORSE} points", f"{len(worse)}{_numbers(worse)}"),
        ("refused, though nearer by two thirds", f"{len(needless)}"),
        (
            "processor for a fit, median and most",
            f"{median(map(_seconds, rows)):.0f} s, {max(map(_seconds, rows)):.0f} s",
        ),
    ]


def _seconds(row: dict[str, str]) -> float:
    return float(row["seconds"])


def _inside(row: dict[str, str], column: str, deviations: float) -> list[bool]:
    """Whether each prediction is within so much of a column, in percent as a logarithm."""
    both = zip(row["with_fit"].split(), row[column].split(), strict=True)
    return [
        abs(log(1 + float(off) / 100)) <= deviations * float(width) / 100 for off, width in both
    ]


def figures(_: str) -> dict[str, str]:
    """For docs/measured.md: the same as a table."""
    rows = STUDY.rows()
    return {"drawn": block(markdown_table((f"of {len(rows)} sites", ""), summary(rows)))}


def _numbers(numbers: list[str]) -> str:
    return f" (number {', '.join(numbers)})" if numbers else ""


def worst_points(row: dict[str, str]) -> float:
    """By how many points a prediction is further off with the fit, at most."""
    return max(with_fit - without for without, with_fit in _errors(row))


def _errors(row: dict[str, str]) -> list[tuple[float, float]]:
    """By how much each prediction is off, without the fit and with it."""
    both = zip(row["without"].split(), row["with_fit"].split(), strict=True)
    return [(abs(float(without)), abs(float(with_fit))) for without, with_fit in both]


def _is_good(row: dict[str, str]) -> bool:
    without, with_fit = map(median, zip(*_errors(row), strict=True))
    return with_fit < without / 3 and worst_points(row) < 10
