"""What ``isfc replay`` shows: each suite as the report prints it, and how far ours is off."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from scenarios.published import PublishedRow, PublishedTable, Role
from scenarios.replay import BoundCheck, Comparison, in_group, summarise

MEASURES = {
    "mb_per_s": ("MB/s", 1),
    "cpu_percent_per_msg": ("%CPU/msg x 1000", 1_000),
    "rdev_util_percent": ("RDEV util %", 1),
    "collisions_per_s": ("collisions/s", 1),
}
"""The name of each measure on the screen, and what its figures are multiplied by there."""

LEGEND = (
    "err% is (ours - IBM) / IBM, and ! marks what leaves its declared tolerance. "
    "Constants were fitted to calibration rows only; acceptance rows are predictions."
)

_BAD = "bold red"


def replay_page(
    table: PublishedTable,
    rows: Sequence[PublishedRow],
    comparisons: Sequence[Comparison],
    checks: Sequence[BoundCheck],
) -> RenderableType:
    """The whole page: a block for each suite and measure, then the summary."""
    found = {(c.key, c.measure): c for c in comparisons}
    parts: list[RenderableType] = [f"{table.title}, measured {table.measured}\n{table.source}"]
    for suite in dict.fromkeys(row.columns["suite"] for row in rows):
        runs = [row for row in rows if row.columns["suite"] == suite]
        parts.append(_describe_suite(runs[0]))
        parts += [_block(runs, measure, found) for measure in table.measures]
    parts += [LEGEND, _summary(table, comparisons), *_collisions(comparisons)]
    parts.append(Group(*(_check_line(check) for check in checks), *_tallies(comparisons)))
    return Group(parts[0], *(line for part in parts[1:] for line in ("", part)))


def describe_failure(table: PublishedTable, comparison: Comparison) -> str:
    """A figure that is out of tolerance, in one line."""
    row = next(row for row in table.rows if row.key == comparison.key)
    heading, _ = MEASURES[comparison.measure]
    return (
        f"{comparison.key} {heading.partition(' x ')[0]}: {comparison.emulated:.5g}, published "
        f"{comparison.published:g}; expected {table.tolerance(row, comparison.measure)}"
    )


def describe_check(check: BoundCheck) -> str:
    """A bound and what it bounds, in one line."""
    bound, summary = check.bound, check.summary
    return (
        f"{MEASURES[bound.measure][0].partition(' x ')[0]}, "
        f"{summary.count} {bound.group} rows: "
        f"median {summary.median:.1%} (bound {bound.median:.0%}), "
        f"p90 {summary.p90:.1%} ({bound.p90:.0%})"
    )


def _describe_suite(row: PublishedRow) -> Text:
    columns = row.columns
    return Text(
        f"{columns['suite']}: messages {columns['min_bytes']}/{columns['max_bytes']} bytes, "
        f"{columns['percent']} %, replies {columns['reply_bytes']}",
        "bold",
    )


def _block(
    runs: Sequence[PublishedRow], measure: str, found: dict[tuple[str, str], Comparison]
) -> Table:
    """One measure of one suite: a line for each number of CTCs, a column for each of pairs."""
    heading, scale = MEASURES[measure]
    pairs = sorted({int(row.number("pairs")) for row in runs})
    keys = {(row.columns["rdevs"], row.columns["pairs"]): row.key for row in runs}
    table = Table(box=None, padding=0, title=heading, title_justify="left", title_style="")
    table.add_column("CTCs ")
    for count in pairs:
        table.add_column(f"{f'{count} pair' + 's' * (count > 1):^14} ")
    table.add_row("", *(" IBM ours err% " for _ in pairs))
    for rdevs in dict.fromkeys(row.columns["rdevs"] for row in runs):
        cells = [keys.get((rdevs, count)) for count in pairs]
        table.add_row(
            f"{rdevs:>4} ", *(_cell(found[key, measure], scale) if key else "" for key in cells)
        )
    return table


def _cell(comparison: Comparison, scale: float) -> Text:
    """A published figure, ours and the error in 15 columns."""
    bad = comparison.within is False
    published, emulated = comparison.published * scale, comparison.emulated * scale
    text = f"{_short(published):>4} {_short(emulated):>4} {_percent(comparison.error):>4}"
    return Text(text + ("!" if bad else " "), _BAD if bad else "")


def _short(value: float) -> str:
    """A figure in four columns."""
    if value == 0:
        return "0"
    for limit, decimals in ((9.995, 2), (99.95, 1), (9_999.5, 0)):
        if value < limit:
            return f"{value:.{decimals}f}"
    return f"{value / 1_000:.0f}k"


def _percent(error: float | None) -> str:
    """An error in four columns."""
    if error is None:
        return "-"
    return f"{error * 100:+.0f}" if error < 9.995 else ">999"


def _summary(table: PublishedTable, comparisons: Sequence[Comparison]) -> Table:
    """The sizes of the errors: by measure, group and role."""
    page = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("size of error", "group", "role"):
        page.add_column(heading)
    for heading in ("rows", "median", "90 %", "worst"):
        page.add_column(heading, justify="right")
    page.add_column("at")
    for measure in table.measures:
        for name, group in table.groups.items():
            for role in Role:
                chosen = in_group(table, group, measure, comparisons)
                summary = summarise(c for c in chosen if c.role == role)
                if summary:
                    figures = (summary.median, summary.p90, abs(summary.worst.error or 0))
                    page.add_row(
                        MEASURES[measure][0].partition(" x ")[0],
                        *(name, role, str(summary.count)),
                        *map(_size, figures),
                        summary.worst.key,
                    )
    return page


def _size(error: float) -> str:
    """The size of an error, in six columns at most."""
    return f"{error:.1%}" if error < 9.9995 else ">999%"


def _collisions(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """What no ratio can say: how many collisions ours has where IBM has none."""
    free = [c for c in comparisons if c.measure == "collisions_per_s" and not c.published]
    if free:
        worst = max(free, key=lambda comparison: comparison.emulated)
        yield (
            f"collisions/s where IBM has none ({len(free)} rows): "
            f"at most {worst.emulated:.1f} ({worst.key})"
        )


def _check_line(check: BoundCheck) -> Text:
    return Text(
        f"{describe_check(check)}{'' if check.within else ' !'}", "" if check.within else _BAD
    )


def _tallies(comparisons: Sequence[Comparison]) -> Iterator[Text]:
    """How many rows are within all their tolerances; fitted rows prove nothing, so apart."""
    for role in Role:
        keys = {c.key for c in comparisons if c.role == role}
        bad = {c.key for c in comparisons if c.role == role and c.within is False}
        if keys:
            yield Text(
                f"{role} rows within tolerance: {len(keys - bad)} of {len(keys)}",
                _BAD if bad else "green",
            )
