"""zHyperLink: a loss system, and what becomes of the reads that it loses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from isfc.answers.io_run import io_activity
from isfc.io.configuration import IoConfiguration, IoWorkload
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.plan import make_io_plan
from isfc.io.zhyperlink import (
    ZHYPERLINK,
    SynchronousOutcome,
    link_limit_per_s,
    link_load,
    synchronous_loads,
    synchronous_outcome,
    turned_away,
)

RATES = st.floats(1, 1e6)
SHARES = st.floats(0, 1)


def test_a_single_read_takes_the_unloaded_latency() -> None:
    load = link_load(ZHYPERLINK, 1.0)
    assert load.latency_ns == pytest.approx(ZHYPERLINK.unloaded_ns, rel=1e-4)
    assert load.busy < 1e-9
    assert link_load(ZHYPERLINK, 0.0).latency_ns == ZHYPERLINK.unloaded_ns


@given(RATES, st.floats(1.01, 3))
def test_more_reads_find_the_link_busy_more_often_and_take_longer(rate: float, more: float) -> None:
    light, heavy = link_load(ZHYPERLINK, rate), link_load(ZHYPERLINK, rate * more)
    assert heavy.busy > light.busy or heavy.busy < 1e-12
    assert heavy.latency_ns >= light.latency_ns * (1 - 1e-12)
    carried = [each * (1 - load.busy) for each, load in ((rate, light), (more * rate, heavy))]
    assert carried[0] <= carried[1] <= 1e9 / ZHYPERLINK.turn_ns


@given(RATES)
def test_without_a_shared_turn_it_is_erlangs_loss_system(rate: float) -> None:
    plain = replace(ZHYPERLINK, turn_ns=0, fixed_ns=26_000)
    erlangs = rate * 26e-6
    lost = 1.0
    for slots in range(1, plain.slots + 1):
        lost = erlangs * lost / (slots + erlangs * lost)
    load = link_load(plain, rate)
    assert load.busy == pytest.approx(lost)
    assert load.latency_ns == pytest.approx(26_000)


def test_the_limit_is_that_of_a_link_that_is_always_full() -> None:
    most = link_limit_per_s(ZHYPERLINK)
    assert most < 1e9 / ZHYPERLINK.turn_ns
    assert link_load(ZHYPERLINK, 1e9).busy == pytest.approx(1 - most / 1e9)


@given(RATES, st.integers(1, 16), SHARES, SHARES)
def test_every_request_has_one_outcome(
    rate: float, links: int, cache_hit: float, rejected: float
) -> None:
    found = synchronous_outcome(ZHYPERLINK, rate, links, cache_hit=cache_hit, rejected=rejected)
    shares = found.success, found.link_busy, found.rejected, found.cache_miss
    assert all(0 <= share <= 1 for share in shares)
    assert sum(shares) == pytest.approx(1)
    assert found.response_ns >= found.spin_ns


@given(RATES, st.integers(1, 15))
def test_one_more_link_never_makes_it_worse(rate: float, links: int) -> None:
    few, many = (synchronous_outcome(ZHYPERLINK, rate, count) for count in (links, links + 1))
    assert many.success >= few.success
    assert many.response_ns <= few.response_ns * (1 + 1e-12)


def test_what_fails_takes_the_time_of_its_channel() -> None:
    missed = synchronous_outcome(ZHYPERLINK, 1.0, cache_hit=0.0)
    assert missed.response_ns == pytest.approx(95_000 + ZHYPERLINK.unloaded_ns, rel=1e-3)


CONFIGURATION = """
[channel.42]
feature = "FICON Express16SA"
[channel.Z1]
feature = "zHyperLink Express"
[[io]]
name = "lookup"
channels = ["Z1", "42"]
protocol = "synchronous"
rate = 100000
cache_hit_percent = 90
[[io]]
name = "spin"
channels = ["Z1"]
protocol = "synchronous"
"""


def parsed(text: str = CONFIGURATION) -> IoConfiguration:
    return parse_io_configuration(text.encode(), "x")


def outcomes(text: str = CONFIGURATION) -> list[SynchronousOutcome]:
    return [each.outcome for each in synchronous_loads(parsed(text)) if each.outcome]


def left_of_first(text: str = CONFIGURATION) -> tuple[IoWorkload, float]:
    """What of the first workload goes over channels, and its I/Os a second."""
    first, *_ = synchronous_loads(parsed(text))
    left = turned_away(first, parsed(text))
    assert left is not None
    assert left.rate_per_s is not None
    return left, left.rate_per_s


def test_what_is_turned_away_is_what_did_not_succeed() -> None:
    (outcome,), (left, rate) = outcomes(), left_of_first()
    lookup, spin = synchronous_loads(parsed())
    assert [link.chpid for link in lookup.links] == ["Z1"]
    assert left.channels == ("42",)
    assert rate == pytest.approx(100_000 * (1 - outcome.success))
    misses = 100_000 * outcome.cache_miss + 0.1 * 100_000 * outcome.link_busy
    assert rate * (1 - left.cache_hit_percent / 100) == pytest.approx(misses)
    assert spin.outcome is None
    assert turned_away(spin, parsed()) is None
    plan = make_io_plan(parsed())
    (channel,) = plan.channels
    assert [each.demand.workload.name for each in channel.demands] == ["lookup (async)"]
    assert channel.io_per_s == pytest.approx(rate, rel=1e-3)


def test_workloads_on_one_link_find_it_as_busy_as_both_make_it() -> None:
    # each was estimated as if the other were not there
    (whole,) = outcomes()
    half = CONFIGURATION.replace("100000", "50000").replace('"spin"', '"spin"\nrate = 50000')
    first, second = outcomes(half.replace("cache_hit_percent = 90\n", ""))
    assert first.link_busy == pytest.approx(whole.link_busy)
    assert second.link_busy == pytest.approx(whole.link_busy)
    assert first.latency_ns == pytest.approx(whole.latency_ns)


def test_a_second_link_takes_half_of_what_names_both() -> None:
    two = CONFIGURATION.replace("[[io]]", '[channel.Z2]\nfeature = "zHyperLink Express"\n[[io]]', 1)
    (one,), (shared,) = outcomes(), outcomes(two.replace('["Z1", ', '["Z1", "Z2", '))
    assert shared.link_busy < one.link_busy / 4


def test_what_is_too_long_for_a_link_all_goes_over_a_channel() -> None:
    # 8192 bytes were said to succeed within 19 us
    text = CONFIGURATION.replace("rate", "block = 8192\nrate")
    (outcome,), (left, rate) = outcomes(text), left_of_first(text)
    assert (outcome.success, outcome.rejected) == (0, 1)
    assert rate == 100_000
    assert left.cache_hit_percent == pytest.approx(90)


def test_what_the_control_unit_rejects_goes_over_a_channel_and_is_counted() -> None:
    text = CONFIGURATION.replace("rate", "rejected_percent = 2\nrate")
    (plain,), (rejecting,), (left, rate) = outcomes(), outcomes(text), left_of_first(text)
    assert plain.rejected == 0
    assert rejecting.rejected == pytest.approx(0.02 * (1 - rejecting.link_busy))
    assert rejecting.link_busy == plain.link_busy
    assert rejecting.success == pytest.approx(0.98 * plain.success)
    assert rate == pytest.approx(100_000 * (1 - rejecting.success))
    # one I/O in ten misses the cache, however many of them are rejected
    missed = rate * (1 - left.cache_hit_percent / 100)
    tried = 1 - rejecting.link_busy - rejecting.rejected
    assert missed == pytest.approx(10_000 * (tried + rejecting.link_busy + rejecting.rejected))
    run = io_activity(parsed(text), seconds=0.05)
    assert run.synchronous[0].rejected_percent == 100 * rejecting.rejected
    assert run.workloads[0].io_per_s == pytest.approx(rate, rel=0.1)


def test_the_busy_report_comes_out_of_a_configuration() -> None:
    # LCU 0071: 150,000 reads a second, .21 % rejected, 20.31 % busy, 79.47 % success
    text = CONFIGURATION.replace("cache_hit_percent = 90", "rejected_percent = 0.2635")
    (found,) = outcomes(text.replace("100000", "150000"))
    assert 100 * found.rejected == pytest.approx(0.21, abs=0.005)
    assert 100 * found.success == pytest.approx(79.47, abs=1)
