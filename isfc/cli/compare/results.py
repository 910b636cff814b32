"""``isfc compare`` of two results, for "what did my change do"."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct
from rich.console import RenderableType
from rich.table import Table

from isfc.cli.drawing.difference import differences
from isfc.reports.measures import MEASURES, RUN_ROWS, measure_name
from isfc.reports.ranges import plain
from isfc.reports.record import record_of
from isfc.reports.table import apart, plain_table
from scenarios.figures.certainty import Odds
from scenarios.figures.compare import RangeRecord, ResultFigure, ResultPair, Setting
from scenarios.figures.figure import Interval

_RANGES = "The range of each figure, and which have none, 'isfc run' says with each result."
DEVICE_MEASURES = (("I/O/s", "io_per_s"), ("Serv", "serv_ms"), ("Busy %", "busy_percent"))
_WHOLE = {"link", "all links"}
"""What the figures of all that was run are called."""


class FigureJson(ResultFigure, frozen=True, kw_only=True):
    """One figure of both results; null where there is none."""

    difference: float | None
    """b - a"""
    percent: float | None
    """of a"""


class CompareJson(Struct, frozen=True):
    """``isfc compare --json``. Names and meanings of the keys stay between releases."""

    kind: str
    """`run` or `replay`"""
    a: str
    """the first file"""
    b: str
    """the second"""
    settings: tuple[Setting, ...]
    """of runs, what was set up differently"""
    layout_changes: tuple[str, ...]
    """of runs, the lines of the layout that only the one (`-`) or the other (`+`) has"""
    ranges: tuple[Mapping[str, RangeRecord], ...]
    """of runs of one link, those of A and those of B, by figure"""
    odds: float | None
    """that B carries more on real hardware too, of 1; null but for runs of one link that differ in
    the layout, the pairs or the workload alone"""
    figures: list[FigureJson]
    """a list, null where there is none"""


def compare_json(a: Path, b: Path, pair: ResultPair) -> CompareJson:
    """The record of both."""
    return record_of(
        CompareJson,
        pair,
        a=str(a),
        b=str(b),
        odds=None if pair.odds is None else pair.odds.share,
        figures=[record_of(FigureJson, each) for each in pair.figures],
    )


def compare_page(pair: ResultPair, a: str, b: str) -> RenderableType:
    """The whole page."""
    parts: list[RenderableType] = [f"A: {a}\nB: {b}"]
    parts += [*_lead(pair)]
    parts += [_settings(pair.settings)] * bool(pair.settings)
    if pair.kind == "run":
        if pair.layout_changes:
            parts += ["\n".join(lines) for lines in (_moved(pair), pair.layout_changes) if lines]
        parts += [_link(pair.figures), _devices(pair.figures)]
    elif pair.kind == "cluster":
        parts.append(_cluster(pair.figures))
    else:
        parts += _replay(pair.figures)
    parts += [_RANGES] * (pair.kind != "replay")
    return apart(parts)


def _lead(pair: ResultPair) -> Iterator[str]:
    """What all of A and of B carried."""
    for each in pair.figures:
        if each.key in _WHOLE and each.measure == "mb_per_s":
            one, other, _, percent, noise = _cells(each)
            how = "" if percent == "-" else f" ({percent} %{noise and ', noise'}{_odds(pair.odds)})"
            a, b = map(_between, pair.ranges or ({}, {}))
            yield f"MB/s both ways: A {one}{a}, B {other}{b}{how}."


def _odds(odds: Odds | None) -> str:
    """Who is ahead on real hardware, as far as that is known."""
    if odds is None:
        return ""
    return f"; odds that {'B' if odds.share >= 0.5 else 'A'} is ahead: {odds.leading}"


def _between(ranges: Mapping[str, RangeRecord]) -> str:
    """The range of what a run carries, if it has one."""
    found = ranges.get("mb_per_s")
    return "" if found is None else f" ({plain(Interval(*found.likely))})"


def _moved(pair: ResultPair) -> list[str]:
    """What was added, removed or moved from the layout of A to that of B, as far as it is known."""
    return [] if pair.layouts is None else [*differences(*pair.layouts)]


def _settings(settings: Sequence[Setting]) -> Table:
    """In what the runs were set up differently."""
    table = plain_table("set up", ">A", ">B")
    for setting in settings:
        values = (setting.a, setting.b)
        table.add_row(setting.name, *("-" if value is None else str(value) for value in values))
    return table


def _link(figures: Sequence[ResultFigure]) -> Table:
    """The figures of the link as a whole."""
    found = {figure.measure: figure for figure in figures if figure.key == "link"}
    table = plain_table("", ">A", ">B", ">B - A", ">%", ">")
    for name, *measures in RUN_ROWS:
        ways = ("sent", "received", "together" if measures[0] else "")
        for way, measure in zip(ways, measures, strict=True):
            if measure:
                table.add_row(f"{name} {way}".rstrip(), *_cells(found[measure]))
    return table


def _cells(figure: ResultFigure) -> tuple[str, ...]:
    """A figure of A and of B, and how they differ."""
    both = _short(figure.a), _short(figure.b)
    noise = "noise" if figure.noise else ""
    return *both, _signed(figure.difference), _percent(figure.percent), noise


def _cluster(figures: Sequence[ResultFigure]) -> Table:
    """MB/s of each link, system and channel, and of all; the rest is in the JSON document."""
    table = plain_table("MB/s both ways", ">A", ">B", ">B - A", ">%", ">")
    for figure in figures:
        if figure.measure == "mb_per_s":
            table.add_row(figure.key, *_cells(figure))
    return table


def _devices(figures: Sequence[ResultFigure]) -> Table:
    """What each device did; the times of its I/Os are in the JSON document."""
    found = {(figure.key, figure.measure): figure for figure in figures}
    rdevs = dict.fromkeys(figure.key for figure in figures if figure.key != "link")
    headings = (f">{name} {side}" for name, _ in DEVICE_MEASURES for side in "AB")
    table = plain_table("Addr", *headings)
    for rdev in rdevs:
        cells = [found[rdev, measure] for _, measure in DEVICE_MEASURES]
        table.add_row(rdev, *(_decimal(value) for cell in cells for value in (cell.a, cell.b)))
    return table


def _replay(figures: Sequence[ResultFigure]) -> Iterator[RenderableType]:
    """The figures that differ, and what that means for each measure."""
    common = [figure for figure in figures if figure.difference is not None]
    changed = [figure for figure in common if figure.difference and not figure.noise]
    if changed:
        heads = (">IBM", ">A", ">err%", ">B", ">err%", ">B - A %")
        table = plain_table("run", "measure", *heads)
        for figure in changed:
            table.add_row(
                figure.key,
                _name(figure.measure),
                _short(figure.published),
                *(_short(figure.a), _error(figure, figure.a, figure.a_within)),
                *(_short(figure.b), _error(figure, figure.b, figure.b_within)),
                _percent(figure.percent),
            )
        yield table
    noise = sum(bool(figure.difference and figure.noise) for figure in common)
    alike = f"{len(common) - len(changed) - noise} of them the same" + (
        f", {noise} within the spread of the seeds" if noise else ""
    )
    yield (
        f"{len(common)} figures are in both, {alike}; "
        f"{sum(figure.b is None for figure in figures)} are in A only, "
        f"{sum(figure.a is None for figure in figures)} in B only."
    )
    if common:
        yield _summary(common)
        yield "! marks what leaves its declared tolerance; nearer means nearer to IBM."


def _summary(figures: Sequence[ResultFigure]) -> Table:
    """For each table and measure: the median error, what is out of tolerance, what changed."""
    heads = (">rows", ">median A", ">B", ">out A", ">B", ">nearer", ">farther")
    table = plain_table("size of error", "table", *heads)
    groups = dict.fromkeys((figure.table, figure.measure) for figure in figures)
    for name, measure in groups:
        group = [figure for figure in figures if (figure.table, figure.measure) == (name, measure)]
        errors = [(_size(figure, figure.a), _size(figure, figure.b)) for figure in group]
        known = [(a, b) for a, b in errors if a is not None and b is not None]
        medians = [f"{100 * median(side):.1f} %" for side in zip(*known, strict=True)] or ["-", "-"]
        distances = [_distances(figure) for figure in group]
        table.add_row(
            *(_name(measure), name, str(len(group)), *medians),
            str(sum(figure.a_within is False for figure in group)),
            str(sum(figure.b_within is False for figure in group)),
            str(sum(b < a for a, b in distances)),
            str(sum(b > a for a, b in distances)),
        )
    return table


def _distances(figure: ResultFigure) -> tuple[float, float]:
    """How far A and B are from what was published."""
    published = figure.published or 0
    return abs((figure.a or 0) - published), abs((figure.b or 0) - published)


def _size(figure: ResultFigure, value: float | None) -> float | None:
    """The size of a relative error; None where nothing but 0 was published."""
    if value is None or not figure.published:
        return None
    return abs(value - figure.published) / figure.published


def _error(figure: ResultFigure, value: float | None, within: bool | None) -> str:
    """A relative error in percent, marked if it is not tolerated."""
    mark = "!" * (within is False)
    if value is None or not figure.published:
        return f"{mark}-"
    return f"{mark}{(value / figure.published - 1) * 100:+z.0f}"


def _name(measure: str) -> str:
    """A measure as the report calls it, if it is one of the report's."""
    return measure_name(measure) if measure in MEASURES else measure


def _short(value: float | None) -> str:
    """A figure in four digits or more; a dash for none."""
    if value is None:
        return "-"
    return f"{value:.4g}" if abs(value) < 100 else f"{value:.1f}"


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _signed(value: float | None) -> str:
    """A difference; 0 has no sign."""
    return f"+{_short(value)}" if value and value > 0 else _short(value)


def _percent(value: float | None) -> str:
    """A difference in percent; of a small one its first digit, so that it does not look like 0."""
    if value is None:
        return "-"
    return f"{value:+z.1f}" if not value or abs(value) >= 0.05 else f"{value:+.1g}"
