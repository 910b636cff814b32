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
import ssl
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.live import pending as newcomer
from isfc.live.accepting import Acceptor, Tls, TlsServer, tls_now
from isfc.live.connection import Connection, parted, reason_of
from isfc.live.control_socket import inode_of, take_away
from isfc.live.endpoint import Endpoint, UnixEndpoint, listening_sockets
from isfc.live.engine import LiveEngine
from isfc.live.events import ConnectionRefused
from isfc.live.handshake import Hello, greeting_length, link_digest, program_digest
from isfc.live.peer_user import can_tell_users, foreign_user
from isfc.live.pending import PendingConnection

RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 5.0
"""Between two attempts to connect, in seconds: doubled each time, less a random part."""

REMIND_S: Final = 60.0
"""Between two words about a partner who cannot be reached, in seconds."""

_INCARNATION_BITS: Final = 63


GREETINGS_PER_S: Final = 20.0
"""Greetings that an address may begin each second, when it has used up its first `GREETINGS`."""

GREETINGS: Final = 64.0
"""Greetings together, for each link of the node: four for each CTC of the largest link."""

ADDRESSES: Final = 8
"""All strangers together may greet as often as so many addresses."""

ADDRESSES_MAX: Final = 256
"""Addresses that are remembered, of strangers and of partners each."""


class Allowance:
    """Greetings that may begin: at most ``most`` of them together, ``per_s`` more each second."""

    def __init__(self, most: float, per_s: float, now_s: float) -> None:
        self._most = self._left = most
        self._per_s = per_s
        self._since_s = now_s

    def has_any(self, now_s: float) -> bool:
        """Whether one more may begin."""
        self._left = min(self._most, self._left + self._per_s * (now_s - self._since_s))
        self._since_s = now_s
        return self._left >= 1.0

    def take(self) -> None:
        """One more begins."""
        self._left -= 1.0


class Admission:
    """Whose connections may greet while partners are there: a stranger's so many, a partner's any.

    Before it is known who is there, a connection costs the loop up to a millisecond, most of it for
    TLS; and one loop serves all links of a node. So an address has an allowance of greetings, and
    all addresses together have one. Beyond it a connection is closed as soon as it is accepted,
    which costs microseconds. Addresses from which a partner has come are free of it. While a
    partner is missing nobody is bound by it: the partner may come from an address of strangers.
    ``link_count`` is of the node's links; ``clock`` gives seconds.
    """

    def __init__(self, link_count: int, clock: Callable[[], float]) -> None:
        self._most = GREETINGS * max(1, link_count)
        self._clock = clock
        self._all = Allowance(ADDRESSES * self._most, ADDRESSES * GREETINGS_PER_S, clock())
        self._strangers: OrderedDict[str, Allowance] = OrderedDict()
        self._partners: OrderedDict[str, None] = OrderedDict()

    def know(self, address: str) -> None:
        """A partner has come from there."""
        self._partners[address] = None
        self._partners.move_to_end(address)
        _forget_oldest(self._partners)

    def admits(self, address: str) -> bool:
        """Whether a connection from there may greet."""
        if address in self._partners:
            self._partners.move_to_end(address)
            return True
        now_s = self._clock()
        own = self._strangers.get(address)
        if own is None:
            own = self._strangers[address] = Allowance(self._most, GREETINGS_PER_S, now_s)
            _forget_oldest(self._strangers)
        self._strangers.move_to_end(address)
        if not (own.has_any(now_s) and self._all.has_any(now_s)):
            return False
        own.take()
        self._all.take()
        return True


def _forget_oldest(known: OrderedDict[str, Allowance] | OrderedDict[str, None]) -> None:
    if len(known) > ADDRESSES_MAX:
        known.popitem(last=False)


BACKLOG_MAX: Final = 1_024
"""Connections that may wait to be accepted, if the system lets so many."""

_TOO_MANY: Final = "too many connections from that address"


@dataclass(eq=False, slots=True)
class NodePort:
    """Lets connections in to the links of a system, and has what these have in common.

    ``tls`` is a context that demands the partner's certificate, or gives one for each connection;
    ``connect_tls`` is for the connections that the system opens, if that is another one.
    ``random`` chooses who has to go when too many are greeting, incarnations, and how much earlier
    than at most is tried again.
    """

    random: Random
    dilation: int = 0
    capabilities: int = 0
    tls: Tls | None = None
    connect_tls: Tls | None = None
    ungreeted: set[PendingConnection] = field(default_factory=set)
    """Those that have not greeted yet."""
    checks_user: bool = False
    """Whether who comes must be a process of this user's."""
    checks_certificate: bool = False
    """Whether who comes must show the certificate of a partner."""
    links: "list[LinkPort]" = field(default_factory=list)
    """Those of all links of this system."""
    awaited: "list[LinkPort]" = field(default_factory=list)
    """Those whose partners come here; this node goes to the others itself."""
    _admission: Admission | None = None
    """Of strangers, once it listens where they can come."""
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
            self._admission = Admission(len(self.links), asyncio.get_running_loop().time)
        context = partial(tls_now, self.tls)
        for listener in bound:
            if self.checks_certificate:
                self._servers.append(TlsServer(listener, context, self._make, self._admits))
            else:
                self._servers.append(Acceptor(listener, lambda: self._make()[1], self._admits))
        return endpoint

    def link_of(self, hello: Hello) -> "LinkPort | str":
        """The link that a hello is of, or why there is none.

        With one link it is that one, which says itself what does not fit.
        """
        if len(self.links) == 1:
            return self.links[0]
        name = self.links[0].engine.definition.name
        for link in self.links:
            if link.engine.definition.partner == hello.node:
                if link not in self.awaited:
                    return f"{name} connects to {hello.node} itself"
                return link
        return f"{name} has no link to {hello.node}"

    def refuse(self, refused: ConnectionRefused) -> None:
        """Note a connection that was not let in. One of no link counts at the first awaited."""
        (self.awaited or self.links)[0].engine.refuse(refused)

    def know(self, peer: object) -> None:
        """A partner has come from there, and comes without limit from now on."""
        if self._admission is not None and isinstance(peer, tuple):
            self._admission.know(peer[0])

    def _admits(self, accepted: socket.socket, peer: object) -> bool:
        """Whether who connects may greet. On Unix sockets only this user's processes come.

        Everybody may as long as a partner is missing: it may have the address of strangers.
        """
        if self._admission is None or not isinstance(peer, tuple):
            return True
        if not all(link.engine.attached for link in self.awaited):
            return True
        if self.checks_user and foreign_user(accepted) is None:
            return True
        admitted = self._admission.admits(peer[0])
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

    def clear(self) -> None:
        """End all who have not greeted yet."""
        for pending in list(self.ungreeted):
            pending.close("this node ends")

    def _make(self) -> tuple[PendingConnection, Connection]:
        """What handles a connection that a partner, or a pending, opens to this node."""
        return (newcomer := PendingConnection(self)), Connection(newcomer, greeting_length)


def must_check_user(endpoint: Endpoint, tls: Tls | None, *, insecure: bool) -> bool:
    """Whether who is at the other end of an endpoint must be a process of this user's.

    Raises `ConfigurationError` for an endpoint that is not safe.
    """
    if tls or insecure or isinstance(endpoint, UnixEndpoint):
        return False
    remedy = "give --cert, --key and --ca for mutual TLS, or --insecure to do without"
    if not endpoint.private:
        raise ConfigurationError(f"{endpoint} can be reached from other machines: {remedy}")
    if not can_tell_users():
        raise ConfigurationError(f"{endpoint} can be reached by other users: {remedy}")
    return True


def must_check_certificate(endpoint: Endpoint, tls: Tls | None, *, server: bool) -> bool:
    """Whether who is at the other end of an endpoint must show a certificate: not on Unix sockets.

    Raises `ConfigurationError` for a context that is of the other side of TLS.
    """
    if tls is None or isinstance(endpoint, UnixEndpoint):
        return False
    wrong = ssl.PROTOCOL_TLS_CLIENT if server else ssl.PROTOCOL_TLS_SERVER
    if isinstance(tls, ssl.SSLContext) and tls.protocol is wrong:
        raise ConfigurationError(
            "tls: a context of a client, and this node listens: expected one of a server"
            if server
            else f"tls: a context of a server, and this node connects to {endpoint}: expected one "
            "of a client, as connect_tls if it listens too"
        )
    return True


class LinkPort:
    """All connections of one link of a node: those that its ``node_port`` lets in, or its own.

    The name of the partner's certificate must be the partner's. ``program`` says what runs over the
    link: the same at both ends.
    """

    def __init__(self, engine: LiveEngine, node_port: NodePort, program: str = "") -> None:
        self.engine = engine
        self.node_port = node_port
        node_port.links.append(self)
        self.checks_user = False
        """Whether the other end must be a process of this user's."""
        self.checks_certificate = False
        """Whether the partner that this node goes to must show its certificate."""
        self._digests = (link_digest(engine.definition), program_digest(program))
        engine.restarted = self._begin_incarnation
        self._begin_incarnation()
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

    def hello(self, rdev: Rdev) -> Hello:
        """What this node says on one of its CTCs."""
        definition = self.engine.definition
        (device,) = (c.device for c in definition.ctcs if c.device.rdev == rdev)
        return Hello(
            definition.name,
            definition.partner,
            rdev,
            device.partner_rdev,
            self.incarnation,
            self.node_port.dilation,
            self.node_port.capabilities,
            *self._digests,
        )

    def _begin_incarnation(self) -> None:
        """The link knows nothing of what went before: both ends greet again."""
        self.incarnation = self.node_port.random.getrandbits(_INCARNATION_BITS)
        """This node, as one that the partner can tell from the same node after a restart."""
        self._partner_incarnation: int | None = None

    def rivals(self, theirs: int) -> bool:
        """Whether another incarnation of the partner is connected: the one that is up stays."""
        return self.has_restarted(theirs) and self.engine.attached

    def has_restarted(self, theirs: int) -> bool:
        """Whether the partner is another incarnation than the one that we have met."""
        return self._partner_incarnation not in (None, theirs)

    def restart(self) -> None:
        """The partner has restarted, and so does the link."""
        self.engine.sever(f"{self.engine.definition.partner} has restarted")

    def meet(self, theirs: int) -> None:
        """From now on the partner is this one."""
        self._partner_incarnation = theirs
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
