"""Figures of IBM's tables in ``docs/reasons.toml``, where ``{name}`` stands for one."""

from isfc.link.package import BLOCK_LENGTH
from tools.pages.figures.published import appc, exchanges, header, link, transport


def figures() -> dict[str, str]:
    """By name."""
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
