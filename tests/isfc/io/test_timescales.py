"""Flows that share a resource, of one kind and of several: known results of queueing theory."""

import pytest

from isfc.io.timescales import FlowKind, mean_number, slowdown, slowdowns


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


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_one_kind_on_a_single_server_takes_as_long_as_processor_sharing_says(load: float) -> None:
    assert slowdowns([FlowKind(100.0, 1.0, load, 500)]) == [pytest.approx(1 / (1 - load), rel=1e-3)]


@pytest.mark.parametrize("load", [0.3, 0.8])
def test_kinds_of_one_weight_are_slowed_alike_however_long_they_take(load: float) -> None:
    kinds = [FlowKind(length, 1.0, load / 3, 500) for length in (1.0, 50.0, 7_000.0)]
    assert slowdowns(kinds) == [pytest.approx(1 / (1 - load), rel=0.02)] * 3


def test_a_kind_of_half_the_weight_is_the_two_server_queue() -> None:
    load = 0.7
    expected = mean_number(2.0, load) / (2 * load)
    assert slowdowns([FlowKind(100.0, 0.5, 2 * load, 500)]) == [pytest.approx(expected, rel=1e-3)]


def test_short_ones_find_a_long_one_as_it_is_and_it_finds_their_average() -> None:
    # one long flow at a time, which alone fills a fifth: 1.2 wanted while a short one is there
    load = 0.5
    short, long = slowdowns([FlowKind(1.0, 1.0, load, 500), FlowKind(1e6, 0.2, 1e-9, 1)])
    assert short == pytest.approx(1 / (1 - load), rel=1e-3)
    idle = (1 - load) ** 1.2  # beside it the short ones are a negative binomial
    served = idle + ((1 - idle) - load) / 0.2
    assert long == pytest.approx(1 / served, rel=0.01)


def test_flows_that_come_again_after_a_gap_are_the_machine_repairmen_s_queue() -> None:
    solo, gap, most = 10.0, 25.0, 4
    weights = [1.0]
    for number in range(1, most + 1):
        weights.append(weights[-1] * (most - number + 1) * solo / gap)
    inside = sum(number * each for number, each in enumerate(weights)) / sum(weights)
    carried = 1.0 - weights[0] / sum(weights)
    assert slowdowns([FlowKind(solo, 1.0, 0.0, most, gap)]) == [pytest.approx(inside / carried)]


def test_what_is_always_there_slows_all_and_nobody_there_nothing() -> None:
    assert slowdowns([]) == []
    assert slowdowns([FlowKind(10.0, 0.2, 1e-6, 500)]) == [pytest.approx(1.0, abs=1e-5)]
    (beside,) = slowdowns([FlowKind(10.0, 0.2, 1e-6, 500)], 1.0)
    assert beside == pytest.approx(1.2, rel=0.01)


def test_no_more_than_may_be_there_are_there() -> None:
    assert slowdowns([FlowKind(10.0, 1.0, 1e4, 300)]) == [pytest.approx(300.0, rel=0.01)]
