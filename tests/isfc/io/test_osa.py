"""OSA-Express: the link, the packets and the window, whichever is least."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.channel import BadFeature
from isfc.io.osa import (
    LINK_SHARE,
    MIB,
    OSA_EXPRESS6S_10GBE,
    OSA_EXPRESS7S_25GBE,
    StreamDirection,
    effective_mb_per_s,
    find_osa,
    packet_payload,
    stream_rate,
)

MTUS = st.integers(576, 8992)
FLOWS = st.sampled_from(StreamDirection)


@given(MTUS, FLOWS)
def test_streams_never_get_more_than_their_share_of_the_link(
    mtu: int, flow: StreamDirection
) -> None:
    for profile in (OSA_EXPRESS6S_10GBE, OSA_EXPRESS7S_25GBE):
        rate = stream_rate(profile, mtu, flow)
        assert rate.mb_per_s <= LINK_SHARE * effective_mb_per_s(profile.link_gbps, mtu)
        assert rate.packets_per_s * packet_payload(mtu) == pytest.approx(rate.mb_per_s * MIB)


@given(MTUS, FLOWS)
def test_a_larger_packet_carries_more(mtu: int, flow: StreamDirection) -> None:
    small, large = (stream_rate(OSA_EXPRESS7S_25GBE, size, flow) for size in (mtu, mtu + 1))
    assert large.mb_per_s > small.mb_per_s


@given(st.integers(1, 64), st.floats(1, 1e5))
def test_streams_add_up_until_something_else_is_full(streams: int, round_trip_us: float) -> None:
    window = 65_535
    found = stream_rate(
        OSA_EXPRESS7S_25GBE,
        8992,
        StreamDirection.OUT,
        streams=streams,
        window=window,
        round_trip_us=round_trip_us,
    )
    alone = window / round_trip_us * 1e6 / MIB
    most = stream_rate(OSA_EXPRESS7S_25GBE, 8992, StreamDirection.OUT).mb_per_s
    assert found.mb_per_s == pytest.approx(min(most, streams * alone))
    assert (found.limit == "window") == (streams * alone < most)


def test_large_send_spares_small_packets_and_not_large_ones() -> None:
    for mtu, gains in ((1492, True), (8992, False)):
        without, with_it = (
            stream_rate(OSA_EXPRESS7S_25GBE, mtu, StreamDirection.OUT, large_send=large)
            for large in (False, True)
        )
        assert (with_it.mb_per_s > without.mb_per_s) == gains
    assert stream_rate(
        OSA_EXPRESS7S_25GBE, 1492, StreamDirection.IN, large_send=False
    ) == stream_rate(OSA_EXPRESS7S_25GBE, 1492, StreamDirection.IN)


def test_find() -> None:
    assert find_osa("OSA-Express7S 25 GbE") is OSA_EXPRESS7S_25GBE
    with pytest.raises(BadFeature, match="'OSA-2' is no OSA feature: expected OSA-Express6S"):
        find_osa("OSA-2")
