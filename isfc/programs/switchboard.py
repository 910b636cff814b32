"""All conversations of one node: a program that carries them over the link's messages.

Each conversation has a number, and each message of the link with that number is one of its
messages. The lesser node opens even numbers and the greater one odd ones, so that they never
clash. The link counts a number's messages for as long as it lasts, so numbers are used again:
when both ends have said their last word, which the link delivers before anything newer, and only
for a conversation of the same kind, for the two kinds may overtake each other. Conversations
begin in the order in which the partner has opened them, although they come over several CTCs.

What the partner sends may be anything: it severs one conversation or is counted, and never
breaks the node nor takes more memory than there are bounds for.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final

from isfc.errors import Backpressure, RemoteProtocolError
from isfc.link.events import Delivered, LinkEvent, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs.conversation import ConversationEnd
from isfc.programs.conversation_state import ConversationState
from isfc.programs.limits import ConversationLimits
from isfc.programs.protocol import ConversationSevered, SeverCode, Verb

IN_LINK_LENGTH_MAX: Final = 8 * 2**20
"""Bytes of all conversations that may wait in the link's backlog or be on their way: enough for
nine full packages, and far below what the backlog holds, so that it is never full."""

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
    REQUESTED asks for a service.
    """

    def __init__(self, *, lesser: bool, limits: ConversationLimits | None = None) -> None:
        self.limits = limits or ConversationLimits()
        self.conversations: dict[int, ConversationEnd] = {}
        self.severed_count = 0
        """Conversations that ended before both ends had finished."""
        self.stray_count = 0
        """Messages of the partner's that belong to no conversation."""
        self._first_number = 0 if lesser else 1
        self._next_number = self._first_number
        self._free: dict[Traffic, deque[int]] = {traffic: deque() for traffic in Traffic}
        self._counts = [0, 0]
        """Conversations with even numbers, and with odd ones."""
        self._due: deque[ConversationEnd] = deque()
        self._changed: deque[ConversationEnd] = deque()
        self._answers: dict[int, tuple[Traffic, ConversationSevered]] = {}
        self._in_link_length = 0
        self._openings = count()
        self._opening = 0
        """Of the partner's openings, the one that is to begin next."""
        self._early: dict[int, ConversationEnd | None] = {}
        """Openings that have overtaken an earlier one."""

    @property
    def in_link_length(self) -> int:
        """What the link holds of us: bytes, and what messages cost besides."""
        return self._in_link_length

    def start(self, now_ns: int) -> Iterable[tuple[int, Sequence[Message]]]:
        """Nothing is sent before somebody connects."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[tuple[int, Sequence[Message]]]:
        """Receive an event; what may be sent because of it."""
        if isinstance(event, Delivered):
            for message in event.messages:
                self._receive_message(message)
        elif isinstance(event, Sent):
            for message in event.messages:
                self._in_link_length -= message.length
                if message.more:
                    continue
                self._in_link_length -= MESSAGE_COST_LENGTH
                conversation = self.conversations.get(message.conversation)
                if conversation is not None:
                    conversation.note_sent()
        elif isinstance(event, Severed):
            self.lose(event.reason)
        return [(now_ns, messages) for messages in self.messages()]

    def connect(self, service: str, traffic: Traffic = Traffic.TRANSPORT) -> ConversationEnd:
        """Ask the partner for a service; bytes may be sent immediately.

        Raises `Backpressure` when there are too many conversations.
        """
        verbs.check_service(service)
        limit = self.limits.conversations_max
        if self._counts[self._first_number] >= limit:
            raise Backpressure("conversations", limit, limit)
        number = self._choose_number(traffic)
        return self._open(number, service, traffic, ConversationState.CONNECTING)

    def lose(self, reason: str) -> None:
        """End every conversation: the link has forgotten everything, numbers included."""
        for conversation in self.conversations.values():
            conversation.lose(reason)
        self.severed_count += len(self.conversations)
        self.conversations.clear()
        self._counts = [0, 0]
        self._due.clear()
        self._answers.clear()
        for free in self._free.values():
            free.clear()
        self._next_number = self._first_number
        self._in_link_length = 0
        self._openings = count()
        self._opening = 0
        self._early.clear()

    def poll_changed(self) -> ConversationEnd | None:
        """A conversation that something has happened to since it was last returned."""
        if not self._changed:
            return None
        conversation = self._changed.popleft()
        conversation.note_looked_at()
        return conversation

    def messages(self) -> list[Sequence[Message]]:
        """What the link has room for, from all conversations by turns; one kind at a time."""
        due = self._due
        if not (due or self._answers):
            return []
        transport: list[Message] = []
        legacy: list[Message] = []
        while self._answers:
            number, (traffic, reason) = self._answers.popitem()
            message = self._hand_over(number, traffic, verbs.sever(reason))
            (transport if traffic is _TRANSPORT else legacy).append(message)
        while due and self._in_link_length < IN_LINK_LENGTH_MAX:
            conversation = due.popleft()
            data = conversation.poll_message()
            if data is not None:
                traffic = conversation.traffic
                message = self._hand_over(conversation.number, traffic, data)
                (transport if traffic is _TRANSPORT else legacy).append(message)
            self._close_if_over(conversation)
        return [messages for messages in (transport, legacy) if messages]

    def _hand_over(self, number: int, traffic: Traffic, data: bytes) -> Message:
        self._in_link_length += len(data) + MESSAGE_COST_LENGTH
        return Message(number, len(data), traffic, data)

    def _receive_message(self, message: Message) -> None:
        data = message.data or b""
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
        self._close_if_over(conversation)

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
            if self._counts[1 - self._first_number] >= self.limits.conversations_max:
                self._answer(number, traffic, SeverCode.BUSY, "too many conversations")
                self._begin(opening, None)
                return
            conversation = self._open(number, service, traffic, ConversationState.REQUESTED)
            conversation.receive_room(room_length)
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
            conversation.begin()
        if not ahead:
            self._opening = (opening + 1) % verbs.OPENINGS
            while self._opening in early:
                conversation = early.pop(self._opening)
                if conversation is not None:
                    conversation.begin()
                self._opening = (self._opening + 1) % verbs.OPENINGS

    def _answer(self, number: int, traffic: Traffic, code: SeverCode, text: str) -> None:
        """Refuse a number, unless the partner asks far more than it listens."""
        if len(self._answers) < ANSWERS_MAX and self._in_link_length < IN_LINK_LENGTH_MAX:
            self._answers[number] = traffic, ConversationSevered(code, text)
        else:
            self.stray_count += 1

    def _choose_number(self, traffic: Traffic) -> int:
        free = self._free[traffic]
        if free:
            return free.popleft()
        number = self._next_number
        self._next_number += 2
        return number

    def _open(
        self, number: int, service: str, traffic: Traffic, state: ConversationState
    ) -> ConversationEnd:
        conversation = ConversationEnd(
            number,
            service,
            traffic,
            state,
            self.limits,
            self._due,
            self._changed,
            self._openings,
            self.conversations,
        )
        self.conversations[number] = conversation
        self._counts[number % 2] += 1
        return conversation

    def _close_if_over(self, conversation: ConversationEnd) -> None:
        if not conversation.over or self.conversations.pop(conversation.number, None) is None:
            return
        self._counts[conversation.number % 2] -= 1
        if conversation.number % 2 == self._first_number:
            self._free[conversation.traffic].append(conversation.number)
        if conversation.reason is None or conversation.reason.code is not SeverCode.ENDED:
            self.severed_count += 1
