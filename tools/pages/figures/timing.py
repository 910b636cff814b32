"""Figures of the page on timing: what IBM's tables and the model's constants come to."""

from collections.abc import Iterator, Sequence
from math import ceil, comb
from typing import Final

from ctc.profiles import EXPRESS2, FRAME_PAYLOAD_LENGTH, FRAME_WIRE_LENGTH
from isfc.link.package import BLOCK_LENGTH
from tools.pages.figures.published import (
    MIB,
    PAIRS,
    appc,
    devices,
    exchanges,
    lengths,
    link,
    one,
    transport,
)
from tools.pages.spans import block
from tools.tables import markdown_table

FIBRE: Final = {
    1: (1.0625, 8, 10),
    2: (2.125, 8, 10),
    4: (4.25, 8, 10),
    8: (8.5, 8, 10),
    16: (14.025, 64, 66),
}
"""By nominal Gb/s: GBd, and so many bits of data in so many of the line."""
SLOW: Final = ("6000", "6001", "6002", "6003")
FAST: Final = ("6040", "6041", "6042", "6043")


def figures(_: str) -> dict[str, str]:
    """By name."""
    return {
        **_fibre(), **_writers(), **_headers(), **_little(), **_packages(), **_segments(),
        **_pairs(),
    }  # fmt: skip


def _fibre() -> dict[str, str]:
    lines = []
    for gbps, (baud, data, line) in FIBRE.items():
        leaves = baud * 1000 / 8 * data / line
        payload = leaves * FRAME_PAYLOAD_LENGTH / FRAME_WIRE_LENGTH
        shown = f"{leaves:,.2f}" if leaves < 200 else f"{leaves:,.1f}"
        code = f"{data}b/{line}b"
        lines.append([f"{gbps} Gb/s", f"{baud:g} GBd", code, shown, f"{payload:,.1f}"])
    packages = _per_s(devices("H001709C", *SLOW))
    mb_per_s = packages * link("write_bytes_per_pkg") / 1e6
    return {
        "fibres": block(
            markdown_table(("link", "line", "code", "leaves", "of which payload"), lines)
        ),
        "slow_packages": f"{packages:.1f}",
        "slow_mb": f"{mb_per_s:.1f}",
        "slow_full": f"{mb_per_s / 2.066:.0f}",
    }


def _writers() -> dict[str, str]:
    fast = devices("H001750C", *FAST)
    line_ms = 841_000 / 413.3e3
    served_ms, outside_ms, waiting = line_ms + 0.07, 4.3, 0.0
    for writers in range(1, 5):  # mean-value analysis
        took_ms = served_ms * (1 + waiting)
        rate = writers / (outside_ms + took_ms)
        waiting = rate * took_ms
    (conn,) = {float(row["conn_ms"]) for row in fast}
    return {
        "fast_packages": f"{_per_s(fast):.0f}",
        "fast_mb": f"{_per_s(fast) * 0.841:.0f}",
        "fast_computed": f"{1e3 * rate:.0f}",
        "fast_conn_computed": f"{took_ms:.2f}",
        "fast_conn": f"{conn}",
        "ccw_slow": f"{EXPRESS2.processor_bits_per_ccw / 2e3:.1f}",
        "ccw_fast": f"{EXPRESS2.processor_bits_per_ccw / 4e3:.1f}",
    }


def _headers() -> dict[str, str]:
    sent = link("write_msgs_per_s") / link("write_pkgs_per_s")
    answered = link("read_msgs_per_s") / link("read_pkgs_per_s")
    out = link("write_bytes_per_pkg") / sent - 117_964.8
    back = link("read_bytes_per_pkg") / answered - 8_192
    each = (out - back) / 2.8
    has = link("write_bytes_per_pkg") / 7.012
    shares = {"small": 0.2, "even": 0.5, "large": 0.8}
    small, large, _ = lengths("HL")
    means = {name: share * small + (1 - share) * large for name, share in shares.items()}
    return {
        "headers": block(f"""
    message header + 3.8 block headers = 829,631.1 / {sent:.3f}  - 117,964.8 = {out:.1f}
    message header + 1 block header    = 205,140.3 / {answered:.3f} -   8,192   = {back:.1f}

    block header   = ({out:.1f} - {back:.1f}) / 2.8 = {each:.1f}   -> 85 bytes
    message header = {back:.1f} - {each:.1f}                   -> 27 bytes
"""),
        "hl_small": f"{means['small']:,.1f}",
        **{f"hl_{name}_less": f"{(1 - mean / has) * 100:.1f}" for name, mean in means.items()},
        **dict(_by_package("HS")),
        **dict(_by_package("HM")),
    }


def _by_package(suite: str) -> Iterator[tuple[str, str]]:
    """Exchanges a second with headers for each message, and with headers for each package."""
    small, large, reply = lengths(suite)
    mb_per_s = transport(suite, 16, 1, "mb_per_s")
    alone = mb_per_s * MIB / (0.2 * small + 0.8 * large + reply + 2 * (2_340 + 18))
    yield f"{suite}_by_message", f"{exchanges(suite, 16, 1):,.0f}"
    yield f"{suite}_by_package", f"{alone:,.0f}"


def _little() -> dict[str, str]:
    busy = [row for row in devices("H001709C") if float(row["busy_percent"] or 0) > 90]
    writes = _per_s([row for row in busy if row["rdev"][:3] in ("600", "602")])
    slow = writes * 0.01585
    both = slow + 1.88
    written, waiting, reply = both / 834.2 * 1e3, 5 / 5849 * 1e3, 0.5 / 236.7 * 1e3 + 1.2
    took = 100 / 5849 * 1e3
    return {
        "outstanding": block(f"""
    eight CTCs of 2 Gb/s   {writes:.1f} writes/s x 15.85 ms = {slow:.2f} packages being written
    two of 4 Gb/s          341 writes/s x 5.5 ms     = 1.88
    together               {both:.2f} packages x 7.01 messages = {both * 7.01:.0f} messages
"""),
        "took": f"{took:.1f}",
        "written": f"{written:.1f}",
        "waiting": f"{waiting:.1f}",
        "reply": f"{reply:.1f}",
        "left": f"{took - written - waiting - reply:.1f}",
        **{f"{suite}_exchanges": " | ".join(f"{exchanges(suite, 16, n):,.0f}" for n in PAIRS)
           for suite in ("HM", "HY")},
    }  # fmt: skip


def _packages() -> dict[str, str]:
    small, large, _ = lengths("HL")
    share = sum(comb(8, count) * 0.2**count * 0.8 ** (8 - count) for count in range(5, 9))
    found = {
        suite: [exchanges(suite, 1, n) / transport(suite, 1, n, "collisions_per_s") for n in PAIRS]
        for suite in ("HS", "HM", "HY")
    }
    return {
        "five_small": f"{5 * small + 3 * large:,}",
        "four_small": f"{4 * (small + large):,}",
        "seldom": f"{100 * share:.2f}",
        "in_package": f"{7 + share:.3f}",
        "collide_HM": _range([*found["HM"], *found["HY"]]),
        "collide_HS": _range(found["HS"]),
        "short_on_one": f"{appc(1, 1, 100):,.0f}",
        "short_on_four": f"{appc(1, 4, 100):,.0f}",
        "short_busy": f"{appc(1, 1, 100, 'rdev_util_percent'):.0f}",
    }


def _segments() -> dict[str, str]:
    short, long = 1e3 / appc(1, 16, 1), 1e3 / appc(1_000_000, 16, 1)
    segments = ceil(1_000_000 / BLOCK_LENGTH)
    middle, most = (
        float(
            one("appc_regression", reply_bytes=length, pairs=100, release="z/VM 6.2")["msgs_per_s"]
        )
        for length in (50_000, 1_000_000)
    )
    server = [float(row["io_per_s"] or 0) for row in devices("W001054C", side="server")]
    read, *written = [each for each in server if each > 1]
    replies = appc(1_000_000, 16, 100)
    return {
        "short_took": f"{short:.2f}",
        "long_took": f"{long:.1f}",
        "segments": f"{segments}",
        "segment_took": f"{long / segments:.2f}",
        "replies_middle": f"{middle:,.0f}",
        "segments_middle": f"{middle * ceil(50_000 / BLOCK_LENGTH):,.0f}",
        "replies_long": f"{most:.1f}",
        "segments_long": f"{most * segments:,.0f}",
        "w_packages": f"{sum(written):.1f}",
        "w_replies": f"{replies:.1f}",
        "w_segments": f"{replies * segments / sum(written):.1f}",
        "w_answers": f"{read / 2:.0f}",
        "w_answered": f"{sum(written):.0f}",
    }


def _pairs() -> dict[str, str]:
    return {
        "HM_two_at_16": f"{2e3 / exchanges('HM', 16, 1):.2f}",
        "HY_collisions": f"{transport('HY', 1, 1, 'collisions_per_s'):.0f}",
    }


def _per_s(found: Sequence[dict[str, str]]) -> float:
    return sum(float(row["io_per_s"]) for row in found)


def _range(values: Sequence[float]) -> str:
    least, most = (f"{value:.1f}" for value in (min(values), max(values)))
    return f"{least} to {most}"
