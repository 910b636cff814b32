"""All conversations of one node: a program that carries them over the link's messages.

Each conversation has a number, and each message of the link with that number is one of its
messages. The lesser node opens even numbers and the greater one odd ones, so that they never
clash. The link counts a number's messages for as long as it lasts, so numbers are used again:
when both ends have sent SEVER, which the link delivers before anything newer, and only
for a conversation of the same kind, for the two kinds may overtake each other. Conversations
begin in the order in which the partner has opened them, although they come over several CTCs.

What the partner sends may be anything: it severs one conversation or is counted, and never
breaks the node nor takes more memory than there are bounds for.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from isfc.errors import Backpressure, RemoteProtocolError
from isfc.link.events import Delivered, LinkEvent, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import (
    ConversationLimits,
    ConversationSevered,
    ConversationState,
    SeverCode,
    Verb,
)
from isfc.programs.register import Incoming, Register, piece_length

MESSAGE_COST_LENGTH: Final = 256
"""Bytes that a message costs in memory besides its data."""

ANSWERS_MAX: Final = 4_096
"""Numbers without a conversation that the partner is still to be answered on."""

EARLY_MAX: Final = 65_536
"""How far an opening may be ahead of one that has not come yet: as far as messages may."""


# An enumeration's members are slow to reach, and this one is needed for every message.
_TRANSPORT: Final = Traffic.TRANSPORT


class Switchboard:
    """The conversations of one node: a `Program` of an engine, with verbs of its own.

    After a verb, its own or a conversation's, hand what `messages` returns to the engine.
    `poll_changed` names the conversations that a program should look at again; one in the state
    REQUESTED asks for a service. ``incoming`` is what the links of the node have in common.
    """

    def __init__(
        self,
        *,
        lesser: bool,
        limits: ConversationLimits | None = None,
        incoming: Incoming | None = None,
    ) -> None:
        self._first_number = 0 if lesser else 1
        self.limits = limits or ConversationLimits()
        """What the node's conversations may take."""
        self._register = Register[ConversationEnd](self.limits, self._first_number, incoming)
        self.conversations = self._register.conversations
        """Those that are not over, by number."""
        self.stray_count = 0
        """Messages of the partner's that belong to no conversation."""
        self._answers: dict[int, tuple[Traffic, ConversationSevered]] = {}
        """What is still to be said on numbers that have no conversation."""
        self.in_link_length = 0
        """What the link holds of us: bytes, and what messages cost besides."""
        self._opening = 0
        """Of the partner's openings, the one that is to begin next."""
        self._early: dict[int, ConversationEnd | None] = {}
        """Openings that have overtaken an earlier one."""

    def start(self, now_ns: int) -> Iterable[tuple[int, Sequence[Message]]]:
        """Nothing is sent before somebody connects."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[tuple[int, Sequence[Message]]]:
        """Receive an event; what may be sent because of it."""
        if isinstance(event, Delivered):
            for message in event.messages:
                self._receive_message(message)
            self._register.incoming.measure(now_ns)
        elif isinstance(event, Sent):
            for message in event.messages:
                self.in_link_length -= message.length
                if message.more:
                    continue
                self.in_link_length -= MESSAGE_COST_LENGTH
                if isinstance(message.sender, ConversationEnd):
                    message.sender.note_sent()
        elif isinstance(event, Severed):
            self.lose(event.reason)
        return [(now_ns, messages) for messages in self.messages()]

    def connect(self, service: str, traffic: Traffic = Traffic.TRANSPORT) -> ConversationEnd:
        """Ask the partner for a service; bytes may be sent immediately.

        Raises `Backpressure` when there are too many conversations.
        """
        verbs.check_service(service)
        limit = self.limits.conversations_max
        if self._register.opened_count >= limit:
            raise Backpressure("conversations", limit, limit)
        number = self._register.choose_number(traffic)
        return ConversationEnd(number, service, traffic, ConversationState.ASKING, self._register)

    def lose(self, reason: str) -> None:
        """End every conversation: the link has forgotten everything, numbers included."""
        self._register.lose(reason)
        self._answers.clear()
        self.in_link_length = 0
        self._opening = 0
        self._early.clear()

    def poll_changed(self) -> ConversationEnd | None:
        """A conversation that something has happened to since it was last returned."""
        changed = self._register.changed
        if not changed:
            return None
        conversation = changed.popleft()
        conversation.note_looked_at()
        return conversation

    def messages(self) -> list[Sequence[Message]]:
        """What the link has room for, from all conversations by turns; one kind at a time."""
        due, answers = self._register.due, self._answers
        if not (due or answers):
            return []
        transport: list[Message] = []
        legacy: list[Message] = []
        limit, bulk_limit = self.limits.link_length, self._register.bulk_limit
        while answers and self.in_link_length < limit:
            number, (traffic, reason) = answers.popitem()
            data = verbs.sever(reason)
            self.in_link_length += len(data) + MESSAGE_COST_LENGTH
            answer = Message(number, len(data), traffic, data)
            (transport if traffic is _TRANSPORT else legacy).append(answer)
        self._register.piece_length = piece_length(bulk_limit)
        while due and self.in_link_length < (limit if due.little else bulk_limit):
            little = bool(due.little)
            conversation = due.take()
            message = conversation.poll_message()
            if message is not None:
                length = message.length + MESSAGE_COST_LENGTH
                self.in_link_length += length
                due.pay(conversation, length)
                if not little:
                    self._register.told_length -= length
                (transport if conversation.traffic is _TRANSPORT else legacy).append(message)
        return [messages for messages in (transport, legacy) if messages]

    def _receive_message(self, message: Message) -> None:
        data = message.data or b""
        if message.head:  # it has not passed a connection
            data = b"".join((message.head, data))
        conversation = self.conversations.get(message.conversation)
        if conversation is None:
            self._receive_unknown(message, data)
            return
        try:
            if message.traffic is not conversation.traffic:
                raise RemoteProtocolError("a message of the wrong kind of traffic")
            conversation.receive(data)
        except RemoteProtocolError as error:
            conversation.sever(SeverCode.PROTOCOL, str(error))

    def _receive_unknown(self, message: Message, data: bytes | memoryview) -> None:
        """A message of no conversation: the partner opens one, or has lost count."""
        number, traffic = message.conversation, message.traffic
        verb = data[0] if data else 0
        if verb == Verb.CONNECT and number % 2 != self._first_number:
            try:
                room_length, opening, service = verbs.parse_connect(data[1:])
            except RemoteProtocolError as error:
                self._answer(number, traffic, SeverCode.PROTOCOL, str(error))
                return
            if self._register.requested_count >= self.limits.conversations_max:
                self._answer(number, traffic, SeverCode.BUSY, "too many conversations")
                self._begin(opening, None)
                return
            self._answers.pop(number, None)  # that was before
            conversation = ConversationEnd(
                number, service, traffic, ConversationState.REQUESTED, self._register
            )
            conversation.credit_length = room_length
            self._begin(opening, conversation)
            return
        self.stray_count += 1
        if verb != Verb.SEVER:
            self._answer(number, traffic, SeverCode.PROTOCOL, "there is no such conversation")

    def _begin(self, opening: int, conversation: ConversationEnd | None) -> None:
        """Let conversations begin in the order in which the partner has asked for them.

        They come over several CTCs. ``conversation`` is None if it was refused; then those
        after it need not wait for it.
        """
        early = self._early
        ahead = (opening - self._opening) % verbs.OPENINGS
        if 0 < ahead < EARLY_MAX:
            early[opening] = conversation
            return
        if conversation is not None:  # it is its turn; or the partner counts in its own way
            conversation.notify()
        if not ahead:
            self._opening = (opening + 1) % verbs.OPENINGS
            while self._opening in early:
                conversation = early.pop(self._opening)
                if conversation is not None:
                    conversation.notify()
                self._opening = (self._opening + 1) % verbs.OPENINGS

    def _answer(self, number: int, traffic: Traffic, code: SeverCode, text: str) -> None:
        """Refuse a number, unless the partner asks far more than it listens."""
        if len(self._answers) < ANSWERS_MAX:
            self._answers[number] = traffic, ConversationSevered(code, text)
        else:
            self.stray_count += 1
