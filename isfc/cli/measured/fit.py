"""``isfc measured fit``: the model's constants as a site's figures tell them."""

import os
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.answers.profile import Profile, profile_fields
from isfc.cli.measured.options import MeasuredFiles, MeasuredLink
from isfc.cli.measured.page import fit_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import JobsOption
from isfc.cli.options.option import flag
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import show, show_error, show_json, show_log, write_file
from isfc.layout.site import format_site
from isfc.library import check_library
from isfc.measured.seen import seen_intervals
from isfc.search.measured import INTERVALS_MAX, intervals_of
from isfc.search.site_fit import fit, runs_of
from isfc.search.site_fitted import Fitted
from isfc.search.site_search import Runs
from isfc.search.workers import calling


@flattened
def fit_site(
    measured: MeasuredLink,
    files: MeasuredFiles,
    *,
    output: Annotated[Path, output_option("The site profile to write; .toml.")],
    force: ForceOption = False,
    jobs: JobsOption = None,
    anyway: Annotated[
        bool, flag("--anyway", "Write the profile even if the fit is refused; it says so.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Fit the model to a site, as a profile for --profile.

    A few constants of the features and of the link driver are scaled so that the judged figures
    come out nearest; those that the figures do not tell stay as they are. Errors
    are those of what was held back: each interval in turn, or each device of a single one.
    Ends with 1, and writes nothing, if the fit is not to be believed; the reasons are printed.
    """
    check_file("--output", output, (".toml",), force=force)
    check_library("scipy", "isfc measured fit")
    layout, found = measured.open(files)
    seen = seen_intervals(layout, found)
    is_told = all(any(end.measurement.ran for end in one.ends) for one in seen)
    at_most = runs_of(layout, min(len(seen), INTERVALS_MAX), is_told=is_told)
    with (
        progress_bar(at_most, "runs at most", is_said=True) as advance,
        calling(jobs or os.cpu_count() or 1) as calls,
    ):
        runs = Runs(calls, advance)
        intervals, left_out = intervals_of(layout, seen, runs)
        for note in left_out:
            show_log(f"isfc: note: {note}")
        fitted = fit(layout, intervals, output.stem, runs).marked()
    written = anyway or not fitted.doubts
    if written:
        write_file(output, format_site(fitted.profile))
    if json:
        show_json(fitted_json(fitted, written=written))
    else:
        show(fit_page(fitted, str(output), written=written))
    if not written:
        show_error(f"the fit is refused, and {output} not written; --anyway writes it")
        raise typer.Exit(ExitCode.FAILED)


class ExplanationJson(Struct, frozen=True):
    """What was held beside a fit."""

    what: str
    off_percent: float
    """its median error"""
    aicc: float
    """Akaike's criterion, of which less is better"""


class FittedJson(Profile, frozen=True):
    """``isfc measured fit --json``: the profile, and how well it is known. The keys stay."""

    uncertainty: dict[str, float]
    """by constant, how far the logarithm of its factor may be off: two standard deviations, wider
    by `misfit`"""
    ranges: dict[str, tuple[float, float]]
    """by constant, between what its factor is, where 95 % of such ranges hold it; wider to one side
    where lines do not reach so far and the profile of the squares is"""
    not_told: tuple[str, ...]
    """the constants that these figures do not tell, and that stay as they are"""
    misfit: float | None
    """how far the figures are off all in all, as a multiple of what noise and rounding leave; null
    without intervals"""
    explanations: list[ExplanationJson]
    """what was held beside the fit, the best first"""
    notes: tuple[str, ...]
    """what else is to be looked at, such as a line that is not as fast as the layout says"""
    written: bool
    """whether the profile was written: not if it is refused, unless with `--anyway`"""


def fitted_json(fitted: Fitted, *, written: bool) -> FittedJson:
    """The record of a fit."""
    return FittedJson(
        **profile_fields(fitted.profile),
        uncertainty=dict(fitted.uncertainties),
        ranges=fitted.ranges(),
        not_told=fitted.untold,
        misfit=fitted.misfit,
        explanations=[
            ExplanationJson(each.what, each.off_percent, each.evidence)
            for each in fitted.explanations
        ],
        notes=fitted.notes,
        written=written,
    )
