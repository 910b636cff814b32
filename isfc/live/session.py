"""For programs: open a node, and hold conversations with those of its partners (asyncio).

`open_node` runs one system of a layout for as long as its block lasts. Its programs offer
services (`OpenNode.serve`) and connect to a partner's (`OpenNode.connect`); either way they
have a `Conversation`, which sends and receives bytes and waits where the partner, or the link,
is slower. When a conversation is over before its end, its next verb raises
`ConversationSevered` with the reason. docs/api.md has an example.

`Opening` is the one way to open a live node: its engines, their pace, and how it meets its
partners.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.loading import check_posix
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.definition import define_system
from isfc.link.events import Program
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.live.accepting import Tls, first_done
from isfc.live.admission import VERIFY
from isfc.live.conversation import Connecting, Conversation
from isfc.live.endpoint import Endpoint, parse_endpoint
from isfc.live.engine import RECONNECT_S, LiveEngine, MakeSystem
from isfc.live.link_port import LinkPort, NodePort
from isfc.live.memory import keep_freed
from isfc.live.pace import Clock, unpaced
from isfc.live.partner_conversations import Handler, PartnerConversations
from isfc.programs.protocol import ConversationLimits, ConversationSevered, SeverCode, check_service
from isfc.programs.register import Incoming
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import system_of

if TYPE_CHECKING:
    import ssl


__all__ = ["Conversation", "ConversationSevered", "OpenNode", "SeverCode", "Traffic", "open_node"]


class LiveSystem:
    """The links of one live system, from their start to their end.

    Each link has an engine and a node of its own: what happens to one, a restart too, leaves the
    others as they are.
    """

    def __init__(self, node_port: NodePort, ports: Sequence[LinkPort]) -> None:
        self.node_port = node_port
        self.ports = ports
        """One for each link."""
        self.engines = tuple(each.engine for each in ports)

    async def wait_closed(self) -> None:
        """Wait until one link is closed, and so all; raise what broke it, if something did."""
        await first_done([asyncio.create_task(engine.wait_closed()) for engine in self.engines])

    async def close(self) -> None:
        """Let nobody in any more, and end all connections of all links."""
        await asyncio.gather(*(each.close() for each in self.ports))


class Opening(Struct, frozen=True):
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
    connect: Mapping[NodeName, Endpoint] = {}
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
        ports: list[LinkPort] = []
        for definition, program, runs in links:
            paced = definition if self.dilation else unpaced(definition)
            engine = LiveEngine(paced, program, clock, reconnect_s=self.reconnect_s, make=self.make)
            ports.append(LinkPort(engine, node_port, runs))
        return LiveSystem(node_port, ports)

    async def meet(self, system: LiveSystem) -> Endpoint | None:
        """Let partners come, or go to them; where this node listens, if it does.

        Raises `ConfigurationError` for an endpoint that is not safe, and `OSError`.
        """
        for each in system.ports:
            endpoint = self.connect.get(each.engine.definition.partner)
            if endpoint is None:
                each.await_partner()
            else:
                each.connect(endpoint, insecure=self.insecure)
        if self.listen is None:
            return None
        return await system.node_port.listen(self.listen, insecure=self.insecure)


class OpenNode:
    """One live node and the conversations of its programs, with those of all its partners."""

    def __init__(
        self,
        definitions: Sequence[LinkEndDefinition],
        *,
        verified: bool = False,
        limits: ConversationLimits | None = None,
    ) -> None:
        self.name = definitions[0].name
        self.address: Endpoint | None = None
        """Where it listens; port 0 has become a real one."""
        self._services: dict[str, Handler] = {}
        incoming = Incoming()
        self.exchanges = {
            each.partner: PartnerConversations(
                each, self._services, incoming, limits, verified=verified
            )
            for each in definitions
        }
        """Its conversations with each partner."""

    def start(self, opening: Opening) -> LiveSystem:
        """Run its links, each with its conversations."""
        exchanges = self.exchanges.values()
        system = opening.start((each.definition, each, each.runs) for each in exchanges)
        for exchange, engine in zip(exchanges, system.engines, strict=True):
            exchange.engine = engine
        return system

    @property
    def partners(self) -> tuple[NodeName, ...]:
        """The systems that it has links to."""
        return tuple(self.exchanges)

    def exchange(self, partner: str | None = None) -> PartnerConversations:
        """Its conversations with one partner, which need not be named if it is the only one.

        Raises `ConfigurationError` if there is no link to ``partner``, or if it takes a name.
        """
        if partner is None and len(self.exchanges) == 1:
            return next(iter(self.exchanges.values()))
        found = [each for name, each in self.exchanges.items() if name == partner]
        if not found:
            known = " or ".join(self.exchanges)
            wrong = "a partner is to be named" if partner is None else f"no link to {partner[:40]}"
            raise ConfigurationError(f"{self.name}: {wrong}: expected {known}")
        return found[0]

    def serve(self, service: str, handler: Handler, partner: str | None = None) -> None:
        """Offer a service under a name of 1 to 8 characters; a handler runs as a task.

        All partners can connect to it, or one only: ``partner``; a service for one goes before one
        of the same name for all. A handler that raises severs its conversation, and the loop's
        exception handler hears of it. One whose conversation is over has 10 seconds to end, and is
        then cancelled (`isfc.live.partner_conversations.HANDLER_S`). Where there are twice as many
        handlers as conversations may be, further ones are `BUSY`. Raises `LocalProtocolError` for
        a name that is none.
        """
        if partner is None:
            self._services[check_service(service)] = handler
        else:
            self.exchange(partner).serve(service, handler)

    def withdraw(self, service: str, partner: str | None = None) -> None:
        """Offer a service no more; conversations that have begun go on."""
        if partner is None:
            self._services.pop(service, None)
        else:
            self.exchange(partner).withdraw(service)

    def connect(
        self,
        service: str,
        kind: Traffic = Traffic.TRANSPORT,
        *,
        partner: str | None = None,
    ) -> Connecting:
        """Connect to a service of a partner's, and wait until it has accepted.

        ``async with node.connect(...) as conversation:`` closes it at the end of the block; what
        ``await node.connect(...)`` gives is closed by whoever has it.
        ``partner`` names the system, unless there is one only. Raises `ConversationSevered` if it
        does not accept, `Backpressure` when this node has too many conversations with it, and
        `ConfigurationError` when there is no link to it.
        """
        return Connecting(self.exchange(partner).connect(service, kind))

    async def close(self) -> None:
        """End all conversations and services; give partners a moment to read what was sent."""
        self._services.clear()
        for exchange in self.exchanges.values():
            exchange.end()
        await asyncio.gather(*(exchange.close() for exchange in self.exchanges.values()))


@checked
@asynccontextmanager
async def open_node(
    layout: AnyLayout,
    name: str,
    *,
    listen: str | None = None,
    connect: str | Mapping[str, str] | Mapping[NodeName, str] | None = None,
    tls: "ssl.SSLContext | None" = None,
    connect_tls: "ssl.SSLContext | None" = None,
    insecure: bool = False,
    verify: bool = False,
    dilation: int = 0,
    reconnect_s: float = RECONNECT_S,
    limits: ConversationLimits | None = None,
    keep_memory: bool = True,
) -> AsyncIterator[OpenNode]:
    """Run the system ``name`` of a layout (a file, or a shipped one's name) within the block.

    Of two systems one listens and the other connects, at ``unix:PATH`` or ``HOST:PORT``; both may
    begin in any order. A system with several links has a mapping in ``connect``, from partners to
    their addresses; the partners that are not in it come to where it listens. Outside this machine
    that takes ``tls``, a context that demands the partner's certificate, or ``insecure``; a system
    that listens and connects has a second one, ``connect_tls``, for the connections that it opens.
    Both verify or neither (``verify``). ``dilation`` 0 is as fast as the machine goes.
    Conversations are severed when the link was down for ``reconnect_s`` seconds.
    From the first node on, malloc keeps up to 128 MiB that this process has freed, which long
    messages are much faster by; without ``keep_memory`` it stays as it is. Raises
    `ConfigurationError` for what does not fit, and `OSError`.
    """
    check_posix("open_node")
    if keep_memory:
        keep_freed()
    definitions = _define(layout, name)
    opening = Opening(
        listen=parse_endpoint(listen) if listen is not None else None,
        connect=_endpoints(connect, definitions),
        dilation=dilation,
        verify=verify,
        tls=tls,
        connect_tls=connect_tls,
        insecure=insecure,
        reconnect_s=reconnect_s,
    )
    node = OpenNode(definitions, verified=verify, limits=limits)
    system = node.start(opening)
    watcher = asyncio.get_running_loop().create_task(_watch(system, node))
    try:
        node.address = await opening.meet(system)
        yield node
    finally:
        try:
            await node.close()
        finally:  # a second Ctrl-C ends the wait for programs and partners, and no more
            await _to_its_end(system.close())
            await watcher


async def _to_its_end(ending: Coroutine[Any, Any, None]) -> None:
    """Wait for what must come to its end, also when this task is cancelled meanwhile."""
    task = asyncio.get_running_loop().create_task(ending)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _define(layout: AnyLayout, name: str) -> tuple[LinkEndDefinition, ...]:
    collection = given_collection(layout)
    if name not in collection.systems:
        raise ConfigurationError(
            f"{name[:40]!r} is no system of this layout: expected {' or '.join(collection.systems)}"
        )
    return define_system(collection, NodeName(name), LinkParameters())


def _endpoints(
    connect: str | Mapping[str, str] | Mapping[NodeName, str] | None,
    definitions: Sequence[LinkEndDefinition],
) -> dict[NodeName, Endpoint]:
    """Where to connect, by partner."""
    if isinstance(connect, str):
        if len(definitions) > 1:
            partners = " and ".join(each.partner for each in definitions)
            raise ConfigurationError(
                f"connect: {definitions[0].name} has links to {partners}: expected a mapping from "
                "partners to addresses"
            )
        connect = {definitions[0].partner: connect}
    return {NodeName(name): parse_endpoint(place) for name, place in (connect or {}).items()}


async def _watch(system: LiveSystem, node: OpenNode) -> None:
    """When the system ends, so do all conversations; raise what broke it, if something did."""
    try:
        await system.wait_closed()
    finally:
        for exchange in node.exchanges.values():
            exchange.lose(f"{node.name} has ended")
