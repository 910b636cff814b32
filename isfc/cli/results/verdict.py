"""What a replay comes to, as tables and lines: errors, bounds, goals, tallies, failures."""

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from isfc.cli.output.table import plain_table
from scenarios.published.replay import Comparison
from scenarios.published.table import Bound, PublishedTable, Role
from scenarios.published.verdict import (
    BoundCheck,
    ChangeCheck,
    TableVerdict,
    count_goals,
    in_group,
    left_out,
    summarise,
)

MEASURES = {
    "mb_per_s": ("MB/s", 1),
    "cpu_percent_per_msg": ("%CPU/msg x 1000", 1_000),
    "rdev_util_percent": ("RDEV util %", 1),
    "collisions_per_s": ("collisions/s", 1),
    "msgs_per_s": ("messages/s", 1),
    "io_per_s": ("I/O/s", 1),
    "busy_percent": ("busy %", 1),
    "pend_ms": ("PEND ms", 1),
    "disc_ms": ("DISC ms", 1),
    "conn_ms": ("CONN ms", 1),
    "serv_ms": ("SERV ms", 1),
    "tx_pend_count": ("TXPENDCT", 1),
    "write_collisions_per_s": ("WCol/s", 1),
    "write_mb_per_s": ("written MB/s", 1),
    "write_msgs_per_s": ("written msg/s", 1),
    "write_pkgs_per_s": ("written pkg/s", 1),
    "write_bytes_per_pkg": ("written B/pkg", 1),
    "write_msgs_per_pkg": ("written msg/pkg", 1),
    "read_mb_per_s": ("read MB/s", 1),
    "read_msgs_per_s": ("read msg/s", 1),
    "read_pkgs_per_s": ("read pkg/s", 1),
    "read_bytes_per_pkg": ("read B/pkg", 1),
    "read_msgs_per_pkg": ("read msg/pkg", 1),
    "write_ctcs": ("CTCs written", 1),
    "estimated_one_way_mb_per_s": ("one-way MB/s", 1),
    "link_gbit_per_s": ("Gb/s", 1),
    "scan_stops_short_by": ("stops short by", 1),
    "ratio": ("ratio", 1),
    "response_ms": ("response ms", 1),
    "added_ms": ("added ms", 1),
    "total_utilization_percent": ("processor %", 1),
    "bus_utilization_percent": ("bus %", 1),
    "zhpf_io_per_s": ("zHPF I/O/s", 1),
    "zhpf_active": ("zHPF active", 1),
    "generation": ("G", 1),
    "average_frame_bytes": ("frame bytes", 1),
    "ius_to_control_unit": ("IUs to CU", 1),
    "ius_to_channel": ("IUs to channel", 1),
    "max_mb_per_s_each_direction": ("MB/s each way", 1),
    "credits_for_100_km_by_rule": ("credits by rule", 1),
    "plain": ("plain", 1),
    "encrypted": ("encrypted", 1),
    "impact_percent": ("impact %", 1),
    "cpu_percent": ("CPU %", 1),
    "interrupts_per_s": ("interrupts/s", 1),
    "elapsed_s": ("elapsed s", 1),
    "share_percent_min": ("least %", 1),
    "share_percent_max": ("most %", 1),
    "iop_threads": ("IOPs", 1),
    "drawers": ("drawers", 1),
    "cps_max": ("CPs", 1),
    "standard_saps": ("SAPs", 1),
    "limit_percent": ("limit %", 1),
    "gb_per_s": ("GB/s", 1),
    "latency_us": ("latency us", 1),
    "value": ("value", 1),
    "sync_read_ms": ("sync read ms", 1),
    "success_percent": ("success %", 1),
    "link_busy_percent": ("link busy %", 1),
    "cpu_s": ("CPU s", 1),
    "tcp_payload_bytes": ("payload B", 1),
    "wire_bytes": ("on the wire B", 1),
    "effective_mb_per_s": ("effective MiB/s", 1),
    "change_percent": ("change %", 1),
    "cache_reads_per_s": ("cache reads/s", 1),
    "access_ns": ("access ns", 1),
    "size_mb": ("MiB", 1),
    "elapsed_ccw_s": ("CCW elapsed s", 1),
    "channel_utilization_percent": ("processor %", 1),
}
"""The name of each measure on the screen, and what its figures are multiplied by there."""

LEGEND = (
    "err% is (ours - IBM) / IBM. ! marks what leaves its bound: what this version reaches with "
    "several seeds and lengths, and a margin. A bound kept proves nothing about a prediction."
)

VERDICT_LEGEND = (
    "A bound is what this version reaches, and a margin: a figure that leaves it is marked ! and "
    "ends the command with 1. A goal is wanted; missing it ends nothing. --full shows every figure."
)

STATISTICS = (
    ("median", "median"),
    ("p90", "90 %"),
    ("but_three", "but three"),
    ("worst", "worst"),
)
SHOWN = tuple(pair for pair in STATISTICS if pair[0] != "but_three")
"""What a bound may be of, and its name on the screen."""

ROLES = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}
"""What a row is for, on the screen."""

_BAD = "bold red"


def measure_name(measure: str) -> str:
    """A measure as the report calls it."""
    return MEASURES[measure][0].partition(" x ")[0]


def describe_failure(table: PublishedTable, comparison: Comparison) -> str:
    """A figure that is out of tolerance, in one line."""
    row = next(row for row in table.rows if row.key == comparison.key)
    bound = table.tolerance(row, comparison.measure)
    assert bound is not None, "what is out of tolerance has one"
    return (
        f"{comparison.key} {measure_name(comparison.measure)}: {comparison.emulated:.5g}, "
        f"published {comparison.published:g}; expected {bound.distance.limit(bound.worst or 0)}"
    )


def describe_check(check: BoundCheck) -> str:
    """A bound and what it bounds, in one line."""
    bound, summary = check.bound or check.of, check.summary
    reached = (
        f"{name} {bound.distance.show(getattr(summary, field))} "
        f"({'bound ' * (index == 0)}{bound.distance.show(getattr(bound, field))})"
        for index, (field, name) in enumerate(
            (field, name) for field, name in STATISTICS if getattr(bound, field) is not None
        )
    )
    return f"{measure_name(bound.measure)}, {summary.count} {bound.group} rows: " + ", ".join(
        reached
    )


def describe_change(check: ChangeCheck) -> str:
    """A declared change and how many of ours go the same way, in one line."""
    change = check.change
    wrong = f"; wrong: {', '.join(check.wrong)}" if check.wrong else ""
    return (
        f"{measure_name(change.measure)}, {change.before} to {change.after}: "
        f"{check.count - len(check.wrong)} of {check.count} published changes of more than "
        f"{change.above:.0%} have the right sign{wrong}"
    )


def describe_failures(verdict: TableVerdict) -> Iterator[str]:
    """All that is out of tolerance, a line for each: first what sums up."""
    yield from (describe_check(check) for check in verdict.checks if not check.within)
    yield from (describe_change(check) for check in verdict.changes if not check.within)
    outside = (c for c in verdict.comparisons if c.within is False)
    yield from (describe_failure(verdict.table, comparison) for comparison in outside)


def summary_table(verdict: TableVerdict) -> Table:
    """The sizes of the errors, by measure, group and role, of all that is bounded."""
    figures = (">rows", ">median", ">90 %", ">worst")
    page = plain_table("error", "group", "role", *figures, "at", gap=1, no_wrap=True)
    table = verdict.table
    for bound in _subjects(table):
        for role in Role:
            chosen = in_group(table, table.groups[bound.group], bound.measure, verdict.comparisons)
            summary = summarise((c for c in chosen if c.role == role), bound.distance)
            if summary:
                page.add_row(
                    *(measure_name(bound.measure), bound.group, ROLES[role], str(summary.count)),
                    *(bound.distance.show(getattr(summary, field)) for field, _ in SHOWN),
                    summary.worst_key,
                )
    return page


def _subjects(table: PublishedTable) -> list[Bound]:
    """One bound or goal for everything that is bounded, in the order of the measures."""
    found = {bound.subject: bound for bound in (*table.goals, *table.bounds)}
    return sorted(found.values(), key=lambda bound: table.measures.index(bound.measure))


def quiet_lines(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """What no ratio can say: how many collisions ours has where IBM has none."""
    free = [c for c in comparisons if c.measure == "collisions_per_s" and not c.published]
    if free:
        worst = max(free, key=lambda comparison: comparison.emulated)
        yield (
            f"collisions/s where IBM has none ({len(free)} rows): "
            f"at most {worst.emulated:.1f} ({worst.key})"
        )


def check_table(checks: Sequence[BoundCheck]) -> Table:
    """Bounds, which are kept, and goals, which are wanted, beside what is reached."""
    figures = (">reached", ">bound", ">goal")
    page = plain_table("what must hold", "group", ">rows", "", *figures, "met")
    for check in checks:
        subject = [measure_name(check.of.measure), check.of.group, str(check.summary.count)]
        for index, line in enumerate(_check_lines(check)):
            page.add_row(*(["", "", ""] if index else subject), *line)
    return page


def overview(verdicts: Iterable[TableVerdict]) -> Table:
    """A line for each table: how many of its bounds are kept, and which goals are missed."""
    page = plain_table("table", ">rows", ">bounds kept", ">goals met", no_wrap=True)
    page.add_column("goals missed")
    for verdict in verdicts:
        kept = [check.within for check in verdict.checks if check.bound]
        met = [check for check in verdict.checks if check.goal and check.meets_goal]
        missed = [check for check in verdict.checks if check.goal and not check.meets_goal]
        left = len(kept) - sum(kept)
        page.add_row(
            verdict.table.name,
            str(len(verdict.part.rows)),
            Text(f"{sum(kept)} of {len(kept)}{'!' * bool(left)}", _BAD if left else ""),
            f"{len(met)} of {len(met) + len(missed)}",
            ", ".join(dict.fromkeys(f"{measure_name(c.of.measure)} {c.of.group}" for c in missed)),
        )
    return page


def _check_lines(check: BoundCheck) -> Iterator[tuple[str | Text, ...]]:
    """A line for each number that is bounded or wanted."""
    for field, name in STATISTICS:
        bound, goal = (
            getattr(limits, field) if limits else None for limits in (check.bound, check.goal)
        )
        if bound is None and goal is None:
            continue
        reached = getattr(check.summary, field)
        shown = check.summary.distance.show
        left = bound is not None and reached > bound
        met = "" if goal is None else ("yes" if reached <= goal else "no")
        yield (
            name,
            Text(f"{shown(reached)}{'!' * left}", _BAD if left else ""),
            "" if bound is None else shown(bound),
            "" if goal is None else shown(goal),
            met,
        )


def tallies(verdicts: Sequence[TableVerdict]) -> Iterator[Text]:
    """Goals that are met, measured ones apart; rows that leave a bound; one's own workload."""
    for goals in count_goals(verdicts):
        yield Text(f"{goals.kind} met: {goals.met} of {goals.count}")
    judged = [c for verdict in verdicts for c in verdict.comparisons if c.within is not None]
    rows = {(c.table, c.key) for c in judged}
    bad = {(c.table, c.key) for c in judged if not c.within}
    if rows:
        yield Text(f"rows that leave a bound: {len(bad)} of {len(rows)}", _BAD if bad else "")
    if any(verdict.table.is_measured for verdict in verdicts):
        yield Text(f"your own workload, MB/s: {left_out()}")
