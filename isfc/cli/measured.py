"""The files of ``isfc measured``: what was read as a table, a profile, a picture of errors."""

from dataclasses import replace
from typing import Final

from isfc.answers.measured_compare import OFF_BY, ComparedInterval, MeasuredComparison
from isfc.cli.options.own_file import OwnFile, plot
from isfc.cli.output.curves import axis, curves, labels, names_axis, nominal
from isfc.cli.output.file import write_table
from isfc.cli.output.picture import Spec, picture
from isfc.cli.output.streams import write_file
from isfc.layout.site import format_site
from scenarios.figures.site_compare import MeasuredFigure

TICKS_MAX: Final = 8
"""Times named below a picture."""

TABLE: Final = OwnFile(
    ("--output", "-o"),
    (".csv", ".parquet"),
    "FILE",
    "Write the table; .csv or .parquet.",
    lambda path, found: write_table(path, found.rows()),
)

PROFILE: Final = OwnFile(
    ("--output", "-o"),
    (".toml",),
    "FILE",
    "The site profile to write; .toml.",
    lambda path, found: write_file(path, format_site(replace(found.profile, name=path.stem))),
)


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


PLOT: Final = plot(errors_picture)
