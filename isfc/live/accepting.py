"""Accepting connections on a socket that listens, for as long as there are file descriptors or not.

A loop's own server does badly without them: asyncio's tries again a hundred times in one turn, each
with a timer of its own and a traceback, and has time for little else; uvloop's closes connections
that could have waited.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Never

PAUSE_S: Final = 0.1
"""After an accept failed, for want of file descriptors for one, in seconds."""

Take = Callable[[socket.socket, object], Awaitable[None]]
"""Takes a connection, which does not block, and the address of who has opened it."""

Admit = Callable[[socket.socket, object], bool]
"""Whether a connection is taken at all; it is closed if not."""


def anybody(_accepted: socket.socket, _peer: object) -> bool:
    """Every connection is taken."""
    return True


class Acceptor:
    """Accepts on ``listener`` until `close`; ``make`` makes a protocol for each connection."""

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], asyncio.BaseProtocol],
        admit: Admit = anybody,
    ) -> None:
        self._listener = listener
        self._make = make
        self._tasks: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(accept_all(listener, self._take, admit))

    async def close(self) -> None:
        """Accept nobody any more. What was accepted goes on."""
        self._accepting.cancel()
        await asyncio.gather(self._accepting, *self._tasks, return_exceptions=True)
        self._listener.close()

    async def _take(self, accepted: socket.socket, peer: object) -> None:
        # a task of its own, which is not cancelled: that would end what was accepted
        spawn(self._connect(accepted), self._tasks)
        await asyncio.sleep(0)

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._make, accepted)
        except OSError:  # who came is gone
            accepted.close()


def spawn(work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]) -> asyncio.Task[None]:
    """Begin ``work``, one of ``tasks`` until it is done."""
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def accept_all(listener: socket.socket, take: Take, admit: Admit) -> Never:
    """Let ``take`` have everybody who connects and is admitted, one after the other."""
    while True:
        try:
            accepted, peer = await accept(listener)
        except OSError:
            await asyncio.sleep(PAUSE_S)
        else:
            if admit(accepted, peer):
                await take(accepted, peer)
            else:
                accepted.close()
                await asyncio.sleep(0)


async def accept(listener: socket.socket) -> tuple[socket.socket, object]:
    """Wait for one who connects: the socket, which does not block, and the address.

    Unlike the loop's own ``sock_accept``, it loses nobody when it is cancelled: that one may have
    accepted already then, and the socket stays open with nobody to close it. Raises `OSError`.
    """
    while True:
        try:
            accepted, peer = listener.accept()
        except BlockingIOError:
            await _until_readable(listener)
        else:
            accepted.setblocking(False)
            return accepted, peer


async def _until_readable(listener: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    readable = loop.create_future()

    def note() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(listener, note)
    try:
        await readable
    finally:
        loop.remove_reader(listener)
