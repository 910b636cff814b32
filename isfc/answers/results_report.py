"""Two results side by side, for "what did my change do": who carries more, then every figure."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec import Struct

from isfc.answers.beside import DEVICE_NAMES, BesideRow, across, beside_table
from isfc.answers.results import ComparedResults, ResultFigure, Setting
from isfc.errors.in_words import first_listed
from isfc.reports.figure import Interval, Unit
from isfc.reports.measures import MEASURES, RUN_ROWS, measure_name
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import RangeRecord, plain, shown
from scenarios.figures.certainty import Odds, nobody_is_ahead

_MOVED_MAX: Final = 2
"""Changes of a layout that the answer names."""

_DEVICE_SHOWN: Final = ("io_per_s", "serv_ms", "busy_percent")
_WHOLE: Final = {"link", "all links"}
"""What the figures of all that was run are called."""
_RANGES: Final = "The range of each figure, and which have none, 'isfc run' says with each result."


def results_report(found: ComparedResults) -> Report:
    """What all of A and of B carried and who is ahead; then figures, and what was set up."""
    title = f"A: {found.a}, B: {found.b}"
    settings = [_settings(found.settings)] * bool(found.settings)
    if found.kind == "replay":
        return Report(title, _replay_answer(found), [*_replay(found.figures), *settings])
    tables = [_whole(found), *settings]
    if found.kind == "run":
        tables += [*_devices(found.figures)]
    tables += [*_layout(found)]
    return Report(title, [*_answer(found)], tables, notes=[_RANGES])


def _answer(found: ComparedResults) -> Iterator[tuple[str, str]]:
    """The rates and who is ahead on real hardware, as far as that is known; what was changed."""
    for each in found.figures:
        if each.key in _WHOLE and each.measure == "mb_per_s":
            one, other = (
                "-" if value is None else shown(value, Unit.ANY) for value in (each.a, each.b)
            )
            a, b = map(_between, found.ranges or ({}, {}))
            more = "" if each.percent is None else f": {shown(each.percent, Unit.OFF)} %"
            noise = ", which may be noise" if each.noise else ""
            yield "MB/s both ways", f"A {one}{a}, B {other}{b}{more}{noise}"
    if found.odds is not None:
        odds = Odds(found.odds)
        leads = "B" if odds.share >= 0.5 else "A"
        if nobody_is_ahead(odds):
            yield "Ahead", f"not known: odds that {leads} is ahead are {odds.leading}"
        else:
            yield "Ahead", f"{leads}: odds {odds.leading}"
    if found.moved:
        yield "Layout", first_listed(found.moved, _MOVED_MAX, "; ")


def _between(ranges: Mapping[str, RangeRecord]) -> str:
    """The range of what a run carries, if it has one."""
    found = ranges.get("mb_per_s")
    return "" if found is None else f" ({plain(Interval(*found.likely))})"


def _settings(settings: Sequence[Setting]) -> Table:
    """In what the results were set up differently."""
    columns = (
        Column("set up", "name"),
        Column("A", "a", value=lambda each: "-" if each.a is None else str(each.a)),
        Column("B", "b", value=lambda each: "-" if each.b is None else str(each.b)),
    )
    return Table("What was set up differently", columns, settings, "settings")


def _whole(found: ComparedResults) -> Table:
    """The figures of the link as a whole; of several links, systems and channels their MB/s."""
    if found.kind == "cluster":
        rows = [_beside(each.key, each) for each in found.figures if each.measure == "mb_per_s"]
        return beside_table("MB/s both ways", ("A", "B"), rows)
    figures = {each.measure: each for each in found.figures if each.key == "link"}
    rows = [
        _beside(f"{name} {way}".rstrip(), figures[measure])
        for name, *measures in RUN_ROWS
        for way, measure in zip(
            ("sent", "received", "together" if measures[0] else ""), measures, strict=True
        )
        if measure
    ]
    return beside_table("The link as a whole; more is what B has more", ("A", "B"), rows)


def _beside(name: str, each: ResultFigure) -> BesideRow:
    noise = "noise" if each.noise else ""
    return BesideRow(name, each.a, each.b, each.difference, each.percent, noise)


def _devices(figures: Sequence[ResultFigure]) -> Iterator[Table]:
    """What each device did, on the page in short."""
    every = [each for each in figures if each.measure in DEVICE_NAMES]
    if every:
        cells = [
            (each.key, each.measure, (each.a, each.b))
            for each in every
            if each.measure in _DEVICE_SHOWN
        ]
        heads = [("{}\nA", Unit.ANY), ("{}\nB", Unit.ANY)]
        yield across("Each device", heads, cells, "devices", detail=True)


def _layout(found: ComparedResults) -> Iterator[Table]:
    """What was moved in the layout, and its lines that only one has."""
    for caption, lines, name in (
        ("What is otherwise in the layout of B", found.moved, "moved"),
        ("Lines of the layout that only A (-) or B (+) has", found.layout_changes, "lines"),
    ):
        if lines:
            yield Table(caption, [Column("", "line", value=str)], lines, name, detail=True)


def _replay_answer(found: ComparedResults) -> list[tuple[str, str]]:
    """How many figures differ, and how many came nearer to IBM's."""
    figures = found.figures
    common = [each for each in figures if each.difference is not None]
    noise = sum(bool(each.difference and each.noise) for each in common)
    changed = _changed(common)
    nearer, farther = map(sum, zip(*map(_moves, common), strict=True)) if common else (0, 0)
    alike = f"{len(common) - len(changed) - noise} of them the same"
    seeds = f", {noise} within the spread of the seeds" * bool(noise)
    only_a, only_b = (sum(getattr(each, of) is None for each in figures) for of in "ba")
    return [
        ("Nearer to IBM", f"{nearer} figures of B; farther {farther}"),
        (
            "Figures",
            f"{len(common)} are in both, {alike}{seeds}; {only_a} in A only, {only_b} in B only",
        ),
    ]


def _changed(common: Sequence[ResultFigure]) -> list[ResultFigure]:
    """Those that differ by more than seeds do."""
    return [each for each in common if each.difference and not each.noise]


class _Group(Struct, frozen=True):
    """A measure of a table: the sizes of its errors, what is out of tolerance, what moved."""

    measure: str
    table: str
    rows: int
    a_median: float | None
    b_median: float | None
    a_out: int
    b_out: int
    nearer: int
    farther: int


_GROUP_COLUMNS: Final = (
    *headed(measure="size of error", table="table", rows="rows"),
    *headed(Unit.ANY, a_median="median %\nA", b_median="\nB"),
    *headed(a_out="out\nA", b_out="\nB", nearer="nearer", farther="farther"),
)


def _replay(figures: Sequence[ResultFigure]) -> Iterator[Table]:
    """What changed for each measure, then the figures that differ."""
    common = [each for each in figures if each.difference is not None]
    if common:
        every = dict.fromkeys((each.measure, each.table) for each in common)
        rows = [_group(key, [e for e in common if (e.measure, e.table) == key]) for key in every]
        caption = "Each measure: nearer means nearer to IBM, out leaves its declared tolerance"
        yield Table(caption, _GROUP_COLUMNS, rows, "measures")
    if changed := _changed(common):
        caption = "Figures that differ; ! leaves its declared tolerance"
        yield Table(caption, _CHANGED_COLUMNS, changed, "figures")


def _group(key: tuple[str, str], group: Sequence[ResultFigure]) -> _Group:
    measure, table = key
    errors = [(_size(each, each.a), _size(each, each.b)) for each in group]
    known = [(a, b) for a, b in errors if a is not None and b is not None]
    sides = [[100 * side for side in both] for both in zip(*known, strict=True)] or [[], []]
    a, b = (median(side) if side else None for side in sides)
    nearer, farther = map(sum, zip(*map(_moves, group), strict=True))
    out = (sum(each.a_within is False for each in group), sum(e.b_within is False for e in group))
    return _Group(_name(measure), table, len(group), a, b, *out, nearer, farther)


def _moves(each: ResultFigure) -> tuple[bool, bool]:
    """Whether B is nearer to what was published than A, and whether it is farther."""
    published = each.published or 0
    a, b = abs((each.a or 0) - published), abs((each.b or 0) - published)
    return b < a, b > a


def _size(each: ResultFigure, value: float | None) -> float | None:
    """The size of a relative error; None where nothing but 0 was published."""
    if value is None or not each.published:
        return None
    return abs(value - each.published) / each.published


def _error(each: ResultFigure, value: float | None, within: bool | None) -> str:
    """A relative error in percent, marked if it is not tolerated."""
    mark = "!" * (within is False)
    if value is None or not each.published:
        return f"{mark}-"
    return f"{mark}{shown(100 * (value / each.published - 1), Unit.OFF)}"


def _name(measure: str) -> str:
    """A measure as the report calls it, if it is one of the report's."""
    return measure_name(measure) if measure in MEASURES else measure


_CHANGED_COLUMNS: Final = (
    Column("run", "run", value=lambda each: each.key),
    Column("measure", "measure", value=lambda each: _name(each.measure)),
    *headed(Unit.ANY, published="IBM", a="A"),
    Column("off\n%", "a_off", value=lambda each: _error(each, each.a, each.a_within)),
    Column("B", "b", Unit.ANY),
    Column("off\n%", "b_off", value=lambda each: _error(each, each.b, each.b_within)),
    Column("B - A\n%", "percent", Unit.OFF),
)
