"""Frames to the byte, and lines."""

import pytest

from ctc.fibre_channel import command_frames, data_frames, line_bytes_per_s, line_ns


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


def test_a_line_of_16_gb_gains_by_its_code() -> None:
    assert line_bytes_per_s(8) == 850e6
    assert line_bytes_per_s(16) == pytest.approx(1700e6)


def test_twice_the_speed_takes_half_the_time() -> None:
    frames = data_frames(131_072)
    assert line_ns(frames, 4) == pytest.approx(2 * line_ns(frames, 8))
