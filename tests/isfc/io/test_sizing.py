"""Sizing: enough channels, not one too many, and the resource that is short is the one named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.features import find_channel
from isfc.io.configuration import Protocol
from isfc.io.machine import Z15, iop_threads, sap_io_per_s
from isfc.io.mix import IoLoad, Mix
from isfc.io.sizing import ASSUMED, ENCRYPTING, FEATURES, Guidelines, Sizing, size, use_of_channel

LOADS = st.builds(
    IoLoad,
    st.just("load"),
    st.floats(1, 500_000),
    st.integers(512, 524_288),
    st.floats(0, 1),
    cache_hit=st.floats(0, 1),
)
MIXES = st.builds(Mix, st.just("mix"), st.lists(LOADS, min_size=1, max_size=4).map(tuple))
GUIDELINES = Guidelines()


def mix_of(*loads: IoLoad, saps: int | None = None) -> Mix:
    return Mix("mix", loads, saps)


def sized(io_per_s: float, io_bytes: int, saps: int | None = None, **more: float) -> Sizing:
    """For one load that does not grow."""
    return size(mix_of(IoLoad("a", io_per_s, io_bytes, **more), saps=saps), 0, GUIDELINES)


@given(MIXES, st.floats(0, 200))
def test_every_choice_keeps_the_guidelines_with_no_channel_to_spare(
    mix: Mix, growth: float
) -> None:
    for choice in size(mix, growth, GUIDELINES).choices:
        data = max(choice.bus_percent or 0.0, choice.line_percent)
        shares = [choice.processor_percent / 50, data / 70]
        assert max(shares) <= 1 + 1e-6
        if choice.channels_grown > 1:
            fewer = choice.channels_grown / (choice.channels_grown - 1)
            assert max(shares) * fewer > 1 - 1e-6
        assert choice.channels <= choice.channels_grown


@given(MIXES)
def test_the_first_resource_is_full_at_the_load_that_is_named(mix: Mix) -> None:
    for choice in size(mix, 0, GUIDELINES).choices:
        kind, _, way = choice.first.partition(", ")
        percent = getattr(choice, f"{kind}_percent" + (f"_{way.rstrip('s')}" if way else ""))
        assert percent == choice.percent
        assert percent * choice.first_at_io_per_s / mix.io_per_s == pytest.approx(100)


@given(MIXES)
def test_encryption_and_command_mode_never_need_less(mix: Mix) -> None:
    profile = find_channel(ENCRYPTING[-1])
    plain, encrypted, command = (
        use_of_channel(profile, protocol, is_encrypted, mix)
        for protocol, is_encrypted in (
            (Protocol.ZHPF, False),
            (Protocol.ZHPF, True),
            (Protocol.FICON, False),
        )
    )
    assert plain.processor < encrypted.processor
    assert plain.line_read <= encrypted.line_read
    assert plain.processor < command.processor
    assert plain.bus == encrypted.bus == command.bus


@given(MIXES)
def test_the_parts_of_a_mix_add_up(mix: Mix) -> None:
    profile = FEATURES[-1]
    whole = use_of_channel(profile, Protocol.ZHPF, False, mix)
    parts = [use_of_channel(profile, Protocol.ZHPF, False, mix_of(load)) for load in mix.loads]
    assert whole.processor == pytest.approx(sum(part.processor for part in parts))
    assert whole.line_read == pytest.approx(sum(part.line_read for part in parts))
    assert whole.bus == pytest.approx(sum(part.bus or 0 for part in parts))


@given(MIXES)
def test_the_best_choice_has_the_fewest_channels(mix: Mix) -> None:
    sizing = size(mix, 30, GUIDELINES)
    assert not sizing.best.encrypted
    assert sizing.best.channels_grown == min(
        choice.channels_grown
        for choice in sizing.choices
        if not choice.encrypted and choice.feature not in {each.feature for each in ASSUMED}
    )


def test_small_blocks_fill_the_processor_and_large_ones_bus_or_line() -> None:
    small = sized(100_000, 4096).best
    assert (small.feature, small.protocol) == (ENCRYPTING[-1], Protocol.ZHPF)
    assert small.first == "processor"
    assert small.first_at_io_per_s == pytest.approx(310_000, rel=1e-3)
    assert sized(10_000, 131_072, read_share=0.5).best.first == "bus"
    assert sized(5_000, 131_072).best.first == "line, reads"


def test_guidelines_of_ones_own_change_the_number() -> None:
    mix = mix_of(IoLoad("a", 150_000, 4096))
    strict, lax = (
        size(mix, 0, Guidelines(processor_percent=percent)).best.channels for percent in (10, 90)
    )
    assert (strict, lax) == (5, 1)


@given(MIXES, st.floats(1, 300))
def test_more_distance_takes_more_credits_and_time(mix: Mix, km: float) -> None:
    near, far = size(mix, 0, GUIDELINES, (km, 2 * km)).distances
    assert far.added_us == pytest.approx(2 * near.added_us)
    assert far.exchanges_added == pytest.approx(2 * near.exchanges_added)
    assert near.credits <= far.credits
    assert far.isls == near.isls
    assert near.credits <= near.credits_full_line + 1


def test_full_frames_need_about_the_credits_of_the_old_rule() -> None:
    (far,) = size(mix_of(IoLoad("a", 8_000, 524_288)), 0, GUIDELINES, (100.0,)).distances
    assert far.credits_by_rule == 800
    assert far.credits_full_line == pytest.approx(800, rel=0.05)


def test_saps_that_are_given_are_judged_and_else_found() -> None:
    rate = 0.999 * sap_io_per_s(Z15, iop_threads(8), 0.7)
    found, given_saps = sized(rate, 4096).saps, sized(rate, 4096, saps=4).saps
    assert found.saps == 8
    assert found.busy_percent == pytest.approx(70, abs=0.5)
    assert given_saps.saps == 4
    assert (given_saps.busy_percent or 0) > 100
    assert sized(1e9, 4096).saps.saps is None  # no machine has enough for everything


def test_zhyperlink_saves_time_and_costs_processors_where_reads_are_in_the_cache() -> None:
    need, missing = (
        sized(rate, 4096, cache_hit=hit).synchronous for rate, hit in ((2e5, 0.9), (1e4, 0.0))
    )
    assert need is not None
    assert need.links > 1
    assert 80 < need.success_percent <= 90
    assert need.saved_us > 0
    assert need.processors > 0
    assert missing is not None
    assert missing.saved_us < 0
    # neither long reads nor writes
    assert sized(1e5, 8192).synchronous is sized(1e5, 4096, read_share=0.0).synchronous is None


def test_twenty_workloads_need_eight_channels() -> None:
    loads = [IoLoad(str(n), 15_000 + n, 4096 * (n + 1), read_share=n / 20) for n in range(20)]
    best = size(mix_of(*loads), 0, GUIDELINES).best
    assert best.channels_grown == 8


def test_a_feature_that_is_known_in_part_is_shown_and_not_called_best() -> None:
    # its bus was 0 % used, and so never full
    sizing = sized(40_000, 131_072)
    later = [choice for choice in sizing.choices if choice.feature == "FICON Express32S"]
    assert [choice.bus_percent for choice in later] == [None, None]
    assert later[0].channels_grown < sizing.best.channels_grown
    assert sizing.best.feature == "FICON Express16SA"
