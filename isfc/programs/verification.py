"""What goes around a program: a checksum on every message (``--verify``), or bytes to fill them.

Each message gets a trailer: how many messages of its conversation went before it (8 bytes) and
the CRC-32 of data, conversation and count (4), big-endian. The other end takes it off again and
counts what does not verify: a message that was changed on its way, lost or doubled. The link
sees only longer messages.

A message without data, as the benchmark guests send them, gets bytes of its length.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Final

from isfc.errors import RemoteProtocolError
from isfc.link.events import Delivered, LinkEvent, Offer, Program, Sent, Severed
from isfc.link.message import Message

TRAILER_LENGTH: Final = 12

_TRAILER: Final = struct.Struct(">QI")
_NUMBERS: Final = struct.Struct(">IQ")


class VerificationError(RemoteProtocolError):
    """Messages were changed, lost or doubled on their way."""


class Verifying:
    """A `Program` around another one, whose messages it verifies; both ends need it.

    What went wrong is counted, and `expect_intact` raises it. The program itself is told by a
    message without data in the place of one that was changed or of those that were lost; the
    double of a message is dropped. A program offers a conversation's messages in the order of
    their times.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.verified_count = 0
        """Messages that were what they should be."""
        self.changed_count = 0
        self.lost_count = 0
        self.doubled_count = 0
        self.first_fault: str | None = None
        """What went wrong first."""
        self._sent_counts: dict[int, int] = {}
        self._arrived_counts: dict[int, int] = {}
        self._sent_lengths: dict[int, int] = {}
        """Of messages of which some segments have been sent: bytes of those."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The program's first offers, sealed."""
        return self._sealed(self.program.start(now_ns))

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to, sealed."""
        if isinstance(event, Delivered):
            event = Delivered(self._opened(event.messages))
        elif isinstance(event, Sent):
            event = Sent(self._sent(event.messages))
        elif isinstance(event, Severed):
            self._sent_counts.clear()
            self._arrived_counts.clear()
            self._sent_lengths.clear()
        return self._sealed(self.program.receive(event, now_ns))

    def seal(self, messages: Iterable[Message]) -> list[Message]:
        """The messages as they are to be sent, in this order."""
        return [self._seal(message) for message in messages]

    def expect_intact(self) -> None:
        """Raise `VerificationError` if anything has gone wrong so far."""
        if self.first_fault is not None:
            raise VerificationError(
                f"messages changed {self.changed_count}, lost {self.lost_count}, doubled "
                f"{self.doubled_count}, as sent {self.verified_count}; first: {self.first_fault}"
            )

    def _sealed(self, offers: Iterable[Offer]) -> list[Offer]:
        return [(at_ns, self.seal(messages)) for at_ns, messages in offers]

    def _seal(self, message: Message) -> Message:
        conversation = message.conversation
        count = self._sent_counts.get(conversation, 0)
        self._sent_counts[conversation] = count + 1
        data = message.data if message.data is not None else filler(message.length, count)
        if message.head:
            data = b"".join((message.head, data))
        trailer = _TRAILER.pack(count, _checksum(data, conversation, count))
        sealed = b"".join((data, trailer))
        return Message(conversation, len(sealed), message.traffic, sealed, message.sender)

    def _opened(self, messages: Sequence[Message]) -> list[Message]:
        """What the program is to see of messages that have arrived."""
        opened: list[Message] = []
        for message in messages:
            conversation = message.conversation
            due = self._arrived_counts.get(conversation, 0)
            count = _verified_count(message)
            if count is None:
                self.changed_count += 1
                self._note(message, "changed")
                count = due  # most likely
                opened.append(_without_trailer(message, None))
            elif count < due:
                self.doubled_count += 1
                self._note(message, f"number {count} again, when {due} was due")
                continue
            else:
                if count > due:
                    self.lost_count += count - due
                    self._note(message, f"number {count}, when {due} was due")
                    opened.append(Message(conversation, 0, message.traffic))
                self.verified_count += 1
                assert message.data is not None
                data = memoryview(message.data)[:-TRAILER_LENGTH]
                opened.append(_without_trailer(message, data))
            self._arrived_counts[conversation] = count + 1
        return opened

    def _sent(self, segments: Sequence[Message]) -> list[Message]:
        """The messages that are sent once ``segments`` are, each as long as it was offered."""
        lengths = self._sent_lengths
        messages: list[Message] = []
        for segment in segments:
            length = lengths.pop(segment.conversation, 0) if lengths else 0
            length += segment.length
            if segment.more:
                lengths[segment.conversation] = length
            else:
                whole_length = length - TRAILER_LENGTH
                conversation, traffic = segment.conversation, segment.traffic
                messages.append(Message(conversation, whole_length, traffic, None, segment.sender))
        return messages

    def _note(self, message: Message, what: str) -> None:
        if self.first_fault is None:
            place = f"conversation {message.conversation}, a message of {message.length} bytes"
            self.first_fault = f"{place}: {what}"


def _checksum(data: bytes | memoryview, conversation: int, count: int) -> int:
    return zlib.crc32(_NUMBERS.pack(conversation, count), zlib.crc32(data))


def _verified_count(message: Message) -> int | None:
    """How many messages went before this one; None if it is not what was sent."""
    data = message.data
    if data is None or len(data) < TRAILER_LENGTH:
        return None
    view = memoryview(data)
    count, checksum = _TRAILER.unpack_from(view, len(view) - TRAILER_LENGTH)
    if _checksum(view[:-TRAILER_LENGTH], message.conversation, count) != checksum:
        return None
    return int(count)


def _without_trailer(message: Message, data: bytes | memoryview | None) -> Message:
    """The message that was sealed."""
    length = max(0, message.length - TRAILER_LENGTH)
    return Message(message.conversation, length, message.traffic, data)


_PATTERN: Final = bytes(range(251))
"""251 is prime: what starts at another place begins with another byte."""

_block = memoryview(_PATTERN * 4)


def filler(length: int, start: int = 0) -> memoryview:
    """So many bytes of a fixed pattern, from a place in it; nothing is copied."""
    global _block  # grows to the longest message there is
    first = start % len(_PATTERN)
    if first + length > len(_block):
        _block = memoryview(_PATTERN * ((first + length) // len(_PATTERN) * 2))
    return _block[first : first + length]


class Filling:
    """A `Program` around another one: its messages without data get bytes of their length."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The program's first offers, filled."""
        return self._filled(self.program.start(now_ns))

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to, filled."""
        return self._filled(self.program.receive(event, now_ns))

    def _filled(self, offers: Iterable[Offer]) -> list[Offer]:
        filled = list(offers)
        for _, messages in filled:
            for message in messages:
                if message.data is None:
                    message.data = filler(message.length)
        return filled
