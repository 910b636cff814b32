"""What a process of its own does with memory that it has had: keep it, and give it back."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isfc.live.memory import KEPT_LENGTH, KEPT_MAX, Buffers
from isfc.live.session import open_node
from tests.live.nodes import FIRST, LAYOUT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only glibc has what it takes")

RESIDENT = """
from pathlib import Path
from resource import getpagesize

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize() / 2**20
"""

FREED = (
    RESIDENT
    + """
from isfc.live.memory import give_back, keep_memory

keep_memory()
bare = resident_mb()
held = [bytes([1]) * 100_000 for _ in range(1_000)]
full = resident_mb()
del held
kept = resident_mb()
give_back()
print(full - bare, kept - bare, resident_mb() - bare)
"""
)

SEVERED = (
    RESIDENT
    + """
import asyncio
import sys
from isfc import ConversationLimits, open_node
from isfc.live.memory import keep_memory

LENGTH, COUNT = 8 * 2**20, 16
LIMITS = ConversationLimits(window_length=LENGTH, conversations_max=COUNT)

async def main():
    address = f"unix:{sys.argv[1]}/link"
    async with (
        open_node("atlanta-boston", "ATLANTA", listen=address, limits=LIMITS) as first,
        open_node("atlanta-boston", "BOSTON", connect=address, limits=LIMITS) as second,
    ):
        async def take_nothing(conversation):
            conversation.accept()
            await conversation.wait_over()

        second.serve("SINK", take_nothing)
        keep_memory()
        data = bytes([1]) * LENGTH
        bare = resident_mb()
        held = [await first.connect("SINK") for _ in range(COUNT)]
        sends = [asyncio.create_task(each.send(data)) for each in held]
        ends = second.exchange().board.conversations
        while any(each.arrived_length < each.target_length for each in ends.values()):
            await asyncio.sleep(0.01)
        full = resident_mb()
        held.clear()
        second.exchange().engine.sever("of a test")
        await asyncio.gather(*sends, return_exceptions=True)
        sends.clear()
        await asyncio.sleep(0.2)
        print(full - bare, resident_mb() - bare)

asyncio.run(main())
"""
)


def figures(script: str, *words: str) -> list[float]:
    """What a script in a fresh process prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


def test_freed_memory_is_kept_until_it_is_given_back() -> None:
    full_mb, kept_mb, left_mb = figures(FREED)
    assert full_mb > 90
    assert kept_mb > 90
    assert left_mb < 30  # the heap's pad is 16


async def test_open_node_keeps_memory_unless_it_is_told_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bool] = []
    monkeypatch.setattr("isfc.live.session.keep_freed", lambda: kept.append(True))
    cases: list[dict[str, Any]] = [{"keep_memory": False}, {}]
    for options in cases:
        address = f"unix:{tmp_path / 'link'}"
        async with open_node(LAYOUT, FIRST, listen=address, **options):
            assert kept == [True] * (not options)


def test_memory_that_conversations_held_is_given_back_when_the_link_restarts(
    tmp_path: Path,
) -> None:
    full_mb, left_mb = figures(SEVERED, str(tmp_path))
    assert full_mb > 50  # what is sent is not copied
    assert left_mb < 45  # buffers that are kept for what is read, 24 at most, and the heap's pad


def memory(view: memoryview) -> object:
    """The memory a view is of."""
    return view.obj


def test_a_buffer_is_used_again_when_its_last_view_is_gone() -> None:
    buffers = Buffers()
    view = buffers.take(100)
    part, first = view[10:20], memory(view)
    del view
    other = buffers.take(100)
    assert memory(other) is not first
    del part
    assert memory(buffers.take(200)) is first
    assert memory(other) is not first


def test_a_buffer_has_the_length_that_was_asked_for_every_time() -> None:
    buffers = Buffers()
    for length in (70_000, KEPT_LENGTH, 1, KEPT_LENGTH, KEPT_LENGTH + 1, 5):
        view = buffers.take(length)
        view[-1] = 1
        assert len(view) == length
        del view


def test_what_is_held_stays_as_it_was() -> None:
    buffers = Buffers()
    held = []
    for value in range(2 * KEPT_MAX):
        view = buffers.take(64)
        view[:] = bytes([value]) * 64
        held.append(view)
    assert [bytes(view) for view in held] == [bytes([v]) * 64 for v in range(2 * KEPT_MAX)]


def test_no_more_are_kept_than_allowed() -> None:
    buffers = Buffers()
    held = [buffers.take(64) for _ in range(KEPT_MAX + 3)]
    lengths = [len(bytes(view.obj)) for view in held]
    assert lengths == [KEPT_LENGTH] * KEPT_MAX + [64] * 3


def test_those_that_are_held_stay_when_the_free_ones_are_dropped() -> None:
    buffers = Buffers()
    held, free = buffers.take(64), buffers.take(64)
    first = memory(held)
    del free
    buffers.drop_free()
    del held
    assert memory(buffers.take(64)) is first
    buffers.drop_free()
    assert memory(buffers.take(64)) is not first


def test_a_longer_one_is_not_kept() -> None:
    buffers = Buffers()
    assert len(bytes(buffers.take(KEPT_LENGTH + 1).obj)) == KEPT_LENGTH + 1
    assert len(bytes(buffers.take(KEPT_LENGTH).obj)) == KEPT_LENGTH
