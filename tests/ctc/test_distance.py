"""Round trips, and the credits that they need."""

import pytest

from ctc.fibre_channel import (
    PORT_CREDITS,
    credit_bytes_per_s,
    credits_by_rule,
    credits_needed,
    data_frames,
    line_ns,
    round_trip_ns,
)


def test_100_km_there_and_back_take_a_millisecond() -> None:
    assert round_trip_ns(100) == 1_000_000


# the old rule, as IBM z15 FICON Express16SA Performance lists it
@pytest.mark.parametrize(("gbps", "credits_"), [(1, 50), (2, 100), (4, 200), (8, 400), (10, 500)])
def test_the_old_rule_wants_half_a_credit_for_each_km_and_gb(gbps: float, credits_: int) -> None:
    assert credits_by_rule(gbps, 100) == credits_


def test_960_credits_let_more_than_a_16_gb_line_through_at_100_km() -> None:
    assert credit_bytes_per_s(960, 100, 1986, 1230) > 1.7e9


def test_the_credits_of_a_channel_port_reach_10_km_at_16_gb() -> None:
    # published: 90 credits, "enough to support a 16 Gbps link speed at distances up to 10 km"
    frames = data_frames(131_072)
    frame_ns = line_ns(frames, 16) / frames.count
    by_credits = credit_bytes_per_s(PORT_CREDITS, 10, 131_072 / frames.count, frame_ns)
    assert by_credits >= 131_072e9 / line_ns(frames, 16)
    assert credit_bytes_per_s(PORT_CREDITS, 20, 131_072 / frames.count, frame_ns) < 0.6 * by_credits


@pytest.mark.parametrize("mb_per_s", [100.0, 1585.0])
def test_credits_needed_are_just_enough(mb_per_s: float) -> None:
    needed = credits_needed(mb_per_s, 100, 1986, 1230)
    assert credit_bytes_per_s(needed, 100, 1986, 1230) >= mb_per_s * 1e6
    assert credit_bytes_per_s(needed - 1, 100, 1986, 1230) < mb_per_s * 1e6
