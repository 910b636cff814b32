"""Pictures: Vega-Lite specifications, drawn by vl-convert into a file, a page, or a page's script.

Only this module knows vl-convert, and loads it when something is drawn. It asks no network.
"""

from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from isfc.cli.output.streams import write_file
from isfc.cli.output.whole_file import whole_file

Spec = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION: Final = "6.4"
"""Of Vega-Lite, as vl-convert has it."""

FORMATS: Final = (".svg", ".png")
_PPI: Final = 150
"""Of a PNG: a pixel of a specification is a point, of which an inch has 72."""

HEIGHT: Final = 300
_WIDTH: Final = 500
"""Of the axes of a picture that has one pair of them, in pixels."""

INK: Final = "#000000"
PAPER: Final = "#ffffff"
GREY: Final = "#595959"
CURVES: Final = tuple(
    "#1f77b4 #c65f00 #2ca02c #d62728 #9467bd #8c564b #c24fa0 #7f7f7f #808000 #128797".split()
)
"""Colours of curves, in their order; each can be seen on white, and by `_DARK` on black."""

_DARK: Final = {
    PAPER: "#14181d",
    INK: "#e6edf3",
    GREY: "#b8c0c8",
    "#440154": "#d2a8ff",
    "#3b528b": "#79a6f2",
    "#21918c": "#39c5bb",
    "#3fa34d": "#5ec962",
    "#b08500": "#d9a400",
    "#1f77b4": "#58a6e8",
    "#9467bd": "#b892e0",
    "#8c564b": "#c08b7e",
    "#d62728": "#f0716f",
}
"""What a colour of a picture is for those who read it on black; others are light enough."""


_LOOKS: Final = {
    "aria": False,  # the picture has a name, its points have none
    "background": PAPER,
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "numberFormat": ",~r",  # 1,000 and 0.002
    "point": {"opacity": 1},
    "title": {"color": INK, "fontWeight": "normal"},
}


def config(ink: str) -> Spec:
    """How axes and legends look, in the colour of the text around them."""
    return {
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "domainColor": ink,
            "tickColor": ink,
            "gridColor": ink,
            "gridOpacity": 0.15,
        },
        "legend": {"labelColor": ink, "titleColor": ink, "orient": "top", "columns": 3},
    }


def picture(description: str, **parts: Any) -> Spec:
    """A picture of a file: black on white, in a font that vl-convert has with it.

    What is measured of that font decides where things stand, so that the same figures give the
    same bytes anywhere. ``parts`` are those of a specification; the ``description`` is its name
    for those who do not see it.
    """
    looks = config(INK) | _LOOKS
    looks["view"] |= {
        "continuousWidth": _WIDTH,
        "discreteWidth": _WIDTH,
        "continuousHeight": HEIGHT,
    }
    looks["axis"] |= {"titleFontWeight": "normal", "titleFontSize": 11, "labelOverlap": "greedy"}
    looks["legend"] |= {
        "columns": 4,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "symbolLimit": 0,
    }
    looks["legend"] |= {"symbolBaseFillColor": INK, "symbolBaseStrokeColor": INK}
    return {"$schema": SCHEMA, "description": description, "config": looks, **parts}


def picture_svg(spec: Spec) -> str:
    """The picture as SVG: black on white, or light on dark for those whose device is set so."""
    from vl_convert import vegalite_to_svg

    drawn = vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[])
    head, _, rest = drawn.partition(">")
    rules = "".join(
        f'[{what}="{light}"]{{{what}:{dark}}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    name = escape(spec["description"])
    return (
        f'{head} role="img" aria-label="{name}">'
        f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>{rest}\n"
    )


@cache
def script_bundle(script: str) -> str:
    """A page's script with all that it uses: Vega, Vega-Lite and Vega-Embed.

    It takes two seconds to put together, and is the same for every page.
    """
    from vl_convert import javascript_bundle

    return javascript_bundle(script, VERSION)


def write_picture(path: Path, spec: Spec) -> None:
    """Write a picture in the format that the file's name says; raises `OSError` if it cannot."""
    if path.suffix.lower() == ".svg":
        write_file(path, picture_svg(spec))
        return
    from vl_convert import vegalite_to_png

    drawn = vegalite_to_png(spec, vl_version=VERSION, ppi=_PPI, allowed_base_urls=[])
    with whole_file(path) as file:
        file.write_bytes(drawn)
