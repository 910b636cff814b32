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
from isfc.layout.catalogue import load_layout
from isfc.layout.site import SiteProfile
from scenarios.figures.assumptions import NORMAL_80
from scenarios.search.site_fitted import FitRefused, Fitted
from tests.isfc.site.drawn_sites import DrawnSite, drawn, predicted
from tools import DOCS
from tools.pages.spans import block
from tools.tables import Study, markdown_table

COLUMNS: Final = (
    *("number", "kind", "truth", "outcome", "right", "without", "with_fit"),
    *("deviations", "factors"),
    *("untold", "misfit", "held_back", "before", "explanations", "said", "seconds"),
)
NUMBERS: Final = range(200, 260)
"""Of sites that nothing was chosen by."""

WORSE: Final = 10
"""Percentage points by which a prediction must not be further off with a fit that is given."""

BLANK: Final = SiteProfile("none", {}, (), 0, "")


def _rows(number: int) -> list[dict[str, Any]]:
    return [row_of(drawn(number))]


STUDY: Final = Study(DOCS / "drawn-sites.csv", COLUMNS, _rows, NUMBERS)
"""The rows of docs/measured.md."""


def row_of(site: DrawnSite) -> dict[str, Any]:
    """What becomes of one site."""
    begin = process_time()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome, fitted, told = _fitted(site, Path(folder))
    seconds = process_time() - begin
    said = [each.replace(f"{folder}/", "") for each in told]
    profile = BLANK if fitted is None else fitted.profile
    found = predicted(site, profile)
    held, before = profile.held_back, profile.before
    constants = () if fitted is None else fitted.constants
    return {
        "number": site.number,
        "kind": site.kind,
        "truth": site.truth,
        "outcome": outcome,
        "right": any(word in each for word in site.right for each in said),
        "without": " ".join(f"{100 * (each.today / each.there - 1):.1f}" for each in found),
        "with_fit": " ".join(f"{100 * (each.at_site / each.there - 1):.1f}" for each in found),
        "deviations": " ".join(f"{100 * each.deviation:.1f}" for each in found),
        "factors": " ".join(f"{name}={value:.2f}" for name, value in profile.factors.items()),
        "untold": " ".join(each.constant for each in constants if not each.told),
        "misfit": "" if fitted is None or fitted.misfit is None else f"{fitted.misfit:.2f}",
        "held_back": "" if held is None else f"{held.median:.1f}",
        "before": "" if before is None else f"{before.median:.1f}",
        "explanations": ""
        if fitted is None
        else " | ".join(f"{each}, {each.aicc:.0f}" for each in fitted.explanations[:4]),
        "said": " | ".join(said),
        "seconds": f"{seconds:.1f}",
    }


def _fitted(site: DrawnSite, folder: Path) -> tuple[str, Fitted | None, list[str]]:
    """Whether the fit is given, and what it says."""
    try:
        found = site.measurements(folder)
        fitted = fit(load_layout(site.made.layout), found)
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
    inside = [
        abs(log(1 + float(off) / 100)) <= NORMAL_80 * float(deviation) / 100
        for row in given
        for off, deviation in zip(row["with_fit"].split(), row["deviations"].split(), strict=True)
    ]
    worse = [row["number"] for row in given if worst_points(row) > WORSE]
    bad = [row for row in rows if worst_points(row) > WORSE or row["outcome"] == "not read"]
    right = [row for row in bad if row["outcome"] != "given" and row["right"] == "True"]
    needless = [row["number"] for row in rows if row["outcome"] == "refused" and _is_good(row)]
    return [
        ("fits given", f"{len(given)} of {len(rows)}"),
        (
            "their predictions, off by the median",
            f"{median(with_fit):.1f} %, without the fit {median(without):.1f} %",
        ),
        ("ranges of the fit of 80 % hold", f"{100 * sum(inside) / len(inside):.0f} % of them"),
        (
            f"given, and a prediction is further off by more than {WORSE} points",
            f"{len(worse)}{_numbers(worse)}",
        ),
        (
            "a prediction would be, or the figures cannot be read",
            f"{len(bad)}, refused with the right reason {len(right)}",
        ),
        (
            "refused, though predictions were at most a third as far off",
            f"{len(needless)}{_numbers(needless)}",
        ),
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
