"""The page's part on disks that ride the link's chpids: what each costs the other."""

from collections.abc import Sequence
from typing import Any, Final

from isfc.io.charts import Chart

Spec = dict[str, Any]

_COLOURS: Final = ("first", "second", "write", "read", "disc", "pend", "other")


_TICKS: Final = 10
"""About so many places on an axis are named: as many as a phone has room for."""


def chart_parts(chart: Chart) -> Spec:
    """The parts of a Vega-Lite chart: lines and points; colours, dashes and shapes for curves."""
    values: list[Spec] = [
        {"curve": curve.name, "x": x, "y": round(y, 3)}
        for curve in chart.curves
        for x, y in zip(chart.xs, curve.values, strict=True)
        if y is not None
    ]
    names = [curve.name for curve in chart.curves]
    colours = [f"var(--{_COLOURS[place % len(_COLOURS)]})" for place in range(len(names))]
    plain = {"field": "curve", "type": "nominal", "legend": None}
    return {
        "height": 220,
        "data": {"values": values},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": chart.x_name,
                "scale": {**_scale(chart.xs, zero=False), "nice": False},
                "axis": {
                    "labelOverlap": "greedy",
                    "labelSeparation": 6,
                    "labelFlush": False,
                    "tickCount": _TICKS,
                },
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": chart.y_name,
                "scale": _scale([value["y"] for value in values], zero=True),
            },
            "color": {
                "field": "curve",
                "type": "nominal",
                "title": None,
                "scale": {"domain": names, "range": colours},
            },
            "tooltip": [
                {"field": "curve", "title": "curve"},
                {"field": "x", "title": chart.x_name},
                {"field": "y", "title": chart.y_name},
            ],
        },
        "layer": [
            {"mark": {"type": "line"}, "encoding": {"strokeDash": plain}},
            {"mark": {"type": "point", "filled": True}, "encoding": {"shape": plain}},
        ],
    }


def _scale(values: Sequence[float], *, zero: bool) -> Spec:
    """In steps of its own where it goes over decades."""
    if min(values) > 0 and max(values) >= 100 * min(values):
        return {"type": "log"}
    return {"zero": zero}
