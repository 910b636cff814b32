"""OSA-Express: the link, the packets and the window, whichever is least; what a stream costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.channel import BadFeature
from isfc.answers.io_run import io_activity
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.osa import (
    LINK_SHARE,
    MIB,
    OSA_EXPRESS6S_10GBE,
    OSA_EXPRESS7S_25GBE,
    OsaActivity,
    StreamDirection,
    effective_mb_per_s,
    find_osa,
    packet_payload,
    stream_rate,
)

MTUS = st.integers(576, 8992)
FLOWS = st.sampled_from(StreamDirection)
IN, OUT = StreamDirection.IN, StreamDirection.OUT


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
    found = stream_rate(
        *(OSA_EXPRESS7S_25GBE, 8992, OUT),
        streams=streams,
        window=65_535,
        round_trip_us=round_trip_us,
    )
    alone = 65_535 / round_trip_us * 1e6 / MIB
    most = stream_rate(OSA_EXPRESS7S_25GBE, 8992, OUT).mb_per_s
    assert found.mb_per_s == pytest.approx(min(most, streams * alone))
    assert (found.limit == "window") == (streams * alone < most)


def test_large_send_spares_small_packets_and_not_large_ones() -> None:
    for mtu, flow, gains in ((1492, OUT, True), (8992, OUT, False), (1492, IN, False)):
        without, with_it = (
            stream_rate(OSA_EXPRESS7S_25GBE, mtu, flow, large_send=large) for large in (False, True)
        )
        assert with_it.mb_per_s > without.mb_per_s if gains else with_it == without


def test_find() -> None:
    assert find_osa("OSA-Express7S 25 GbE") is OSA_EXPRESS7S_25GBE
    with pytest.raises(BadFeature, match="'OSA-2' is no OSA feature: expected OSA-Express6S"):
        find_osa("OSA-2")


TEXT = """
[channel.O1]
feature = "OSA-Express7S 25 GbE"
mtu = 8992
[[io]]
name = "copy"
workload = "streams-out"
channels = ["O1"]
cpu_us_per_mb = 200
"""
BESIDE = "OSA-Express7S 25 GbE beside OSA-Express6S 10 GbE"


def osa(text: str) -> OsaActivity:
    (found,) = io_activity(parse_io_configuration(text.encode(), "x"), 0.01).osas
    return found


@pytest.mark.parametrize(
    ("old", "new", "us", "why"),
    [
        # published ratios, and what is not known
        ("8992", "8992", 148, ""),
        ("8992", "1492", 158, ""),
        ("7S 25 GbE", "6S 10 GbE", 200, ""),
        ('7S 25 GbE"\nmtu = 8992', '6S 10 GbE"\nmtu = 4096\nlarge_send = false', 200, ""),
        ("streams-out", "streams-mixed", 148, ""),
        ("cpu_us_per_mb = 200", "", None, "no absolute figure was published"),
        ("8992", "4096", None, BESIDE),
        ("8992", "8992\nlarge_send = false", None, BESIDE),
        ("streams-out", "streams-in", None, "nothing is sent"),
    ],
)
def test_host_cpu_is_by_published_ratios_or_it_is_said_why_not(
    old: str, new: str, us: float | None, why: str
) -> None:
    found = osa(TEXT.replace(old, new))
    assert found.cpu_us_per_mb == (us and pytest.approx(us))
    assert found.cpu_unknown.startswith(why)
    assert bool(found.cpu_unknown) == bool(why)


def test_workloads_count_by_what_they_send() -> None:
    more = TEXT.replace("cpu", "rate = 10\ncpu") + TEXT[TEXT.index("[[io]]") :].replace(
        '"copy"', '"more"'
    ).replace("= 200", "= 400\nrate = 30")
    assert osa(more).cpu_us_per_mb == pytest.approx(0.74 * 350)
