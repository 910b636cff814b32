"""A live node's clock."""

import pytest

from isfc.live.clock import Clock


def test_model_time_passes_slower_by_the_dilation() -> None:
    real_ns = [7_000]
    clock = Clock(10, lambda: real_ns[0])
    assert clock.now_ns() == 0
    real_ns[0] += 2_500
    assert clock.now_ns() == 250


def test_a_deadline_is_that_much_further_away() -> None:
    real_ns = [7_000]
    clock = Clock(10, lambda: real_ns[0])
    assert clock.delay_s(100_000_000) == pytest.approx(1.0)
    real_ns[0] += 2_000_000_000
    assert clock.delay_s(100_000_000) == pytest.approx(-1.0)


def test_it_does_not_run_backwards() -> None:
    clock = Clock()
    times = [clock.now_ns() for _ in range(1000)]
    assert times == sorted(times)


def test_real_time_is_not_hurried() -> None:
    with pytest.raises(AssertionError, match="hurried"):
        Clock(0)
