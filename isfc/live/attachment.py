"""Attaching a node's CTCs to its partner's: listen, connect, greet, refuse, try again.

Every CTC has a connection of its own. Whoever comes is let in only after a greeting that fits
(`isfc.live.handshake`), within `GREETING_S`; everybody else costs one refused connection. A
partner that comes back as another incarnation has forgotten everything, so that the link begins
anew at both ends.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError, WireError
from isfc.live.connection import Connection, measure_frame, why
from isfc.live.endpoint import Endpoint, UnixEndpoint
from isfc.live.engine import LiveEngine, Refused
from isfc.live.handshake import (
    Accept,
    Greeting,
    Hello,
    Refusal,
    decode_greeting,
    encode_greeting,
    fault,
    greeting_length,
    link_digest,
    program_digest,
)
from isfc.live.listen import listening_sockets, serve
from isfc.live.tls import TlsServer, certificate_names

if TYPE_CHECKING:
    import ssl

GREETING_S: Final = 5.0
"""How long a connection may take to greet, TLS included, in seconds."""

STRANGERS_MAX: Final = 64
"""Connections that may be greeting at once: four for each CTC of the largest link."""

RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 5.0
"""Between two attempts to connect, in seconds: doubled each time, less a random part."""

REMIND_S: Final = 60.0
"""Between two words about a partner who cannot be reached, in seconds."""

_INCARNATION_BITS: Final = 63


class Attachments:
    """All of one node's connections.

    ``tls`` is a context that demands the partner's certificate; its name must be the partner's.
    ``program`` says what runs over the link: the same at both ends. ``random`` gives incarnations
    and the jitter of retries.
    """

    def __init__(
        self,
        engine: LiveEngine,
        random: Random,
        *,
        dilation: int = 0,
        capabilities: int = 0,
        program: str = "",
        tls: "ssl.SSLContext | None" = None,
    ) -> None:
        self.engine = engine
        self.tls = tls
        self.strangers: set[_Attachment] = set()
        """Those that have not greeted yet."""
        self._random = random
        self._dilation = dilation
        self._capabilities = capabilities
        self._digests = (link_digest(engine.definition), program_digest(program))
        self._partner_incarnation: int | None = None
        self._node = engine.node
        self._incarnation = random.getrandbits(_INCARNATION_BITS)
        self._servers: list[asyncio.Server] = []
        self._tls_servers: list[TlsServer] = []
        self._paths: list[Path] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._word_due_s: float | None = None
        """When to say that the partner cannot be reached; None as long as it can."""

    async def listen(self, endpoint: Endpoint, *, insecure: bool = False) -> Endpoint:
        """Let the partner connect here; return where, for port 0 becomes a real one.

        Raises `ConfigurationError` for an endpoint that is not safe, and `OSError`.
        """
        self._check(endpoint, insecure=insecure)
        bound = await listening_sockets(endpoint, STRANGERS_MAX)
        if isinstance(endpoint, UnixEndpoint):
            self._paths.append(Path(endpoint.path))
        else:
            endpoint = type(endpoint)(endpoint.host, bound[0].getsockname()[1])
        for listener in bound:
            if self.tls is not None:
                self._tls_servers.append(TlsServer(listener, self.tls, self._make))
            else:
                self._servers.append(await serve(listener, lambda: self._make()[1]))
        return endpoint

    def connect(self, endpoint: Endpoint, *, insecure: bool = False) -> None:
        """Connect every CTC to the partner, again and again for as long as the node lives.

        Raises `ConfigurationError` for an endpoint that is not safe.
        """
        self._check(endpoint, insecure=insecure)
        for ctc in self.engine.definition.ctcs:
            task = asyncio.get_running_loop().create_task(self._keep(ctc.device.rdev, endpoint))
            self._tasks.append(task)

    async def close(self) -> None:
        """Let nobody in any more, and end all connections."""
        for server in self._servers:
            server.close()
        for tls_server in self._tls_servers:
            await tls_server.close()
        for path in self._paths:
            path.unlink(missing_ok=True)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stranger in list(self.strangers):
            stranger.close("this node ends")
        self.engine.close()

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
            self._dilation,
            self._capabilities,
            *self._digests,
        )

    @property
    def incarnation(self) -> int:
        """This life of the node: another one after every `LiveEngine.sever`."""
        if self._node is not self.engine.node:
            self._node = self.engine.node
            self._incarnation = self._random.getrandbits(_INCARNATION_BITS)
            self._partner_incarnation = None
        return self._incarnation

    def knows(self, theirs: int) -> bool:
        """Whether the partner is the one we have been talking to, or the first; else sever."""
        assert self.incarnation, "a life"
        if self._partner_incarnation in (None, theirs):
            return True
        self.engine.sever(f"{self.engine.definition.partner} has restarted")
        return False

    def meet(self, theirs: int) -> None:
        """From now on the partner is this one."""
        self._partner_incarnation = theirs
        self._word_due_s = None

    def _check(self, endpoint: Endpoint, *, insecure: bool) -> None:
        if not (endpoint.private or self.tls or insecure):
            raise ConfigurationError(
                f"{endpoint} can be reached from other machines: give --cert, --key and --ca "
                "for mutual TLS, or --insecure to do without"
            )

    def _make(self) -> tuple["_Attachment", Connection]:
        """For somebody who comes."""
        return (attachment := _Attachment(self, None)), Connection(attachment, greeting_length)

    async def _keep(self, rdev: Rdev, endpoint: Endpoint) -> None:
        """Keep one CTC connected."""
        loop = asyncio.get_running_loop()
        retry_s = RETRY_S_MIN
        while True:
            attachment = _Attachment(self, rdev)

            def make(attachment: _Attachment = attachment) -> Connection:
                return Connection(attachment, greeting_length)

            try:
                async with asyncio.timeout(GREETING_S):
                    if isinstance(endpoint, UnixEndpoint):
                        await loop.create_unix_connection(make, endpoint.path)
                    else:
                        await loop.create_connection(
                            make, endpoint.host, endpoint.port, ssl=self.tls
                        )
                reason = await attachment.ended
            except OSError as error:  # nobody listens yet, or TLS does not fit
                reason = why(error)
            if reason is not None:
                self._miss(endpoint, reason)
            if attachment.was_attached or attachment.wants_retry:
                retry_s = RETRY_S_MIN
            await asyncio.sleep(retry_s * (0.5 + self._random.random() / 2))
            retry_s = min(2 * retry_s, RETRY_S_MAX)

    def _miss(self, endpoint: Endpoint, reason: str) -> None:
        """A CTC got no connection: say so once that has lasted, and then now and then."""
        now_s = asyncio.get_running_loop().time()
        if self._word_due_s is None:
            self._word_due_s = now_s + GREETING_S
        elif now_s >= self._word_due_s:
            self._word_due_s = now_s + REMIND_S
            self.engine.refuse(Refused(str(endpoint), reason, by_partner=True))


class _Attachment:
    """One connection, from its greeting to its end. ``rdev`` is known from the start if we connect.

    It is a `Receiver`, and a `Guard` for as long as TLS is not there.
    """

    def __init__(self, door: Attachments, rdev: Rdev | None) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[str | None] = loop.create_future()
        """Why it has ended, if nobody was told."""
        self.was_attached = False
        self.wants_retry = False
        """Nothing was wrong but the time: both are to greet again at once."""
        self._door = door
        self._rdev = rdev
        self._connects = rdev is not None
        self._hello: Hello | None = None
        self._theirs: Hello | None = None
        self._connection: Connection | None = None
        self._end: Callable[[], object] | None = None  # as long as there is no connection
        self._timer: asyncio.TimerHandle | None = None
        self._peer = ""
        self._explained = False
        """Whether its end needs no more words."""

    def close(self, reason: str) -> None:
        """End it."""
        self._explained = True
        if self._connection is not None:
            self._connection.abort(reason)
        elif self._end is not None:
            self._end()

    def come(self, peer: object, end: Callable[[], object]) -> bool:
        """Whether there is room for one more who has not greeted."""
        self._end = end
        self._peer = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else ""
        if len(self._door.strangers) >= STRANGERS_MAX:
            self._refuse("too many connections are greeting at once")
            return False
        self._door.strangers.add(self)
        self._timer = asyncio.get_running_loop().call_later(
            GREETING_S, self._refuse, f"no greeting within {GREETING_S:g} s"
        )
        return True

    def fail(self, reason: str | None) -> None:
        """Its handshake of TLS has failed; None if it was ended here."""
        self._settle()
        if reason is not None and not self._explained:
            self._note(reason)

    def connected(self, connection: Connection) -> None:
        """Begin to greet."""
        self._connection = connection
        transport = connection.transport
        if not (self._end or self.come(transport.get_extra_info("peername"), transport.abort)):
            return
        stranger = self._impostor(connection)
        if stranger is not None:
            self._refuse(stranger)
        elif self._rdev is not None:
            self._hello = self._door.hello(self._rdev)
            self._say(self._hello)

    def received(self, connection: Connection, data: bytes | memoryview) -> None:
        """A greeting."""
        try:
            greeting = decode_greeting(data)
        except WireError as error:
            self._refuse(str(error))
            return
        if isinstance(greeting, Refusal):
            self._note(greeting.reason, by_partner=True)
            connection.abort(greeting.reason)
        elif isinstance(greeting, Hello):
            self._greet(greeting)
        else:
            self._begin()

    def lost(self, connection: Connection, reason: str) -> None:
        """It is gone."""
        self._settle()
        engine = self._door.engine
        if not self.was_attached:
            if not (self._connects or self._explained):
                self._note(reason)
        elif self._rdev is not None and engine.is_attached(self._rdev, connection):
            engine.detach(self._rdev, reason)
        if not self.ended.done():
            self.ended.set_result(None if self.was_attached or self._explained else reason)

    def _greet(self, theirs: Hello) -> None:
        """The partner's hello: answer it, or accept its answer."""
        door = self._door
        if self._theirs is not None:
            self._refuse("a second hello")
            return
        self._theirs = theirs
        if self._hello is None:
            definition = door.engine.definition
            mates = {c.device.partner_rdev: c.device.rdev for c in definition.ctcs}
            if theirs.rdev not in mates:
                self._refuse(f"no CTC of {definition.name} goes to {format_rdev(theirs.rdev)}")
                return
            self._rdev = mates[theirs.rdev]
        assert self._rdev is not None, "a hello without a CTC"
        reason = fault(self._hello or door.hello(self._rdev), theirs)
        if reason is not None:
            self._refuse(reason)
            return
        known = door.knows(theirs.incarnation)
        if not self._connects:
            self._hello = door.hello(self._rdev)
            self._say(self._hello)
        elif known:
            self._say(Accept())
            self._attach()
        else:
            self._retry("the partner has restarted")

    def _begin(self) -> None:
        """The partner accepts."""
        if self._connects or self._hello is None or self._theirs is None:
            self._refuse("an accept out of turn")
        else:
            self._attach()

    def _attach(self) -> None:
        door, hello, theirs = self._door, self._hello, self._theirs
        connection, rdev = self._connection, self._rdev
        assert hello is not None, "attached without our hello"
        assert theirs is not None, "attached without the partner's"
        assert connection is not None, "attached to nothing"
        assert rdev is not None, "attached to no CTC"
        if hello.incarnation != door.incarnation or not door.knows(theirs.incarnation):
            self._retry("this node has begun anew")
            return
        door.meet(theirs.incarnation)
        self._settle()
        self.was_attached = True
        connection.measure = measure_frame
        door.engine.attach(rdev, connection)

    def _retry(self, reason: str) -> None:
        self.wants_retry = self._explained = True
        if self._connection is not None:
            self._connection.abort(reason)

    def _refuse(self, reason: str) -> None:
        """Say why not, and end it."""
        self._note(reason)
        self._say(Refusal(reason))
        if self._connection is not None:
            self._connection.close(reason)
        elif self._end is not None:  # TLS is not there, and so nothing can be said
            self._end()

    def _note(self, reason: str, *, by_partner: bool = False) -> None:
        self._explained = True
        where = f"{format_rdev(self._rdev)} {self._peer}" if self._rdev is not None else self._peer
        self._door.engine.refuse(Refused(where.strip(), reason, by_partner))

    def _say(self, greeting: Greeting) -> None:
        if self._connection is not None:
            self._connection.write(encode_greeting(greeting))

    def _settle(self) -> None:
        """It is no stranger any more."""
        self._door.strangers.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def _impostor(self, connection: Connection) -> str | None:
        """Why the certificate is not the partner's; None if it is, or none is asked for."""
        if self._door.tls is None:
            return None
        partner = self._door.engine.definition.partner
        names = certificate_names(connection.transport.get_extra_info("peercert") or {})
        if partner.upper() in names:
            return None
        return f"the certificate is of {', '.join(sorted(names)) or 'nobody'}, not of {partner}"
