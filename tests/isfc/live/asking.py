"""Asking a node: from the loop that it runs in, or from another thread."""

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self

from isfc.live.control import ANSWER_LENGTH_MAX, ControlServer, Handle, decode_answer, read_reply
from tests.live.pair import LOOPS
from tests.waiting import PATIENCE_S


async def ask(path: Path, kind: str, operand: object = True) -> dict[str, object]:
    """The reply of the node whose control is at ``path``, as `isfc.live.control.ControlClient`."""
    reader, writer = await asyncio.open_unix_connection(str(path), limit=ANSWER_LENGTH_MAX)
    writer.write(json.dumps({kind: operand}).encode() + b"\n")
    line = await reader.readline()
    writer.close()
    return read_reply(decode_answer(line))


class Answering:
    """A control server on a loop of its own thread, for the time of a block."""

    def __init__(self, path: Path, handle: Handle, kind: str = "asyncio") -> None:
        self._loop = LOOPS[kind]()
        self.server = ControlServer(path, handle)

    def __enter__(self) -> Self:
        self._loop.run_until_complete(self.server.start())
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        self._loop.close()

    def announce(self, line: str) -> None:
        """Send a line to all who listen."""
        self._run(self._announce(line))

    def cut(self) -> None:
        """Close every connection."""
        for client in tuple(self.server.clients):
            self._loop.call_soon_threadsafe(client.abort)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _announce(self, line: str) -> None:
        self.server.announce(line)

    async def _end(self) -> None:
        await asyncio.sleep(0.01)  # let in who has just connected, so that it is closed too
        await self.server.close()
