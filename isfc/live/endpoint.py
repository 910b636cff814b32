"""Where a node listens or connects: ``unix:PATH`` or ``HOST:PORT``, and sockets that listen."""

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.live.connection import reason_of
from isfc.live.control_socket import PATH_LENGTH_MAX, listen_at

PORT_MAX: Final = 65_535
_HOST_AND_PORT: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+)):(\d{1,5})")


@dataclass(frozen=True, slots=True)
class UnixEndpoint:
    """A Unix socket on this machine."""

    path: str

    def __str__(self) -> str:
        return f"unix:{self.path}"


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    """A TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def private(self) -> bool:
        """Whether nobody outside this machine can reach it: a loopback address, or localhost."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


Endpoint = UnixEndpoint | TcpEndpoint


def parse_endpoint(text: str) -> Endpoint:
    """An endpoint from ``unix:PATH``, ``HOST:PORT`` or ``[IPv6]:PORT``.

    Raises `ConfigurationError` for anything else.
    """
    kind, _, path = text.partition(":")
    if kind == "unix" and path:
        length = len(path.encode(errors="surrogateescape"))
        if length > PATH_LENGTH_MAX:
            raise ConfigurationError(
                f"{text}: a path of {length} bytes; a socket's has at most {PATH_LENGTH_MAX}"
            )
        return UnixEndpoint(path)
    match = _HOST_AND_PORT.fullmatch(text)
    if match is None or int(match[3]) > PORT_MAX:
        raise ConfigurationError(
            f"{text[:80]!r} is no address: expected unix:PATH, HOST:PORT or [IPv6]:PORT"
        )
    return TcpEndpoint(check_host(match[1] or match[2]), int(match[3]))


def check_host(host: str) -> str:
    """Return ``host``; raise `ConfigurationError` for what no resolver could look up."""
    try:
        host.encode("idna")
    except UnicodeError:
        raise ConfigurationError(
            f"{host[:80]!r} is no host: expected an address, or a name of parts of 1 to 63 "
            "characters"
        ) from None
    return host


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
