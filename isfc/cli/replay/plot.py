"""``isfc replay --plot FILE``: what IBM published and what we emulate, as a picture or a page."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from isfc.cli.html.parts import scroll_script
from isfc.cli.output import picture
from isfc.cli.output.picture import check_picture, picture_svg, write_picture
from isfc.cli.output.streams import write_file
from isfc.cli.replay.suite_figure import (
    AXES,
    block_figure,
    blocks_of,
    panels_of,
    suite_figure,
)
from isfc.errors import ConfigurationError
from scenarios.published.replay import Cell, Comparison, Part, figures_by_cell
from scenarios.published.table import PublishedRow

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font-family: sans-serif; margin: 1em auto; max-width: 60em; padding: 0 1em }}
figure {{ margin: 0 }}
.scrolls {{ overflow-x: auto }}
svg {{ width: 100%; min-width: 32em; height: auto }}
table {{ border-collapse: collapse }}
th, td {{ padding: 0 .6em; text-align: right; font-variant-numeric: tabular-nums }}
.hint {{ margin: .3em 0; font-size: .9em; font-style: italic }}
</style>
<h1>{title}</h1>
{body}
<script>
{script}</script>
</html>
"""


def page(parts: Sequence[Part], emulated: Mapping[Cell, Sequence[float]]) -> str:
    """A page of its own, which needs no other file."""
    drawn = [part for part in parts if part.table.is_grid]
    title = drawn[0].table.title if len(drawn) == 1 else "Published tables, replayed"
    body = "\n".join(line for part in drawn for line in _part(part, emulated, named=len(drawn) > 1))
    return _PAGE.format(title=html.escape(title), body=body, script=scroll_script())


def _part(part: Part, emulated: Mapping[Cell, Sequence[float]], *, named: bool) -> Iterator[str]:
    """One table; ``named`` says whether under its title, which is the page's if it is alone."""
    if named:
        yield f"<h2>{html.escape(part.table.title)}</h2>"
    yield f"<p>{html.escape(part.table.source)}</p>"
    for heading, rows in blocks_of(part).items():
        text = html.escape(heading.replace("\n", ": "))
        yield f"<h3>{text}</h3>"
        alternative = f"{text}: IBM's figures as solid lines, ours as broken ones"
        yield f'<figure class="scrolls" role="img" aria-label="{alternative}">'
        yield picture_svg(block_figure(part, heading, rows, emulated)).strip()
        yield "</figure>"
        yield "<details><summary>Figures</summary>"
        yield '<div class="scrolls">'
        yield from _figures(part, rows, emulated)
        yield "</div></details>"


def _figures(
    part: Part, rows: Sequence[PublishedRow], emulated: Mapping[Cell, Sequence[float]]
) -> Iterator[str]:
    """Every figure that is drawn, as a table."""
    _, across, line = part.table.key
    panels = panels_of(part.table)
    yield f"<table><tr><th>{AXES[across]}<th>pairs"
    yield "".join(f"<th>{name}, IBM<th>ours" for _, name, _ in panels)
    for row in rows:
        yield f"<tr><td>{row.number(across):g}<td>{row.number(line):g}"
        for measure, _, _ in panels:
            ours = fmean(emulated[part.table.name, row.key, measure])
            yield f"<td>{row.number(measure):.4g}<td>{ours:.4g}"
    yield "</table>"


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
    emulated = figures_by_cell(comparisons)
    if path.suffix.lower() == ".html":
        write_file(path, page(parts, emulated))
    else:
        write_picture(path, suite_figure(parts, emulated))
