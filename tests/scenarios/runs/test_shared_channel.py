"""CTCs and disks on one channel: monotone, conserving work, and themselves when alone."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration, Protocol
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.plan import make_io_plan
from isfc.io.shared import with_disks, without_disks
from isfc.layout.file import parse_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.shared_channel import SharedRun, run_shared
from scenarios.runs.workload import find_workload

pytestmark = pytest.mark.at_length


LAYOUT = """
[fibre.1]
feature = "FICON Express8S"
chpid = { ATLANTA = "40", BOSTON = "50" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
"""
DISKS = """
[[io]]
name = "disks"
channels = ["40"]
protocol = "ficon"
rate = 1000
"""
FILE = LAYOUT + DISKS


def experiment(pairs: int = 10, **more: Any) -> Experiment:
    layout = parse_layout(LAYOUT)
    return Experiment.of(layout, find_workload("HL"), pairs=pairs, seconds=0.25, warmup=0.1, **more)


def configuration(**change: Any) -> IoConfiguration:
    found = parse_io_configuration(FILE.encode(), "link.toml")
    return structs.replace(found, workloads=(structs.replace(found.workloads[0], **change),))


def shared(pairs: int = 10, **change: Any) -> SharedRun:
    return run_shared(experiment(pairs), configuration(**change))


def moved_beside(pairs: int, **change: Any) -> float:
    """MB/s that the link moves beside disks, over a second."""
    usual = replace(experiment(pairs), seconds=1.0)
    return run(usual.over(with_disks(usual.layout, configuration(**change)))).mb_per_s


def test_a_layout_may_have_disks_and_stays_the_layout_it_is() -> None:
    assert parse_layout(FILE) == parse_layout(LAYOUT)
    channel = configuration().channels["40"]
    assert (channel.feature, channel.link_gbps, channel.system) == ("FICON Express8S", 8, "ATLANTA")


@pytest.mark.slow
def test_with_disks_that_do_nothing_the_link_is_as_without() -> None:
    found = shared(rate_per_s=1e-6)
    assert found.beside.mb_per_s == pytest.approx(found.alone.mb_per_s, rel=1e-3)
    assert found.alone == run(experiment())


def test_disks_alone_are_what_their_own_model_says() -> None:
    assert (shared(1).channels[0].disks_alone,) == make_io_plan(configuration()).channels


def test_beside_ctcs_the_processor_takes_longer_by_what_these_use() -> None:
    (channel,) = shared(1, rate_per_s=5_000).channels
    (alone,), (beside,) = channel.disks_alone.demands, channel.disks_beside.demands
    assert beside.rate_per_s == alone.rate_per_s
    disks, ctcs = channel.disks_alone.processor, channel.ctcs_beside.processor
    service_ns = alone.demand.processor_ns
    more_ns = service_ns / (1 - disks - ctcs) - service_ns / (1 - disks)
    assert beside.response_ns - alone.response_ns == pytest.approx(more_ns, rel=0.05)


ONE_PAIR_WITHIN = 0.04
"""docs/io-run.md says so."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "pairs", [1, 2, 50, *(pytest.param(pairs, marks=pytest.mark.slow) for pairs in (7, 10, 14))]
)
def test_the_more_the_disks_do_the_less_the_link_moves(pairs: int) -> None:
    # within a second: in a quarter of it, chance is more than the first 2,000 I/Os a second do
    rates = (10, 2_000, 5_000, 8_000, 12_000)
    moved = [moved_beside(pairs, rate_per_s=rate) for rate in rates]
    # the two messages of one pair may fall into step, and a little delay bring them out of it
    most = 1 + ONE_PAIR_WITHIN * (pairs == 1)
    assert all(after <= most * before for before, after in pairwise(moved))
    assert moved[0] > 1.2 * moved[-1]


@pytest.mark.slow
def test_the_more_disks_do_with_zhpf_the_less_the_link_moves() -> None:
    # each rate takes far less of the processor than in command mode: the first ones less than what
    # one second of a run differs from another by
    rates = (10, 3_000, 6_500, 12_000, 40_000)
    moved = [moved_beside(10, rate_per_s=rate, protocol=Protocol.ZHPF) for rate in rates]
    assert all(after <= 1.005 * before for before, after in pairwise(moved))
    assert moved[-1] < 0.9 * moved[0]


def test_disks_on_both_chpids_hold_a_transfer_up_as_much_as_the_greater_of_them() -> None:
    there = DISKS.replace('"disks"', '"there"').replace('["40"]', '["50"]').replace("1000", "9000")
    alone, both = (
        parse_io_configuration((LAYOUT + text).encode(), "link.toml")
        for text in (there, DISKS + there)
    )
    moved = [run_shared(experiment(50), each).beside.mb_per_s for each in (alone, both)]
    assert moved[0] == moved[1]


def test_every_run_of_a_layout_has_the_disks_that_it_names() -> None:
    found = shared(50, rate_per_s=8_000)
    layout = with_disks(experiment().layout, configuration(rate_per_s=8_000))
    assert run(experiment(50).over(layout)) == found.beside
    assert without_disks(layout) == experiment().layout


@pytest.mark.slow
def test_the_more_the_link_moves_the_longer_disks_take() -> None:
    times = [
        shared(pairs, rate_per_s=3_000).channels[0].disks_beside.demands[0].response_ns
        for pairs in (1, 2, 10)
    ]
    assert times == sorted(times)
    assert times[0] < times[-1]


@pytest.mark.parametrize("rate", [2_000, 12_000, None])
def test_both_together_never_take_more_than_there_is(rate: float | None) -> None:
    (channel,) = shared(50, rate_per_s=rate).channels
    assert channel.disks_beside.processor + channel.ctcs_beside.processor <= 1.001
    assert channel.disks_beside.line_read + channel.ctcs_beside.line_in <= 1.001
    assert channel.ctcs_beside.processor <= channel.ctcs_alone.processor + 0.01


def test_who_wants_all_gets_half_beside_another_who_does() -> None:
    (channel,) = shared(50, rate_per_s=None).channels
    assert channel.disks_beside.processor == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow
def test_zhpf_leaves_the_link_more_than_command_mode_does() -> None:
    by_protocol = [
        shared(rate_per_s=15_000, protocol=protocol).beside.mb_per_s
        for protocol in (Protocol.FICON, Protocol.ZHPF)
    ]
    assert by_protocol[0] < by_protocol[1]


def test_disks_on_no_chpid_of_the_link_are_refused() -> None:
    text = LAYOUT + '[channel.99]\nfeature = "FICON Express8S"\n' + DISKS.replace("40", "99")
    with pytest.raises(ConfigurationError, match="none is a chpid of the layout"):
        run_shared(experiment(), parse_io_configuration(text.encode(), "link.toml"))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('BOSTON = "50"', 'BOSTON = "40"', "40 is a chpid of ATLANTA and of BOSTON; expected sys"),
        ('channels = ["40"]', 'channels = ["41"]', "there is no .channel.41.; expected one"),
    ],
)
def test_which_chpid_is_meant_is_asked(before: str, after: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_io_configuration(FILE.replace(before, after).encode(), "link.toml")
