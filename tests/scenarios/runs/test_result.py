"""Results of several seeds, and where a result comes from: layout, version, constants, a site."""

from dataclasses import replace
from typing import Any

import pytest

import isfc
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.site import SiteProfile
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import (
    MEASURES,
    SEEDS_MAX,
    DeviceResult,
    Result,
    constants_digest,
    mean,
    provenance,
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


def test_layout_itself_is_kept() -> None:
    found = provenance(EXPERIMENT, version="1.2", name="published-4")
    assert (found.version, found.layout) == ("1.2", "published-4")
    assert parse_layout(found.layout_toml.encode(), "kept") == EXPERIMENT.layout


def test_digests_change_with_the_layout_and_with_every_constant() -> None:
    other = EXPERIMENT.over(load_layout("published-8"))
    first, second = (provenance(each, version="1") for each in (EXPERIMENT, other))
    assert first.layout_digest != second.layout_digest
    assert first.constants == second.constants
    link, guests = LinkParameters(), GuestCosts()
    digests = {
        constants_digest(link, guests),
        constants_digest(replace(link, dispatch_ns=1), guests),
        constants_digest(link, replace(guests, client_ns=1)),
    }
    assert len(digests) == 3


MODEL = constants_digest(LinkParameters(), GuestCosts())
SLOW = SiteProfile("slow", {"transfer": 3.0}, ("FICON Express2",), 1, MODEL)


@pytest.mark.at_length
def test_layout_at_a_site_is_run_as_with_its_profile() -> None:
    layout = isfc.load_layout("published-1")
    length: Any = {"pairs": 1, "seconds": 0.01, "warmup": 0.01}
    own = isfc.simulate(layout, "HS", profile=SLOW, **length)
    assert isfc.simulate(isfc.at_site(layout, SLOW), "HS", **length).rows() == own.rows()
    assert isfc.simulate(layout, "HS", **length).rows() != own.rows()
    guest = isfc.GuestMemory(size=2**20, touched=2**20)
    moved = isfc.relocate(isfc.at_site("published-1", SLOW), guest)
    assert moved.seconds.value > isfc.relocate("published-1", guest).seconds.value


def test_profile_of_another_model_is_refused() -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"^old: model .x.: "):
        isfc.at_site("published-1", SiteProfile("old", {}, (), 1, "x"))
