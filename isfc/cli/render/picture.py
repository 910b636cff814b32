"""Pictures in a file: what their names may be, and how they are written."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isfc.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS: Final = (".svg", ".png")
_INCHES: Final = (8.0, 5.0)
_SETTINGS: Final = {"svg.hashsalt": "isfc", "svg.fonttype": "none", "font.family": "DejaVu Sans"}
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": "isfc"},
    "png": {"Software": None},
}


def check_picture(path: Path) -> None:
    """Find out before anything is run whether a picture can be drawn at ``path``.

    Raises `ConfigurationError` for a name of no known format, a folder that does not exist, and
    where matplotlib is missing.
    """
    if path.suffix.lower() not in FORMATS:
        raise ConfigurationError(
            f"--plot {str(path)[-60:]}: expected a file that ends with {' or '.join(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"--plot {str(path)[-60:]}: there is no folder {path.parent}")
    if find_spec("matplotlib") is None:
        raise ConfigurationError(
            "--plot needs matplotlib: pip install '.[plot]' in the folder of isfc's source"
        )


def write_picture(path: Path, draw: "Callable[[Axes], None]") -> None:
    """Write the picture of one pair of axes, which ``draw`` fills; same figures, same bytes."""
    from matplotlib import style
    from matplotlib.figure import Figure

    kind = path.suffix.lower().removeprefix(".")
    with style.context(["default", _SETTINGS]):
        figure = Figure(figsize=_INCHES, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(path, format=kind, metadata=_METADATA[kind], dpi=150)
