"""Curves of one figure over another, as pages and pictures show them: a part of a specification."""

import json
from collections.abc import Sequence
from typing import Any, Final

from isfc.cli.output.picture import CURVES, Spec
from isfc.io.charts import Chart

_TICKS: Final = 10
"""About so many places on an axis are named: as many as a phone has room for."""


def axis(field: str, title: str | None, **scale: object) -> Spec:
    """An axis of numbers; where it is a logarithm, 1, 2 and 5 times powers of ten are named."""
    ticks: Spec = {}
    if scale.get("type") == "log":
        ticks["values"] = [digit * 10**power for power in range(-4, 9) for digit in (1, 2, 5)]
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": ticks}


def names_axis(field: str, title: str) -> Spec:
    """A lower axis of names, in the order in which they come; slanted, as they may be long."""
    slanted = {"labelAngle": -30}
    return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": slanted}


def labels(names: Sequence[str | Sequence[str]], every: int = 1) -> Spec:
    """Of an axis on which 0, 1, 2 stand for names, of which each or each n-th is shown."""
    shown = [*range(0, len(names), every)]
    return {"values": shown, "labelExpr": f"{json.dumps(names)}[datum.value]"}


def nominal(field: str, names: Sequence[str], looks: Sequence[Any] = CURVES, **legend: Any) -> Spec:
    """Names, and the colour, dash or shape of each, over and over."""
    chosen = [looks[place % len(looks)] for place in range(len(names))]
    scale = {"domain": [*names], "range": chosen}
    shown = {"symbolOpacity": 1, "symbolStrokeWidth": 0, **legend}
    return {"field": field, "type": "nominal", "title": None, "scale": scale, "legend": shown}


def marks(kind: str, values: Sequence[Spec], encoding: Spec, **looks: Any) -> Spec:
    """Marks of one kind, one or a part of one for each of some values: a layer of a chart."""
    return {"data": {"values": values}, "mark": {"type": kind, **looks}, "encoding": encoding}


def curves(x: Spec, y: Spec, colour: Spec, ends: tuple[str, str] | None = None) -> Spec:
    """Lines and points; colours, dashes and shapes tell them apart.

    ``ends`` are the fields of a range, for a bar at each point.
    """
    shape = {**colour, "scale": {"domain": colour["scale"]["domain"]}}
    layer: list[Spec] = [
        {"mark": {"type": "line"}, "encoding": {"strokeDash": shape}},
        {"mark": {"type": "point", "filled": True}, "encoding": {"shape": shape}},
    ]
    if ends:
        low, high = ends
        between = {"y": {**y, "field": low}, "y2": {"field": high}}
        layer.append({"mark": {"type": "rule", "opacity": 0.5}, "encoding": between})
    return {"encoding": {"x": x, "y": y, "color": colour}, "layer": layer}


def chart_parts(chart: Chart, palette: Sequence[str] = CURVES) -> Spec:
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
