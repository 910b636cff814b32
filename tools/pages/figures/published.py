"""Figures of IBM's published tables, and what they come to: for pages that reason from them."""

from functools import cache
from math import ceil
from typing import Final

from isfc.link.package import BLOCK_HEADER_LENGTH, BLOCK_LENGTH, MESSAGE_HEADER_LENGTH
from tools.pages.console import PROJECT
from tools.tables import read_csv

MIB: Final = 2**20
PAIRS: Final = (1, 5, 10, 50, 100)

Row = dict[str, str]


@cache
def rows(table: str) -> list[Row]:
    """A published table, word for word."""
    return read_csv(PROJECT / "scenarios/published/tables" / f"{table}.csv")


def one(table: str, **wanted: object) -> Row:
    """The row of a table that has these values."""
    (found,) = (
        row
        for row in rows(table)
        if all(row[column] == str(value) for column, value in wanted.items())
    )
    return found


def transport(suite: str, ctcs: int, pairs: int, column: str) -> float:
    """A figure of a run of ISFC Transport."""
    return float(one("transport", suite=suite, rdevs=ctcs, pairs=pairs)[column])


def appc(length: int, ctcs: int, pairs: int, column: str = "msgs_per_s") -> float:
    """A figure of a run of APPC/VM on one to 16 CTCs."""
    return float(one("appc_scaling", reply_bytes=length, rdevs=ctcs, pairs=pairs)[column])


def link(column: str) -> float:
    """A figure of the first minute of H001709C's link."""
    row = next(row for row in rows("link_activity") if row["timestamp"].endswith("04:53:43"))
    return float(row[column])


def devices(run: str, *rdevs: str, side: str = "client") -> list[Row]:
    """The CTCs of a run, as one side reports them; all of them, if none is named."""
    return [
        row
        for row in rows("device_reports")
        if (row["run"], row["side"]) == (run, side) and (not rdevs or row["rdev"] in rdevs)
    ]


def header(length: int) -> int:
    """Bytes of headers of a message."""
    return MESSAGE_HEADER_LENGTH + BLOCK_HEADER_LENGTH * ceil(length / BLOCK_LENGTH)


def lengths(suite: str) -> tuple[int, int, int]:
    """The two lengths of a suite's messages, and that of its replies."""
    row = next(row for row in rows("transport") if row["suite"] == suite)
    return int(row["min_bytes"]), int(row["max_bytes"]), int(row["reply_bytes"])


def exchange_length(suite: str) -> float:
    """Bytes on the link of one exchange: one message in five is the small one."""
    small, large, reply = lengths(suite)
    message = 0.2 * (small + header(small)) + 0.8 * (large + header(large))
    # where fewer replies fit than the window has messages, each is acknowledged with 20 bytes
    acknowledgement = 20 + header(20) if reply == BLOCK_LENGTH else 0
    return message + reply + header(reply) + acknowledgement


def exchanges(suite: str, ctcs: int, pairs: int) -> float:
    """Exchanges a second, of the MB/s that are published."""
    return transport(suite, ctcs, pairs, "mb_per_s") * MIB / exchange_length(suite)


def figures() -> dict[str, str]:
    """Those of ``docs/reasons.toml`` by name, where ``{name}`` stands for one."""
    slow, fast = (1e3 / exchanges("HY", ctcs, 1) for ctcs in (8, 10))
    reply = (BLOCK_LENGTH + header(BLOCK_LENGTH)) * (1 / 206.6e6 - 1 / 413.3e6)
    hs, hm = (2e3 / exchanges(suite, 16, 1) for suite in ("HS", "HM"))
    few, many = (
        exchanges("HY", 1, pairs) / transport("HY", 1, pairs, "collisions_per_s")
        for pairs in (5, 50)
    )
    collisions = [transport("HY", ctcs, 100, "collisions_per_s") for ctcs in (8, 10, 12, 14)]
    segments = -(-1_000_000 // BLOCK_LENGTH)
    fifty, hundred = (1e3 * n / appc(1_000_000, 16, n) / segments for n in (50, 100))
    return {
        "few": f"{few:.1f}",
        "many": f"{many:.1f}",
        "slower": f"{slow - fast:.2f}",
        "fibre": f"{reply * 1e3:.2f}",
        "busy": f"{transport('HY', 8, 50, 'rdev_util_percent'):.0f}",
        "hs": f"{hs:.2f}",
        "hm": f"{hm:.2f}",
        "longer": f"{hm - hs:.2f}",
        **{f"on_{n}": f"{transport('HM', n, 50, 'mb_per_s'):.0f}" for n in (12, 14, 16)},
        "collisions": f"{min(collisions):.0f} to {max(collisions):.0f}",
        "short_on_4": f"{appc(1, 4, 100):,.0f}",
        "short_on_16": f"{appc(1, 16, 100):,.0f}",
        "fifty": f"{fifty:.0f}",
        "hundred": f"{hundred:.0f}",
        "received": f"{link('write_pkgs_per_s'):.0f}",
        "answered": f"{link('read_pkgs_per_s'):.0f}",
    }
