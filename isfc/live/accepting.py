"""Accepting connections on a socket that listens, and asking a TCP service for one.

It goes on for as long as there are file descriptors or not.

A loop's own server does badly without them: asyncio's tries again a hundred times in one turn, each
with a timer of its own and a traceback, and has time for little else; uvloop's closes connections
that could have waited. TLS comes after that: a server of asyncio's own tells nobody of a handshake
that fails, and lets any number of them go on, each with a large buffer. Here whoever comes is
counted immediately, and what fails is said.

A `Service` is reached by its address or by a name that is looked up. Connections are asked for in
the order in which they came. A name server that says nothing delays the connections to its own
service only: each service looks its name up in a thread of its own. (A loop has few threads for
that, which all lookups of the process share.)
"""

import asyncio
import errno
import ipaddress
import os
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine
from concurrent.futures import Future
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


CONNECT_S: Final = 10.0
"""How long the service may take to accept a connection, its lookup included, in seconds."""

_Found = list[tuple[int, tuple[Any, ...]]]
"""Families and addresses, in the resolver's order."""


class Service:
    """Where one forward ends: a host, by address or by name, and a port."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._turn = asyncio.Lock()  # first come, first served
        self._lookup: asyncio.Future[_Found] | None = None
        """A lookup that is under way: at most one, however many wait."""

    async def connect(self, prepare: Callable[[socket.socket], None]) -> socket.socket:
        """A connection to it, which ``prepare`` has seen first.

        A name's addresses are tried for one connection after the other: how long that takes
        differs. Raises `OSError`, a `TimeoutError` after `CONNECT_S`.
        """
        async with asyncio.timeout(CONNECT_S):
            try:
                ipaddress.ip_address(self._host)
            except ValueError:
                found = await self._look_up()
            else:
                literal = socket.AF_INET6 if ":" in self._host else socket.AF_INET
                return await _connect(literal, (self._host, self._port), prepare)
            failure = OSError("no address")
            async with self._turn:
                for family, address in found:
                    try:
                        return await _connect(family, (str(address[0]), self._port), prepare)
                    except OSError as error:
                        failure = error
            raise failure

    async def _look_up(self) -> _Found:
        """The addresses of its name, of one lookup for all who ask while it is under way.

        They have them in the order in which they asked, and before whoever asks later.
        """
        if self._lookup is None or self._lookup.done():
            self._lookup = _look_up_in_thread(self._host, self._port)
        return await asyncio.shield(self._lookup)


def _look_up_in_thread(host: str, port: int) -> "asyncio.Future[_Found]":
    """Addresses of a name, from a thread that nobody has to wait for when the process ends."""
    found = Future[_Found]()
    found.set_running_or_notify_cancel()  # nobody can cancel it from now on

    def run() -> None:
        try:
            each = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.set_result([(int(family), address) for family, *_, address in each])
        except OSError as error:
            found.set_exception(error)

    threading.Thread(target=run, name=f"look up {host}", daemon=True).start()
    lookup = asyncio.wrap_future(found)
    lookup.add_done_callback(lambda done: done.cancelled() or done.exception())
    return lookup


async def _connect(
    family: int, address: tuple[str, int], prepare: Callable[[socket.socket], None]
) -> socket.socket:
    """A connection to one address; it is asked for before this waits for anything.

    (A loop's own `sock_connect` may look even literal addresses up in threads.)
    """
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        prepare(connection)
        error = connection.connect_ex(address)
        if error == errno.EINPROGRESS:
            loop = asyncio.get_running_loop()
            await until_ready(connection, loop.add_writer, loop.remove_writer)
            error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise OSError(error, os.strerror(error))
    except BaseException:
        connection.close()
        raise
    return connection
