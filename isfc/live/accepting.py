"""Accepting connections on a socket that listens, for as long as there are file descriptors or not.

A loop's own server does badly without them: asyncio's tries again a hundred times in one turn, each
with a timer of its own and a traceback, and has time for little else; uvloop's closes connections
that could have waited. TLS comes after that: a server of asyncio's own tells nobody of a handshake
that fails, and lets any number of them go on, each with a large buffer. Here whoever comes is
counted immediately, and what fails is said.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Final, Never, Protocol

from isfc.live.connection import Connection, reason_of

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


async def first_done(work: Collection[asyncio.Task[Any]]) -> set[asyncio.Task[Any]]:
    """Wait until one is done, end the others, and raise what went wrong in those that are done."""
    try:
        done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
    for task in done:
        task.result()
    return done


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
            loop = asyncio.get_running_loop()
            await until_ready(listener, loop.add_reader, loop.remove_reader)
        else:
            accepted.setblocking(False)
            return accepted, peer


async def until_ready(
    waited: socket.socket, add: Callable[..., None], remove: Callable[[socket.socket], object]
) -> None:
    """Wait until a socket can be read or written, as the loop's functions say that are given."""
    ready = asyncio.Event()
    add(waited, ready.set)
    try:
        await ready.wait()
    finally:
        remove(waited)


Tls = ssl.SSLContext | Callable[[], ssl.SSLContext]
"""A context, or what gives the present one: certificates are renewed while a node runs."""


def tls_now(tls: Tls | None) -> ssl.SSLContext | None:
    """The context for the next connection."""
    return tls if tls is None or isinstance(tls, ssl.SSLContext) else tls()


class Guard(Protocol):
    """Who decides about one that comes."""

    def come(self, peer: object, end: Callable[[], object]) -> None:
        """A connection was accepted; ``end`` ends its handshake."""

    def fail(self, reason: str | None) -> None:
        """The handshake has failed: ``reason``, None if this end ended it. Nothing follows."""


class TlsServer:
    """Accepts on ``listener`` until `close`; ``make`` makes a guard and a connection for each."""

    def __init__(
        self,
        listener: socket.socket,
        context: Callable[[], ssl.SSLContext | None],
        make: Callable[[], tuple[Guard, Connection]],
        admit: Admit = anybody,
    ) -> None:
        self._listener = listener
        self._context = context
        self._make = make
        self._tasks: set[asyncio.Task[None]] = set()
        self._accepting = spawn(accept_all(listener, self._take, admit), self._tasks)

    async def close(self) -> None:
        """Accept nobody any more, and give up the handshakes that are under way."""
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        # every handshake has begun by now: a task that is cancelled before it begins closes nothing
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._listener.close()

    async def _take(self, accepted: socket.socket, peer: object) -> None:
        guard, connection = self._make()
        task = spawn(self._secure(accepted, guard, connection), self._tasks)
        guard.come(peer, partial(_send_away, accepted, task))
        await asyncio.sleep(0)  # until the handshake has begun

    async def _secure(self, accepted: socket.socket, guard: Guard, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(lambda: connection, accepted, ssl=self._context())
        except (OSError, EOFError) as error:
            guard.fail(f"TLS: {reason_of(error)}")
        except asyncio.CancelledError:
            guard.fail(None)
            raise


def _send_away(accepted: socket.socket, task: "asyncio.Task[None]") -> None:
    """End a handshake. One that is about to begin would go on alone if it could still read."""
    task.cancel()
    with suppress(OSError):  # it may be gone
        accepted.shutdown(socket.SHUT_RDWR)


def certificate_names(certificate: dict[str, Any]) -> set[str]:
    """The names a certificate is for, as `ssl` gives it: its common name and its DNS names."""
    subject = {pair for part in certificate.get("subject", ()) for pair in part}
    names = [name for key, name in subject if key == "commonName"]
    names += [name for key, name in certificate.get("subjectAltName", ()) if key == "DNS"]
    return {name.upper() for name in names}
