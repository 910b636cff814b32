"""The test for a trend: it finds drifts and steps, takes noise for noise, and says what to cut."""

from random import Random

import pytest

from scenarios.runs.trend import drifts, has_trend, trend_score, without_trend


def noise(seed: int, count: int, mean: float = 100, deviation: float = 2) -> list[float]:
    random = Random(seed)
    return [random.gauss(mean, deviation) for _ in range(count)]


def test_score_is_that_of_the_book() -> None:
    # ten that grow: all of 45 pairs, less 1, by the root of 10 x 9 x 25 / 18
    assert trend_score(range(10)) == pytest.approx(44 / 125**0.5)
    assert trend_score(range(10, 0, -1)) == pytest.approx(-44 / 125**0.5)


def test_equal_batches_take_from_the_variance() -> None:
    # two groups of five: 25 pairs grow; 10 x 9 x 25 less twice 5 x 4 x 15, by 18
    assert trend_score([1] * 5 + [2] * 5) == pytest.approx(24 / (1650 / 18) ** 0.5)
    assert trend_score([7] * 12) == 0


def test_slow_drift_is_a_trend_that_the_spread_does_not_tell() -> None:
    drift = [100 + 0.1 * index + each for index, each in enumerate(noise(1, 30, 0, 0.5))]
    assert has_trend(drift)
    assert has_trend(drift[::-1])


def test_noise_is_taken_for_a_trend_in_one_of_twenty_cases() -> None:
    for count in (10, 20, 50):
        seen = sum(has_trend(noise(seed, count)) for seed in range(1000))
        assert 30 <= seen <= 65


def test_pace_that_goes_to_and_fro_is_no_trend() -> None:
    assert not has_trend([90, 110] * 10)


def test_beginning_that_is_another_is_left_out() -> None:
    assert without_trend(noise(2, 30)) == 0
    batches = noise(3, 8, 115) + noise(4, 22)
    assert 6 <= without_trend(batches) <= 10


def test_half_of_the_batches_are_kept_at_least() -> None:
    assert without_trend(range(20)) == 10
    assert without_trend(range(11)) == 5


def test_trend_counts_where_it_matters_to_the_mean() -> None:
    assert drifts([100 + index for index in range(10)])
    assert not drifts([100 + 0.1 * index for index in range(10)])
    assert not drifts([100, 110] * 5)
    assert not drifts([100, 120, 140])  # too few to tell
