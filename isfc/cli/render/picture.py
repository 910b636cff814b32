"""Pictures in a file: what their names may be, and how they are written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isfc.cli.options.file import check_file
from isfc.library import check_library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = (".svg", ".png")
_INCHES: Final = (8.0, 5.0)
# The same figures give the same bytes: no random ids, no date, no version, no outlines of
# whichever font is installed. What a user has set up for other pictures is left out as well.
SETTINGS: Final[dict[str, Any]] = {
    "svg.hashsalt": "isfc",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
}
METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": "isfc"},
    "png": {"Software": None},
}


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
        draw().savefig(path, format=kind, metadata=METADATA[kind], dpi=150)
