"""What channels share: how much gets through below a ceiling; SAP threads and their contention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.io.machine import (
    FANOUT,
    MODELS,
    PROFILES,
    Z15,
    Ceiling,
    DataRates,
    iop_busy,
    iop_threads,
    sap_busy,
    sap_io_per_s,
)

MB_PER_S = st.floats(0, 1e5)
SAPS = st.integers(1, 30)
SHARES = st.floats(0.01, 1.0)
RATES = st.floats(0, 1e6)


@given(MB_PER_S, MB_PER_S)
def test_no_more_gets_through_than_a_ceiling_and_all_where_there_is_room(
    read: float, write: float
) -> None:
    wanted = DataRates(read, write)
    reads, writes = FANOUT.slowness(wanted)
    assert FANOUT.use(DataRates(read / reads, write / writes)) <= 1 + 1e-12
    assert (max(reads, writes) > 1) == (FANOUT.use(wanted) > 1)


def test_a_full_direction_is_slowed_by_itself_and_then_both_alike() -> None:
    level = Ceiling("level", one_way_mb_per_s=100, mb_per_s=150)
    assert level.slowness(DataRates(200, 20)) == (2, 1)
    assert level.slowness(DataRates(100, 100)) == (200 / 150, 200 / 150)
    assert level.slowness(DataRates(70, 50)) == (1, 1)


@given(SAPS, SHARES)
def test_a_rate_keeps_the_threads_as_busy_as_it_was_made_for(saps: int, busy: float) -> None:
    threads = iop_threads(saps)
    rate = sap_io_per_s(Z15, threads, busy)
    assert sap_busy(Z15, threads, rate, rate) == pytest.approx(busy)


@given(SAPS, RATES, st.floats(1.01, 2.0))
def test_more_work_makes_the_threads_busier_and_more_than_in_proportion(
    saps: int, rate: float, more: float
) -> None:
    threads = iop_threads(saps)
    before, after = sap_busy(Z15, threads, rate, rate), sap_busy(Z15, threads, more * rate, rate)
    assert before <= after
    twice = sap_busy(Z15, threads, 2 * rate, 2 * rate)
    assert twice >= 2 * before or twice == pytest.approx(2 * before)


@given(SAPS, SHARES)
def test_more_saps_do_more_but_each_does_less(saps: int, busy: float) -> None:
    few, many = iop_threads(saps), iop_threads(saps + 1)
    here, there = (sap_io_per_s(Z15, threads, busy) for threads in (few, many))
    assert there > here
    assert there / many < here / few


@given(st.integers(2, 30), SHARES)
def test_a_second_thread_is_worth_something_and_less_than_the_first(saps: int, busy: float) -> None:
    both, first = (sap_io_per_s(Z15, threads, busy) for threads in (iop_threads(saps), saps))
    assert 0 < both - first < first * (saps - 1) / saps  # one SAP has no second thread


def test_a_single_sap_has_one_thread_and_work_that_never_ends_is_infinitely_busy() -> None:
    assert iop_threads(1) == 1
    assert sap_busy(Z15, 43, 1e9, 1e9) == float("inf")


def test_the_iops_of_a_system_do_all_of_its_work() -> None:
    starts, interrupts = [900.0] * 3, [0.0, 2000.0, 700.0]
    each = [iop_busy(Z15, *work, 0.0) for work in zip(starts, interrupts, strict=True)]
    assert sum(each) == pytest.approx(iop_busy(Z15, sum(starts), sum(interrupts), 0.0))


def test_every_model_is_of_a_machine_that_is_known() -> None:
    assert {model.machine for model in MODELS.values()} == set(PROFILES)
