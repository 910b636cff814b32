"""Pictures of a replay: what IBM published and what we emulate, in one figure.

matplotlib draws them. It is asked for only here, so that a command without ``--plot`` neither
needs nor loads it; ``pip install 'isfc[plot]'`` brings it along.
"""

import html
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isfc.errors import ConfigurationError
from scenarios.published import PublishedRow, PublishedTable
from scenarios.replay import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".html")
"""What a picture may be; the name of its file says which."""

PANELS = (
    ("mb_per_s", "MB/s", 3.0),
    ("collisions_per_s", "collisions/s", 1.5),
    ("rdev_util_percent", "RDEV util %", 1.5),
)
"""From top to bottom: the measure, its name on the picture, its height in inches."""

_COLUMNS = frozenset({"suite", "rdevs", "pairs"})
_SUITE_INCHES = 4.2
_LEGEND_INCHES = 0.9
_LINEAR_BELOW = 1.0  # collisions/s: a logarithm above, and 0 has a place too
_COLOURS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#d9a400", "#c44e52")

_PUBLISHED: dict[str, Any] = {"linestyle": "-", "marker": "o", "markersize": 4, "linewidth": 1}
_EMULATED: dict[str, Any] = {
    "linestyle": "--",
    "marker": "x",
    "markersize": 5,
    "linewidth": 1,
    "capsize": 3,
}

# The same figures give the same bytes: no random ids, no date, no version, no outlines of
# whichever font is installed. What a user has set up for other pictures is left out as well.
_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "isfc",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
}
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "isfc"},
    "png": {"Software": None},
}
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 1em }}
svg {{ max-width: 100%; height: auto }}
</style>
<h1>{title}</h1>
<p>{source}</p>
{picture}
</html>
"""


def check_plot(path: Path, table: PublishedTable) -> None:
    """Find out before anything is run whether a picture of ``table`` can be made at ``path``.

    Raises `ConfigurationError` for a name that is of no known format, a folder that does not
    exist, a table that has no such picture, and if matplotlib is missing.
    """
    if path.suffix.lower() not in FORMATS:
        raise ConfigurationError(
            f"--plot {str(path)[-60:]}: expected a file that ends with {' or '.join(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"--plot {str(path)[-60:]}: there is no folder {path.parent}")
    if _COLUMNS - table.rows[0].columns.keys():
        raise ConfigurationError(
            f"--plot: there is no picture of the table {table.name}; expected transport"
        )
    if find_spec("matplotlib") is None:
        raise ConfigurationError(
            "--plot needs matplotlib, which is not installed: pip install 'isfc[plot]'"
        )


def write_plot(
    path: Path,
    table: PublishedTable,
    rows: Sequence[PublishedRow],
    comparisons: Iterable[Comparison],
) -> None:
    """Draw ``rows`` into the file ``path``, in the format that its name says.

    A figure that was emulated several times, with one seed after the other, is drawn as its
    mean, with a bar from the least to the greatest. Raises `OSError` if the file cannot be
    written.
    """
    from matplotlib import style

    kind = path.suffix.lower().removeprefix(".")
    with style.context(["default", _SETTINGS]):
        figure = draw(rows, comparisons)
        if kind == "html":
            path.write_text(_page(table, figure), "utf-8")
        else:
            figure.savefig(path, format=kind, metadata=_METADATA[kind], dpi=150)


def draw(rows: Sequence[PublishedRow], comparisons: Iterable[Comparison]) -> "Figure":
    """The picture: a column of panels for each suite, a line for each number of pairs."""
    from matplotlib.figure import Figure

    emulated = _emulated(comparisons)
    suites = list(dict.fromkeys(str(row.columns["suite"]) for row in rows))
    colours = _colours(rows)
    heights = [height for _, _, height in PANELS]
    size = (max(1.6, len(suites)) * _SUITE_INCHES, sum(heights) + _LEGEND_INCHES)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(
        len(PANELS), len(suites), sharex=True, squeeze=False, height_ratios=heights
    )
    for column, suite in enumerate(suites):
        of_suite = [row for row in rows if row.columns["suite"] == suite]
        for axes, (measure, name, _) in zip(grid[:, column], PANELS, strict=True):
            _panel(axes, of_suite, measure, emulated, colours)
            if column == 0:
                axes.set_ylabel(name)
        grid[0, column].set_title(suite)
        grid[-1, column].set_xlabel("CTCs")
    figure.legend(
        *_legend(colours), loc="outside lower center", ncols=len(colours) + 2, frameon=False
    )
    return figure


def _emulated(comparisons: Iterable[Comparison]) -> Mapping[tuple[str, str], Sequence[float]]:
    """What was emulated of each run and measure, once for each seed."""
    figures: dict[tuple[str, str], list[float]] = defaultdict(list)
    for comparison in comparisons:
        figures[comparison.key, comparison.measure].append(comparison.emulated)
    return figures


def _colours(rows: Iterable[PublishedRow]) -> dict[int, str]:
    """A colour for each number of pairs."""
    pairs = sorted({int(row.number("pairs")) for row in rows})
    return {count: _COLOURS[index % len(_COLOURS)] for index, count in enumerate(pairs)}


def _panel(
    axes: "Axes",
    rows: Iterable[PublishedRow],
    measure: str,
    emulated: Mapping[tuple[str, str], Sequence[float]],
    colours: Mapping[int, str],
) -> None:
    """One measure of one suite over the number of CTCs."""
    lines: dict[int, list[PublishedRow]] = defaultdict(list)
    for row in rows:
        lines[int(row.number("pairs"))].append(row)
    for pairs, runs in sorted(lines.items()):
        ctcs = [run.number("rdevs") for run in runs]
        figures = [emulated[run.key, measure] for run in runs]
        means = [sum(values) / len(values) for values in figures]
        spread = [  # the mean of equal figures may be a rounding error beside them
            [max(0.0, mean - min(values)) for mean, values in zip(means, figures, strict=True)],
            [max(0.0, max(values) - mean) for mean, values in zip(means, figures, strict=True)],
        ]
        axes.plot(ctcs, [run.number(measure) for run in runs], color=colours[pairs], **_PUBLISHED)
        several = any(len(values) > 1 for values in figures)
        axes.errorbar(ctcs, means, spread if several else None, color=colours[pairs], **_EMULATED)
    if measure == "collisions_per_s":
        axes.set_yscale("symlog", linthresh=_LINEAR_BELOW)
    axes.set_ylim(bottom=0)
    axes.set_xticks(sorted({row.number("rdevs") for runs in lines.values() for row in runs}))
    axes.grid(visible=True, alpha=0.25)


def _legend(colours: Mapping[int, str]) -> tuple[list[Any], list[str]]:
    """Lines and their names: what is IBM's and what is ours, then the numbers of pairs."""
    from matplotlib.lines import Line2D

    ours = {name: value for name, value in _EMULATED.items() if name != "capsize"}
    lines = [Line2D([], [], color="black", **_PUBLISHED), Line2D([], [], color="black", **ours)]
    lines += [Line2D([], [], color=colour, linewidth=4) for colour in colours.values()]
    names = [f"{count} pair{'s' * (count > 1)}" for count in colours]
    return lines, ["IBM", "ours", *names]


def _page(table: PublishedTable, figure: "Figure") -> str:
    """A page of its own, which needs no other file."""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata=_METADATA["svg"])
    picture = drawn.getvalue()
    return _PAGE.format(
        title=html.escape(table.title),
        source=html.escape(table.source),
        picture=picture[picture.index("<svg") :].strip(),
    )
