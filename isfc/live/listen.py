"""The sockets on which a node waits for its partner's connections."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

from isfc.live.connection import why
from isfc.live.control_socket import listen_at
from isfc.live.endpoint import Endpoint, UnixEndpoint


async def listening_sockets(endpoint: Endpoint, backlog: int) -> list[socket.socket]:
    """Sockets that listen at ``endpoint``: one for each address that its host has.

    A Unix socket is for its owner only; one left by a dead node is replaced. Raises
    `ConfigurationError` for a path that cannot be used, and `OSError` for a port, both in words.
    """
    if isinstance(endpoint, UnixEndpoint):
        taken = "somebody listens there already"
        return [listen_at(Path(endpoint.path), taken, backlog=backlog)]
    listeners: list[socket.socket] = []
    try:
        for family, address in await _addresses(endpoint.host, endpoint.port):
            listeners.append(socket.create_server(address, family=family, backlog=backlog))
            listeners[-1].setblocking(False)
    except OSError as error:
        for listener in listeners:
            listener.close()
        raise OSError(error.errno, why(error), f"--listen {endpoint}") from None
    return listeners


async def serve(
    listener: socket.socket, make: Callable[[], asyncio.BaseProtocol]
) -> asyncio.Server:
    """Let ``make`` make a protocol for everybody who connects."""
    loop = asyncio.get_running_loop()
    if listener.family == socket.AF_UNIX:
        return await loop.create_unix_server(make, sock=listener)
    return await loop.create_server(make, sock=listener)


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


async def _addresses(host: str, port: int) -> list[tuple[int, tuple[str, int]]]:
    """Family and address of each, in the resolver's order."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((int(each[0]), (str(each[4][0]), port)) for each in found))
