"""``isfc replay --plot FILE``: what IBM published and what we emulate, as a picture or a page."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from isfc.cli.render import picture
from isfc.cli.render.picture import check_picture, write_figure
from isfc.cli.render.plot_page import page
from isfc.cli.render.suite_figure import SETTINGS, draw, figures_by_cell
from isfc.errors import ConfigurationError
from scenarios.published.replay import Comparison, Part

FORMATS = (*picture.FORMATS, ".html")
"""What a picture may be; the name of its file says which."""


def check_plot(path: Path, parts: Sequence[Part]) -> None:
    """Find out before anything is run whether a picture of some rows can be made at ``path``.

    Raises `ConfigurationError` as `check_picture` does, and for tables that have no such picture.
    """
    check_picture(path, FORMATS)
    if not any(part.table.is_grid for part in parts):
        raise ConfigurationError(
            f"--plot: there is no picture of the table {parts[0].table.name}; "
            "expected transport, appc_regression or appc_scaling"
        )


def write_plot(path: Path, parts: Sequence[Part], comparisons: Iterable[Comparison]) -> None:
    """Draw the rows of grids into the file ``path``, in the format that its name says.

    A figure that was emulated several times, with one seed after the other, is drawn as its
    mean, with a bar from the least to the greatest. Raises `OSError` if the file cannot be
    written.
    """
    if path.suffix.lower() == ".html":
        path.write_text(page(parts, figures_by_cell(comparisons)), "utf-8")
    else:
        write_figure(path, lambda: draw(parts, comparisons), SETTINGS)
