"""Files that commands of ``isfc io`` write beside their pages."""

from typing import Final

from isfc.cli.options.own_file import OwnFile, plot
from isfc.cli.output.curves import chart_parts
from isfc.cli.output.picture import Spec, picture
from isfc.cli.output.streams import write_file
from isfc.io.charts import Chart

PROPOSAL: Final = OwnFile(
    ("--output", "-o"),
    (".toml",),
    "FILE.toml",
    "Write what is best, with the load it is for, as a configuration.",
    lambda path, found: write_file(path, found.proposal),
)


def chart_picture(chart: Chart) -> Spec:
    """The curves, and that they have no range."""
    drawn = chart_parts(chart)
    drawn["encoding"]["x"]["title"] = f"{chart.x_name}; the curves have no range"
    return picture(chart.title, title=chart.title, **drawn)


PLOT: Final = plot(chart_picture)
