"""Runs: what is refused, what a side measures, and that nobody's looking changes anything."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from msgspec import structs

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.events import DigestSink
from isfc.link.name import NodeName
from isfc.link.state import DeviceState, LinkState
from scenarios.runs.experiment import NS_PER_S, PAIRS_MAX, SECONDS_MAX, Experiment
from scenarios.runs.result import MIB, Result, measure
from scenarios.runs.run import PARTS, Recording
from scenarios.runs.run import run as run_experiment
from scenarios.runs.workload import SUITES, LinkLoad, find_workload

SMALL = Experiment.of(
    load_layout("published-4"), find_workload("HL"), pairs=5, seconds=0.1, warmup=0.02
)
CLIENT, SERVER = SMALL.layout.nodes
SWAPPED = replace(SMALL, loads=(LinkLoad(SERVER, CLIENT, SMALL.workload, SMALL.pairs),))


def record(experiment: Experiment, interval: float | None = None, **more: Any) -> Recording:
    return run_experiment(experiment, interval, **more).link()


def run(experiment: Experiment, side: NodeName | None = None, **more: Any) -> Result:
    return record(experiment, **more).at(side).whole.result


OUTSTANDING: dict[str, Any] = {"workload": structs.replace(SUITES["HS"], window=1_000)}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        *(({"pairs": n}, f"pairs {n}: expected 1 to {PAIRS_MAX}") for n in (0, -1, PAIRS_MAX + 1)),
        *(
            ({"seconds": s}, f"seconds {s}: expected a nanosecond to")
            for s in (0.0, 9e-10, -1.0, math.nan, math.inf, -math.inf, SECONDS_MAX + 1.0)
        ),
        *(
            ({"warmup": s}, f"warmup {s}: expected 0 <= s")
            for s in (-0.1, math.nan, math.inf, SECONDS_MAX + 1.0)
        ),
        (OUTSTANDING | {"pairs": 101}, "with a window of 1000 that is 101,000 messages"),
        ({"client": NodeName("ELSEWHER")}, "client ELSEWHER: .* expected CLIENT or SERVER"),
    ],
)
def test_what_cannot_be_run_is_refused(changed: dict[str, Any], said: str) -> None:
    arguments = {"workload": SMALL.workload, "pairs": 1, **changed}
    with pytest.raises(ConfigurationError, match=said):
        Experiment.of(SMALL.layout, **arguments)
    Experiment.of(SMALL.layout, **OUTSTANDING, pairs=100)


@pytest.mark.parametrize("interval", [0.0, -1.0, 0.0009, math.nan, math.inf])
def test_how_a_run_is_looked_at_is_bounded(interval: float) -> None:
    with pytest.raises(ConfigurationError, match=f"interval {interval:g}: expected 0.001 to"):
        record(SMALL, interval)
    with pytest.raises(ConfigurationError, match=r"side XX: .* expected CLIENT or SERVER"):
        run(SMALL, NodeName("XX"))


def lengthened(km: float) -> Experiment:
    """The small run over fibres of this length."""
    layout = SMALL.layout
    fibres = {fibre: structs.replace(fibre, km=km) for fibre in layout.fibres}
    ctcs = tuple(structs.replace(ctc, fibre=fibres[ctc.fibre]) for ctc in layout.ctcs)
    longer = replace(layout, fibres=tuple(fibres.values()), ctcs=ctcs)
    one_pair = partial(structs.replace, pairs=1, workload=find_workload("HS"))
    return SMALL.over(longer).with_loads(one_pair)


@pytest.mark.at_length
def test_the_longer_the_fibres_the_less_they_carry() -> None:
    rates = [run(lengthened(km)).messages_per_s for km in (0, 10, 100, 1_000)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 1.5 * rates[2] > 5 * rates[3]
    # a message and its reply are a write, a read and data each: six ways of 5 ms, two at a time
    assert rates[3] < 2 * 2 / (6 * 0.005)


def test_what_one_side_sends_the_other_receives() -> None:
    here, there = run(SMALL, CLIENT), run(SMALL, SERVER)
    assert (here.node, there.node) == (CLIENT, SERVER)
    # packages on the fibre at the edges of the measurement count on one side only
    assert here.mb_per_s_out == pytest.approx(there.mb_per_s_in, rel=0.1)
    assert here.mb_per_s_in == pytest.approx(there.mb_per_s_out, rel=0.1)


def test_both_ends_of_a_run_are_seen_by_default_from_the_clients() -> None:
    for experiment in (SMALL, SWAPPED):
        recording = record(experiment)
        client = recording.client.whole.result
        assert client.node == experiment.client_node
        assert client.mb_per_s_out > 10 * client.mb_per_s_in
        assert recording.at(None) is recording.at(experiment.client_node) is recording.client
        assert {recording.at(CLIENT), recording.at(SERVER)} == {recording.client, recording.server}


def test_messages_have_the_lengths_of_the_workload() -> None:
    workload = SMALL.workload
    result = run(replace(SMALL, seconds=0.3))
    out_length = result.mb_per_s_out * MIB / result.messages_per_s_out
    in_length = result.mb_per_s_in * MIB / result.messages_per_s_in
    assert workload.min_length < out_length < 1.02 * workload.max_length
    assert workload.reply_length < in_length < 1.5 * workload.reply_length
    assert result.messages_per_s_out == pytest.approx(result.messages_per_s_in, rel=0.1)


def test_busy_is_the_rate_times_the_service_time() -> None:
    for device in run(SMALL).devices:
        assert device.serv_ms == pytest.approx(device.pend_ms + device.disc_ms + device.conn_ms)
        assert device.busy_percent == pytest.approx(device.io_per_s * device.serv_ms / 10)
        assert device.busy_percent <= 100.0001


@pytest.mark.at_length
def test_same_seed_same_run_and_another_seed_another() -> None:
    assert run(SMALL) == run(SMALL)
    assert run(SMALL) != run(replace(SMALL, seed=2))


@pytest.mark.parametrize(("interval", "least"), [(None, 3), (0.05, 3), (0.001, 0)])
def test_neither_watching_a_run_nor_looking_often_changes_it(
    interval: float | None, least: int
) -> None:
    moments: list[float] = []
    alone, watched = DigestSink(), DigestSink()
    plain = record(SMALL, trace=alone)
    seen = record(SMALL, interval, trace=watched, progress=moments.append)
    assert seen.client.whole == plain.client.whole
    assert seen == record(SMALL, interval)
    assert alone.hexdigest() == watched.hexdigest()
    assert len(moments) >= least
    assert moments == sorted(set(moments))
    assert all(0 < moment <= SMALL.warmup + SMALL.seconds for moment in moments)


def test_samples_add_up_to_the_run() -> None:
    whole = run(SMALL)
    parts = record(SMALL, 0.025).client.parts
    assert [part.until for part in parts] == pytest.approx([0.045, 0.07, 0.095, 0.12])
    for measure_name in ("mb_per_s_out", "packages_per_s_in", "rdev_util_percent"):
        figures = [getattr(part.result, measure_name) for part in parts]
        assert sum(figures) / 4 == pytest.approx(getattr(whole, measure_name))
        assert len(set(figures)) > 1
    assert parts[-1].result.tx_pend_count == whole.tx_pend_count


def test_one_sample_as_long_as_the_run_is_the_run() -> None:
    for interval in (SMALL.seconds, 5.0):
        seen = record(SMALL, interval).server
        assert seen.parts == (seen.whole,)


def test_parts_are_thirds_unless_an_interval_is_given() -> None:
    seen = record(replace(SMALL, seconds=0.06, warmup=0.01)).client
    assert len(seen.parts) == PARTS == 3
    assert [part.until for part in seen.parts] == pytest.approx([0.03, 0.05, 0.07])


@pytest.mark.parametrize("seconds", [0.001, 0.05, 1 / 30])
def test_length_need_not_be_divisible(seconds: float) -> None:
    found = record(replace(SMALL, seconds=seconds))
    assert len(found.client.parts) == PARTS
    assert found.client.parts[-1].until == found.client.whole.until


def test_last_sample_may_be_short_but_is_no_rounding_error() -> None:
    def ends(interval: float, warmup: float, seconds: float) -> list[float]:
        one_pair = SMALL.with_loads(partial(structs.replace, pairs=1))
        experiment = replace(one_pair, warmup=warmup, seconds=seconds)
        return [part.until for part in record(experiment, interval).client.parts]

    assert ends(0.04, 0.01, 0.1) == pytest.approx([0.05, 0.09, 0.11])
    for warmup in (0.0029, 0.0113, 0.00057):
        assert len(ends(0.01, warmup, 0.03)) == 3


def snapshot(seconds: int, scale: int) -> LinkEndSnapshot:
    """Counters of a node that did ``scale`` times the same until then."""
    device = DeviceSnapshot(
        rdev=Rdev(0x6000),
        partner_rdev=Rdev(0x7000),
        state=DeviceState.IDLE,
        io_count=scale * 10,
        pend_ns=scale * 1_000_000,
        disc_ns=scale * 2_000_000,
        conn_ns=scale * 7_000_000,
        write_package_count=4 * scale,
        write_length=3 * MIB * scale,
        moved_length=0,
        read_package_count=2 * scale,
        read_length=MIB * scale,
        collision_count=6 * scale,
        stale_count=0,
        write_serv_ns=8_000_000 * scale,
        write_serv_counts=(),
    )
    return LinkEndSnapshot(
        name=CLIENT,
        partner="SERVER",
        state=LinkState.UP,
        now_ns=seconds * NS_PER_S,
        write_package_count=4 * scale,
        write_message_count=20 * scale,
        write_length=3 * MIB * scale,
        read_package_count=2 * scale,
        read_message_count=18 * scale,
        read_length=MIB * scale,
        collision_count=6 * scale,
        tx_pend_count=scale,
        tx_pend_length=scale,
        cpu_ns=10_000_000 * scale,
        write_order=(),
        devices=(device,),
    )


def test_measurement_is_of_what_happened_between_two_moments() -> None:
    result = measure(CLIENT, snapshot(1, 1), snapshot(3, 5))  # 4 times, in 2 s
    assert (result.mb_per_s, result.mb_per_s_out, result.mb_per_s_in) == (8.0, 6.0, 2.0)
    assert (result.messages_per_s_out, result.messages_per_s_in) == (40.0, 36.0)
    assert result.messages_per_s == 76.0
    assert (result.packages_per_s_out, result.packages_per_s_in) == (8.0, 4.0)
    assert (result.messages_per_package_out, result.messages_per_package_in) == (5.0, 9.0)
    assert result.bytes_per_package_out == 0.75 * MIB
    assert result.bytes_per_package_in == 0.5 * MIB
    assert result.collisions_per_s == 12.0
    assert result.tx_pend_count == 5
    assert result.cpu_percent_per_msg == pytest.approx(4.0 / 72)
    (device,) = result.devices
    assert (device.rdev, device.io_per_s) == ("6000", 20.0)
    assert (device.pend_ms, device.disc_ms, device.conn_ms) == pytest.approx((0.1, 0.2, 0.7))
    assert device.serv_ms == pytest.approx(1.0)
    assert device.busy_percent == result.rdev_util_percent == pytest.approx(2.0)


@pytest.mark.parametrize(("out_count", "in_count", "counted"), [(9, 4, 4), (4, 9, 4), (0, 5, 5)])
def test_processor_time_is_shared_among_the_messages_that_were_answered(
    out_count: int, in_count: int, counted: int
) -> None:
    # the others are acknowledgements; in one direction alone, all count
    before = snapshot(1, 1)
    after = replace(
        snapshot(3, 5),
        write_message_count=before.write_message_count + out_count,
        read_message_count=before.read_message_count + in_count,
    )
    result = measure(CLIENT, before, after)
    assert result.cpu_percent_per_msg == pytest.approx(4.0 / counted)


def test_nothing_happened_is_measured_as_nothing() -> None:
    result = measure(CLIENT, snapshot(1, 1), replace(snapshot(1, 1), now_ns=2 * NS_PER_S))
    assert result.mb_per_s == result.messages_per_package_out == result.cpu_percent_per_msg == 0
    assert result.devices[0].serv_ms == 0


def test_more_pairs_than_the_backlog_has_room_for_wait() -> None:
    many = Experiment.of(SMALL.layout, find_workload("HL"), 2_000, seconds=0.05, warmup=0.05)
    result = run(many)
    assert result.mb_per_s > 100
    assert 0 < result.tx_pend_count < 256 * 2**20 / 98_304


@pytest.mark.parametrize(("warmup", "seconds"), [(1.0, 0.001), (0.1, 0.7), (0.29, 0.28)])
def test_times_of_a_run_are_those_asked_for_to_the_nanosecond(
    warmup: float, seconds: float
) -> None:
    # 1 s and 1 ms ended at 1,000,999,999 ns: the timeline of 1 ms had 0.999999 ms
    layout = load_layout("published-1")
    experiment = Experiment.of(layout, find_workload("HL"), 1, seconds=seconds, warmup=warmup)
    assert experiment.begin_ns == round(1e6 * warmup) * 1_000
    assert experiment.end_ns == round(1e6 * (warmup + seconds)) * 1_000
