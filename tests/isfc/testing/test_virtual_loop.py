"""A loop whose clock jumps."""

import asyncio

import pytest

from isfc.testing.virtual_programs import Stuck, VirtualLoop


def test_timers_go_off_in_their_order_and_at_their_time() -> None:
    loop = VirtualLoop()
    seen: list[tuple[str, int]] = []

    async def sleep(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, loop.now_ns))

    async def main() -> None:
        await asyncio.gather(sleep("late", 86_400), sleep("soon", 0.000_001), sleep("now", 0))

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())
    assert [name for name, _ in seen] == ["now", "soon", "late"]
    assert seen[0][1] == 0
    assert seen[1][1] == pytest.approx(1_000, abs=1)
    assert seen[2][1] == pytest.approx(86_400_000_000_000, abs=1_000)


def test_timeouts_work() -> None:
    async def main() -> None:
        async with asyncio.timeout(5):
            await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner, pytest.raises(TimeoutError):
        runner.run(main())


def test_deadlock_is_no_wait() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner, pytest.raises(Stuck):
        runner.run(main())
