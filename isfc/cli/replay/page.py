"""What ``isfc replay`` shows of each table: its figures as the report has them, beside ours."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.replay.holds import decision_parts, decision_table, holds_table, missed_table
from isfc.cli.replay.verdict import (
    LEGEND,
    VERDICT_LEGEND,
    check_table,
    describe_change,
    overview,
    quiet_lines,
    summary_table,
    tallies,
)
from isfc.reports.measures import MEASURES
from isfc.reports.table import PlainTable, Rows, apart, plain_table
from scenarios.published.replay import Comparison
from scenarios.published.table import PublishedRow, PublishedTable
from scenarios.published.verdict import TableVerdict

WIDTH = 80
CELL_WIDTH = 15
"""Columns of the page, and of a published figure with ours and the error."""

LINES = {"rdevs": "CTCs", "reply_bytes": "reply"}
"""What a grid's lines are called, by their column."""

_BAD = "bold red"

_Found = Mapping[tuple[str, str], Comparison]


def replay_page(verdicts: Sequence[TableVerdict]) -> RenderableType:
    """The whole page: what each table comes to, then its figures; last the tallies."""
    parts: list[RenderableType] = []
    for verdict in verdicts:
        parts += [_title(verdict.table), *_in_short(verdict)]
        figures = [*_figures(verdict)]
        if figures:
            parts.append(Rows(apart(figures), _rows(verdict.comparisons)))
        parts += [*_sizes(verdict), *_not_modelled(verdict.table)]
    parts += [LEGEND, Group(*tallies(verdicts))]
    return apart(parts)


def verdict_page(verdicts: Sequence[TableVerdict]) -> RenderableType:
    """What the figures come to: the checks of one table, or a line for each of many."""
    parts: list[RenderableType] = []
    if len(verdicts) == 1:
        (verdict,) = verdicts
        parts += [_title(verdict.table), *_in_short(verdict), *_not_modelled(verdict.table)]
    else:
        parts += [overview(verdicts)]
        for verdict in verdicts:
            parts += _decisions(verdict)
    parts += [VERDICT_LEGEND, Group(*tallies(verdicts))]
    return apart(parts)


def _title(table: PublishedTable) -> str:
    return f"{table.title}, measured {table.measured}\n{table.source}"


def _not_modelled(table: PublishedTable) -> Iterator[RenderableType]:
    """The rows that ours has nothing for, and why."""
    if table.not_modelled:
        grid = Table.grid(padding=(0, 2, 0, 0))
        for entry in table.not_modelled:
            grid.add_row(", ".join(entry.rows), entry.reason)
        yield Group("Not modelled:", grid)


def _figures(verdict: TableVerdict) -> Iterator[RenderableType]:
    """Each figure beside ours: a grid for each block and measure, or a line for each row."""
    table, rows = verdict.table, verdict.part.rows
    found = {(c.key, c.measure): c for c in verdict.comparisons}
    if not table.is_grid:
        yield from _lists(rows, table.measures, found)
        return
    block = table.key[0]
    for value in dict.fromkeys(row.columns[block] for row in rows):
        runs = [row for row in rows if row.columns[block] == value]
        yield Text(table.heading.format_map(runs[0].columns), "bold")
        yield from (_grid(table, runs, measure, found) for measure in table.measures)


def _rows(comparisons: Sequence[Comparison]) -> PlainTable:
    table = plain_table("row", "measure", ">IBM", ">ours", ">err%")
    for each in comparisons:
        error = "-" if each.error is None else f"{each.error * 100:+.1f}"
        table.add_row(each.key, each.measure, f"{each.published:g}", f"{each.emulated:g}", error)
    return table


def _sizes(verdict: TableVerdict) -> Iterator[RenderableType]:
    """How far the table is off, beside what bounds it."""
    summary = summary_table(verdict)
    if summary.row_count:
        yield summary
    yield from quiet_lines(verdict.comparisons)
    if verdict.checks:
        yield check_table(verdict.checks)


def _changes(verdict: TableVerdict) -> Iterator[RenderableType]:
    for check in verdict.changes:
        mark = "" if check.within else " !"
        yield Text(f"{describe_change(check)}{mark}", "" if check.within else _BAD)


def _in_short(verdict: TableVerdict) -> Iterator[RenderableType]:
    """First what holds, then which choices are right, then what is missed."""
    if verdict.checks:
        yield holds_table(verdict.checks)
    yield from _changes(verdict)
    yield from _decisions(verdict)
    missed = missed_table(verdict)
    if missed:
        yield missed


def _decisions(verdict: TableVerdict) -> Iterator[RenderableType]:
    table = decision_table(verdict)
    if table:
        yield Group(table, *decision_parts(verdict))


def _grid(
    table: PublishedTable, runs: Sequence[PublishedRow], measure: str, found: _Found
) -> Table:
    """One measure of one block: a line for each number of CTCs or size, a column for pairs."""
    heading, scale = MEASURES[measure]
    _, line, column = table.key
    counts = sorted({int(row.number(column)) for row in runs})
    keys = {(row.columns[line], row.columns[column]): row.key for row in runs}
    grid = Table(box=None, padding=0, title=heading, title_justify="left", title_style="")
    grid.add_column(f"{LINES[line]:<5}")
    for count in counts:
        grid.add_column(f"{f'{count} pair' + 's' * (count > 1):^14} ")
    grid.add_row("", *(" IBM ours err% " for _ in counts))
    for value in dict.fromkeys(row.columns[line] for row in runs):
        cells = [keys.get((value, count)) for count in counts]
        grid.add_row(
            f"{_round(value):>4} ",
            *(_cell(found[key, measure], scale) if key else "" for key in cells),
        )
    return grid


def _lists(rows: Sequence[PublishedRow], measures: Sequence[str], found: _Found) -> Iterator[Table]:
    """All measures, a line for each row: several tables if they do not fit beside each other."""
    label_width = max(len(row.key) for row in rows) + 1
    count = (WIDTH - label_width) // CELL_WIDTH
    for start in range(0, len(measures), count):
        shown = measures[start : start + count]
        page = Table(box=None, padding=0)
        page.add_column(" " * label_width)
        for measure in shown:
            page.add_column(f"{MEASURES[measure][0]:^{CELL_WIDTH}}")
        page.add_row("", *(" IBM ours err% " for _ in shown))
        for row in rows:
            cells = [(found.get((row.key, measure)), MEASURES[measure][1]) for measure in shown]
            page.add_row(row.key, *(_cell(c, scale) if c else "   -" for c, scale in cells))
        yield page


def _cell(comparison: Comparison, scale: float) -> Text:
    """A published figure, ours and the error in 15 columns."""
    bad = comparison.within is False
    published, emulated = comparison.published * scale, comparison.emulated * scale
    text = f"{_short(published):>4} {_short(emulated):>4} {_percent(comparison.error):>4}"
    return Text(text + ("!" if bad else " "), _BAD if bad else "")


def _round(value: object) -> str:
    """What heads a line, in four columns: 10000 bytes are 10k."""
    return _short(value) if isinstance(value, int) and value > 9_999 else str(value)


def _short(value: float) -> str:
    """A figure in four columns."""
    if value == 0:
        return "0"
    for limit, decimals in ((9.995, 2), (99.95, 1), (9_999.5, 0)):
        if value < limit:
            return f"{value:.{decimals}f}"
    if value < 999_500:
        return f"{value / 1e3:.0f}k"
    return f"{value / 1e6:.2g}M" if value < 9.95e6 else f"{value / 1e6:.0f}M"


def _percent(error: float | None) -> str:
    """An error in four columns."""
    if error is None:
        return "-"
    return f"{error * 100:+.0f}" if error < 9.995 else ">999"
