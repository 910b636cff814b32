"""FICON features: their line rates, speeds and names."""

import pytest
from msgspec import structs

from ctc.channel import BadFeature
from ctc.features import FEATURES, ChpidProfile, find_profile, line_payload_bytes_per_s


def test_line_rate_is_the_fibre_channel_arithmetic() -> None:
    # 2.125 GBd, 8b/10b, 2112 bytes of payload in 2172 on the wire
    assert line_payload_bytes_per_s(2) == int(2.125e9 / 10 * 2112 / 2172)
    rates = {gbps: line_payload_bytes_per_s(gbps) for gbps in (1, 2, 4, 8, 16)}
    for slow in (1, 2, 4):
        assert rates[2 * slow] == pytest.approx(2 * rates[slow])
    # published: about 1600 MB/s each way at 16 Gb, which gains by its code, 800 at 8
    assert [rates[8], rates[16]] == pytest.approx([0.8e9, 1.6e9], rel=0.05)


# the report's chpid estimates go by these speeds
@pytest.mark.parametrize(
    ("feature", "link_gbps"),
    [("FICON Express", 1), ("FICON Express2", 2), ("FICON Express4", 4), ("FICON Express8", 8)],
)
def test_feature_runs_at_the_speed_of_its_generation(feature: str, link_gbps: float) -> None:
    assert find_profile(feature).link_gbps == link_gbps


def test_every_feature_is_found_under_its_own_name() -> None:
    assert [find_profile(name).feature for name in FEATURES] == list(FEATURES)


def test_link_speed_can_be_overridden() -> None:
    slowed = find_profile("FICON Express4", link_gbps=2)
    assert (slowed.feature, slowed.link_gbps) == ("FICON Express4", 2)
    assert find_profile("FICON Express4").link_gbps == 4


def test_a_ccw_takes_half_as_long_at_twice_the_speed_of_the_link() -> None:
    express2, express4 = find_profile("FICON Express2"), find_profile("FICON Express4")
    assert express2.processor_ns_per_ccw == 2 * express4.processor_ns_per_ccw > 0


@pytest.mark.parametrize("feature", ["FICON Express8S", "FICON Express16SA"])
def test_a_ccw_of_a_later_feature_takes_what_its_information_unit_takes(feature: str) -> None:
    for link_gbps in (None, 4, 8, 16):
        assert find_profile(feature, link_gbps).processor_ns_per_ccw == pytest.approx(6_450)


def test_later_features_move_what_was_published_of_command_mode() -> None:
    # FICON Express16SA Performance: 800 MB/s of 128K, both directions together (a quarter of zHPF)
    profile = find_profile("FICON Express16SA")
    each_ns = 131_072 * profile.processor_ns_per_byte + 4 * profile.processor_ns_per_ccw
    assert 131_072e3 / each_ns == pytest.approx(800, rel=0.1)


def test_own_speed_changes_nothing() -> None:
    assert find_profile("FICON Express4", link_gbps=4) == find_profile("FICON Express4")


def test_unknown_feature_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadFeature, match=r"'FICON Express3' .* expected one of FICON Express, "):
        find_profile("FICON Express3")


@pytest.mark.parametrize("name", ["Express8S", "ficon express8s", " FICON  EXPRESS8S"])
def test_feature_is_known_in_any_case_and_without_its_first_word(name: str) -> None:
    assert find_profile(name.strip()) is find_profile("FICON Express8S")


def test_newest_feature_is_known() -> None:
    assert find_profile("Express32S").link_gbps == 32


def test_a_profile_is_alike_whether_it_is_compiled_or_not() -> None:
    """A compiled float takes a whole number for one, and the source would keep it as it is.

    What makes a profile faster by a factor would then round the one and not the other.
    """
    floats = [field.name for field in structs.fields(ChpidProfile) if field.type is float]
    assert "processor_bits_per_ccw" in floats
    for profile in FEATURES.values():
        assert {type(getattr(profile, name)) for name in floats} == {float}
