"""Frames to the byte, and lines; round trips, and the credits that they need."""

import pytest

from ctc.channel import (
    FRAME_DATA_LENGTH,
    PORT_CREDITS,
    Frames,
    command_frames,
    credit_bytes_per_s,
    credit_ns,
    credits_by_rule,
    credits_for_full_frames,
    credits_needed,
    data_frames,
    full_frame_ns,
    full_frames_mb_per_s,
    line_bytes_per_s,
    line_ns,
    round_trip_ns,
)


# IBM z15 FICON Express16SA Performance, figure 25
@pytest.mark.parametrize(
    ("io_bytes", "alone", "in_mix"), [(4096, 1083, 886), (131_072, 2023, 1995)]
)
def test_average_frames_are_as_published(io_bytes: int, alone: int, in_mix: int) -> None:
    data = data_frames(io_bytes)
    assert round(data.average_length) == alone
    assert round(data.plus(command_frames()).average_length) == in_mix


def test_frames_can_be_counted_in_parts() -> None:
    frames = data_frames(4096).times(0.5)
    assert (frames.count, frames.length) == (2, 2166)
    assert frames.times(0).average_length == 0


def test_data_that_begin_a_frame_have_all_of_its_surroundings() -> None:
    assert [data_frames(length).count for length in (1, 2048, 2049)] == [3, 3, 4]


def test_a_line_of_16_gb_gains_by_its_code() -> None:
    assert line_bytes_per_s(8) == 850e6
    assert line_bytes_per_s(16) == pytest.approx(1700e6, rel=1e-12)


def test_twice_the_speed_takes_half_the_time() -> None:
    frames = data_frames(131_072)
    assert line_ns(frames, 4) == pytest.approx(2 * line_ns(frames, 8))
    assert line_ns(Frames(1, 850 - 24), 8) == pytest.approx(1_000 / 0.9787, rel=1e-12)


def test_a_credit_is_back_after_a_round_trip_and_two_frames() -> None:
    assert credit_ns(1, 10, 1_000) == 102_000
    assert credit_ns(4, 10, 1_000) == 25_500
    assert credit_bytes_per_s(4, 10, 2_040, 1_000) == 80e6
    assert [credits_needed(mb, 10, 2_040, 1_000) for mb in (20, 60, 60.1)] == [1, 3, 4]


@pytest.mark.parametrize("gbps", [4, 8, 16, 32])
def test_full_frames_fill_a_line_with_so_many_credits_and_not_with_one_fewer(gbps: int) -> None:
    frame_ns = full_frame_ns(gbps)
    full = full_frames_mb_per_s(gbps)
    assert full == pytest.approx(FRAME_DATA_LENGTH / frame_ns * 1e3)
    assert 0.95 < full * 1e6 / line_bytes_per_s(gbps) < 0.9787
    needed = credits_for_full_frames(gbps, 50)
    rates = [
        credit_bytes_per_s(count, 50, FRAME_DATA_LENGTH, frame_ns) for count in (needed - 1, needed)
    ]
    assert rates[0] < full * 1e6 <= rates[1]
    assert needed == pytest.approx(credits_by_rule(gbps, 50), rel=0.1)


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
