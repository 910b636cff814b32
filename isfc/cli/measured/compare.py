"""``isfc measured compare``: the model beside what a site measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import UNSET, Struct, UnsetType

from isfc.answers.profile import Profile, profile_of
from isfc.cli.measured.options import MeasuredFiles, MeasuredLink
from isfc.cli.measured.page import compare_page, errors_picture
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import bounded
from isfc.cli.options.option import valued
from isfc.cli.options.profile import ProfileOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.notes import note_lines
from isfc.cli.output.picture import check_picture, write_picture
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import show, show_error, show_json, show_log
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.layout.note import Note, NoteKind
from isfc.layout.site_file import with_site
from isfc.measured.seen import SeenInterval, seen_intervals
from isfc.reports.ranges import RangeJson, factor_line, range_note
from isfc.reports.record import record_of
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import link_rate
from scenarios.figures.site_compare import ComparedInterval, MeasuredFigure, compare_interval
from scenarios.figures.site_messages import QuietLink
from scenarios.runs.at_site import given_site
from scenarios.runs.load import Load


@flattened
def compare(
    measured: MeasuredLink,
    files: MeasuredFiles,
    *,
    profile: ProfileOption = None,
    tolerance: Annotated[
        float | None, bounded("PERCENT", 0.1, 1000, "End with 1 if a judged figure is further off.")
    ] = None,
    plot: Annotated[
        Path | None, valued("FILE", "Draw the errors, over time if there are several intervals.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Hold the model against what a site measured.

    What ran is inferred from link activity, or told with --ran; it is emulated on the layout,
    and its figures laid beside the measured ones, with signed errors in percent; those of both
    ends beside one run. Of several intervals there is a line for each. Ends with 1 if
    a judged figure is further off than --tolerance.
    """
    check_picture(plot, force=force)
    site = given_site(profile)
    layout, found = measured.open(files)
    at_site = with_site(layout, site)
    compared = _compare_all(at_site, seen_intervals(layout, found))
    rates = [
        None
        if site is None
        else link_rate(1.0, at_site, Load(each.derived.workload, each.derived.pairs))
        for each in compared
    ]
    if plot is not None:
        write_picture(plot, errors_picture(compared))
    if json:
        records = [
            interval_json(each, tolerance, rate) for each, rate in zip(compared, rates, strict=True)
        ]
        show_json(SiteComparedJson(records, profile_of(site)))
    else:
        features = [fibre.profile.feature for fibre in layout.fibres]
        notes = [] if site is None else [Note(NoteKind.PROFILE, site.describe(features))]
        known = [rate for rate in rates if rate is not None]
        range_line = f"Range of the model's rates: {factor_line(known)}. {range_note(known)}"
        show(
            compare_page(compared, tolerance),
            *(["", range_line] if known else []),
            *note_lines(notes),
        )
    if tolerance is not None and any(each.beyond(tolerance) for each in compared):
        count = sum(len(each.beyond(tolerance)) for each in compared)
        show_error(f"{count} figures are more than {tolerance:g} % off")
        raise typer.Exit(ExitCode.FAILED)


def _compare_all(layout: Layout, intervals: Sequence[SeenInterval]) -> list[ComparedInterval]:
    """Each interval beside its run; those of a quiet link are told and left out."""
    compared = []
    with progress_bar(len(intervals), "intervals") as advance:
        for done, seen in enumerate(intervals, start=1):
            try:
                compared.append(compare_interval(layout, seen))
            except QuietLink as error:
                show_log(f"isfc: note: {error}")
            advance(done)
    if not compared:
        raise ConfigurationError("nothing to compare: the link was quiet in every interval")
    return compared


class FigureJson(MeasuredFigure, frozen=True, kw_only=True):
    """A figure measured, and ours."""

    error_percent: float | None
    """with its sign; null where 0 was measured"""


class IntervalJson(Struct, frozen=True):
    """An interval beside the run of what it is taken to be."""

    place: str
    """file and line"""
    system: str
    """the first end that was measured"""
    systems: list[str]
    """all of them"""
    begin: str | None
    end: str | None
    zone: str | None
    workload: str
    """what is taken to have run"""
    pairs: int | None
    """null of a light load, which is emulated at its rate"""
    client: str
    offered_per_s: float | None
    """of an open loop; null if no link activity says it"""
    uncertain: list[str]
    """what of that is assumed or doubtful"""
    notes: list[str]
    """what is left out or missing"""
    figures: list[FigureJson]
    beyond_tolerance: int | None
    """how many judged figures are, null without `--tolerance`"""
    reasons: tuple[str, ...]
    """what may explain the errors"""
    rate_range: RangeJson | None
    """between what a rate is with the profile, as a multiple of the model's; null without one"""


class SiteComparedJson(Struct, frozen=True):
    """``isfc measured compare --json``. Names and meanings of the keys stay between releases."""

    compared: list[IntervalJson]
    """each interval, as in the next table"""
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


def interval_json(
    each: ComparedInterval, tolerance: float | None, rate: Figure | None
) -> IntervalJson:
    """The record of an interval."""
    first, derived = each.seen.ends[0], each.derived
    one = first.measurement
    return record_of(
        IntervalJson,
        one,
        place=str(one.place),
        system=first.node,
        systems=[end.node for end in each.seen.ends],
        workload=derived.workload.name,
        pairs=None if derived.is_light else derived.pairs,
        client=derived.client,
        offered_per_s=derived.offered_per_s,
        uncertain=[*derived.uncertain, *derived.doubts],
        notes=each.seen.notes(),
        figures=[record_of(FigureJson, figure) for figure in each.figures],
        beyond_tolerance=None if tolerance is None else len(each.beyond(tolerance)),
        reasons=each.reasons,
        rate_range=rate,
    )
