"""Figures of IBM's published tables, and what they come to: for pages that reason from them."""

import csv
from functools import cache
from math import ceil
from typing import Final

from isfc.link.package import BLOCK_HEADER_LENGTH, BLOCK_LENGTH, MESSAGE_HEADER_LENGTH
from tools.pages.console import PROJECT

MIB: Final = 2**20
PAIRS: Final = (1, 5, 10, 50, 100)

Row = dict[str, str]


@cache
def rows(table: str) -> list[Row]:
    """A published table, word for word."""
    path = PROJECT / "scenarios/published/tables" / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
