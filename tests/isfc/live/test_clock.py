"""A live node's clock."""

import asyncio
import time
from pathlib import Path

import pytest

from isfc.live.pace import Clock
from tests.live.pair import pair_up
from tests.waiting import wait_until


def test_model_time_passes_slower_by_the_dilation() -> None:
    real_ns = [7_000]
    clock = Clock(10, lambda: real_ns[0])
    assert clock.now_ns() == 0
    real_ns[0] += 2_500
    assert clock.now_ns() == 250


def test_a_deadline_is_that_much_further_away() -> None:
    real_ns = [7_000]
    clock = Clock(10, lambda: real_ns[0])
    assert clock.delay_s(100_000_000) == pytest.approx(1.0)
    real_ns[0] += 2_000_000_000
    assert clock.delay_s(100_000_000) == pytest.approx(-1.0)


def test_it_does_not_run_backwards() -> None:
    clock = Clock()
    times = [clock.now_ns() for _ in range(1000)]
    assert times == sorted(times)


def test_real_time_is_not_hurried() -> None:
    with pytest.raises(AssertionError, match="hurried"):
        Clock(0)


async def test_steps_of_the_machines_clock_are_not_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps_s = iter(range(0, 10**9, 1_000_003))
    monkeypatch.setattr(time, "time", lambda: next(steps_s) * (-1) ** next(steps_s))
    monkeypatch.setattr(time, "time_ns", lambda: next(steps_s) * 10**9)

    async with pair_up(tmp_path) as pair:
        for number in range(100):
            pair.first.send(b"%d" % number)
            await asyncio.sleep(0)
        await wait_until(lambda: len(pair.second.received()) == 100)
        assert pair.second.received() == [b"%d" % number for number in range(100)]
        assert pair.first.engine.counters.severed_count == 0
        assert pair.first.engine.counters.detached_count == 0
