"""Attaching a node's CTCs to its partner's: listen, connect, greet, refuse, try again.

Every CTC has a connection of its own. Whoever comes is let in only after a greeting that fits
(`isfc.live.newcomer`); everybody else costs one refused connection. A partner that comes back as
another incarnation has forgotten everything, so that the link restarts at both ends. While one
incarnation is connected, another is refused.
"""

import asyncio
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.live import newcomer
from isfc.live.connection import Connection, parted, why
from isfc.live.endpoint import Endpoint, UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.events import Refused
from isfc.live.handshake import Hello, greeting_length, link_digest, program_digest
from isfc.live.listen import listening_sockets, serve
from isfc.live.newcomer import Newcomer
from isfc.live.peer_user import can_tell_users
from isfc.live.tls import Tls, TlsServer, tls_now

BACKLOG_MAX: Final = 1_024
"""Connections that may wait to be accepted, if the system lets so many."""

RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 5.0
"""Between two attempts to connect, in seconds: doubled each time, less a random part."""

REMIND_S: Final = 60.0
"""Between two words about a partner who cannot be reached, in seconds."""

_INCARNATION_BITS: Final = 63


class Attachments:
    """All of one node's connections.

    ``tls`` is a context that demands the partner's certificate, or gives one for each connection;
    the certificate's name must be the partner's.
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
        tls: Tls | None = None,
    ) -> None:
        self.engine = engine
        self.tls = tls
        self.strangers: set[Newcomer] = set()
        """Those that have not greeted yet."""
        self.random = random
        self.checks_user = False
        """Whether the other end must be a process of this user's."""
        self._dilation = dilation
        self._capabilities = capabilities
        self._digests = (link_digest(engine.definition), program_digest(program))
        engine.restarted = self._begin_incarnation
        self._begin_incarnation()
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
        bound = await listening_sockets(endpoint, BACKLOG_MAX)
        if isinstance(endpoint, UnixEndpoint):
            self._paths.append(Path(endpoint.path))
        else:
            endpoint = type(endpoint)(endpoint.host, bound[0].getsockname()[1])
        for listener in bound:
            if self.tls is not None:
                self._tls_servers.append(
                    TlsServer(listener, partial(tls_now, self.tls), self._make)
                )
            else:
                self._servers.append(await serve(listener, lambda: self._make()[1]))
        return endpoint

    def connect(self, endpoint: Endpoint, *, insecure: bool = False) -> None:
        """Connect every CTC to the partner, again and again for as long as the node lives.

        Raises `ConfigurationError` for an endpoint that is not safe.
        """
        self._check(endpoint, insecure=insecure)
        for ctc in self.engine.definition.ctcs:
            self._tasks.append(asyncio.create_task(self._keep(ctc.device.rdev, endpoint)))

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
            self._dilation,
            self._capabilities,
            *self._digests,
        )

    def _begin_incarnation(self) -> None:
        """The link knows nothing of what went before: both ends greet again."""
        self.incarnation = self.random.getrandbits(_INCARNATION_BITS)
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

    def _check(self, endpoint: Endpoint, *, insecure: bool) -> None:
        if self.tls or insecure or isinstance(endpoint, UnixEndpoint):
            return
        remedy = "give --cert, --key and --ca for mutual TLS, or --insecure to do without"
        if not endpoint.private:
            raise ConfigurationError(f"{endpoint} can be reached from other machines: {remedy}")
        if not can_tell_users():
            raise ConfigurationError(f"{endpoint} can be reached by other users: {remedy}")
        self.checks_user = True

    def _make(self) -> tuple[Newcomer, Connection]:
        """What handles a connection that the partner, or a stranger, opens to this node."""
        return (attachment := Newcomer(self, None)), Connection(attachment, greeting_length)

    async def _keep(self, rdev: Rdev, endpoint: Endpoint) -> None:
        """Keep one CTC connected."""
        loop = asyncio.get_running_loop()
        retry_s = RETRY_S_MIN
        while True:
            attachment = Newcomer(self, rdev)

            def make(attachment: Newcomer = attachment) -> Connection:
                return Connection(attachment, greeting_length)

            try:
                async with asyncio.timeout(newcomer.GREETING_S):
                    if isinstance(endpoint, UnixEndpoint):
                        await loop.create_unix_connection(make, endpoint.path)
                    else:
                        await loop.create_connection(
                            make, endpoint.host, endpoint.port, ssl=tls_now(self.tls)
                        )
                reason = await attachment.ended
            except OSError as error:  # nobody listens yet, or TLS does not fit
                reason = why(error)
            if reason is not None:
                self._miss(endpoint, reason)
            if attachment.was_attached or attachment.wants_retry:
                retry_s = RETRY_S_MIN
            await asyncio.sleep(retry_s * (0.5 + self.random.random() / 2))
            retry_s = min(2 * retry_s, RETRY_S_MAX)

    def _miss(self, endpoint: Endpoint, reason: str) -> None:
        """A CTC got no connection: say so once that has lasted, and then now and then."""
        now_s = asyncio.get_running_loop().time()
        if self._word_due_s is None:
            self._word_due_s = now_s + newcomer.GREETING_S
        elif now_s >= self._word_due_s:
            self._word_due_s = now_s + REMIND_S
            self.engine.refuse(Refused(str(endpoint), reason, by_partner=True))
