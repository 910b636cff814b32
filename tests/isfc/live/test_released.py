"""Buffers are released when what they were for ends: by reference count, with no collector."""

import asyncio
import gc
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from isfc.link.message import Message
from isfc.live.endpoint import UnixEndpoint
from isfc.live.frames import CARRIED_LENGTH_MAX
from isfc.live.memory import KEPT_LENGTH, KEPT_MAX
from isfc.live.session import Conversation
from isfc.testing.pair import Setup
from tests.isfc.live.tcp import carried
from tests.lengthy import few_in_every_run
from tests.live.nodes import open_pair
from tests.live.pair import LivePair, Run, pair_up
from tests.resealed import prefix
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

SMALL_LENGTH = 16_000
"""Bytes of objects that the collector finds later, for each that has ended: none is a buffer."""


class Memory:
    """What Python has allocated while the collector rested."""

    def __init__(self) -> None:
        self._before = tracemalloc.get_traced_memory()[0]

    def expect_released(self, count: int) -> None:
        """Hold against what ``count`` ends may leave besides the buffers that are kept."""
        left = tracemalloc.get_traced_memory()[0] - self._before
        assert left < KEPT_MAX * KEPT_LENGTH + count * SMALL_LENGTH, f"{left:,} bytes are left"


@pytest.fixture
def memory() -> Iterator[Memory]:
    gc.collect()
    gc.disable()
    tracemalloc.start()
    yield Memory()
    tracemalloc.stop()
    gc.enable()


GREETED_LENGTH = 3 * CARRIED_LENGTH_MAX
STRANGERS = {"silent": b"", "garbage": bytes(GREETED_LENGTH), "half a greeting": b"\0\x20ISFC"}


@pytest.mark.at_length
@pytest.mark.parametrize("kind", few_in_every_run(["half a greeting", "silent", "garbage"]))
async def test_1_000_strangers_leave_no_buffers(tmp_path: Path, memory: Memory, kind: str) -> None:
    async with pair_up(tmp_path, Setup(ctc_count=1)) as pair:
        assert isinstance(pair.endpoint, UnixEndpoint)
        for _ in range(1_000):
            _, writer = await asyncio.open_unix_connection(pair.endpoint.path)
            writer.write(STRANGERS[kind])
            writer.close()
        await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
        memory.expect_released(1_000)


@pytest.mark.at_length
@pytest.mark.parametrize("rounds", [25, pytest.param(125, marks=pytest.mark.exhaustive)])
async def test_connections_that_break_within_a_frame_leave_no_buffers(
    tmp_path: Path, memory: Memory, rounds: int
) -> None:
    ctc_count = 8
    half = prefix(500_000) + bytes(100_000)

    async with LivePair(tmp_path, Setup(ctc_count=ctc_count)) as pair:
        for _ in range(rounds):
            await pair.come_up()
            engine = pair.second.engine
            for connection in [*engine._connections.values()]:  # noqa: SLF001  # to break them
                connection.write(half)
            await asyncio.sleep(0.002)
            for rdev in list(engine._connections):  # noqa: SLF001
                engine.detach(rdev, "broken")
            await wait_until(lambda: not pair.first.engine.attached)
        assert pair.first.engine.counters.detached_count >= ctc_count * rounds
        memory.expect_released(ctc_count * rounds)


def test_restart_releases_everything_that_the_link_held(run_live: Run, tmp_path: Path) -> None:
    async def main() -> None:
        async with pair_up(tmp_path) as pair:
            gc.disable()
            for side in pair.sides:
                side.send(*[bytes(300_000)] * 20)
                await asyncio.sleep(0.005)  # in the midst of it
                engine = side.engine
                link = engine.end.link
                parts = [engine.system, engine.end, link, link.packager, link.conversations]
                parts += engine.end.ctcs.values()
                released = [weakref.ref(part) for part in parts]
                del link, parts
                engine.sever("of a test")
                await asyncio.sleep(0)
                assert [ref() for ref in released if ref() is not None] == []

    try:
        run_live(main())
    finally:
        gc.enable()


@pytest.mark.at_length
@pytest.mark.parametrize("count", [200, pytest.param(1_000, marks=pytest.mark.exhaustive)])
async def test_conversations_that_end_unread_leave_no_bytes(
    tmp_path: Path, memory: Memory, count: int
) -> None:
    length = 100_000
    accepted: list[Conversation] = []

    async def take_nothing(conversation: Conversation) -> None:
        conversation.accept()
        accepted.append(conversation)
        await conversation.wait_over()

    accepted.clear()
    async with open_pair(tmp_path) as (first, second):
        second.serve("SINK", take_nothing)
        for number in range(count):
            conversation = await first.connect("SINK")
            await conversation.send(bytes(length))
            await wait_until(lambda: accepted[-1].end.arrived_length == length)
            if number % 2:
                accepted[-1].sever()
            else:
                conversation.sever()
            await conversation.wait_over()
            accepted.clear()
        memory.expect_released(count)


@pytest.mark.at_length
async def test_messages_that_wait_for_a_lost_one_go_when_the_partner_does_not_come_back(
    tmp_path: Path, memory: Memory
) -> None:
    length, count, reconnect_s = 250_000, 400, 0.3

    async with pair_up(tmp_path, options=({"reconnect_s": reconnect_s}, {})) as pair:
        first, second = pair.sides
        numbering = second.engine.end.link.conversations._segmenter  # noqa: SLF001
        numbering.number(Message(1, 1))  # and this one is never sent
        for _ in range(count):
            second.send(bytes(length))
            await asyncio.sleep(0)
        await wait_until(lambda: second.guest.sent_count == count)
        assert first.received() == []
        held = tracemalloc.get_traced_memory()[0]
        assert held > count * length
        second.guest.events.clear()
        second.told.clear()
        await second.close()
        await wait_until(lambda: first.engine.counters.severed_count == 1)
        memory.expect_released(count)


@pytest.mark.at_length
@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.exhaustive)])
async def test_forwarded_connections_that_are_reset_unread_leave_no_bytes(
    tmp_path: Path, memory: Memory, count: int
) -> None:
    length = 2**20

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes(length))
        await reader.read()
        writer.transport.abort()

    async with carried(tmp_path, pour) as (first, second, listen_port, listening, _):
        for number in range(count):
            _, writer = await asyncio.open_connection("127.0.0.1", listen_port, limit=1)
            await wait_until(lambda: listening.connection_count > number)  # noqa: B023
            await asyncio.sleep(0.005)
            writer.transport.abort()
        await wait_until(lambda: not first.exchange().board.conversations)
        await wait_until(lambda: not second.exchange().board.conversations)
        memory.expect_released(2 * count)
