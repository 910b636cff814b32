"""The page's part on disks that ride the link's chpids: what each costs the other."""

from collections.abc import Sequence
from typing import Final

from isfc.cli.output.curves import axis, curves, nominal
from isfc.cli.output.picture import Spec
from isfc.io.charts import Chart

PAGE: Final = tuple(f"var(--{name})" for name in "first second write read disc pend other".split())
"""Colours of curves that are the page's own CSS variables."""

_TICKS: Final = 10
"""About so many places on an axis are named: as many as a phone has room for."""


def chart_parts(chart: Chart, palette: Sequence[str] = PAGE) -> Spec:
    """The parts of a Vega-Lite chart: its values, and how they are drawn."""
    values: list[Spec] = [
        {"curve": curve.name, "x": x, "y": round(y, 3)}
        for curve in chart.curves
        for x, y in zip(chart.xs, curve.values, strict=True)
        if y is not None
    ]
    x = axis("x", chart.x_name, **_scale(chart.xs, zero=False), nice=False)
    x["axis"] |= {
        "labelOverlap": "greedy",
        "labelSeparation": 6,
        "labelFlush": False,
        "tickCount": _TICKS,
    }
    y = axis("y", chart.y_name, **_scale([value["y"] for value in values], zero=True))
    drawn = curves(x, y, nominal("curve", [curve.name for curve in chart.curves], palette))
    drawn["encoding"]["tooltip"] = [
        {"field": "curve", "title": "curve"},
        {"field": "x", "title": chart.x_name},
        {"field": "y", "title": chart.y_name},
    ]
    return {"data": {"values": values}, **drawn}


def _scale(values: Sequence[float], *, zero: bool) -> Spec:
    """In steps of its own where it goes over decades."""
    if min(values) > 0 and max(values) >= 100 * min(values):
        return {"type": "log"}
    return {"zero": zero}
