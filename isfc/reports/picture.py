"""Charts as pictures, drawn by vl-convert for pages and for files.

Only this module knows vl-convert, and loads it when something is drawn. It asks no network. What is
measured of the font that it has with it decides where things stand, so that the same figures give
the same bytes anywhere.
"""

import re
from functools import cache
from html import escape
from math import ceil, sqrt
from typing import Final

from isfc.reports.chart import Chart
from isfc.reports.report import Report
from isfc.reports.vega import INK, Spec, specification

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
    each = [_captioned(chart) for chart in report.charts]
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
    return re.sub(_SAID, r"<path\2><title>\1</title></path>", drawn)


_SAID: Final = re.compile(r'<path aria-label="([^"]*)"([^>]*)/>')


@cache
def script_bundle(script: str) -> str:
    """A page's script with all that it uses: Vega, Vega-Lite and Vega-Embed.

    It takes two seconds to put together, and is the same for every page.
    """
    from vl_convert import javascript_bundle

    return javascript_bundle(script, VERSION)
