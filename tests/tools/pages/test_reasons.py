"""Figures in the reasons of the fidelity page are those of IBM's tables."""

from typing import Final

from tests.tools.pages.test_timing import (
    BLOCK,
    DEVICES,
    appc,
    devices,
    exchanges,
    header,
    link,
    transport,
)
from tools.pages.console import PROJECT

TEXT: Final = " ".join(
    (PROJECT / "docs/reasons.toml").read_text("utf-8").replace("\\\n", "").split()
)
LINES: Final = (8, 10, 12, 14, 16)


def stands(sentence: str) -> None:
    assert sentence in TEXT


def test_exchanges_a_collision_of_hy_on_one_ctc() -> None:
    few, many = (
        exchanges("HY", 1, pairs) / transport("HY", 1, pairs, "collisions_per_s")
        for pairs in (5, 50)
    )
    stands(f"IBM's HY has {few:.1f} exchanges a collision with 5 pairs and {many:.1f} with 50")


def test_replies_on_a_slower_chpid_cost_so_much_more() -> None:
    slow, fast = (1e3 / exchanges("HY", ctcs, 1) for ctcs in (8, 10))
    reply = (BLOCK + header(BLOCK)) * (1 / 206.6e6 - 1 / 413.3e6)
    stands(f"cost IBM {slow - fast:.2f} ms an exchange more (one pair, 8 and 10 CTCs)")
    stands(f"the fibre explains {reply * 1e3:.2f} of that")
    stands(f"{transport('HY', 8, 50, 'rdev_util_percent'):.0f} % busy in all")


def test_two_exchanges_of_one_pair_at_16_ctcs() -> None:
    hs, hm = (2e3 / exchanges(suite, 16, 1) for suite in ("HS", "HM"))
    stands(f"take HS {hs:.2f} ms and HM {hm:.2f}")
    stands(f"cost {hm - hs:.2f} ms, less than the 0.10")


def test_figure_that_stands_out() -> None:
    twelve, fourteen, sixteen = (transport("HM", ctcs, 50, "mb_per_s") for ctcs in (12, 14, 16))
    stands(f"{twelve:.0f} MB/s at 12 CTCs, {fourteen:.0f} at 14, {sixteen:.0f} at 16")
    assert fourteen > max(twelve, sixteen)


def test_collisions_of_hy_with_100_pairs() -> None:
    found = [transport("HY", ctcs, 100, "collisions_per_s") for ctcs in LINES[:-1]]
    stands(f"with {min(found):.0f} to {max(found):.0f} collisions a second on 8 to 14 CTCs")


def test_short_exchanges_fall_with_the_ctcs() -> None:
    four, sixteen = (appc(1, ctcs, 100) for ctcs in (4, 16))
    stands(f"IBM's {four:,.0f} exchanges/s on 4 CTCs fall to {sixteen:,.0f} on 16")


def test_segments_with_50_and_100_pairs() -> None:
    segments = -(-1_000_000 // BLOCK)
    fifty, hundred = (1e3 * pairs / appc(1_000_000, 16, pairs) / segments for pairs in (50, 100))
    stands(f"{fifty:.0f} ms a segment with 50 pairs, {hundred:.0f} with 100")
    assert 1.0 < appc(1_000_000, 16, 100) / appc(1_000_000, 16, 50) < 2.0


def test_packages_that_the_server_receives_and_sends() -> None:
    out, back = link("write_pkgs_per_s"), link("read_pkgs_per_s")
    stands(f"receives {out:.0f} packages a second and answers with {back:.0f}")


def test_idle_time_between_two_writes() -> None:
    idle = [
        (1 - float(row["busy_percent"]) / 100) * 1e3 / float(row["io_per_s"])
        for row in devices("H001750C", "6040", "6041", "6042", "6043")
    ]
    stands("idle for 0.6 to 0.9 ms")
    assert DEVICES
    assert 0.5 < min(idle) < max(idle) < 1.0
