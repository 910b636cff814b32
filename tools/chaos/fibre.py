"""The fibres between two live nodes, in the supervisor's hands: cut, late, or carrying nothing.

The node that connects comes here, and each of its connections is carried on to the other node. All
bytes arrive as they were sent and in their order, for as long as the connection lasts.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

_PIECE_LENGTH: Final = 65_536
_PIECES_MAX: Final = 32
"""Pieces of one direction that may be on their way: beyond that a sender waits, as with TCP."""


class FibreProxy:
    """Carries connections from one Unix socket to another."""

    def __init__(self, here: Path, there: Path, random: Random) -> None:
        self.delay_s = 0.0
        """How late every byte is, and up to as much more."""
        self.dark = False
        """Whether no new connection is carried."""
        self._here, self._there = here, there
        self._random = random
        self.flowing = asyncio.Event()
        """Not set: nothing is carried, and nothing cut."""
        self.flowing.set()
        self._cables: dict[asyncio.StreamWriter, asyncio.StreamWriter] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "FibreProxy":
        self._server = await asyncio.start_unix_server(self._come, self._here)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut(len(self._cables))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def count(self) -> int:
        """Connections that are carried."""
        return len(self._cables)

    def cut(self, count: int) -> None:
        """Cut so many connections, at random; what is on its way is gone."""
        for near in self._random.sample(list(self._cables), min(count, len(self._cables))):
            far = self._cables.pop(near)
            for writer in (near, far):
                writer.transport.abort()

    async def _come(self, from_near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        """Carry one connection, until either side or `cut` ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            if not self.dark:
                with suppress(OSError):
                    from_far, to_far = await asyncio.open_unix_connection(self._there)
                    self._cables[to_near] = to_far
                    await self._carry_both((from_near, to_far), (from_far, to_near))
        finally:
            to_near.transport.abort()
            far = self._cables.pop(to_near, None)
            if far is not None:
                far.transport.abort()

    async def _carry_both(self, *ways: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        """Carry until one direction has ended; then neither goes on."""
        queues = [asyncio.Queue[tuple[float, bytes]](_PIECES_MAX) for _ in ways]
        taking = [
            asyncio.create_task(self._take(reader, pieces))
            for (reader, _), pieces in zip(ways, queues, strict=True)
        ]
        giving = [
            asyncio.create_task(self._give(pieces, writer))
            for (_, writer), pieces in zip(ways, queues, strict=True)
        ]
        try:
            await asyncio.wait(giving, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*taking, *giving):
                task.cancel()
            await asyncio.gather(*taking, *giving, return_exceptions=True)

    async def _take(
        self, reader: asyncio.StreamReader, pieces: asyncio.Queue[tuple[float, bytes]]
    ) -> None:
        """Read until the end, each piece with the time when it is to go on; then no bytes."""
        clock = asyncio.get_running_loop().time
        data = b"some"
        while data:
            try:
                data = await reader.read(_PIECE_LENGTH)
            except OSError:
                data = b""
            late_s = self.delay_s and self.delay_s * (1 + self._random.random())
            await pieces.put((clock() + late_s, data))

    async def _give(
        self, pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        """Write each piece at its time, until the end."""
        clock = asyncio.get_running_loop().time
        while True:
            due_s, data = await pieces.get()
            if due_s > clock():
                await asyncio.sleep(due_s - clock())
            await self.flowing.wait()
            if not data:
                return
            writer.write(data)
            await writer.drain()
