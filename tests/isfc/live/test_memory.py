"""What a process of its own does with memory that it has had: keep it, and give it back."""

import subprocess
import sys
from pathlib import Path

import pytest

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

OPENED = """
import asyncio
import sys
import tempfile
from isfc import open_node
from isfc.live import session

kept = []
session.keep_freed = lambda: kept.append(True)

async def main():
    address = f"unix:{tempfile.mkdtemp()}/link"
    options = {} if sys.argv[1] == "True" else {"keep_memory": False}
    async with open_node("atlanta-boston", "ATLANTA", listen=address, **options):
        print(len(kept))

asyncio.run(main())
"""

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
        ends = second.board.conversations
        while any(each.arrived_length < each.target_length for each in ends.values()):
            await asyncio.sleep(0.01)
        full = resident_mb()
        held.clear()
        second.engine.sever("of a test")
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


def test_open_node_keeps_memory_unless_it_is_told_not_to() -> None:
    assert figures(OPENED, "True") == [1.0]
    assert figures(OPENED, "False") == [0.0]


def test_memory_that_conversations_held_is_given_back_when_the_link_restarts(
    tmp_path: Path,
) -> None:
    full_mb, left_mb = figures(SEVERED, str(tmp_path))
    assert full_mb > 50  # what is sent is not copied
    assert left_mb < 45  # buffers that are kept for what is read, 24 at most, and the heap's pad
