"""Long messages: cut into numbered segments to be sent, and joined again on arrival."""

from collections.abc import Iterator
from typing import Final

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message, Serials

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
