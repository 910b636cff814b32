"""Mean values of disk I/O on a channel, and service times of storage."""

from typing import Any

import pytest

from ctc.channel import NOTHING, ChannelUse
from isfc.io.configuration import IoChannel, IoWorkload, Protocol
from isfc.io.demand import DS8950, make_demand, make_route
from isfc.io.estimate import ChannelEstimate, DemandEstimate, estimate_channel
from isfc.layout.layout import FarPath, Isl

FEX16SA = IoChannel("42", "FICON Express16SA")
LARGE = 131_072


def far(isls: int, credits_: int) -> IoChannel:
    path = FarPath("far", 100, Isl(isls, 16, credits_))
    return IoChannel("42", "FICON Express16SA", path=path)


def work(name: str = "oltp", **more: Any) -> IoWorkload:
    return IoWorkload(name=name, channels=("42",), **more)


def estimate(
    *workloads: IoWorkload, channel: IoChannel = FEX16SA, ctcs: ChannelUse = NOTHING
) -> ChannelEstimate:
    route = make_route(channel)
    return estimate_channel(route, [make_demand(one, route) for one in workloads], ctcs)


def alone(channel: IoChannel = FEX16SA, ctcs: ChannelUse = NOTHING, **keys: Any) -> DemandEstimate:
    (found,) = estimate(work(**keys), channel=channel, ctcs=ctcs).demands
    return found


def test_what_fits_the_first_4k_streams_in_no_time_of_its_own_and_writes_are_slower() -> None:
    assert DS8950.stream_ns(512, is_read=True) == DS8950.stream_ns(4096, is_read=False) == 0
    assert DS8950.stream_ns(LARGE, is_read=False) > DS8950.stream_ns(LARGE, is_read=True) > 0


def test_carries_what_is_asked_for_if_it_can_and_defers_the_rest() -> None:
    found = estimate(work(rate_per_s=20_000))
    assert found.demands[0].rate_per_s == 20_000
    assert found.processor == pytest.approx(20_000 * 3226e-9)
    found = estimate(work(rate_per_s=400_000))
    assert found.demands[0].rate_per_s == pytest.approx(1e9 / 3226, rel=0.01)
    assert found.processor <= 1


def test_single_io_takes_what_its_parts_take() -> None:
    single = alone(outstanding=1)
    assert single.response_ns == pytest.approx(4 * 19_000)  # published: 4 x zHyperLink
    assert single.rate_per_s == pytest.approx(1e9 / single.response_ns)


def test_active_is_rate_times_response() -> None:
    assert alone(outstanding=32, block_bytes=LARGE).active == pytest.approx(32)


@pytest.mark.parametrize("protocol", [Protocol.ZHPF, Protocol.FICON, Protocol.FCP])
@pytest.mark.parametrize("read_percent", [0, 50, 100])
def test_no_resource_is_used_more_than_it_is_there(protocol: Protocol, read_percent: int) -> None:
    for block in (4096, 27_648, LARGE, 1 << 20):
        found = estimate(work(protocol=protocol, read_percent=read_percent, block_bytes=block))
        used = found.processor, found.bus, found.line_read, found.line_write
        assert max(used) <= 1.0 + 1e-6  # where the fixed point stops
        assert max(used) == pytest.approx(1.0, abs=0.03)


def test_response_rises_with_the_rate() -> None:
    rates = (100, 5_000, 10_000, 18_000, 24_000, 25_500)
    times = [alone(rate_per_s=rate, protocol=Protocol.FICON).response_ns for rate in rates]
    assert times == sorted(times)
    assert times[3] == pytest.approx(200_000, rel=0.15)  # published: about 0.2 ms at 18K


def test_far_storage_adds_its_round_trip() -> None:
    near, away = (alone(channel, rate_per_s=1000) for channel in (FEX16SA, far(2, 960)))
    assert away.response_ns - near.response_ns == pytest.approx(1_000_000, rel=1e-3)


def test_too_few_credits_hold_a_far_channel_back() -> None:
    def mb_per_s(credits_: int) -> float:
        return alone(far(1, credits_), block_bytes=LARGE).rate_per_s * 0.131072

    assert mb_per_s(100) == pytest.approx(100 * 1986 / 1002.5, rel=0.01)
    assert mb_per_s(200) == pytest.approx(2 * mb_per_s(100), rel=0.01)
    assert mb_per_s(960) == pytest.approx(mb_per_s(2000), rel=0.01)


def test_workloads_that_ride_one_channel_slow_each_other() -> None:
    old = work(rate_per_s=10_000, protocol=Protocol.FICON)
    (single,), (beside, _) = (
        estimate(*loads).demands for loads in ((old,), (old, work("more", rate_per_s=150_000)))
    )
    assert beside.rate_per_s == single.rate_per_s
    assert beside.response_ns > single.response_ns


def test_what_ctcs_take_is_not_there_for_disks() -> None:
    whole, half = (
        alone(ctcs=ctcs, protocol=Protocol.FICON).rate_per_s
        for ctcs in (NOTHING, ChannelUse(processor=0.5))
    )
    assert half == pytest.approx(whole / 2, rel=0.01)


def test_reads_that_fill_their_direction_leave_writes_alone() -> None:
    writes = work("writes", block_bytes=LARGE, read_percent=0, outstanding=2)
    (single,), (beside, _) = (
        estimate(*loads).demands
        for loads in ((writes,), (writes, work("reads", block_bytes=LARGE)))
    )
    assert beside.rate_per_s == pytest.approx(single.rate_per_s, rel=0.05)


def test_channels_with_the_same_workloads_have_the_same_estimate() -> None:
    other = IoChannel("43", "FICON Express16SA")
    first, second = (estimate(work(outstanding=8), channel=one) for one in (FEX16SA, other))
    assert first.demands == second.demands
    assert (first.route.channel, second.route.channel) == (FEX16SA, other)


def test_of_few_at_once_the_next_finds_one_less() -> None:
    # the arrival theorem by hand: with one I/O alone the processor is busy for its share of the
    # response, and that is what the other finds
    met = 38_700 / (72_774 + 38_700)
    pair = alone(outstanding=2, protocol=Protocol.FICON)
    assert pair.response_ns == pytest.approx(72_774 + 38_700 * (1 + met), rel=1e-3)
