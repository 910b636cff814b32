"""``isfc replay --plot FILE``: what IBM published and what we emulate, as a picture or a page."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from isfc.answers.replay import Replayed
from isfc.cli.options.own_file import OwnFile
from isfc.cli.output import picture
from isfc.cli.output.picture import picture_svg, write_picture
from isfc.cli.output.streams import write_file
from isfc.cli.replay.suite_figure import AXES, block_figure, blocks_of, panels_of, suite_figure
from isfc.errors import ConfigurationError
from isfc.library import check_library
from scenarios.published.replay import Cell, Part
from scenarios.published.table import load_table


def page(parts: Sequence[Part], emulated: Mapping[Cell, Sequence[float]]) -> str:
    """A page of its own, which needs no other file."""
    from isfc.reports.template import render  # Jinja2, which --plot alone needs

    drawn = [part for part in parts if part.table.is_grid]
    title = drawn[0].table.title if len(drawn) == 1 else "Published tables, replayed"
    tables = [(part.table, [*_blocks(part, emulated)]) for part in drawn]
    return render("cli/replay/plot.html", title=title, tables=tables)


def _blocks(
    part: Part, emulated: Mapping[Cell, Sequence[float]]
) -> Iterator[tuple[str, str, list[str], list[list[str]]]]:
    """The heading of each block, its picture, and every figure that is drawn, as a table."""
    _, across, line = part.table.key
    panels = panels_of(part.table)
    heads = [AXES[across], "pairs"]
    for _, name, _ in panels:
        heads += [f"{name}, IBM", "ours"]
    for heading, rows in blocks_of(part).items():
        figures = []
        for row in rows:
            cells = [f"{row.number(across):g}", f"{row.number(line):g}"]
            for measure, _, _ in panels:
                ours = fmean(emulated[part.table.name, row.key, measure])
                cells += [f"{row.number(measure):.4g}", f"{ours:.4g}"]
            figures.append(cells)
        picture = picture_svg(block_figure(part, heading, rows, emulated))
        yield heading.replace("\n", ": "), picture, heads, figures


FORMATS = (*picture.FORMATS, ".html")
"""What a picture may be; the name of its file says which."""


def check_drawn(parts: Sequence[Part]) -> None:
    """Raise `ConfigurationError` for tables that have no such picture."""
    if not any(part.table.is_grid for part in parts):
        raise ConfigurationError(
            f"--plot: there is no picture of the table {parts[0].table.name}; "
            "expected transport, appc_regression or appc_scaling"
        )


def write_plot(path: Path, parts: Sequence[Part], emulated: Mapping[Cell, Sequence[float]]) -> None:
    """Draw the rows of grids into the file ``path``, in the format that its name says.

    A figure that was emulated several times, with one seed after the other, is drawn as its
    mean, with a bar from the least to the greatest. Raises `OSError` if the file cannot be
    written.
    """
    if path.suffix.lower() == ".html":
        write_file(path, page(parts, emulated))
    else:
        write_picture(path, suite_figure(parts, emulated))


def _write(path: Path, found: Replayed) -> None:
    if found.report:
        raise ConfigurationError("--plot and --report: expected one of them")
    emulated = {(each.table, each.key, each.measure): each.by_seed for each in found.figures}
    cells = {(table, key) for table, key, _ in emulated}
    tables = [load_table(each.name) for each in found.tables]
    parts = [
        Part(table, tuple(row for row in table.rows if (table.name, row.key) in cells))
        for table in tables
    ]
    check_drawn(parts)
    if path.suffix.lower() == ".html":
        check_library("jinja2", "--plot")
    write_plot(path, parts, emulated)


PLOT = OwnFile(
    ("--plot",),
    FORMATS,
    "FILE",
    "Draw published beside emulated; FILE ends with .svg, .png or .html.",
    _write,
    "vl_convert",
)
