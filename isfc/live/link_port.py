"""Attaching the CTCs of one link to the partner's: listen, connect, greet, refuse, try again.

Every CTC has a connection of its own. Whoever comes is let in only after a greeting that fits
(`isfc.live.pending`); everybody else costs one refused connection. A partner that comes back as
another incarnation has forgotten everything, so that the link restarts at both ends. While one
incarnation is connected, another is refused.
"""

import asyncio
from random import Random
from typing import Final

from ctc.address import Rdev
from isfc.live import pending as newcomer
from isfc.live.connection import Connection, parted, reason_of
from isfc.live.endpoint import Endpoint, UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.events import ConnectionRefused
from isfc.live.handshake import Hello, greeting_length, link_digest, program_digest
from isfc.live.node_port import NodePort, must_check_certificate, must_check_user
from isfc.live.pending import PendingConnection
from isfc.live.tls import Tls, tls_now

RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 5.0
"""Between two attempts to connect, in seconds: doubled each time, less a random part."""

REMIND_S: Final = 60.0
"""Between two words about a partner who cannot be reached, in seconds."""

_INCARNATION_BITS: Final = 63


class LinkPort:
    """All connections of one link of a node.

    ``tls`` is a context that demands the partner's certificate, or gives one for each connection;
    the certificate's name must be the partner's.
    ``program`` says what runs over the link: the same at both ends. ``random`` gives incarnations
    and the jitter of retries. A ``node_port``, where partners come in, is one for all links of a
    node, and has a ``tls`` of its own; without one this link has its own.
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
        node_port: NodePort | None = None,
    ) -> None:
        self.engine = engine
        self.node_port = NodePort(random, tls) if node_port is None else node_port
        self.node_port.links.append(self)
        self.tls = tls or self.node_port.tls
        self.random = random
        self.checks_user = False
        """Whether the other end must be a process of this user's."""
        self.checks_certificate = False
        """Whether the partner that this node goes to must show its certificate."""
        self._dilation = dilation
        self._capabilities = capabilities
        self._digests = (link_digest(engine.definition), program_digest(program))
        engine.restarted = self._begin_incarnation
        self._begin_incarnation()
        self._tasks: list[asyncio.Task[None]] = []
        self._word_due_s: float | None = None
        """When to say that the partner cannot be reached; None as long as it can."""

    async def listen(self, endpoint: Endpoint, *, insecure: bool = False) -> Endpoint:
        """Let the partner connect here; as `isfc.live.node_port.NodePort.listen`."""
        self.await_partner()
        return await self.node_port.listen(endpoint, insecure=insecure)

    def await_partner(self) -> None:
        """Let the partner come to where the node listens."""
        self.node_port.awaited.append(self)

    def connect(self, endpoint: Endpoint, *, insecure: bool = False) -> None:
        """Connect every CTC to the partner, again and again for as long as the node lives.

        Raises `ConfigurationError` for an endpoint that is not safe, or a context of a server.
        """
        self.checks_user = must_check_user(endpoint, self.tls, insecure=insecure)
        self.checks_certificate = must_check_certificate(endpoint, self.tls, server=False)
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

    async def _keep(self, rdev: Rdev, endpoint: Endpoint) -> None:
        """Keep one CTC connected."""
        loop = asyncio.get_running_loop()
        retry_s = RETRY_S_MIN
        while True:
            attachment = PendingConnection(self.node_port, self, rdev)

            def make(attachment: PendingConnection = attachment) -> Connection:
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
                reason = reason_of(error)
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
            self.engine.refuse(ConnectionRefused(str(endpoint), reason, by_partner=True))
