"""Frames to the byte, and lines."""

import pytest

from ctc.fibre_channel import (
    FRAME_DATA_LENGTH,
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
