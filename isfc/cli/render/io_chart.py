"""What ``isfc io chart`` shows: a line for each x, and the curves as a picture."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.table import Table

from isfc.cli.render.table import plain_table
from isfc.io.charts import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def chart_table(chart: Chart) -> Table:
    """A column for each curve."""
    curves = (f">{curve.name}" for curve in chart.curves)
    table = plain_table(f">{chart.x_name}", *curves, no_wrap=True)
    for place, x in enumerate(chart.xs):
        values = (curve.values[place] for curve in chart.curves)
        table.add_row(f"{x:,.0f}", *("-" if value is None else f"{value:,.1f}" for value in values))
    return table


def draw_chart(chart: Chart) -> "Callable[[Axes], None]":
    """What fills a picture's axes; x is in steps of its own where it goes over decades."""

    def draw(axes: "Axes") -> None:
        settings: dict[str, Any] = {"marker": "o", "markersize": 3, "linewidth": 1.2}
        for curve in chart.curves:
            known = [(x, y) for x, y in zip(chart.xs, curve.values, strict=True) if y is not None]
            axes.plot(*zip(*known, strict=True), label=curve.name, **settings)
        if min(chart.xs) > 0 and max(chart.xs) >= 100 * min(chart.xs):
            axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_title(chart.title)
        axes.set_xlabel(chart.x_name)
        axes.set_ylabel(chart.y_name)
        axes.grid(visible=True, alpha=0.3)
        axes.legend()

    return draw
