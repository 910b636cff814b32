"""Curves that users ask for: times, MB/s or rates over load, size, distance."""

from collections.abc import Iterator
from typing import Annotated, Final

from msgspec.structs import replace

from isfc.errors.arguments import Argument, checked
from isfc.io.charts import CHARTS, Chart, ChartName
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Lines, Report, Table
from isfc.reports.units import shown
from scenarios.runs.notes import CHANNELS_UNRANGED

_CURVES_MAX: Final = 5
"""Of more curves nothing is said but in the table."""


@checked
def io_chart(name: Annotated[ChartName, Argument("NAME", f"One of {', '.join(CHARTS)}.")]) -> Chart:
    """Draw times, MB/s or rates over load, size, distance.

    FICON beside zHPF, buffer credits over km, devices with and without zHPF, zHyperLink over its
    load, OSA-Express over MTU and streams, a guest's memory over links and over an OSA.

    Raises `ConfigurationError` for another name.
    """
    return replace(CHARTS[name](), notes=(CHANNELS_UNRANGED,))


def io_chart_report(found: Chart) -> Report:
    """Where each curve begins and ends, then a column for each."""
    return Report(
        found.title,
        [*_answer(found)],
        [points_table(found)],
        known=found.notes,
        charts=[curves(found)],
    )


def points_table(found: Chart) -> Table:
    """A column for each curve."""
    columns = [
        Column(found.x_name, found.x_name, Unit.PER_S),
        *(Column(curve.name, curve.name, Unit.COUNT) for curve in found.curves),
    ]
    return Table(found.y_name, columns, found.rows())


def curves(found: Chart) -> Lines:
    """A line for each curve."""
    rows = [
        {"curve": curve.name, "x": x, "y": y}
        for curve in found.curves
        for x, y in zip(found.xs, curve.values, strict=True)
    ]
    return Lines(
        caption=found.title,
        rows=rows,
        across=Column(found.x_name, "x"),
        up=[Column(found.y_name, "y")],
        of=Column("", "curve"),
    )


def _answer(found: Chart) -> Iterator[tuple[str, str]]:
    for curve in found.curves[:_CURVES_MAX]:
        ends = [
            (x, value) for x, value in zip(found.xs, curve.values, strict=True) if value is not None
        ]
        if ends:
            (x, first), (y, last) = ends[0], ends[-1]
            begins, ends_ = (shown(each, Unit.COUNT) for each in (first, last))
            yield curve.name, f"{begins} at {x:g}, {ends_} at {y:g} {found.x_name}"
