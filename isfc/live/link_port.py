"""Attaching the CTCs of one link to the partner's: listen, connect, greet, refuse, try again.

Every CTC has a connection of its own. Whoever comes is let in only after a greeting that fits
(`isfc.live.pending`); everybody else costs one refused connection. A partner that comes back as
another incarnation has forgotten everything, so that the link restarts at both ends. While one
incarnation is connected, another is refused.

A system with several links listens once (`NodePort`): who comes says in its hello which system it
is, and so to which link it belongs.
"""

import asyncio
import socket
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import field

from ctc.address import Rdev
from isfc.live import pending as newcomer
from isfc.live.accepting import Acceptor, Tls, TlsServer, tls_now
from isfc.live.admission import (
    Admission,
    foreign_user,
    greeting_length,
    must_check_certificate,
    must_check_user,
)
from isfc.live.connection import Connection, ConnectionRefused, parted, reason_of
from isfc.live.endpoint import Endpoint, UnixEndpoint, inode_of, listening_sockets, take_away
from isfc.live.engine import LiveEngine
from isfc.live.pending import Partnership, PendingConnection, Reception

RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 5.0
"""Between two attempts to connect, in seconds: doubled each time, less a random part."""

REMIND_S: Final = 60.0
"""Between two words about a partner who cannot be reached, in seconds."""

BACKLOG_MAX: Final = 1_024
"""Connections that may wait to be accepted, if the system lets so many."""

_TOO_MANY: Final = "too many connections from that address"


class NodePort(Reception, eq=False):
    """Lets connections in to the links of a system.

    ``tls`` is a context that demands the partner's certificate, or gives one for each connection;
    ``connect_tls`` is for the connections that the system opens, if that is another one.
    """

    tls: Tls | None = None
    connect_tls: Tls | None = None
    _servers: list[Acceptor | TlsServer] = field(default_factory=list)
    _inodes: dict[Path, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.connect_tls = self.connect_tls or self.tls

    async def listen(self, endpoint: Endpoint, *, insecure: bool = False) -> Endpoint:
        """Let partners connect here; return where, for port 0 becomes a real one.

        Raises `ConfigurationError` for an endpoint that is not safe, and `OSError`.
        """
        self.checks_user = must_check_user(endpoint, self.tls, insecure=insecure)
        self.checks_certificate = must_check_certificate(endpoint, self.tls, server=True)
        bound = await listening_sockets(endpoint, BACKLOG_MAX)
        if isinstance(endpoint, UnixEndpoint):
            path = Path(endpoint.path)
            self._inodes[path] = inode_of(path)
        else:
            endpoint = type(endpoint)(endpoint.host, bound[0].getsockname()[1])
            self.admission = Admission(len(self.links), asyncio.get_running_loop().time)
        context = partial(tls_now, self.tls)
        for listener in bound:
            if self.checks_certificate:
                self._servers.append(TlsServer(listener, context, self._make, self._admits))
            else:
                self._servers.append(Acceptor(listener, lambda: self._make()[1], self._admits))
        return endpoint

    def _admits(self, accepted: socket.socket, peer: object) -> bool:
        """Whether who connects may greet. On Unix sockets only this user's processes come.

        Everybody may as long as a partner is missing: it may have the address of strangers.
        """
        if self.admission is None or not isinstance(peer, tuple):
            return True
        if not all(link.engine.attached for link in self.awaited):
            return True
        if self.checks_user and foreign_user(accepted) is None:
            return True
        admitted = self.admission.admits(peer[0])
        if not admitted:
            self.refuse(ConnectionRefused(f"{peer[0]}:{peer[1]}", _TOO_MANY, by_partner=False))
        return admitted

    async def stop_listening(self) -> None:
        """Let nobody in any more."""
        servers, self._servers = self._servers, []
        for server in servers:
            await server.close()
        for path, inode in self._inodes.items():
            take_away(path, inode)

    def _make(self) -> tuple[PendingConnection, Connection]:
        """What handles a connection that a partner, or a pending, opens to this node."""
        return (newcomer := PendingConnection(self)), Connection(newcomer, greeting_length)


class LinkPort(Partnership):
    """All connections of one link of a node: those that its ``node_port`` lets in, or its own.

    The name of the partner's certificate must be the partner's.
    """

    node_port: NodePort

    def __init__(self, engine: LiveEngine, node_port: NodePort, program: str = "") -> None:
        super().__init__(engine, node_port, program)
        self._tasks: list[asyncio.Task[None]] = []
        self._word_due_s: float | None = None
        """When to say that the partner cannot be reached; None as long as it can."""

    async def listen(self, endpoint: Endpoint, *, insecure: bool = False) -> Endpoint:
        """Let the partner connect here; as `isfc.live.link_port.NodePort.listen`."""
        self.await_partner()
        return await self.node_port.listen(endpoint, insecure=insecure)

    def await_partner(self) -> None:
        """Let the partner come to where the node listens."""
        self.node_port.awaited.append(self)

    def connect(self, endpoint: Endpoint, *, insecure: bool = False) -> None:
        """Connect every CTC to the partner, again and again for as long as the node lives.

        Raises `ConfigurationError` for an endpoint that is not safe, or a context of a server.
        """
        self.checks_user = must_check_user(endpoint, self.node_port.connect_tls, insecure=insecure)
        self.checks_certificate = must_check_certificate(
            endpoint, self.node_port.connect_tls, server=False
        )
        for ctc in self.engine.definition.ctcs:
            self._tasks.append(asyncio.create_task(self._keep(ctc.device.rdev, endpoint)))

    async def close(self) -> None:
        """Let nobody in any more, and end all connections; those of the node's other links too.

        Raises nothing when that has been done already.
        """
        await self.node_port.stop_listening()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.node_port.clear()
        await parted(self.engine.close())

    def meet(self, theirs: int) -> None:
        """From now on the partner is this one, and can be reached."""
        super().meet(theirs)
        self._word_due_s = None

    async def _keep(self, rdev: Rdev, endpoint: Endpoint) -> None:
        """Keep one CTC connected."""
        loop = asyncio.get_running_loop()
        retry_s = RETRY_S_MIN
        while True:
            attachment = PendingConnection(self.node_port, self, rdev)
            make = partial(Connection, attachment, greeting_length)
            try:
                async with asyncio.timeout(newcomer.GREETING_S):
                    if isinstance(endpoint, UnixEndpoint):
                        await loop.create_unix_connection(make, endpoint.path)
                    else:
                        await loop.create_connection(
                            make,
                            endpoint.host,
                            endpoint.port,
                            ssl=tls_now(self.node_port.connect_tls),
                        )
                reason = await attachment.ended
            except OSError as error:  # nobody listens yet, or TLS does not fit
                reason = reason_of(error)
            if reason is not None:
                self._miss(endpoint, reason)
            if attachment.was_attached or attachment.wants_retry:
                retry_s = RETRY_S_MIN
            await asyncio.sleep(retry_s * (0.5 + self.node_port.random.random() / 2))
            retry_s = min(2 * retry_s, RETRY_S_MAX)

    def _miss(self, endpoint: Endpoint, reason: str) -> None:
        """A CTC got no connection: say so once that has lasted, and then now and then."""
        now_s = asyncio.get_running_loop().time()
        if self._word_due_s is None:
            self._word_due_s = now_s + newcomer.GREETING_S
        elif now_s >= self._word_due_s:
            self._word_due_s = now_s + REMIND_S
            self.engine.refuse(ConnectionRefused(str(endpoint), reason, by_partner=True))
