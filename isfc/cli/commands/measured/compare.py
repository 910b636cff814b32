"""``isfc measured compare``: the model beside what a site measured."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.options.experiment import choose_node
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
from isfc.cli.options.number import within
from isfc.cli.progress import progress_bar
from isfc.cli.render.measured import compare_page, write_errors
from isfc.cli.render.output import show, show_error, show_json, show_log
from isfc.cli.render.picture import check_picture
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.measured.measurement import Measurement
from isfc.measured.seen import see
from scenarios.site_compare import Compared, compare_measurement
from scenarios.site_workload import QuietLink

ToleranceOption = Annotated[
    float | None,
    typer.Option(
        metavar="PERCENT",
        callback=within(0.1, 1000, "%"),
        help="End with 1 if a judged figure is further off.",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the errors, over time if there are several intervals."),
]


def compare(
    layout: LayoutArgument,
    files: FilesArgument,
    *,
    link: LinkOption = None,
    system: SystemOption = None,
    zone: ZoneOption = None,
    ran: RanOption = None,
    client: ClientsOption = None,
    usable: UsableOption = False,
    decimal_comma: DecimalCommaOption = False,
    tolerance: ToleranceOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Hold the model against what a site measured.

    What ran is inferred from link activity, or told with --ran; it is emulated on the layout,
    and its figures laid beside the measured ones, with signed errors in percent. Of several
    intervals there is a line for each. Ends with 1 if a judged figure is further off than
    --tolerance.
    """
    if plot is not None:
        check_picture(plot)
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
    compared = _compare_all(opened, found)
    if plot is not None:
        write_errors(plot, compared)
    if json:
        show_json({"compared": [compared_record(each, tolerance) for each in compared]})
    else:
        show(compare_page(compared, tolerance))
    if tolerance is not None and any(each.beyond(tolerance) for each in compared):
        count = sum(len(each.beyond(tolerance)) for each in compared)
        show_error(f"{count} figures are more than {tolerance:g} % off")
        raise typer.Exit(ExitCode.FAILED)


def _compare_all(layout: Layout, found: Sequence[Measurement]) -> list[Compared]:
    """Each measurement beside its run; those of a quiet link are told and left out."""
    compared = []
    with progress_bar(len(found), "intervals") as advance:
        for done, one in enumerate(found, start=1):
            seen = see(layout, one)
            try:
                compared.append(compare_measurement(layout, seen))
            except QuietLink as error:
                show_log(f"isfc: note: {error}")
            advance(done)
    if not compared:
        raise ConfigurationError("nothing to compare: the link was quiet in every interval")
    return compared


def compared_record(each: Compared, tolerance: float | None) -> dict[str, Any]:
    """One entry of what ``--json`` prints. Names and meanings of the keys stay."""
    one, derived = each.seen.measurement, each.derived
    return {
        "place": str(one.place),
        "system": each.seen.node,
        "begin": one.begin,
        "end": one.end,
        "zone": one.zone,
        "workload": derived.workload.name,
        "pairs": derived.pairs,
        "client": derived.client,
        "offered_per_s": derived.offered_per_s,
        "uncertain": list(derived.uncertain),
        "notes": each.seen.notes(),
        "figures": [{**asdict(f), "error_percent": f.error_percent} for f in each.figures],
        "beyond_tolerance": None if tolerance is None else len(each.beyond(tolerance)),
        "reasons": list(each.reasons),
    }
