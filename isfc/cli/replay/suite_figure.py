"""The picture of a replay: what IBM published and what we emulate, as a Vega-Lite specification."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

from isfc.cli.output.curves import axis, marks, nominal
from isfc.cli.output.picture import GREY, Spec, picture
from isfc.layout.catalogue import load_layout
from scenarios.published.replay import Cell, Part
from scenarios.published.table import PublishedRow, PublishedTable

Emulated = Mapping[Cell, Sequence[float]]
"""What was emulated of each published figure, once for each seed."""

PANELS: Final = (
    ("mb_per_s", "MB/s, both ways", 180),
    ("msgs_per_s", "messages/s, both ways", 180),
    ("cpu_percent_per_msg", "%CPU/msg", 90),
    ("collisions_per_s", "collisions/s", 90),
    ("rdev_util_percent", "RDEV util %", 90),
)
"""From top to bottom: the measure, its name on the picture, its height in pixels."""

AXES: Final = {"rdevs": "CTCs", "reply_bytes": "bytes of a reply"}
"""What the lower axis is called, by the column that it shows."""

COLOURS: Final = {1: "#440154", 5: "#3b528b", 10: "#21918c", 50: "#3fa34d", 100: "#b08500"}
_OTHER_COLOUR: Final = "#c44e52"
"""By pairs, and so the same in every picture; each can be told from white."""

_WIDTH: Final = 250
_ALONE: Final = 400
"""Pixels across of a panel: of several blocks, and of one."""

_PADDING: Final = 8
"""Pixels between an axis and the points that are nearest to it."""

_LABELS: Final = 36
"""Pixels that the labels of an upright axis have, so that panels stand one below the other."""

_LOGARITHMIC: Final = frozenset({"msgs_per_s", "cpu_percent_per_msg"})  # from 28 to 46,000 a second
_X: Final = "M-1,-.7L-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0Z"
_WHOSE: Final = ("IBM", "ours")


def suite_figure(parts: Sequence[Part], emulated: Emulated) -> Spec:
    """The picture: for each table a row of blocks, with a panel for each measure in a column.

    A block has a line for each number of pairs.
    """
    tables: list[Spec] = []
    for part in (part for part in parts if part.table.is_grid):
        blocks = blocks_of(part)
        width = _WIDTH if len(blocks) > 1 else _ALONE
        row = [_block(part, *block, emulated, width) for block in blocks.items()]
        title = {"text": part.table.title, "anchor": "middle"}
        tables.append({"title": title, "hconcat": row})
    return _figure(", ".join(table["title"]["text"] for table in tables), vconcat=tables)


def block_figure(
    part: Part, heading: str, rows: Sequence[PublishedRow], emulated: Emulated
) -> Spec:
    """The picture of one block of a table."""
    return _figure(heading, **_block(part, heading, rows, emulated, _ALONE))


def _figure(name: str, **parts: Any) -> Spec:
    legend = {"orient": "bottom", "columns": 0, "layout": {"bottom": {"anchor": "middle"}}}
    spec = picture(f"{name}: IBM's figures as solid lines, ours as broken ones", **parts)
    spec["config"]["legend"] |= legend
    return spec


def _block(
    part: Part, heading: str, rows: Sequence[PublishedRow], emulated: Emulated, width: int
) -> Spec:
    """The panels of a block, one below the other."""
    panels = panels_of(part.table)
    chpids, x, colour = [*_chpids(part.table, rows)], _across(part.table, rows), _colour(rows)
    made: list[Spec] = []
    for measure, name, height in panels:
        is_last = measure == panels[-1][0]
        at = {**x, "axis": {**x["axis"], "labels": is_last}}
        if is_last:
            at["title"] = AXES[part.table.key[1]]
        values = [*_values(part.table, rows, measure, emulated)]
        kinks = _kinks(chpids, at, named=not made)
        lines = _lines(values, at, _upright(measure, name, values), colour)
        made.append({"width": width, "height": height, "layer": [*kinks, *lines]})
    title = {"text": heading.split("\n"), "anchor": "middle", "fontSize": 11, "offset": 6}
    return {"title": title, "spacing": 20, "bounds": "flush", "vconcat": made}


def panels_of(table: PublishedTable) -> list[tuple[str, str, int]]:
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


def _values(
    table: PublishedTable, rows: Iterable[PublishedRow], measure: str, emulated: Emulated
) -> Iterator[Spec]:
    """Two points for each row, IBM's and ours: the mean over seeds, from the least to the most."""
    _, across, line = table.key
    for row in rows:
        at = {"x": row.number(across), "pairs": pairs_words(row.number(line))}
        figures = emulated[table.name, row.key, measure]
        for whose, found in (("IBM", [row.number(measure)]), ("ours", figures)):
            ends = {"least": min(found), "most": max(found)}
            yield {**at, "whose": whose, "y": fmean(found), **ends}


def pairs_words(pairs: float) -> str:
    """``50 pairs``."""
    return f"{pairs:g} pair{'s' * (pairs > 1)}"


def _colour(rows: Iterable[PublishedRow]) -> Spec:
    """A colour for each number of pairs."""
    pairs = sorted({row.number("pairs") for row in rows})
    colours = [COLOURS.get(int(count), _OTHER_COLOUR) for count in pairs]
    named = [*map(pairs_words, pairs)]
    return nominal("pairs", named, colours, symbolType="stroke", symbolStrokeWidth=4)


def _across(table: PublishedTable, rows: Iterable[PublishedRow]) -> Spec:
    """The lower axis."""
    if table.key[1] == "reply_bytes":
        x = axis("x", None, type="log", nice=False, padding=_PADDING)
        x["axis"] = {"tickCount": 4}
        return x
    ticks = sorted({row.number("rdevs") for row in rows})
    x = axis("x", None, zero=False, nice=False, padding=_PADDING)
    x["axis"] = {"values": ticks}
    if len(ticks) == 1:
        x["scale"]["domain"] = [ticks[0] - 1, ticks[0] + 1]
    return x


def _upright(measure: str, name: str, values: Sequence[Spec]) -> Spec:
    """The upright axis: a logarithm where figures go over decades."""
    if measure in _LOGARITHMIC:
        y = axis("y", name, type="log", nice=False, padding=_PADDING)
    elif measure == "collisions_per_s":  # 0 has a place too
        most = max(value["most"] for value in values)
        domain = [0, max(1.0, 1.5 * most)]
        y = axis("y", name, type="symlog", constant=0.25, nice=False, domain=domain)
        y["axis"]["values"] = [0, *(10**power for power in range(7))]
    else:
        y = axis("y", name)
    y["axis"] |= {"minExtent": _LABELS, "tickCount": 5}
    return y


def _lines(values: Sequence[Spec], x: Spec, y: Spec, colour: Spec) -> Iterator[Spec]:
    """A line for each number of pairs and each of the two, with its points and their bars."""
    dash = nominal("whose", _WHOSE, ([1, 0], [4, 2]))
    shape = nominal("whose", _WHOSE, ("circle", _X))
    where = {"x": x, "y": y, "color": colour}
    yield marks("line", values, {**where, "strokeDash": dash}, strokeWidth=1)
    yield marks("point", values, {**where, "shape": shape}, filled=True, size=22)
    if bars := [value for value in values if value["least"] < value["most"]]:
        yield marks("rule", bars, {**where, "y": {**y, "field": "least"}, "y2": {"field": "most"}})


def _chpids(table: PublishedTable, rows: Iterable[PublishedRow]) -> Iterator[Spec]:
    """Where the link gets one more chpid, which is where curves have their kinks."""
    if table.key[1] != "rdevs" or not table.is_measured:
        return
    chpids = {
        row.number("rdevs"): len(load_layout(table.runs.layout.format_map(row.columns)).fibres)
        for row in rows
    }
    for before, after in pairwise(sorted(chpids)):
        if chpids[after] != chpids[before]:
            yield {"x": (before + after) / 2, "chpids": f"{chpids[after]} chpids"}


def _kinks(chpids: Sequence[Spec], x: Spec, *, named: bool) -> Iterator[Spec]:
    """A line for each more chpid; its name stands above the panel, where no curve comes."""
    yield marks("rule", chpids, {"x": x}, strokeDash=[1, 3], color=GREY)
    if named:
        above = {"x": x, "y": {"value": -6}, "text": {"field": "chpids"}}
        yield marks("text", chpids, above, color=GREY, fontSize=9)
