"""For programs: open a node, and hold conversations with the partner's (asyncio).

`open_node` runs one system of a layout for as long as its block lasts. Its programs offer
services (`OpenNode.serve`) and connect to the partner's (`OpenNode.connect`); either way they
have a `Conversation`, which sends and receives bytes and waits where the partner, or the link,
is slower. When a conversation is over before its end, its next verb raises
`ConversationSevered` with the reason. docs/api.md has an example.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from isfc.engine.program import Offer
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.layout.layout import Layout
from isfc.link.events import Delivered, LinkEvent
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.live.conversation import Conversation
from isfc.live.endpoint import Endpoint, parse_endpoint
from isfc.live.engine import RECONNECT_S, LiveEngine
from isfc.live.opening import Opening
from isfc.programs.conversation import ConversationEnd
from isfc.programs.conversation_state import ConversationState
from isfc.programs.protocol import ConversationLimits, ConversationSevered, SeverCode, check_service
from isfc.programs.switchboard import Switchboard
from isfc.programs.verification import Verifying
from isfc.system.definition import LinkEndDefinition

if TYPE_CHECKING:
    import ssl

__all__ = ["Conversation", "ConversationSevered", "OpenNode", "SeverCode", "Traffic", "open_node"]

CLOSE_S: Final = 2.0
"""How long a node that ends waits for its partner to read what it has sent, in seconds."""

SHORT_LENGTH: Final = 4_096
"""Bytes of a message that is confirmed together with what the program answers, which is woken in
the next turn of the loop. Of a longer one its sender is to hear as soon as it is read."""

Handler = Callable[[Conversation], Coroutine[Any, Any, None]]
"""A service: it has the conversation until it returns, and then the conversation is closed."""


class OpenNode:
    """One live node and the conversations of its programs. It is a `Program` of its engine."""

    runs: Final = "conversations"
    """What runs over the link, as both ends tell each other."""

    def __init__(
        self,
        definition: LinkEndDefinition,
        *,
        verified: bool = False,
        limits: ConversationLimits | None = None,
    ) -> None:
        self.definition = definition
        self.board = Switchboard(lesser=definition.name.precedes(definition.partner), limits=limits)
        self.verifying = Verifying(self.board) if verified else None
        """What counts the messages that do not verify, where they are verified."""
        self.engine: LiveEngine | None = None
        """What drives it; set once, before anything is sent."""
        self.address: Endpoint | None = None
        """Where it listens; port 0 has become a real one."""
        self._services: dict[str, Handler] = {}
        self._conversations: dict[ConversationEnd, Conversation] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._ended: str | None = None
        self._carrying = False
        self._carry_due = False

    def serve(self, service: str, handler: Handler) -> None:
        """Offer a service under a name of 1 to 8 characters; a handler runs as a task.

        A handler that raises severs its conversation, and the loop's exception handler hears of
        it. Raises `LocalProtocolError` for a name that is none.
        """
        self._services[check_service(service)] = handler

    def withdraw(self, service: str) -> None:
        """Offer a service no more; conversations that have begun go on."""
        self._services.pop(service, None)

    async def connect(self, service: str, kind: Traffic = Traffic.TRANSPORT) -> Conversation:
        """Connect to a service of the partner's, and wait until it has accepted.

        Raises `ConversationSevered` if it does not, and `Backpressure` when this node has too
        many conversations.
        """
        if self._ended is not None:
            raise ConversationSevered(SeverCode.LINK, self._ended)
        end = self.board.connect(service, kind)
        conversation = self._hold(end)
        self.carry()
        try:
            await conversation.wait_accepted()
        except asyncio.CancelledError:
            conversation.sever("given up")
            raise
        return conversation

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing is sent before a program does."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """What the link says; wakes whoever waits for it."""
        offers = list((self.verifying or self.board).receive(event, now_ns))
        carrying, self._carrying = self._carrying, True
        while self._tell():  # who is told may send immediately
            if messages := self._messages():
                offers.append((now_ns, messages))
        self._carrying = carrying
        if self.engine is not None and _is_short(event):
            self.engine.hold()
        return offers

    def carry(self) -> None:
        """Hand what conversations have to send to the engine, until there is no more."""
        if self._carrying:  # whoever is at it goes on with this
            return
        self._carrying = True
        try:
            while True:
                messages = self._messages()
                if messages and self.engine is not None:
                    self.engine.send(messages)
                if not self._tell():
                    return
        finally:
            self._carrying = False

    def carry_soon(self) -> None:
        """`carry` once this turn of the loop is over: what many have to send goes together."""
        if not self._carry_due:
            self._carry_due = True
            asyncio.get_running_loop().call_soon(self._carry_late)

    def _carry_late(self) -> None:
        self._carry_due = False
        self.carry()

    async def close(self) -> None:
        """End all conversations and services; give the partner a moment to read what was sent."""
        reason = self._ended = f"{self.definition.name} has ended"
        self._services.clear()
        for end in list(self.board.conversations.values()):
            end.sever(SeverCode.CLOSED, reason)
        self.carry()
        for task in self._tasks:
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                while self._busy():
                    self._news.clear()
                    await self._news.wait()
        self.lose(reason)  # which ends whatever a handler may still wait for
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def lose(self, reason: str) -> None:
        """The node carries nothing any more: every conversation is over."""
        self._ended = self._ended or reason
        self.board.lose(reason)
        self._tell()

    def _hold(self, end: ConversationEnd) -> Conversation:
        conversation = self._conversations[end] = Conversation(end, self.carry, self.carry_soon)
        return conversation

    def _messages(self) -> list[Message]:
        messages = [message for batch in self.board.messages() for message in batch]
        return self.verifying.seal(messages) if self.verifying else messages

    def _busy(self) -> bool:
        """Whether the partner has still to read something, and can."""
        engine = self.engine
        if engine is None or engine.end.link.state is LinkState.DOWN:
            return False
        return bool(self.board.conversations or self.board.in_link_length)

    def _tell(self) -> bool:
        """Wake those who wait for a conversation; begin those that are asked for.

        Whether there were any.
        """
        if self._ended is not None:
            self._news.set()
        told = False
        while (end := self.board.poll_changed()) is not None:
            told = True
            conversation = self._conversations.get(end)
            if conversation is None and end.state is ConversationState.REQUESTED:
                conversation = self._hold(end)
                self._begin(conversation)
            if conversation is not None:
                conversation.wake()
            if end.over:
                self._conversations.pop(end, None)
        return told

    def _begin(self, conversation: Conversation) -> None:
        """The partner asks for a service."""
        handler = self._services.get(conversation.service)
        if handler is None:
            name = f"{self.definition.name} has no service {conversation.service}"
            conversation.end.sever(SeverCode.NO_SERVICE, name)
            return
        task = asyncio.get_running_loop().create_task(self._handle(handler, conversation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handle(self, handler: Handler, conversation: Conversation) -> None:
        try:
            async with conversation:
                await handler(conversation)
        except ConversationSevered:
            pass  # nobody is left whom it concerns
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"service {conversation.service} failed", "exception": error}
            )


def _is_short(event: LinkEvent) -> bool:
    """Whether little has come, so that an answer may be as short."""
    if not isinstance(event, Delivered) or len(event.messages) > 1:
        return False
    return event.messages[0].length <= SHORT_LENGTH


@asynccontextmanager
async def open_node(
    layout: str | Layout,
    name: str,
    *,
    listen: str | None = None,
    connect: str | None = None,
    tls: "ssl.SSLContext | None" = None,
    insecure: bool = False,
    verify: bool = False,
    dilation: int = 0,
    reconnect_s: float = RECONNECT_S,
    limits: ConversationLimits | None = None,
) -> AsyncIterator[OpenNode]:
    """Run the system ``name`` of a layout (a file, or a shipped one's name) within the block.

    One system listens and the other connects, at ``unix:PATH`` or ``HOST:PORT``; both may begin
    in any order. Outside this machine that takes ``tls``, a context that demands the partner's
    certificate, or ``insecure``. Both verify or neither (``verify``). ``dilation`` 0 is as fast
    as the machine goes. Conversations are severed when the link was down for ``reconnect_s``
    seconds. Raises `ConfigurationError` for what does not fit, and `OSError`.
    """
    if (listen is None) == (connect is None):
        raise ConfigurationError("expected either an address to listen at or one to connect to")
    opening = Opening(
        listen=parse_endpoint(listen) if listen is not None else None,
        connect=parse_endpoint(connect) if connect is not None else None,
        dilation=dilation,
        verify=verify,
        tls=tls,
        insecure=insecure,
        reconnect_s=reconnect_s,
    )
    definition = opening.pace(_define(layout, name))
    node = OpenNode(definition, verified=verify, limits=limits)
    node.engine, attachments = opening.start(definition, node, OpenNode.runs)
    watcher = asyncio.get_running_loop().create_task(_watch(node.engine, node))
    try:
        node.address = await opening.meet(attachments)
        yield node
    finally:
        await node.close()
        await attachments.close()
        await watcher


def _define(layout: str | Layout, name: str) -> LinkEndDefinition:
    link = layout if isinstance(layout, Layout) else load_layout(layout)
    if name not in link.nodes:
        raise ConfigurationError(
            f"{name[:40]!r} is no system of this layout: expected {' or '.join(link.nodes)}"
        )
    return define_link_end(link, NodeName(name), LinkParameters())


async def _watch(engine: LiveEngine, node: OpenNode) -> None:
    """When the engine ends, so do all conversations; raise what broke it, if something did."""
    try:
        await engine.wait_closed()
    finally:
        node.lose(f"{node.definition.name} has ended")
