"""Clients who ask without end leave the loop to others: to the link, and to an operator."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path

from isfc.live.control import LIMITS, REST_SHARE, ControlServer, Reply
from tests.live.pair import Run, run_live
from tests.waiting import wait_until

__all__ = ["run_live"]

ANSWER_S = 0.004
REQUESTS = b'{"echo": 1}\n' * 400


class Answering:
    """Takes `ANSWER_S` of the loop for each answer, and notes when each began and ended."""

    def __init__(self) -> None:
        self.times_s: list[tuple[float, float]] = []

    @property
    def count(self) -> int:
        return len(self.times_s)

    def handle(self, _kind: str, _operand: object) -> Reply:
        """An answer."""
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < ANSWER_S:
            pass
        self.times_s.append((begin_s, time.monotonic()))
        return {}


def test_an_operator_has_a_turn_and_the_link_has_most_of_the_loop(
    run_live: Run, tmp_path: Path
) -> None:
    async def main() -> None:
        answering = Answering()
        server = ControlServer(tmp_path / "A.control", answering.handle)
        await server.start()
        connect = asyncio.open_unix_connection
        clients = [await connect(str(server.path)) for _ in range(LIMITS.client_count_max)]
        for _, writer in clients[:-1]:
            writer.write(REQUESTS)
        await asyncio.sleep(0.2)
        reader, writer = clients[-1]
        for _ in range(3):
            before = answering.count
            writer.write(b'{"echo": 1}\n')
            assert await reader.readline() == b'{"reply": {}}\n'
            assert answering.count - before <= 2 * len(clients)
        before = answering.count
        await wait_until(lambda: answering.count > before + 20)
        # between one answer and the next, however long the machine made it take
        for (begin_s, end_s), (next_s, _) in pairwise(answering.times_s):
            assert next_s - end_s > 0.9 * REST_SHARE * (end_s - begin_s)
        for _, writer in clients:
            writer.close()
        await server.close()

    run_live(main())


def test_requests_that_wait_for_their_turn_take_no_more_memory(
    run_live: Run, tmp_path: Path
) -> None:
    async def main() -> None:
        server = ControlServer(tmp_path / "A.control", Answering().handle)
        await server.start()
        _, writer = await asyncio.open_unix_connection(str(server.path))
        writer.write(REQUESTS * 10_000)
        await asyncio.sleep(0.2)
        unsent_length = writer.transport.get_write_buffer_size()
        assert unsent_length > len(REQUESTS) * 10_000 - 2 * 2**20  # the socket's and the client's
        writer.transport.abort()
        await server.close()

    run_live(main())
