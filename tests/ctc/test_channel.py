"""What disk I/O takes of a channel."""

from collections.abc import Callable

import pytest

from ctc.channel import (
    BLOCK_LENGTH,
    COMMAND_IO_NS,
    ENCRYPTED_IO_NS,
    FCP_IO_NS,
    BadFeature,
    IoWork,
    data_units,
    information_units,
)
from ctc.features import CATALOGUE, CHANNELS, feature_of_code, find_channel, generation_code
from ctc.fibre_channel import command_frames, data_frames
from ctc.profiles import FEATURES

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


def test_a_write_sends_its_data_the_other_way() -> None:
    read = FEX16SA.transport_work(4096, is_read=True)
    write = FEX16SA.transport_work(4096, is_read=False)
    assert (read.to_channel, read.to_control_unit) == (write.to_control_unit, write.to_channel)


def test_encryption_costs_each_io_alike_and_no_frames() -> None:
    plain = FEX16SA.transport_work(4096, is_read=True)
    encrypted = FEX16SA.transport_work(4096, is_read=True, encrypted=True)
    assert encrypted.processor_ns - plain.processor_ns == 64
    assert encrypted.to_channel == plain.to_channel


def test_information_units_of_a_4k_read_are_as_published() -> None:
    assert information_units(4096, transport=False) == (3, 3)
    assert information_units(4096, transport=True) == (1, 2)


def test_a_feature_without_transport_mode_says_so() -> None:
    with pytest.raises(BadFeature, match="no transport mode: expected protocol ficon"):
        find_channel("FICON Express").transport_work(4096, is_read=True)


@pytest.mark.parametrize("do", [FEX16SA.command_work, FEX16SA.transport_work, FEX16SA.fcp_work])
def test_each_protocol_moves_the_data_its_way_and_pays_for_encryption(
    do: Callable[..., IoWork],
) -> None:
    read, write = do(65_536, is_read=True), do(65_536, is_read=False)
    assert (read.to_channel, read.to_control_unit) == (data_frames(65_536), command_frames())
    assert (read.to_channel, read.to_control_unit) == (write.to_control_unit, write.to_channel)
    assert read.data_length == write.data_length == 65_536
    encrypted = do(65_536, is_read=True, encrypted=True)
    assert encrypted.processor_ns == read.processor_ns + ENCRYPTED_IO_NS
    assert do(65_536, is_read=False, encrypted=True).processor_ns == encrypted.processor_ns


def test_a_small_io_over_fcp_takes_what_was_measured_and_a_large_one_more() -> None:
    assert FEX16SA.fcp_work(4096, is_read=True).processor_ns == FCP_IO_NS
    more_ns = FEX16SA.fcp_work(3 * BLOCK_LENGTH, is_read=True).processor_ns - FCP_IO_NS
    assert more_ns == pytest.approx(2 * FEX16SA.transport_block_ns)


def test_fcp_is_known_for_what_was_measured() -> None:
    with pytest.raises(BadFeature, match="no FCP figures"):
        find_channel("FICON Express8S").fcp_work(4096, is_read=True)


def test_codes_of_generations_are_those_of_rmf() -> None:
    assert generation_code("FICON Express16S+", 8) == 0x20
    assert generation_code("FICON Express16SA", 16, fec=True) == 0x28
    assert generation_code("FICON Express8S", 16) is None


def test_unknown_feature_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadFeature, match="expected one of FICON Express, "):
        find_channel("FICON Express3")


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
