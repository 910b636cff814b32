"""The one way to open a live node: its engines, their pace, and how it meets its partners."""

import asyncio
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from isfc.errors import ConfigurationError
from isfc.link.events import Program
from isfc.link.name import NodeName
from isfc.live.accepting import Tls, first_done
from isfc.live.clock import Clock
from isfc.live.endpoint import Endpoint
from isfc.live.engine import RECONNECT_S, LiveEngine, MakeSystem
from isfc.live.handshake import VERIFY
from isfc.live.link_port import LinkPort, NodePort
from isfc.live.pace import unpaced
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import system_of


class LiveSystem:
    """The links of one live system, from their start to their end.

    Each link has an engine and a node of its own: what happens to one, a restart too, leaves the
    others as they are.
    """

    def __init__(self, node_port: NodePort) -> None:
        self.node_port = node_port
        self.engines = tuple(each.engine for each in node_port.links)

    async def wait_closed(self) -> None:
        """Wait until one link is closed, and so all; raise what broke it, if something did."""
        await first_done([asyncio.create_task(engine.wait_closed()) for engine in self.engines])

    async def close(self) -> None:
        """Let nobody in any more, and end all connections of all links."""
        await asyncio.gather(*(each.close() for each in self.node_port.links))


@dataclass(frozen=True, slots=True)
class Opening:
    """How a live node is to run. Its partners need the same ``dilation`` and ``verify``.

    It goes to the partners that ``connect`` names, and the others come to where it listens. Without
    ``tls``, a context that demands the partner's certificate or a function that gives one for each
    connection, an address that others can reach takes ``insecure``; ``connect_tls`` is for the
    connections that it opens, where it listens as well. ``dilation`` 0 is as fast as the machine
    goes. Conversations are severed when the link was down for ``reconnect_s`` seconds. ``make``
    makes the system of each link, at the start and after every sever. Raises `ConfigurationError`
    for a ``dilation`` that is no whole number from 0 on, and for ``reconnect_s`` below 0.
    """

    listen: Endpoint | None = None
    connect: Mapping[NodeName, Endpoint] = field(default_factory=dict)
    dilation: int = 0
    verify: bool = False
    tls: Tls | None = None
    connect_tls: Tls | None = None
    insecure: bool = False
    reconnect_s: float = RECONNECT_S
    make: MakeSystem = system_of

    def __post_init__(self) -> None:
        dilation: object = self.dilation  # programs give whatever they like
        if not (isinstance(dilation, int) and dilation >= 0):
            raise ConfigurationError(
                f"dilation {self.dilation}: expected a whole number, 0 for as fast as can be"
            )
        if not self.reconnect_s >= 0:  # nor "not a number"
            raise ConfigurationError(f"reconnect_s {self.reconnect_s}: expected 0 s at least")

    def check(self, partners: Sequence[NodeName]) -> None:
        """Raise `ConfigurationError` unless each of the partners, and no other, is to be met.

        Also when nobody would come to where it listens.
        """
        listen, connect = self.listen, self.connect
        for name in connect:
            if name not in partners:
                raise ConfigurationError(
                    f"no link to {name[:40]}: expected the address of {' or '.join(partners)}"
                )
        missing = [name for name in partners if name not in connect]
        if len(partners) == 1 and bool(missing) is (listen is None):
            raise ConfigurationError("expected either an address to listen at or one to connect to")
        if missing and listen is None:
            raise ConfigurationError(
                f"no way to meet {' and '.join(missing)}: expected an address to listen at, or "
                "where to connect to"
            )
        if listen is not None and not missing:
            raise ConfigurationError(
                "an address to listen at, and one to connect to for every partner: nobody would "
                "come there"
            )

    def start(self, links: Iterable[tuple[LinkEndDefinition, Program, str]]) -> LiveSystem:
        """Run a system's links: definitions, each with its program.

        Both ends of a link call what runs over it by the same name, the last of each three. Raises
        `ConfigurationError` as `check` does.
        """
        links = [*links]
        self.check([definition.partner for definition, *_ in links])
        clock = Clock(max(1, self.dilation))
        node_port = NodePort(
            Random(secrets.randbits(64)),
            dilation=self.dilation,
            capabilities=VERIFY if self.verify else 0,
            tls=self.tls,
            connect_tls=self.connect_tls,
        )
        for definition, program, runs in links:
            paced = definition if self.dilation else unpaced(definition)
            engine = LiveEngine(paced, program, clock, reconnect_s=self.reconnect_s, make=self.make)
            LinkPort(engine, node_port, runs)  # is one of its links from now on
        return LiveSystem(node_port)

    async def meet(self, system: LiveSystem) -> Endpoint | None:
        """Let partners come, or go to them; where this node listens, if it does.

        Raises `ConfigurationError` for an endpoint that is not safe, and `OSError`.
        """
        for each in system.node_port.links:
            endpoint = self.connect.get(each.engine.definition.partner)
            if endpoint is None:
                each.await_partner()
            else:
                each.connect(endpoint, insecure=self.insecure)
        if self.listen is None:
            return None
        return await system.node_port.listen(self.listen, insecure=self.insecure)
