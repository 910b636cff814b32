"""Curves of one figure over another, as pages and pictures show them: a part of a specification."""

import json
from collections.abc import Sequence
from typing import Any

from isfc.cli.output.picture import CURVES, Spec


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
