"""Where a node listens or connects: ``unix:PATH`` or ``HOST:PORT``, and what it forwards where.

Sockets that listen are made here. A Unix socket is made for its owner only, and found out if it is
left over.
"""

import asyncio
import ipaddress
import os
import re
import socket
import stat
import struct
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.live.connection import reason_of

PORT_MAX: Final = 65_535
_HOST_AND_PORT: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+)):(\d{1,5})")


class UnixEndpoint(Struct, frozen=True):
    """A Unix socket on this machine."""

    path: str

    def __str__(self) -> str:
        return f"unix:{self.path}"


class TcpEndpoint(Struct, frozen=True):
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


PATH_LENGTH_MAX: Final = 103 if sys.platform == "darwin" else 107
"""Bytes of a Unix socket's path: Linux has 108 for it and macOS 104, with a zero behind it."""
BACKLOG: Final = 16
CONNECT_S: Final = 5.0
"""A node that is too busy to accept for so long is treated as gone."""
_RETRY_S: Final = 0.02
_PEER: Final = struct.Struct("3i")  # struct ucred of Linux: pid, uid, gid
_PEER_OF_MACOS: Final = struct.Struct("=II68x")  # struct xucred: version, uid, groups
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # sys/un.h of macOS


_NODE_RUNS: Final = "a node of that name runs already"


def listen_at(path: Path, taken: str = _NODE_RUNS, *, backlog: int = BACKLOG) -> socket.socket:
    """A socket that listens at ``path``, which only its owner may use (0600).

    A socket left over by a process that has ended is replaced. Raises `ConfigurationError`
    when a process listens there, which ``taken`` says in words, or when the path cannot be used.
    """
    _check_length(path)
    with _locked(path.parent):
        if is_left_over(path, taken):
            path.unlink()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            path.chmod(0o600)  # before it listens: nobody can have connected
            listener.listen(backlog)
        except OSError as error:
            listener.close()
            raise ConfigurationError(f"{path}: cannot listen there: {error.strerror}") from None
    listener.setblocking(False)
    return listener


def inode_of(path: Path) -> int:
    """By which `take_away` knows a socket again, for as long as it is open."""
    return path.lstat().st_ino


def take_away(path: Path, inode: int) -> None:
    """Remove the socket of that inode at ``path``, unless another has taken its place."""
    with suppress(FileNotFoundError):
        if inode_of(path) == inode:
            path.unlink()


def connect_to(path: Path, timeout_s: float = CONNECT_S) -> socket.socket:
    """A connection to the process that listens at ``path``; `OSError` if there is none.

    That is a `TimeoutError` if it is there and too busy to accept.
    """
    _check_length(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout_s)
    end_s = time.monotonic() + timeout_s
    try:
        while True:
            try:
                connection.connect(str(path))
            except BlockingIOError:  # its queue is full, and Linux lets nobody wait for a place
                if time.monotonic() >= end_s:
                    raise TimeoutError("timed out") from None
                time.sleep(_RETRY_S)
            else:
                break
    except OSError:
        connection.close()
        raise
    return connection


def is_left_over(path: Path, taken: str = _NODE_RUNS) -> bool:
    """Whether ``path`` is a socket at which nobody listens; False if there is nothing.

    Raises `ConfigurationError` when somebody does, with the words ``taken``, and for anything but
    a socket.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(mode):
        raise ConfigurationError(f"{path}: is no socket; expected nothing there")
    try:
        connect_to(path).close()
    except ConnectionRefusedError:
        return True
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be reached: {error.strerror or error}") from None
    raise ConfigurationError(f"{path}: {taken}")


def connect_to_own(path: Path, timeout_s: float = CONNECT_S) -> socket.socket:
    """The same, to a process of this user's. Raises `ConfigurationError` for another's."""
    connection = connect_to(path, timeout_s)
    uid = peer_uid(connection)
    if uid != os.getuid():
        connection.close()
        raise ConfigurationError(f"{path}: user {uid} listens there; expected a node of your own")
    return connection


def peer_uid(connection: socket.socket) -> int:
    """The user id of the process at the other end, as the kernel noted it."""
    if sys.platform == "darwin":
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _PEER_OF_MACOS.size)
        return int(_PEER_OF_MACOS.unpack(data)[1])
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(data)[1])


def _check_length(path: Path) -> None:
    if len(os.fsencode(path)) > PATH_LENGTH_MAX:
        raise ConfigurationError(
            f"{path}: too long for a socket, whose path has at most {PATH_LENGTH_MAX} bytes; "
            "--run-dir, or XDG_RUNTIME_DIR for 'isfc up', says where control sockets are"
        )


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Be the only one that replaces sockets in a directory."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ConfigurationError(f"{directory}: cannot be used: {error.strerror}") from None
    import fcntl  # Windows has none; virtual programs import this module there as well

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


_PORT: Final = r"([0-9]{1,5})"
_HOST: Final = r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:=]+))"
_FORWARD: Final = re.compile(rf"([^:=]+):(?:{_HOST}:)?{_PORT}=([^:=]+):{_HOST}:{_PORT}")


class Forward(Struct, frozen=True):
    """One TCP port of ``node``, and the service that its partner connects it to."""

    node: NodeName
    listen_host: str
    listen_port: int
    partner: NodeName
    host: str
    port: int

    @property
    def service(self) -> str:
        """The name of the partner's service on the link."""
        return f"TCP{self.listen_port}"

    def __str__(self) -> str:
        here = TcpEndpoint(self.listen_host, self.listen_port)
        return f"{self.node}:{here}={self.partner}:{TcpEndpoint(self.host, self.port)}"


def parse_forwards(
    texts: Iterable[str], links: Collection[tuple[NodeName, NodeName]]
) -> tuple[Forward, ...]:
    """The forwards that ``NODE:[ADDRESS:]PORT=PARTNER:HOST:PORT`` name, over any of the links.

    ``links`` have the names of the two systems of each. Without an address it listens at 127.0.0.1.
    Raises `ConfigurationError` for anything else,
    and for a port that is named twice.
    """
    forwards = tuple(_parse(text, links) for text in texts)
    places = [(forward.node, forward.listen_port) for forward in forwards]
    for node, port in places:
        if places.count((node, port)) > 1:
            raise ConfigurationError(f"--forward: {node}:{port} is there twice")
    return forwards


def _parse(text: str, links: Collection[tuple[NodeName, NodeName]]) -> Forward:
    def wrong(expected: str) -> ConfigurationError:
        return ConfigurationError(f"--forward {text[:80]!r}: expected {expected}")

    match = _FORWARD.fullmatch(text)
    if match is None:
        raise wrong("NODE:PORT=NODE:HOST:PORT, such as ATLANTA:15432=BOSTON:127.0.0.1:5432")
    first, second = match[1], match[5]
    if {first, second} not in [{*names} for names in links]:
        known = " or ".join(" and ".join(names) for names in links)
        raise wrong(f"one of {known} on each side of =")
    listen_port, port = int(match[4]), int(match[8])
    if not (0 < listen_port <= PORT_MAX and 0 < port <= PORT_MAX):
        raise wrong(f"ports from 1 to {PORT_MAX}")
    listen_host = check_host(match[2] or match[3] or "127.0.0.1")
    host = check_host(match[6] or match[7])
    return Forward(NodeName(first), listen_host, listen_port, NodeName(second), host, port)
