"""The fibres between two live nodes, in the supervisor's hands: cut, late, or carrying nothing.

The node that connects comes here, and each of its connections is carried on to the other node. All
bytes arrive as they were sent and in their order, for as long as the connection lasts.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from pathlib import Path
from random import Random
from typing import Final

_PIECE_LENGTH: Final = 1_000_000
"""Bytes that are carried together: so many of one direction may be late."""


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
        self._cables: dict[StreamWriter, StreamWriter] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "FibreProxy":
        self._server = await asyncio.start_unix_server(self._come, self._here, limit=_PIECE_LENGTH)
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
            for writer in (near, self._cables.pop(near)):
                writer.transport.abort()

    async def _come(self, from_near: StreamReader, to_near: StreamWriter) -> None:
        """Carry one connection both ways, until either side or `cut` ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        writers = [to_near]
        try:
            if not self.dark:
                from_far, to_far = await asyncio.open_unix_connection(
                    self._there, limit=_PIECE_LENGTH
                )
                writers.append(to_far)
                self._cables[to_near] = to_far
                async with asyncio.TaskGroup() as ways:
                    ways.create_task(self._carry(from_near, to_far))
                    ways.create_task(self._carry(from_far, to_near))
        except* OSError:
            pass  # nobody listens there, or it is over
        finally:
            self._cables.pop(to_near, None)
            for writer in writers:
                writer.transport.abort()

    async def _carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carry what comes, as late as it is to be; raise an error at the end."""
        while data := await reader.read(_PIECE_LENGTH):
            await asyncio.sleep(self.delay_s * (1 + self._random.random()))
            await self.flowing.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError("over: neither way goes on")
