"""The picture of a replay: what IBM published and what we emulate, in one figure.

matplotlib draws it, and is loaded when something is drawn: all other commands do without.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from isfc.cli.output import picture
from isfc.layout.catalogue import load_layout
from scenarios.published.replay import Cell, Comparison, Part, figures_by_cell
from scenarios.published.table import PublishedRow, PublishedTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.ticker import FuncFormatter

Emulated = Mapping[Cell, Sequence[float]]
"""What was emulated of each published figure, once for each seed."""

PANELS = (
    ("mb_per_s", "MB/s both ways", 3.0),
    ("msgs_per_s", "messages/s", 3.0),
    ("cpu_percent_per_msg", "%CPU/msg", 1.5),
    ("collisions_per_s", "collisions/s", 1.5),
    ("rdev_util_percent", "RDEV util %", 1.5),
)
"""From top to bottom: the measure, its name on the picture, its height in inches."""

AXES = {"rdevs": "CTCs", "reply_bytes": "bytes of a reply"}
"""What the lower axis is called, by the column that it shows."""

_BLOCK_INCHES = 4.2
_LEGEND_INCHES = 0.9
_LINEAR_BELOW = 1.0  # collisions/s: a logarithm above, and 0 has a place too
_LOGARITHMIC = frozenset({"msgs_per_s", "cpu_percent_per_msg"})  # from 28 to 46,000 a second
_COLOURS = {1: "#440154", 5: "#3b528b", 10: "#21918c", 50: "#3fa34d", 100: "#b08500"}
_OTHER_COLOUR = "#c44e52"
"""By pairs, and so the same in every picture; each can be told from white."""

_LEGEND_ENTRY_INCHES = 1.2
MARK_SIZE = 7.0
MARK_SPACE = 16.0
"""Points: the letters that say how many chpids there are from here on, and the room for them."""

_PUBLISHED: dict[str, Any] = {
    "linestyle": "-",
    "marker": "o",
    "markersize": 4,
    "linewidth": 1,
    "clip_on": False,
}
_EMULATED: dict[str, Any] = {
    "linestyle": "--",
    "marker": "x",
    "markersize": 5,
    "linewidth": 1,
    "capsize": 3,
    "clip_on": False,
}

SETTINGS: dict[str, Any] = {**picture.SETTINGS, "font.size": 9}


def draw(parts: Sequence[Part], comparisons: Iterable[Comparison]) -> "Figure":
    """The picture: for each table a row of blocks, with a panel for each measure in a column.

    A block has a line for each number of pairs.
    """
    from matplotlib.figure import Figure

    emulated = figures_by_cell(comparisons)
    drawn = [part for part in parts if part.table.is_grid]
    heights = [sum(height for *_, height in panels_of(part.table)) for part in drawn]
    width = max(1.6, *(len(blocks_of(part)) for part in drawn)) * _BLOCK_INCHES
    figure = Figure(figsize=(width, sum(heights) + _LEGEND_INCHES), layout="constrained")
    colours = _colours(row for part in drawn for row in part.rows)
    places = figure.subfigures(len(drawn), squeeze=False, height_ratios=heights)
    for part, place in zip(drawn, places.flat, strict=True):
        place.suptitle(part.table.title)
        _draw_blocks(place, part, blocks_of(part), emulated, colours)
    _add_legend(figure, colours, width)
    return figure


def draw_block(
    part: Part, heading: str, rows: Sequence[PublishedRow], emulated: Emulated
) -> "Figure":
    """The picture of one block of a table."""
    from matplotlib.figure import Figure

    width = 1.6 * _BLOCK_INCHES
    height = sum(height for *_, height in panels_of(part.table))
    figure = Figure(figsize=(width, height + _LEGEND_INCHES), layout="constrained")
    colours = _colours(rows)
    _draw_blocks(figure, part, {heading: list(rows)}, emulated, colours)
    _add_legend(figure, colours, width)
    return figure


def _add_legend(figure: "Figure", colours: Mapping[int, str], width: float) -> None:
    """The legend below, in as many lines as its width takes."""
    count = min(len(colours) + 2, int(width / _LEGEND_ENTRY_INCHES))
    figure.legend(*_legend(colours), loc="outside lower center", ncols=count, frameon=False)


def _draw_blocks(
    place: "FigureBase",
    part: Part,
    blocks: Mapping[str, list[PublishedRow]],
    emulated: Emulated,
    colours: Mapping[int, str],
) -> None:
    """The panels of some blocks, a column for each."""
    panels = panels_of(part.table)
    grid = place.subplots(
        nrows=len(panels),
        ncols=len(blocks),
        sharex=True,
        squeeze=False,
        height_ratios=[height for *_, height in panels],
    )
    for column, (heading, rows) in enumerate(blocks.items()):
        for axes, (measure, name, _) in zip(grid[:, column], panels, strict=True):
            _panel(axes, part.table, rows, measure, emulated, colours)
            if column == 0:
                axes.set_ylabel(name)
        grid[0, column].set_title(heading, pad=MARK_SPACE)
        for axes in grid[:, column]:
            _mark_chpids(axes, part.table, rows, named=axes is grid[0, column])
        grid[-1, column].set_xlabel(AXES[part.table.key[1]])


def panels_of(table: PublishedTable) -> list[tuple[str, str, float]]:
    """What is drawn of a table; of %CPU/msg only where there are few other measures."""
    found = [panel for panel in PANELS if panel[0] in table.measures]
    few = [panel for panel in found if panel[0] != "cpu_percent_per_msg"]
    return few if len(few) > 1 else found


def blocks_of(part: Part) -> dict[str, list[PublishedRow]]:
    """The rows of each block, under its heading: a suite's name, or what the companion says."""
    column = part.table.key[0]
    blocks: dict[str, list[PublishedRow]] = defaultdict(list)
    for row in part.rows:
        heading = part.table.heading.format_map(row.columns)
        if column == "suite":  # what is sent explains the name
            heading = heading.replace(": ", "\n", 1)
        else:
            heading = heading.partition(":")[0]
        blocks[heading].append(row)
    return blocks


def _colours(rows: Iterable[PublishedRow]) -> dict[int, str]:
    """A colour for each number of pairs."""
    pairs = sorted({int(row.number("pairs")) for row in rows})
    return {count: _COLOURS.get(count, _OTHER_COLOUR) for count in pairs}


def _panel(
    axes: "Axes",
    table: PublishedTable,
    rows: Iterable[PublishedRow],
    measure: str,
    emulated: Emulated,
    colours: Mapping[int, str],
) -> None:
    """One measure of one block."""
    _, across, line = table.key
    lines: dict[int, list[PublishedRow]] = defaultdict(list)
    for row in rows:
        lines[int(row.number(line))].append(row)
    for pairs, runs in sorted(lines.items()):
        places = [run.number(across) for run in runs]
        figures = [emulated[table.name, run.key, measure] for run in runs]
        means = [sum(values) / len(values) for values in figures]
        spread = [  # the mean of equal figures may be a rounding error beside them
            [max(0.0, mean - min(values)) for mean, values in zip(means, figures, strict=True)],
            [max(0.0, max(values) - mean) for mean, values in zip(means, figures, strict=True)],
        ]
        axes.plot(places, [run.number(measure) for run in runs], color=colours[pairs], **_PUBLISHED)
        several = any(len(values) > 1 for values in figures)
        axes.errorbar(places, means, spread if several else None, color=colours[pairs], **_EMULATED)
    if across == "reply_bytes":
        axes.set_xscale("log")
    else:
        ticks = sorted({row.number(across) for runs in lines.values() for row in runs})
        axes.set_xticks(ticks)
        if len(ticks) == 1:
            axes.set_xlim(ticks[0] - 1, ticks[0] + 1)
    if measure in _LOGARITHMIC:
        axes.set_yscale("log")
        _plain_labels(axes)
    else:
        if measure == "collisions_per_s":
            axes.set_yscale("symlog", linthresh=_LINEAR_BELOW)
            axes.yaxis.set_major_formatter(_written_out())
            axes.set_ymargin(0.1)
        axes.set_ylim(bottom=0)
    axes.grid(visible=True, alpha=0.25)


def _written_out() -> "FuncFormatter":
    """Numbers as people write them: 6,000, not 6 x 10 to the third."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: f"{value:,.6g}")


def _plain_labels(axes: "Axes") -> None:
    """Label a logarithmic axis with 1, 2 and 5 times powers of ten, written out."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(_written_out())
    axes.yaxis.set_minor_formatter(NullFormatter())


def _mark_chpids(
    axes: "Axes", table: PublishedTable, rows: Iterable[PublishedRow], *, named: bool
) -> None:
    """A line wherever the link gets one more chpid, which is where curves have their kinks."""
    if table.key[1] != "rdevs" or not table.is_measured:
        return
    chpids = {
        row.number("rdevs"): len(load_layout(table.runs.layout.format_map(row.columns)).fibres)
        for row in rows
    }
    counts = sorted(chpids)
    for before, after in pairwise(counts):
        if chpids[after] == chpids[before]:
            continue
        middle = (before + after) / 2
        axes.axvline(middle, color="0.55", linestyle=":", linewidth=1)
        if named:
            text = f"{chpids[after]} chpids"
            place = (middle, 1.02)  # above the panel, where no curve comes
            across = axes.get_xaxis_transform()
            axes.text(*place, text, transform=across, ha="center", fontsize=MARK_SIZE, color="0.35")


def _legend(colours: Mapping[int, str]) -> tuple[list[Any], list[str]]:
    """Lines and their names: what is IBM's and what is ours, then the numbers of pairs."""
    from matplotlib.lines import Line2D

    ours = {name: value for name, value in _EMULATED.items() if name != "capsize"}
    lines = [Line2D([], [], color="black", **_PUBLISHED), Line2D([], [], color="black", **ours)]
    lines += [Line2D([], [], color=colour, linewidth=4) for colour in colours.values()]
    names = [f"{count} pair{'s' * (count > 1)}" for count in colours]
    return lines, ["IBM", "ours", *names]
