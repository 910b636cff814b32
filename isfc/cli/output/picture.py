"""Pictures in a file: what their names may be, and how they are written."""

from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isfc.cli.output.file import check_file
from isfc.cli.output.streams import write_file
from isfc.cli.output.whole_file import whole_file
from isfc.library import check_library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = (".svg", ".png")
_INCHES: Final = (8.0, 5.0)
_CURVES: Final = "#1f77b4 #c65f00 #2ca02c #d62728 #9467bd #8c564b #c24fa0 #7f7f7f #808000 #128797"
"""Colours of curves, in their order: matplotlib's, darker where those are hard to see on white."""

# The same figures give the same bytes: no random ids, no date, no version, no outlines of
# whichever font is installed. What a user has set up for other pictures is left out as well.
SETTINGS: Final[dict[str, Any]] = {
    "axes.prop_cycle": f"cycler('color', {_CURVES.split()})",
    "svg.hashsalt": "isfc",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
}
METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": "isfc"},
    "png": {"Software": None},
}


_DARK: Final = {
    "#ffffff": "#14181d",
    "#000000": "#e6edf3",
    "#595959": "#b8c0c8",
    "#b0b0b0": "#6e7681",
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

_STYLE: Final = "*{stroke-linejoin: round; stroke-linecap: butt}"
"""What matplotlib writes into every picture."""


def figure_svg(figure: "Figure") -> str:
    """The figure as SVG: black on white, or light on dark for those whose device is set so."""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata=METADATA["svg"])
    return with_dark_colours(drawn.getvalue())


def with_dark_colours(svg: str) -> str:
    """An SVG of matplotlib with the colours that it has on dark devices beside its own."""
    rules = [
        f'[style*="{what}: {light}"] {{{what}: {dark} !important}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    ]
    rules.append(f'svg text:not([style*="fill:"]) {{fill: {_DARK["#000000"]}}}')
    dark = "\n".join(["@media (prefers-color-scheme: dark) {", *rules, "}"])
    return svg.replace(_STYLE, f"{_STYLE}\n{dark}\n")


def check_picture(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Find out before anything is run whether a picture can be drawn at ``path``.

    Raises `ConfigurationError` for a name of no known format, a folder that does not exist, and
    where matplotlib is missing.
    """
    check_file("--plot", str(path), formats)
    check_library("matplotlib", "--plot")


def write_picture(path: Path, draw: "Callable[[Axes], None]") -> None:
    """Write the picture of one pair of axes, which ``draw`` fills."""
    from matplotlib.figure import Figure

    def figure() -> "Figure":
        drawn = Figure(figsize=_INCHES, layout="constrained")
        draw(drawn.add_subplot())
        return drawn

    write_figure(path, figure, SETTINGS)


def write_figure(path: Path, draw: "Callable[[], Figure]", settings: Mapping[str, Any]) -> None:
    """Write what ``draw`` draws, in the format that the file's name says."""
    from matplotlib import style

    kind = path.suffix.lower().removeprefix(".")
    with style.context(["default", dict(settings)]):
        if kind == "svg":
            write_file(path, figure_svg(draw()))
        else:
            with whole_file(path) as file:
                draw().savefig(file, format=kind, metadata=METADATA[kind], dpi=150)
