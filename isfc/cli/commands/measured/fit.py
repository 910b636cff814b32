"""``isfc measured fit``: the model's constants as a site's figures tell them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.options.experiment import choose_node
from isfc.cli.options.file import check_file
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.measured import (
    ClientsOption,
    DecimalCommaOption,
    FilesArgument,
    RanOption,
    SystemOption,
    UsableOption,
    ZoneOption,
    read_files,
)
from isfc.cli.progress import progress_bar
from isfc.cli.render.measured import fit_page
from isfc.cli.render.output import show, show_json, show_log
from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS
from isfc.layout.site_file import format_site
from isfc.library import check_library
from isfc.measured.measurement import Measurement
from isfc.measured.seen import see
from isfc.search.site_fit import EVALUATIONS_MAX, Fitted, Interval, fit
from scenarios.site_workload import QuietLink, derive

OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="The site profile to write; .toml."),
]


def fit_site(
    layout: LayoutArgument,
    files: FilesArgument,
    *,
    output: OutputOption,
    link: LinkOption = None,
    system: SystemOption = None,
    zone: ZoneOption = None,
    ran: RanOption = None,
    client: ClientsOption = None,
    usable: UsableOption = False,
    decimal_comma: DecimalCommaOption = False,
    json: JsonOption = False,
) -> None:
    """Fit the model to what a site measured, as a profile for --profile.

    A few constants of the features and of the link driver are scaled so that the judged figures
    come out nearest, each held near today's value as far as the figures do not tell it. Errors
    are those of what was held back: each interval in turn, or each device of a single one.
    """
    check_file("--output", str(output), (".toml",))
    check_library("scipy", "isfc measured fit")
    opened = open_layout(layout, link)
    found = read_files(
        files,
        system=system,
        zone=zone,
        ran=ran,
        usable=usable,
        decimal_comma=decimal_comma,
        client=choose_node(opened, "--from", client),
    )
    intervals = _intervals(opened, found)
    runs = len(intervals) * (EVALUATIONS_MAX * (len(CONSTANTS) + 1) + len(intervals) + 1)
    with progress_bar(runs, "runs at most") as advance:
        fitted = fit(opened, intervals, output.stem, advance)
    output.write_text(format_site(fitted.profile), "utf-8")
    if json:
        show_json(fitted_record(fitted))
    else:
        show(fit_page(fitted, str(output)))


def _intervals(layout: Layout, found: Sequence[Measurement]) -> list[Interval]:
    """What can be fitted to; intervals of a quiet link are told and left out."""
    intervals = []
    for one in found:
        seen = see(layout, one)
        try:
            intervals.append(Interval(seen, derive(layout, seen)))
        except QuietLink as error:
            show_log(f"isfc: note: {error}")
    return intervals


def fitted_record(fitted: Fitted) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    profile = fitted.profile
    return {
        **asdict(profile),
        "factors": dict(profile.factors),
        "uncertainty": dict(fitted.uncertainties),
        "not_told": list(fitted.untold),
    }
