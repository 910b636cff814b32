"""Mean values of disk I/O on a channel."""

from typing import Any

import pytest

from ctc.channel import NOTHING, ChannelUse
from isfc.io.configuration import IoChannel, IoWorkload, Protocol
from isfc.io.demand import make_demand, make_route
from isfc.io.estimate import ChannelEstimate, estimate_channel
from isfc.layout.path import FarPath, Isl

FEX16SA = IoChannel("42", "FICON Express16SA")


def work(name: str = "oltp", **more: Any) -> IoWorkload:
    return IoWorkload(name=name, channels=("42",), **more)


def estimate(
    *workloads: IoWorkload, channel: IoChannel = FEX16SA, ctcs: ChannelUse = NOTHING
) -> ChannelEstimate:
    route = make_route(channel)
    return estimate_channel(route, [make_demand(one, route) for one in workloads], ctcs)


def test_carries_what_is_asked_for_if_it_can() -> None:
    found = estimate(work(rate_per_s=20_000))
    assert found.demands[0].rate_per_s == 20_000
    assert found.processor == pytest.approx(20_000 * 3226e-9)


def test_defers_what_it_cannot_carry() -> None:
    found = estimate(work(rate_per_s=400_000))
    (oltp,) = found.demands
    assert oltp.rate_per_s == pytest.approx(1e9 / 3226, rel=0.01)
    assert found.processor <= 1


def test_single_io_takes_what_its_parts_take() -> None:
    (alone,) = estimate(work(outstanding=1)).demands
    assert alone.response_ns == pytest.approx(4 * 19_000)  # published: 4 x zHyperLink
    assert alone.rate_per_s == pytest.approx(1e9 / alone.response_ns)


def test_active_is_rate_times_response() -> None:
    (found,) = estimate(work(outstanding=32, block_bytes=131_072)).demands
    assert found.active == pytest.approx(32)


@pytest.mark.parametrize("protocol", [Protocol.ZHPF, Protocol.FICON, Protocol.FCP])
@pytest.mark.parametrize("read_percent", [0, 50, 100])
def test_no_resource_is_used_more_than_it_is_there(protocol: Protocol, read_percent: int) -> None:
    for block in (4096, 27_648, 131_072, 1 << 20):
        found = estimate(work(protocol=protocol, read_percent=read_percent, block_bytes=block))
        used = found.processor, found.bus, found.line_read, found.line_write
        assert max(used) <= 1.0 + 1e-6  # where the fixed point stops
        assert max(used) == pytest.approx(1.0, abs=0.03)


def test_response_rises_with_the_rate() -> None:
    rates = (100, 5_000, 10_000, 18_000, 24_000, 25_500)
    times = [
        estimate(work(rate_per_s=rate, protocol=Protocol.FICON)).demands[0].response_ns
        for rate in rates
    ]
    assert times == sorted(times)
    assert times[3] == pytest.approx(200_000, rel=0.15)  # published: about 0.2 ms at 18K


def test_far_storage_adds_its_round_trip() -> None:
    far = IoChannel("42", "FICON Express16SA", path=FarPath("far", 100, Isl(2, 16, 960)))
    near_ns, far_ns = (
        estimate(work(rate_per_s=1000), channel=channel).demands[0].response_ns
        for channel in (FEX16SA, far)
    )
    assert far_ns - near_ns == pytest.approx(1_000_000, rel=1e-3)


def test_too_few_credits_hold_a_far_channel_back() -> None:
    def mb_per_s(credits_: int) -> float:
        path = FarPath("far", 100, Isl(1, 16, credits_))
        channel = IoChannel("42", "FICON Express16SA", path=path)
        found = estimate(work(block_bytes=131_072), channel=channel)
        return found.demands[0].rate_per_s * 0.131072

    assert mb_per_s(100) == pytest.approx(100 * 1986 / 1002.5, rel=0.01)
    assert mb_per_s(200) == pytest.approx(2 * mb_per_s(100), rel=0.01)
    assert mb_per_s(960) == pytest.approx(mb_per_s(2000), rel=0.01)


def test_workloads_that_ride_one_channel_slow_each_other() -> None:
    alone = estimate(work(rate_per_s=10_000, protocol=Protocol.FICON)).demands[0]
    beside = estimate(
        work(rate_per_s=10_000, protocol=Protocol.FICON), work("more", rate_per_s=150_000)
    ).demands[0]
    assert beside.rate_per_s == alone.rate_per_s
    assert beside.response_ns > alone.response_ns


def test_what_ctcs_take_is_not_there_for_disks() -> None:
    whole = estimate(work(protocol=Protocol.FICON)).demands[0].rate_per_s
    half = (
        estimate(work(protocol=Protocol.FICON), ctcs=ChannelUse(processor=0.5))
        .demands[0]
        .rate_per_s
    )
    assert half == pytest.approx(whole / 2, rel=0.01)


def test_reads_that_fill_their_direction_leave_writes_alone() -> None:
    writes = work("writes", block_bytes=131_072, read_percent=0, outstanding=2)
    reads = work("reads", block_bytes=131_072)
    alone = estimate(writes).demands[0]
    beside = estimate(writes, reads).demands[0]
    assert beside.rate_per_s == pytest.approx(alone.rate_per_s, rel=0.05)


def test_channels_with_the_same_workloads_have_the_same_estimate() -> None:
    other = IoChannel("43", "FICON Express16SA")
    first, second = (estimate(work(outstanding=8), channel=one) for one in (FEX16SA, other))
    assert first.demands == second.demands
    assert (first.route.channel, second.route.channel) == (FEX16SA, other)


def test_of_few_at_once_the_next_finds_one_less() -> None:
    # the arrival theorem by hand: with one I/O alone the processor is busy for its share of the
    # response, and that is what the other finds
    (pair,) = estimate(work(outstanding=2, protocol=Protocol.FICON)).demands
    alone_ns = 72_774 + 38_700
    met = 38_700 / alone_ns
    assert pair.response_ns == pytest.approx(72_774 + 38_700 * (1 + met), rel=1e-3)
