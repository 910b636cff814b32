"""Published rows of SAS over zHPF (SHARE 17576), and our figures in their place.

The runs were on FICON Express8S channels, one I/O after the other. What SAS and its storage take
beside the channel is not ours: the time over zHPF, and MB/s, are taken as published, and ours is
what command mode adds.
"""

from collections.abc import Mapping
from typing import Final

from ctc.features import find_channel
from scenarios.published.system_rows import Figures, RowFunction
from scenarios.published.table import PublishedRow
from scenarios.runs.result import MIB

FEATURE: Final = "FICON Express8S"

HALF_TRACK_LENGTH: Final = 27_648
SMALL_LENGTH: Final = 6_144
"""Bytes of a block of 27K and of 6K (published)."""

SEQUENTIAL_BLOCKS: Final = 2
"""Blocks of 27K that a sequential read chains: those of a track (assumed)."""

_PAGES: Final = {"Tall": (27_648, 240_176), "Wide": (55_296, 147_061)}
"""Bytes of a member's page, and how many there are (published)."""


def sas_members(row: PublishedRow) -> Figures:
    """The size of a member."""
    return {"size_mb": row.number("page_bytes") * row.number("pages") / MIB}


def sas_elapsed(row: PublishedRow) -> Figures:
    """Command mode's time: zHPF's, and for each I/O what the channel processor takes more."""
    member = str(row.columns["member"])
    if member not in _PAGES:
        return {}
    page_bytes, pages = _PAGES[member]
    io_bytes, ios = page_bytes, pages
    if row.columns["library_block"] == "6K":
        io_bytes, ios = SMALL_LENGTH, pages * page_bytes // SMALL_LENGTH
    zhpf_s = row.number("elapsed_zhpf_s")
    command_s = zhpf_s + ios * _command_mode_adds_ns(io_bytes) / 1e9
    return {"elapsed_ccw_s": command_s, "ratio": zhpf_s / command_s}


def _command_mode_adds_ns(io_bytes: int) -> float:
    channel = find_channel(FEATURE)
    command = channel.command_work(io_bytes, is_read=True).processor_ns
    return command - channel.transport_work(io_bytes, is_read=True).processor_ns


def sas_channel_utilization(row: PublishedRow) -> Figures:
    """The channel at the published MB/s."""
    channel = find_channel(FEATURE)
    assert channel.bus_mb_per_s is not None, "Express8S has a bus"
    blocks = 1 if row.columns["test"] == "Random Read" else SEQUENTIAL_BLOCKS
    io_bytes = blocks * HALF_TRACK_LENGTH
    make = channel.command_work if row.columns["program"] == "CCW" else channel.transport_work
    mb_per_s = row.number("mb_per_s")
    io_per_s = mb_per_s * 1e6 / io_bytes
    return {
        "channel_utilization_percent": io_per_s * make(io_bytes, is_read=True).processor_ns / 1e7,
        "bus_utilization_percent": 100 * mb_per_s / channel.bus_mb_per_s,
    }


ROWS: Final[Mapping[str, RowFunction]] = {
    function.__name__: function for function in (sas_members, sas_elapsed, sas_channel_utilization)
}
"""By the name of the table."""
