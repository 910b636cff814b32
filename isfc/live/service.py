"""The TCP service that a forward connects to, by its address or by a name that is looked up.

Connections are asked for in the order in which they came. A name server that says nothing delays
the connections to its own service only: each service looks its name up in a thread of its own.
(A loop has few threads for that, which all lookups of the process share.)
"""

import asyncio
import errno
import ipaddress
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from isfc.live.accepting import until_ready

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
