"""The one way to open a live node: its engine, its pace, and how it meets its partner."""

import secrets
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from isfc.engine.program import Program
from isfc.live.attachment import Attachments
from isfc.live.clock import Clock
from isfc.live.endpoint import Endpoint
from isfc.live.engine import RECONNECT_S, LiveEngine, MakeSystem
from isfc.live.handshake import VERIFY
from isfc.live.pace import unpaced
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import system_of

if TYPE_CHECKING:
    from isfc.live.tls import Tls


@dataclass(frozen=True, slots=True)
class Opening:
    """How a live node is to run. Its partner needs the same ``dilation`` and ``verify``.

    ``listen`` or ``connect`` says where to meet; without ``tls``, a context that demands the
    partner's certificate or a function that gives one for each connection, an address that others
    can reach takes ``insecure``. ``dilation`` 0 is as fast as the machine goes. Conversations are
    severed when the link was down for ``reconnect_s`` seconds. ``make`` makes the node's system, at
    the start and after every sever.
    """

    listen: Endpoint | None = None
    connect: Endpoint | None = None
    dilation: int = 0
    verify: bool = False
    tls: "Tls | None" = None
    insecure: bool = False
    reconnect_s: float = RECONNECT_S
    make: MakeSystem = system_of

    def pace(self, definition: LinkEndDefinition) -> LinkEndDefinition:
        """The definition with the model's times, or with none."""
        return definition if self.dilation else unpaced(definition)

    def start(
        self, definition: LinkEndDefinition, program: Program, runs: str
    ) -> tuple[LiveEngine, Attachments]:
        """Run a definition that has its `pace`, and a program, which both ends call ``runs``."""
        clock = Clock(max(1, self.dilation))
        engine = LiveEngine(
            definition, program, clock, reconnect_s=self.reconnect_s, make=self.make
        )
        attachments = Attachments(
            engine,
            Random(secrets.randbits(64)),
            dilation=self.dilation,
            capabilities=VERIFY if self.verify else 0,
            program=runs,
            tls=self.tls,
        )
        return engine, attachments

    async def meet(self, attachments: Attachments) -> Endpoint | None:
        """Let the partner come, or go to it; where this node listens, if it does.

        Raises `ConfigurationError` for an endpoint that is not safe, and `OSError`.
        """
        if self.connect is not None:
            attachments.connect(self.connect, insecure=self.insecure)
        if self.listen is None:
            return None
        return await attachments.listen(self.listen, insecure=self.insecure)
