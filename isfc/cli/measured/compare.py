"""``isfc measured compare``: the model beside what a site measured, of files."""

from typing import Final

from isfc.answers.measured_compare import (
    OFF_BY,
    ComparedInterval,
    MeasuredComparison,
    Tolerance,
    compare,
)
from isfc.cli.capability import command_of
from isfc.cli.measured.options import MeasuredFiles, MeasuredLink
from isfc.cli.options.own_file import plot
from isfc.cli.output.curves import axis, curves, labels, names_axis, nominal
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.picture import Spec, picture
from isfc.cli.output.streams import show_error
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.runs.at_site import GivenSite

TICKS_MAX: Final = 8
"""Times named below a picture."""


def read_and_compare(
    measured: MeasuredLink,
    files: MeasuredFiles,
    *,
    profile: GivenSite = None,
    tolerance: Tolerance = None,
    jobs: int = 1,
) -> MeasuredComparison:
    """Hold the model against what a site measured.

    What ran is inferred from link activity, or told with --ran; it is emulated on the layout,
    and its figures laid beside the measured ones, with signed errors in percent; those of both
    ends beside one run. Of several intervals there is a line for each. Ends with 1 if
    a judged figure is further off than --tolerance.
    """
    layout, found = measured.open(files)
    return compare(layout, found, profile=profile, tolerance=tolerance, jobs=jobs)


def _code(found: MeasuredComparison) -> ExitCode:
    if not found.beyond_tolerance:
        return ExitCode.GOOD
    show_error(f"{found.beyond_tolerance} figures are more than {found.tolerance:g} % off")
    return ExitCode.FAILED


def errors_picture(found: MeasuredComparison) -> Spec:
    """The errors: of one interval each judged figure's, of several their medians over time."""
    values: list[Spec]
    compared = found.intervals
    if len(compared) == 1:
        values = [
            {
                "curve": measure.partition("_")[0],
                "x": _whose(figure, compared[0]),
                "y": figure.error_percent or 0.0,
            }
            for measure in ("io_per_s", "conn_ms", "serv_ms", "busy_percent")
            for figure in compared[0].judged()
            if figure.measure == measure
        ]
        x = names_axis("x", "RDEV")
    else:  # where nothing is judged the line has a gap
        values = [
            {"curve": name, "x": place, "y": each.median_errors[name]}
            for name in OFF_BY
            for place, each in enumerate(compared)
        ]
        ends = [each.end or str(place) for place, each in enumerate(compared, start=1)]
        x = names_axis("x", "end of interval")
        x["axis"] |= labels(ends, every=-(-len(compared) // TICKS_MAX))
    y = axis("y", "emulated against measured, % off")
    zero = {"test": "datum.value === 0", "value": 3}
    y["axis"] = {"gridWidth": {"condition": zero, "value": 1}}
    drawn = curves(x, y, nominal("curve", [*dict.fromkeys(value["curve"] for value in values)]))
    if len(compared) == 1:
        drawn["layer"] = drawn["layer"][1:]  # points alone: devices are in no order
    return picture("Errors of the emulation", data={"values": values}, **drawn)


def _whose(figure: MeasuredFigure, compared: ComparedInterval) -> str:
    """The RDEV of a figure, with its system if both are shown."""
    return figure.of if len(compared.systems) == 1 else f"{figure.node} {figure.of}"


compare_measured = command_of(
    read_and_compare,
    _code,
    own=[plot(errors_picture)],
    made={"measured": MeasuredLink, "files": MeasuredFiles},
)
"""The command."""
