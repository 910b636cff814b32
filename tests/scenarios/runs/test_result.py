"""Repeating a run with several seeds: means that still add up, and the spread."""

from dataclasses import replace

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import (
    MEASURES,
    SEEDS_MAX,
    DeviceResult,
    Result,
    mean,
    repetitions,
    spread_percent,
    spreads,
)
from scenarios.runs.workload import SUITES

EXPERIMENT = Experiment.of(load_layout("published-4"), SUITES["HL"], pairs=1, seed=5)


def result(figure: float, *devices: DeviceResult) -> Result:
    return Result("CLIENT", **dict.fromkeys(MEASURES, figure), devices=devices)


def test_repetitions_differ_in_the_seed_only() -> None:
    assert repetitions(EXPERIMENT, 3) == [replace(EXPERIMENT, seed=seed) for seed in (5, 6, 7)]


@pytest.mark.parametrize("count", [0, -1, SEEDS_MAX + 1])
def test_seeds_are_bounded(count: int) -> None:
    with pytest.raises(ConfigurationError, match=f"seeds {count}: expected 1 to {SEEDS_MAX}"):
        repetitions(EXPERIMENT, count)


def test_mean_is_of_every_figure() -> None:
    assert mean([result(1.0), result(2.0), result(6.0)]) == result(3.0)


def test_mean_of_one_is_that_one() -> None:
    only = result(0.1, DeviceResult("6000", 0.7, 0.1, 0.2, 0.3, 0.6, 0.04))
    assert mean([only]) is only


def test_mean_of_a_device_counts_every_io_once() -> None:
    often = DeviceResult("6000", 30.0, 1.0, 2.0, 3.0, 6.0, 18.0)
    seldom = DeviceResult("6000", 10.0, 5.0, 6.0, 7.0, 18.0, 18.0)
    (device,) = mean([result(1.0, often), result(1.0, seldom)]).devices
    assert (device.io_per_s, device.pend_ms, device.disc_ms) == (20.0, 2.0, 3.0)
    assert (device.conn_ms, device.serv_ms, device.busy_percent) == (4.0, 9.0, 18.0)
    assert device.busy_percent == device.io_per_s * device.serv_ms / 10


def test_mean_of_an_idle_device_is_idle() -> None:
    idle = DeviceResult("6000", *(0.0,) * 6)
    assert mean([result(1.0, idle)] * 2).devices == (idle,)


def test_spread_is_in_percent_of_the_mean() -> None:
    assert spread_percent([9.0, 10.0, 11.0]) == pytest.approx(20)
    assert spread_percent([4.0]) == 0
    assert spread_percent([0.0, 0.0]) is None


def test_spreads_are_of_every_figure_of_the_link() -> None:
    found = spreads([result(1.0), result(3.0)])
    assert found == dict.fromkeys(MEASURES, 100.0)
    assert "mb_per_s" in MEASURES
    assert not {"node", "devices"} & set(MEASURES)
