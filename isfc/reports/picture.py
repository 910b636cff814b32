"""Charts as pictures: as Vega-Lite specifications, which vl-convert draws for pages and for files.

A specification is small enough that a phone shows its words as its own. Only this module knows
vl-convert, and loads it when something is drawn. It asks no network. What is measured of the font
that it has with it decides where things stand, so that the same figures give the same bytes
anywhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from math import ceil, sqrt
from typing import Any, Final

from isfc.reports.figure import Figure, Unit
from isfc.reports.report import LIKELY, Bars, Chart, Column, Grid, Lines, Report, Value
from isfc.reports.units import FORMATS, between, shown

Spec = dict[str, Any]

INK: Final = "#000000"
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION: Final = "6.4"
"""Of Vega-Lite, as vl-convert has it."""
_PPI: Final = 150
"""Of a PNG: a pixel of a specification is a point, of which an inch has 72."""

_PAPER: Final = "#ffffff"
_DARK: Final = {
    _PAPER: "#14181d",
    INK: "#e6edf3",
    "#1f77b4": "#58a6e8",
    "#9467bd": "#b892e0",
    "#8c564b": "#c08b7e",
    "#d62728": "#f0716f",
}
"""What a colour is for those who read it on black; others are light enough."""
_RULES: Final = "\n".join(
    f'.picture [{what}="{light}"] {{ {what}: {dark} }}'
    for light, dark in _DARK.items()
    for what in ("fill", "stroke")
)
_DARK_STYLE: Final = f"@media screen and (prefers-color-scheme: dark) {{\n{_RULES}\n}}\n"
STYLE: Final = f"""
.picture {{ display: block; max-width: 100%; height: auto }}
@media (min-width: 40rem) {{ .picture {{ zoom: 1.4 }} }}
{_DARK_STYLE}"""
"""Of a page with pictures: those on a phone have words that are as large as its own."""


def config(ink: str) -> Spec:
    """How axes and legends look, in the colour of the text around them."""
    words = {"labelColor": ink, "titleColor": ink, "titleFontWeight": "normal"}
    lines = {"domainColor": ink, "tickColor": ink, "gridColor": ink, "gridOpacity": 0.15}
    overlap = {"labelOverlap": "greedy", "labelSeparation": 6}
    return {
        "view": {"stroke": None},
        "axis": {**words, **lines, **overlap, "titleLimit": 0},
        "legend": {**words, "orient": "top", "columns": 2, "labelLimit": 0, "symbolLimit": 0},
    }


_CONFIG: Final[Spec] = config(INK) | {
    "background": _PAPER,
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "numberFormat": ",~r",  # 1,000 and 0.002
    "title": {
        "color": INK,
        "fontWeight": "normal",
        "anchor": "start",
        "fontSize": 12,
        "subtitleColor": INK,
    },
    "point": {"filled": True, "opacity": 1},
}


def chart_svg(chart: Chart) -> str:
    """A chart for a page that has its caption, and `STYLE`."""
    return _svg(chart.caption, specification(chart))


def picture_svg(report: Report) -> str:
    """All that a report draws, as a file."""
    head, _, rest = _svg(report.title, _picture(report)).partition(">")
    return f"{head}><style>{_DARK_STYLE}</style>{rest}\n"


def picture_png(report: Report) -> bytes:
    """The same as PNG."""
    from vl_convert import vegalite_to_png

    spec = {**_picture(report), "$schema": SCHEMA, "config": _CONFIG}
    return vegalite_to_png(spec, vl_version=VERSION, ppi=_PPI, allowed_base_urls=[])


def _picture(report: Report) -> Spec:
    """Each chart below its caption, in about as many columns as rows."""
    each = [_captioned(chart) for chart in report.drawn]
    if len(each) == 1:
        return each[0]
    own = {"scale": {"color": "independent"}, "legend": {"color": "independent"}}
    return {"concat": each, "columns": ceil(sqrt(len(each))), "spacing": 40, "resolve": own}


def _captioned(chart: Chart) -> Spec:
    """A chart below its caption, and below that what a single panel is of."""
    spec = specification(chart)
    of = {"subtitle": spec["title"]["text"]} if "title" in spec else {}
    return {**spec, "title": {"text": chart.caption, **of}}


def _svg(name: str, spec: Spec) -> str:
    """Drawn; what is said of a mark is there for who points at it."""
    from vl_convert import vegalite_to_svg

    spec = {**spec, "$schema": SCHEMA, "config": _CONFIG}
    drawn = vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[])
    of_whole = f'class="picture" role="img" aria-label="{escape(name)}"'
    drawn = drawn.replace('class="marks"', of_whole, 1)
    return re.sub(_DESCRIBED, r"<path\2><title>\1</title></path>", drawn)


_DESCRIBED: Final = re.compile(r'<path aria-label="([^"]*)"([^>]*)/>')


@cache
def script_bundle(script: str) -> str:
    """A page's script with all that it uses: Vega, Vega-Lite and Vega-Embed.

    It takes two seconds to put together, and is the same for every page.
    """
    from vl_convert import javascript_bundle

    return javascript_bundle(script, VERSION)


_SHADE: Final = "#d62728"
CURVES: Final = tuple(
    "#1f77b4 #c65f00 #2ca02c #d62728 #9467bd #8c564b #c24fa0 #7f7f7f #808000 #128797".split()
)
"""Colours of what is told apart, in their order; each can be seen on white."""

_WIDTH: Final = 300
_HEIGHT: Final = 200
_PANEL: Final = 120
"""Pixels of the axes, and upright of one panel of several."""
_ROW: Final = 18
_CELL: Final = 44
"""Pixels of a bar, and across of a cell of a grid."""
_LABELS: Final = 36
"""Pixels that the labels of an upright axis have, so that panels stand one below the other."""
_DECADES: Final = 100
"""An axis whose greatest is so many times its least is a logarithm."""

_SAID: Final = {"field": "said", "type": "nominal"}


def specification(chart: Chart) -> Spec:
    """The part of a specification that draws a chart."""
    if isinstance(chart, Bars):
        return _bars(chart)
    if isinstance(chart, Grid):
        return _grid(chart)
    panels = [_panel(chart, column) for column in chart.up]
    return panels[0] if len(panels) == 1 else {"vconcat": panels, "bounds": "flush", "spacing": 32}


def axis(field: str, title: str | None, **scale: object) -> Spec:
    """An axis of numbers; where it is a logarithm, 1, 2 and 5 times powers of ten have names."""
    ticks: Spec = {}
    if scale.get("type") == "log":
        ticks["values"] = [digit * 10**power for power in range(-4, 9) for digit in (1, 2, 5)]
    elif scale.get("type") == "symlog":
        ticks["values"] = [0, *(10**power for power in range(-4, 9))]
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": ticks}


def marks(kind: str, values: Iterable[Spec], encoding: Spec, **looks: Any) -> Spec:
    """Marks of one kind, one or a part of one for each of some values: a layer of a chart."""
    mark = {"type": kind, "aria": "description" in encoding, **looks}
    return {"data": {"values": [*values]}, "mark": mark, "encoding": encoding}


def _bars(chart: Bars) -> Spec:
    values = [
        {"name": name, "said": f"{name}: {_words(figure, chart.figure)}", **_ends("x", figure)}
        for row in chart.rows
        for name, figure in [(chart.name.words(row), chart.figure.of(row))]
    ]
    y = _names("name", chart.name.heading, labelLimit=200)
    x = axis("x", _titled(chart.figure, chart.rows, LIKELY), zero=True)
    where = {"x": x, "y": y, "description": _SAID}
    ranges = _ranges(values, {"x": x, "y": y}, color=INK)
    layer = [marks("bar", values, where, color=CURVES[0]), *ranges]
    return {"width": _WIDTH, "height": _ROW * len(values), "layer": layer}


def _grid(chart: Grid) -> Spec:
    values = [
        {"down": down, "across": across, "cell": cell, "said": shown(cell, chart.unit)}
        for down, cells in zip(chart.down, chart.cells, strict=True)
        for across, cell in zip(chart.across, cells, strict=True)
    ]
    x = _names("across", None, labelAngle=0, orient="top")
    where = {"x": x, "y": _names("down", None)}
    scale = {"domain": [0, chart.most or 1], "range": [0, 0.6]}
    shade = {"field": "cell", "type": "quantitative", "legend": None, "scale": scale}
    layer = [
        marks("rect", values, {**where, "fillOpacity": shade}, fill=_SHADE),
        marks("text", values, {**where, "text": _SAID}, color=INK),
    ]
    size = {"width": _CELL * len(chart.across), "height": _ROW * len(chart.down)}
    return {**size, "layer": layer}


def _panel(chart: Lines, up: Column) -> Spec:
    """The points of one column, lines that join them, and what is named beside them."""
    values = [*_points(chart, up)]
    x, y = _across(chart, up, values), _upright(chart, values)
    colour, told = _told("of", chart.of, values), _told("dash", chart.dash, values)
    if colour:
        names = colour["scale"]["domain"]
        order = [*dict.fromkeys([*chart.names, *names])]
        colour["scale"]["range"] = [CURVES[order.index(name) % len(CURVES)] for name in names]
        colour["legend"] = {"symbolOpacity": 1, "symbolStrokeWidth": 0}
    where = {"x": x, "y": y, "color": colour or {"value": CURVES[0]}}
    told = told or _told("of", chart.of, values)
    lines = [each for each in values if chart.joined is None or each["of"] in chart.joined]
    step = {"interpolate": "step-after"} if chart.steps else {}
    layer = [
        *_levels(chart, where),
        *_marked(chart, up, x),
        *_ranges(values, where, opacity=0.5),
        marks("line", lines, {**where, **({"strokeDash": told} if told else {})}, **step),
    ]
    if not chart.steps:
        shape = {"shape": told} if told else {}
        layer.append(marks("point", values, {**where, **shape, "description": _SAID}, size=25))
    height = _PANEL if len(chart.up) > 1 else _HEIGHT
    title = {"text": _titled(up, chart.rows, chart.bars), "fontSize": 11}
    return {"width": _WIDTH, "height": height, "title": title, "layer": layer}


def _points(chart: Lines, up: Column) -> Iterator[Spec]:
    """Where each row is, if it is somewhere, and what is said there."""
    for row in chart.rows:
        x, y = chart.across.of(row), up.of(row)
        if x is None:
            continue
        named = {"of": chart.of, "dash": chart.dash}
        names = {field: by.words(row) for field, by in named.items() if by}
        said = ", ".join([*names.values(), f"{_words(x, chart.across)}: {_words(y, up)}"])
        yield {**names, "said": said, **_ends("x", x), **_ends("y", y)}


def _ends(field: str, value: Value) -> Spec:
    """A value and the ends of its range, if it has one."""
    if not isinstance(value, Figure):
        return {field: value}
    low, high = value.ends.low, value.ends.high
    ends = {} if value.range is None else {f"{field} low": low, f"{field} high": high}
    return {field: value.value, **ends}


def _across(chart: Lines, up: Column, values: Sequence[Spec]) -> Spec:
    """The lower axis, of names or of numbers; it is named below the last panel."""
    xs = [value["x"] for value in values]
    if any(isinstance(each, str) for each in xs):
        x = _names("x", _line(chart.across), labelAngle=-30)
    else:
        x = axis("x", _line(chart.across), **_scale(xs, zero=False), padding=6)
        x["scale"]["nice"] = False
    if chart.ticks:
        x["axis"]["values"] = [*chart.ticks]
        x["scale"] = {"domain": [chart.ticks[0], chart.ticks[-1]]}
    if up is not chart.up[-1]:
        x |= {"title": None, "axis": {**x["axis"], "labels": False}}
    return x


def _upright(chart: Lines, values: Sequence[Spec]) -> Spec:
    """The upright axis; what is on it stands above it."""
    heights = [value["y"] for value in values if value["y"] is not None]
    heights += [figure.value for *_, figure in chart.levels]
    y = axis("y", None, **_scale(heights, zero=not chart.joined))
    y["axis"] |= {"minExtent": _LABELS, "tickCount": 5}
    return y


def _scale(values: Sequence[float], *, zero: bool) -> Spec:
    """A logarithm where values go over decades; none of them is negative then."""
    least, most = min(filter(None, values), default=0.0), max(values, default=0.0)
    if not 0 < _DECADES * least <= most:
        return {"zero": zero}
    return {"type": "log"} if min(values) else {"type": "symlog", "constant": least}


def _told(field: str, by: Column | None, values: Sequence[Spec]) -> Spec:
    """Names that are told apart, in their order; nothing of no column."""
    if by is None:
        return {}
    names = [*dict.fromkeys(value[field] for value in values)]
    title = _line(by) or None
    return {"field": field, "type": "nominal", "title": title, "scale": {"domain": names}}


def _ranges(values: Sequence[Spec], where: Spec, **looks: Any) -> Iterator[Spec]:
    """A line from end to end of each range."""
    for way in ("x", "y"):
        if ranged := [each for each in values if f"{way} low" in each]:
            low, high = {**where[way], "field": f"{way} low"}, {"field": f"{way} high"}
            yield marks("rule", ranged, {**where, way: low, f"{way}2": high}, **looks)


def _levels(chart: Lines, where: Spec) -> Iterator[Spec]:
    """A broken line for each, named at one side, in the band of its range."""
    for place, (of, said, figure) in enumerate(chart.levels):
        level = {"of": of, "said": said, **_ends("y", figure)}
        whole = {**where, "x": {"value": 0}, "x2": {"value": "width"}}
        if figure.range is not None:
            low, high = {**where["y"], "field": "y low"}, {"field": "y high"}
            yield marks("rect", [level], {**whole, "y": low, "y2": high}, opacity=0.1)
        yield marks("rule", [level], whole, strokeDash=[6, 3])
        side, at = (("left", 4), ("right", "width"))[place % 2]
        text = {"x": {"value": at}, "y": where["y"], "text": _SAID}
        yield marks("text", [level], text, align=side, dy=-6, color=INK)


def _marked(chart: Lines, up: Column, x: Spec) -> Iterator[Spec]:
    """A line upright at each place that has a name, which stands above the first panel."""
    places = [{"x": at, "said": name} for at, name in chart.marks]
    yield marks("rule", places, {"x": x}, strokeDash=[1, 3], color=INK, opacity=0.6)
    if up is chart.up[0]:
        above = {"x": x, "y": {"value": -6}, "text": _SAID}
        yield marks("text", places, above, color=INK, fontSize=9)


def _names(field: str, title: str | None, **looks: object) -> Spec:
    """An axis of names, in the order in which they come."""
    return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": looks}


def _titled(column: Column, rows: Sequence[object], bars: str) -> str:
    """What is on an axis, and what its bars are, or that there are none."""
    ranged = any(each.range is not None for each in column.figures(rows))
    return f"{_line(column)}; bars: {bars}" if ranged else f"{_line(column)}, without a range"


def _line(column: Column) -> str:
    return column.heading.replace("\n", " ")


def _words(value: Value, column: Column) -> str:
    """A value as it is said of a mark."""
    if isinstance(value, Figure):
        unit = FORMATS[value.unit].name or _line(column)
        return f"{shown(value.value, value.unit)} {unit}{between(value)}"
    if isinstance(value, float | int):
        return f"{shown(value, column.unit or Unit.ANY)} {_line(column)}"
    return str(value or "")
