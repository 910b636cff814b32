"""``isfc io chart``: the curves that users ask for, as a table and as a picture."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import PrintOptions
from isfc.cli.options.option import valued
from isfc.cli.output.curves import chart_parts
from isfc.cli.output.file import ForceOption
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.picture import Spec, check_picture, picture, write_picture
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.errors import ConfigurationError
from isfc.io.charts import CHARTS, Chart
from isfc.reports.table import plain_table
from scenarios.runs.notes import CHANNELS_UNRANGED


def complete_chart(incomplete: str) -> list[str]:
    """The charts that begin so."""
    return [name for name in CHARTS if name.startswith(incomplete)]


@flattened
def chart(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help=f"One of {', '.join(CHARTS)}.", autocompletion=complete_chart
        ),
    ],
    *,
    plot: Annotated[
        Path | None, valued("FILE", "Draw it as well; FILE ends with .svg or .png.")
    ] = None,
    force: ForceOption = False,
    printed: PrintOptions,
) -> None:
    """Draw times, MB/s or rates over load, size, distance.

    FICON beside zHPF, buffer credits over km, devices with and without zHPF, zHyperLink over its
    load, OSA-Express over MTU and streams, a guest's memory over links and over an OSA.
    """
    if name not in CHARTS:
        raise ConfigurationError(f"{name[:40]!r}: no such chart; expected {', '.join(CHARTS)}")
    check_picture(plot, force=force)
    made = CHARTS[name]()
    if plot:
        write_picture(plot, chart_picture(made))
    if printed.json or printed.csv:
        show_notes([CHANNELS_UNRANGED])
    if printed.json:
        show_json(made.rows())
    elif printed.csv:
        show_csv(made.rows())
    else:
        show(made.title, "", chart_table(made), *note_lines([CHANNELS_UNRANGED]))


def chart_table(chart: Chart) -> Table:
    """A column for each curve."""
    curves = (f">{curve.name}" for curve in chart.curves)
    table = plain_table(f">{chart.x_name}", *curves, no_wrap=True)
    for place, x in enumerate(chart.xs):
        values = (curve.values[place] for curve in chart.curves)
        table.add_row(f"{x:,.0f}", *("-" if value is None else f"{value:,.1f}" for value in values))
    return table


def chart_picture(chart: Chart) -> Spec:
    """The curves, and that they have no range."""
    drawn = chart_parts(chart)
    drawn["encoding"]["x"]["title"] = f"{chart.x_name}; the curves have no range"
    return picture(chart.title, title=chart.title, **drawn)
