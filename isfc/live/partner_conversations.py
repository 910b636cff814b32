"""The conversations of one link of a live node, as its programs have them (asyncio).

A `isfc.live.session.OpenNode` has an exchange for each of its links.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, Final

from isfc.link.events import Delivered, LinkEvent, Offer
from isfc.link.message import Message, Traffic
from isfc.link.state import LinkState
from isfc.live.accepting import spawn
from isfc.live.conversation import Conversation
from isfc.live.engine import LiveEngine
from isfc.live.pace import SHORT_LENGTH
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import (
    ConversationLimits,
    ConversationSevered,
    ConversationState,
    SeverCode,
    check_service,
)
from isfc.programs.register import Incoming
from isfc.programs.switchboard import Switchboard
from isfc.programs.verification import Verifying
from isfc.system.link_end import LinkEndDefinition

CLOSE_S: Final = 2.0
"""How long a node that ends waits for its partner to read what it has sent, in seconds."""

HANDLER_S: Final = 10.0
"""How long a handler may go on when its conversation is over, in seconds; then it is cancelled."""

HANDLERS_SHARE: Final = 2
"""Handlers that there may be for each conversation that a partner may have opened: one that is just
over, and the next, may come in one turn of the loop."""

Handler = Callable[[Conversation], Coroutine[Any, Any, None]]
"""A service: it has the conversation until it returns, and then the conversation is closed.

When the conversation is over before that, its verbs raise; `HANDLER_S` later it is cancelled.
"""


class PartnerConversations:
    """The conversations of programs with those of one partner. It is a `Program` of its engine.

    ``services`` are those that the node offers, and ``incoming`` what comes over its
    links, both of which the links may have in common.
    """

    runs: Final = "conversations 2"
    """What runs over the link, as both ends tell each other; the number is of their verbs."""

    def __init__(
        self,
        definition: LinkEndDefinition,
        services: dict[str, Handler],
        incoming: Incoming,
        limits: ConversationLimits | None,
        *,
        verified: bool,
    ) -> None:
        self.definition = definition
        self.board = Switchboard(
            lesser=definition.name.precedes(definition.partner), limits=limits, incoming=incoming
        )
        self.verifying = Verifying(self.board) if verified else None
        """What counts the messages that do not verify, where they are verified."""
        self.engine: LiveEngine | None = None
        """What drives it; set once, before anything is sent."""
        self._services = services
        self._own_services: dict[str, Handler] = {}
        self._conversations: dict[ConversationEnd, Conversation] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        """Handlers that have not ended, whether their conversations have or not."""
        self._handlers: dict[ConversationEnd, asyncio.Task[None]] = {}
        """Those of conversations that are not over."""
        self._news = asyncio.Event()
        self._ended: str | None = None
        self._carrying = False
        self._carry_due = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def serve(self, service: str, handler: Handler) -> None:
        """Offer a service to this partner only; as `isfc.live.session.OpenNode.serve`."""
        self._own_services[check_service(service)] = handler

    def withdraw(self, service: str) -> None:
        """Offer this partner no more what was offered to it only."""
        self._own_services.pop(service, None)

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
            if self._loop is None:  # asked once, for each time is a system call
                self._loop = asyncio.get_running_loop()
            self._loop.call_soon(self._carry_late)

    def _carry_late(self) -> None:
        self._carry_due = False
        self.carry()

    def end(self) -> None:
        """End all conversations and services; `close` waits for that."""
        reason = self._ended = f"{self.definition.name} has ended"
        self._services, self._own_services = {}, {}
        for end in list(self.board.conversations.values()):
            end.sever(SeverCode.CLOSED, reason)
        self.carry()
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """After `end`: give the partner a moment to read what was sent, and tasks to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                while self._busy():
                    self._news.clear()
                    await self._news.wait()
        self.lose(f"{self.definition.name} has ended")  # so handlers wait for nothing more
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def lose(self, reason: str) -> None:
        """The node carries nothing any more: every conversation is over."""
        self._ended = self._ended or reason
        self.board.lose(reason)
        self._tell()

    def _hold(self, end: ConversationEnd) -> Conversation:
        conversation = self._conversations[end] = Conversation(
            end, self.carry, self.carry_soon, self.definition.partner
        )
        return conversation

    def _messages(self) -> list[Message]:
        batches = self.board.messages()
        if not batches:
            return []
        messages = [message for batch in batches for message in batch]
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
                self._end_handler(end)
        return told

    def _begin(self, conversation: Conversation) -> None:
        """The partner asks for a service."""
        service = conversation.service
        handler = self._own_services.get(service) or self._services.get(service)
        if handler is None:
            name = f"{self.definition.name} has no service {service}"
            conversation.end.sever(SeverCode.NO_SERVICE, name)
            return
        if len(self._tasks) >= HANDLERS_SHARE * self.board.limits.conversations_max:
            conversation.end.sever(SeverCode.BUSY, "too many handlers have not ended")
            return
        task = spawn(self._handle(handler, conversation), self._tasks)
        self._handlers[conversation.end] = task

    def _end_handler(self, end: ConversationEnd) -> None:
        """A conversation is over: its handler, if there is one, is to end too."""
        task = self._handlers.pop(end, None)
        if task is not None and not task.done():
            timer = asyncio.get_running_loop().call_later(HANDLER_S, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())

    async def _handle(self, handler: Handler, conversation: Conversation) -> None:
        try:
            async with conversation:
                await handler(conversation)
        except Exception as error:
            if _only_severed(error):
                return  # nobody is left whom it concerns
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"service {conversation.service} failed", "exception": error}
            )


def _only_severed(error: Exception) -> bool:
    """Whether all that is wrong is that conversations are over; tasks of a group say it in one."""
    if isinstance(error, ExceptionGroup):
        return error.split(ConversationSevered)[1] is None
    return isinstance(error, ConversationSevered)


def _is_short(event: LinkEvent) -> bool:
    """Whether little has come, so that an answer may be as short."""
    if not isinstance(event, Delivered) or len(event.messages) > 1:
        return False
    return event.messages[0].length <= SHORT_LENGTH
