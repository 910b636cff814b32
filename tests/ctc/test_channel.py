"""What disk I/O takes of a channel, and what CTCs and disks leave each other of it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.channel import (
    BLOCK_LENGTH,
    COMMAND_IO_NS,
    ENCRYPTED_IO_NS,
    FAIR_SHARE,
    FCP_IO_NS,
    NOTHING,
    BadFeature,
    ChannelUse,
    IoWork,
    command_frames,
    data_frames,
    data_units,
    information_units,
)
from ctc.features import (
    CATALOGUE,
    CHANNELS,
    FEATURES,
    feature_of_code,
    find_channel,
    generation_code,
)

FEX16SA = find_channel("FICON Express16SA")


def test_command_mode_pays_for_each_information_unit_of_data() -> None:
    works = [FEX16SA.command_work(units * 8192, is_read=True).processor_ns for units in (1, 2, 3)]
    assert works[1] - works[0] == works[2] - works[1] > 0
    assert FEX16SA.command_work(4096, is_read=True).processor_ns == works[0] == COMMAND_IO_NS


def test_data_units_are_begun_ones_and_one_at_least() -> None:
    assert [data_units(length) for length in (0, 1, 8192, 8193, 16_384)] == [1, 1, 1, 2, 2]


def test_transport_mode_pays_little_for_more_data() -> None:
    small = FEX16SA.transport_work(4096, is_read=True).processor_ns
    great = FEX16SA.transport_work(131_072, is_read=True).processor_ns
    assert small < great < 1.5 * small


def test_information_units_of_a_4k_read_are_as_published() -> None:
    assert information_units(4096, transport=False) == (3, 3)
    assert information_units(4096, transport=True) == (1, 2)


@pytest.mark.parametrize("do", [FEX16SA.command_work, FEX16SA.transport_work, FEX16SA.fcp_work])
def test_each_protocol_moves_data_its_way_and_pays_to_encrypt(do: Callable[..., IoWork]) -> None:
    read, write = do(65_536, is_read=True), do(65_536, is_read=False)
    assert (read.to_channel, read.to_control_unit) == (data_frames(65_536), command_frames())
    assert (read.to_channel, read.to_control_unit) == (write.to_control_unit, write.to_channel)
    assert read.data_length == write.data_length == 65_536
    encrypted = do(65_536, is_read=True, encrypted=True)
    assert encrypted.processor_ns == read.processor_ns + ENCRYPTED_IO_NS == read.processor_ns + 64
    assert encrypted.to_channel == read.to_channel
    assert do(65_536, is_read=False, encrypted=True).processor_ns == encrypted.processor_ns


def test_a_small_io_over_fcp_takes_what_was_measured_and_a_large_one_more() -> None:
    assert FEX16SA.fcp_work(4096, is_read=True).processor_ns == FCP_IO_NS
    more_ns = FEX16SA.fcp_work(3 * BLOCK_LENGTH, is_read=True).processor_ns - FCP_IO_NS
    assert more_ns == pytest.approx(2 * FEX16SA.transport_block_ns)


@pytest.mark.parametrize(
    ("ask", "refused"),
    [
        (
            lambda: find_channel("FICON Express").transport_work(4096, is_read=True),
            "no transport mode: expected protocol ficon",
        ),
        (lambda: find_channel("FICON Express8S").fcp_work(4096, is_read=True), "no FCP figures"),
        (lambda: find_channel("FICON Express3"), "expected one of FICON Express, "),
    ],
)
def test_what_a_feature_does_not_have_is_refused(ask: Callable[[], object], refused: str) -> None:
    with pytest.raises(BadFeature, match=refused):
        ask()


def test_codes_of_generations_are_those_of_rmf() -> None:
    assert generation_code("FICON Express16S+", 8) == 0x20
    assert generation_code("FICON Express16SA", 16, fec=True) == 0x28
    assert generation_code("FICON Express8S", 16) is None


def test_a_feature_is_one_record_that_says_what_is_not_known_of_it() -> None:
    assert list(CHANNELS) == list(FEATURES) == [feature.name for feature in CATALOGUE]
    for feature in CATALOGUE:
        assert FEATURES[feature.name].link_gbps == feature.disks.link_gbps
        assert ("bus" in feature.unknown) == (feature.disks.bus_mb_per_s is None)
        assert ("RMF's code" in feature.unknown) == (not feature.disks.generations)
        assert feature.source
        assert feature.ctcs


def test_a_code_of_rmf_is_that_of_one_feature() -> None:
    codes = [code for each in CATALOGUE for code in each.disks.generations.values()]
    assert len(set(codes)) == len(codes)
    found = feature_of_code(0x18)
    assert found is not None
    assert found.name == "FICON Express16S"
    assert feature_of_code(0x2B) is None


SHARES = st.floats(0, 1)


@given(SHARES, SHARES)
def test_each_gets_what_it_wants_or_half_and_there_is_enough(ctcs: float, disks: float) -> None:
    left_to_ctcs = 1 - ChannelUse(processor=disks).bounded().processor
    ctcs_get = min(ctcs, left_to_ctcs)
    disks_get = min(disks, 1 - ChannelUse(processor=ctcs_get).bounded().processor)
    for gets, wants in ((ctcs_get, ctcs), (disks_get, disks)):
        assert gets >= min(wants, FAIR_SHARE)
    assert ctcs_get + disks_get <= 1 + 1e-12
    assert ctcs_get + disks_get == pytest.approx(min(1, ctcs + disks))  # nothing is left over


def test_what_goes_out_here_comes_in_there() -> None:
    here, there = ChannelUse(0.1, 0.2, 0.3), ChannelUse(0.4, 0.25, 0.15)
    assert here.across(there) == ChannelUse(0.4, 0.2, 0.3)
    assert there.across(here) == ChannelUse(0.4, 0.3, 0.2)
    assert here.across(NOTHING) == here
    assert NOTHING.across(there) == ChannelUse(0.4, 0.15, 0.25)


def test_more_than_half_holds_up_nobody_more_than_half_does() -> None:
    assert ChannelUse(0.9, 0.2, 1.0).bounded() == ChannelUse(0.5, 0.2, 0.5)
    assert ChannelUse(0.2, 0.7, 0.1).bounded() == ChannelUse(0.2, 0.5, 0.1)
