"""``isfc io chart``: the curves that users ask for, as a table and as a picture."""

from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.options.flattened import flattened
from isfc.cli.options.report import PrintOptions
from isfc.cli.render.io_chart import chart_table, draw_chart
from isfc.cli.render.output import show, show_csv, show_json
from isfc.cli.render.picture import check_picture, write_picture
from isfc.errors import ConfigurationError
from isfc.io.charts import CHARTS, rows_of


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
        Path | None,
        typer.Option(metavar="FILE", help="Draw it as well; FILE ends with .svg or .png."),
    ] = None,
    printed: PrintOptions,
) -> None:
    """Draw times, MB/s or rates over load, size, distance.

    FICON beside zHPF, buffer credits over km, devices with and without zHPF, zHyperLink over its
    load, OSA-Express over MTU and streams, a guest's memory over links and over an OSA.
    """
    if name not in CHARTS:
        raise ConfigurationError(f"{name[:40]!r}: no such chart; expected {', '.join(CHARTS)}")
    if plot:
        check_picture(plot)
    made = CHARTS[name]()
    if plot:
        write_picture(plot, draw_chart(made))
    if printed.json:
        show_json(list(rows_of(made)))
    elif printed.csv:
        show_csv(list(rows_of(made)))
    else:
        show(made.title, "", chart_table(made))
