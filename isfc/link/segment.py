"""What a link does with messages so that each arrives whole, once and in order.

Long ones are cut into numbered segments to be sent, and joined again on arrival (`Segmenter`,
`Reassembler`); what a receiver does with packages that overtake each other is the `Resequencer`'s.
"""

from collections.abc import Iterator
from typing import Final

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message, Serial, Serials
from isfc.link.package import Package

SEGMENT_LENGTH_MAX: Final = 262_144
"""Most bytes of an ISFC Transport message in one piece: longer than any that IBM's report sends.
Of APPC/VM messages pieces are smaller (`isfc.link.conversations`)."""

UNFINISHED_LENGTH_MAX: Final = 320 * 2**20
UNFINISHED_SEGMENTS_MAX: Final = 65_536
"""Bytes and segments that wait for the end of their message: a whole backlog as one message, and
what overtakes it."""


def cut(message: Message, length_max: int = SEGMENT_LENGTH_MAX) -> Iterator[Message]:
    """``message`` in pieces of at most so many bytes; a short one is its own only piece."""
    if message.length <= length_max:
        yield message
        return
    for start in range(0, message.length, length_max):
        length = min(length_max, message.length - start)
        data = message.data[start : start + length] if message.data is not None else None
        segment = Message(message.conversation, length, message.traffic, data, message.sender)
        segment.more = start + length < message.length
        yield segment


class Segmenter:
    """Numbers the messages of each conversation, and cuts those that are too long."""

    def __init__(self) -> None:
        self._serials = Serials()

    def number(self, message: Message) -> None:
        """Number a message that stays in one piece."""
        serial = self._serials.find(message.conversation)
        if serial is None:
            serial = self._serials.begin(message.conversation)
        message.serial = serial.next
        serial.next += 1

    def cut(self, message: Message) -> Iterator[Message]:
        """The segments of ``message``, numbered; a short message is its own only segment."""
        for segment in cut(message):
            self.number(segment)
            yield segment

    def forget(self, conversation: int) -> None:
        """The conversation is over: its numbers may begin at 0 again."""
        self._serials.forget(conversation)


class Reassembler:
    """Joins segments, which arrive in the order of their conversation."""

    def __init__(self) -> None:
        self._parts: dict[int, list[Message]] = {}
        self._length = 0
        self._segment_count = 0

    def join(self, segments: list[Message]) -> list[Message]:
        """The messages that are whole once ``segments`` have arrived.

        Raises `RemoteProtocolError` when more is unfinished than the bounds allow.
        """
        if not self._parts:
            for segment in segments:
                if segment.more:
                    break
            else:
                return segments
        messages: list[Message] = []
        for segment in segments:
            if segment.more:
                self._keep(segment)
                continue
            parts = self._take(segment.conversation)
            messages.append(_whole([*parts, segment]) if parts else segment)
        return messages

    def forget(self, conversation: int) -> None:
        """The conversation is over: drop the beginning of a message that will not end."""
        self._take(conversation)

    def _keep(self, segment: Message) -> None:
        if self._segment_count >= VIEWS_MAX:
            segment.keep()
        self._length += segment.length
        self._segment_count += 1
        self._parts.setdefault(segment.conversation, []).append(segment)
        if self._length > UNFINISHED_LENGTH_MAX or self._segment_count > UNFINISHED_SEGMENTS_MAX:
            self.forget(segment.conversation)
            raise RemoteProtocolError(
                f"more than {UNFINISHED_LENGTH_MAX:,} bytes or {UNFINISHED_SEGMENTS_MAX:,} "
                "segments of messages that do not end"
            )

    def _take(self, conversation: int) -> list[Message]:
        parts = self._parts.pop(conversation, [])
        for part in parts:
            self._length -= part.length
            self._segment_count -= 1
        return parts


def _whole(parts: list[Message]) -> Message:
    last = parts[-1]
    pieces = [part.data for part in parts if part.data is not None]
    data = b"".join(pieces) if last.data is not None else None
    length = sum(part.length for part in parts)
    message = Message(last.conversation, length, last.traffic, data)
    message.serial = last.serial
    return message


HELD_MESSAGES_MAX: Final = 65_536
HELD_LENGTH_MAX: Final = 256 * 2**20
"""Messages held back for an earlier one, and their bytes: far more than sixteen CTCs overtake,
and a second of what they carry while one of them stands still."""

AHEAD_PACKAGES_MAX: Final = 131_072
"""Packages that have overtaken an earlier one."""

CONVERSATIONS_MAX: Final = 65_536
"""Conversations that a partner can have; it uses the numbers of those that are over again."""


class Resequencer:
    """Delivers every message exactly once, in the order of its conversation.

    Packages travel on several CTCs and overtake each other, and a package whose sender never
    heard that it arrived is sent again. A package number seen before is dropped whole; a
    message that arrives before an earlier one of its conversation is held until that one is
    there. Conversations do not wait for each other.
    """

    def __init__(self) -> None:
        self.duplicate_count = 0
        """Packages, and messages of other packages, that had been there before."""
        self.held_count = 0
        """Messages that wait for an earlier one."""
        self._held_length = 0
        self._next_number = 0
        self._seen_ahead: set[int] = set()
        self._serials = Serials()
        self._held: dict[int, dict[int, Message]] = {}

    def accept(self, package: Package) -> list[Message]:
        """The messages that ``package`` makes deliverable.

        Raises `RemoteProtocolError` when more would have to be kept than the bounds allow.
        """
        if not self._is_new(package.number):
            self.duplicate_count += 1
            return []
        messages = package.messages
        if self.held_count:
            return self._arrange(messages)
        due = self._count_due(messages)
        if due == len(messages):  # nearly always
            return messages
        return messages[:due] + self._arrange(messages[due:])

    def forget(self, conversation: int) -> None:
        """Drop what is known of a conversation that is over."""
        self._serials.forget(conversation)
        for message in self._held.pop(conversation, {}).values():
            self._unhold(message)

    def _count_due(self, messages: list[Message]) -> int:
        """How many of ``messages``, from the first on, are the next ones of conversations known."""
        due = 0
        serials = self._serials
        for message in messages:
            serial = serials.find(message.conversation)
            if serial is None or serial.next != message.serial:
                break
            serial.next += 1
            due += 1
        return due

    def _arrange(self, messages: list[Message]) -> list[Message]:
        """What can be delivered of ``messages``, and of those held back for one of them."""
        ready: list[Message] = []
        for message in messages:
            conversation = message.conversation
            serial = self._serials.find(conversation)
            due = 0 if serial is None else serial.next
            if message.serial > due:
                self._hold(message)
            elif message.serial < due:
                self.duplicate_count += 1
            else:
                if serial is None:
                    serial = self._begin(conversation)
                serial.next += 1
                ready.append(message)
                if self.held_count and conversation in self._held:
                    self._release(conversation, serial, ready)
        return ready

    def _begin(self, conversation: int) -> Serial:
        """The first message of a conversation is there."""
        if self._serials.count >= CONVERSATIONS_MAX:
            raise RemoteProtocolError(f"more than {CONVERSATIONS_MAX:,} conversations")
        return self._serials.begin(conversation)

    def _is_new(self, number: int) -> bool:
        if number == self._next_number:
            self._next_number += 1
            while self._seen_ahead and self._next_number in self._seen_ahead:
                self._seen_ahead.remove(self._next_number)
                self._next_number += 1
            return True
        if number < self._next_number or number in self._seen_ahead:
            return False
        if len(self._seen_ahead) >= AHEAD_PACKAGES_MAX:
            raise RemoteProtocolError(f"more than {AHEAD_PACKAGES_MAX:,} packages wait for one")
        self._seen_ahead.add(number)
        return True

    def _hold(self, message: Message) -> None:
        if message.serial in self._held.get(message.conversation, ()):
            self.duplicate_count += 1
            return
        if self.held_count >= HELD_MESSAGES_MAX:
            raise RemoteProtocolError(f"more than {HELD_MESSAGES_MAX:,} messages wait for others")
        if self._held_length + message.length > HELD_LENGTH_MAX:
            raise RemoteProtocolError(
                f"messages of more than {HELD_LENGTH_MAX:,} bytes wait for others"
            )
        if self.held_count >= VIEWS_MAX:
            message.keep()
        self._held.setdefault(message.conversation, {})[message.serial] = message
        self.held_count += 1
        self._held_length += message.length

    def _unhold(self, message: Message) -> None:
        self.held_count -= 1
        self._held_length -= message.length

    def _release(self, conversation: int, serial: Serial, ready: list[Message]) -> None:
        held = self._held[conversation]
        while serial.next in held:
            message = held.pop(serial.next)
            self._unhold(message)
            ready.append(message)
            serial.next += 1
        if not held:
            del self._held[conversation]
