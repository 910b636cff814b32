"""The sockets on which a node waits for its partner's connections."""

import asyncio
import socket
from pathlib import Path

from isfc.live.connection import reason_of
from isfc.live.control_socket import listen_at
from isfc.live.endpoint import Endpoint, UnixEndpoint


async def listening_sockets(
    endpoint: Endpoint, backlog: int, option: str = "--listen"
) -> list[socket.socket]:
    """Sockets that listen at ``endpoint``: one for each address that its host has.

    A Unix socket is for its owner only; one left by a dead node is replaced. Raises
    `ConfigurationError` for a path that cannot be used, and `OSError` for a port, both in words;
    that of a port names the ``option``.
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
        raise OSError(error.errno, reason_of(error), f"{option} {endpoint}") from None
    return listeners


async def _addresses(host: str, port: int) -> list[tuple[int, tuple[str, int]]]:
    """Family and address of each, in the resolver's order."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((int(each[0]), (str(each[4][0]), port)) for each in found))
