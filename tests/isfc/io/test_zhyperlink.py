"""zHyperLink: a loss system, and what becomes of the reads that it loses."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.io.zhyperlink import ZHYPERLINK, link_limit_per_s, link_load, synchronous_outcome

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
