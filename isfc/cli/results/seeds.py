"""What ``--seeds`` adds to a page: how far the figures differ from seed to seed."""

from collections.abc import Mapping, Sequence
from statistics import median

from rich.table import Table

from isfc.cli.output.table import plain_table
from isfc.cli.results.verdict import measure_name
from scenarios.published.by_cell import Cell
from scenarios.published.table import PublishedTable

RUN_ROWS = (
    ("MB/s", "mb_per_s_out", "mb_per_s_in", "mb_per_s"),
    ("messages/s", "messages_per_s_out", "messages_per_s_in", "messages_per_s"),
    ("packages/s", "packages_per_s_out", "packages_per_s_in", ""),
    ("messages/package", "messages_per_package_out", "messages_per_package_in", ""),
    ("bytes/package", "bytes_per_package_out", "bytes_per_package_in", ""),
    ("RDEV util %", "", "", "rdev_util_percent"),
    ("collisions/s", "", "", "collisions_per_s"),
    ("%CPU/msg", "", "", "cpu_percent_per_msg"),
    ("TXPENDCT", "", "", "tx_pend_count"),
)
"""The lines of a run: what each is called, and its measures sent, received and together."""


def seed_words(first: int, count: int) -> str:
    """Which seed figures are of, or that they are the mean of ``count`` from the ``first`` on."""
    return f"mean of seeds {first} to {first + count - 1}" if count > 1 else f"seed {first}"


def run_spreads(spreads: Mapping[str, float | None]) -> Table:
    """The spread of each figure of a run."""
    table = plain_table("spread in %", ">sent", ">received", ">together", min_width=9)
    for name, *measures in RUN_ROWS:
        table.add_row(name, *(_percent(spreads[m]) if m else "" for m in measures))
    return table


def replay_spreads(tables: Sequence[PublishedTable], spreads: Mapping[Cell, float | None]) -> Table:
    """The spreads of a replay, by table and measure: the middle one and the greatest."""
    page = plain_table("spread of seeds", "table", ">figures", ">median", ">worst", "at")
    for table in tables:
        for measure in table.measures:
            found = [
                (spread, row.key)
                for row in table.rows
                if (spread := spreads.get((table.name, row.key, measure))) is not None
            ]
            if found:
                worst, key = max(found)
                middle = median(spread for spread, _ in found)
                page.add_row(
                    measure_name(measure),
                    *(table.name, str(len(found)), f"{middle:.1f}%", f"{worst:.1f}%", key),
                )
    return page


def _percent(spread: float | None) -> str:
    """A spread; a dash where there was nothing to differ."""
    return "-" if spread is None else f"{spread:.1f}"
