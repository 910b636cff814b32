"""Sharing a resource: known results of queueing theory."""

import pytest

from isfc.io.timescales import mean_number, slowdown


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_width_1_is_the_single_server(load: float) -> None:
    assert mean_number(1.0, load) == pytest.approx(load / (1 - load))


def test_width_2_is_the_two_server_queue() -> None:
    load = 0.5  # M/M/2: L = 2 load / (1 - load^2)
    assert mean_number(2.0, load) == pytest.approx(2 * load / (1 - load * load))


@pytest.mark.parametrize("width", [1.0, 2.0, 2.5, 5.1, 40.0])
@pytest.mark.parametrize("load", [0.2, 0.7, 0.95])
def test_who_finds_what_arrivals_find_is_slowed_as_little_says(width: float, load: float) -> None:
    number = mean_number(width, load)
    assert slowdown(width, number) == pytest.approx(number / (width * load), rel=1e-6)


def test_nobody_there_means_no_slowdown() -> None:
    assert slowdown(3.0, 0.0) == 1.0


@pytest.mark.parametrize("width", [1.0, 3.0, 200.0])
def test_far_more_flows_than_room_share_what_there_is(width: float) -> None:
    assert slowdown(width, 1e4) == pytest.approx(1e4 / width, rel=0.01)


@pytest.mark.parametrize("width", [1.0, 3.7, 150.0])
def test_more_flows_never_help(width: float) -> None:
    times = [slowdown(width, seen / 4) for seen in range(800)]
    assert times == sorted(times)
