"""The conversations of one end of a link: messages in, segments out, and the other way round.

CP copies an APPC/VM message through buffers of its own, a segment at a time, and sends the next
segment when the partner has received the last one (`AppcFlow`). So a pair alone moves a reply of
1,000,000 bytes in 31 round trips, however many CTCs there are. ISFC Transport does not do that.
"""

from collections import deque
from typing import Final

from isfc.errors import RemoteProtocolError
from isfc.link.message import Message, Traffic
from isfc.link.package import BLOCK_LENGTH, Package, Packager
from isfc.link.segment import SEGMENT_LENGTH_MAX, Reassembler, Resequencer, Segmenter, cut

APPC_SEGMENT_LENGTH_MAX: Final = BLOCK_LENGTH
"""Most bytes of an APPC/VM message in one piece. Derived: with one pair, a reply of 1,000,000
bytes takes 21.9 ms, 31 of the 0.70 ms in which a short message and its reply pass."""

OWED_MAX: Final = 131_072
"""Acknowledgements that wait to be sent: more than one for each conversation there can be."""


class AppcFlow:
    """What one end has yet to send of its conversations' APPC/VM messages."""

    def __init__(self) -> None:
        self.waiting_length = 0
        """Bytes that wait for an acknowledgement, to join the backlog then."""
        self.owed_count = 0
        """Acknowledgements that are not written yet."""
        self.count = 0
        """Segments and acknowledgements that were written or read."""
        self._waiting: dict[int, deque[Message]] = {}

    def send(self, message: Message) -> Message | None:
        """The segment to be sent now, if any: none while one of the conversation is out."""
        segments = cut(message, APPC_SEGMENT_LENGTH_MAX)
        queue = self._waiting.get(message.conversation)
        if queue is not None:
            queue.extend(segments)
            self.waiting_length += message.length
            return None
        first, *rest = segments
        if rest:
            self._waiting[message.conversation] = deque(rest)
            self.waiting_length += message.length - first.length
        return first

    def acknowledge(self, conversation: int) -> list[Message]:
        """What to send now that the last segment has been received.

        A whole message is not acknowledged, nor is the end of one, so what waits behind it
        follows immediately.
        """
        queue = self._waiting.get(conversation)
        released: list[Message] = []
        while queue:
            segment = queue.popleft()
            self.waiting_length -= segment.length
            released.append(segment)
            if segment.more:
                return released
        self._waiting.pop(conversation, None)
        return released

    def receive(self, conversation: int) -> Message:
        """The acknowledgement of a segment that has arrived.

        Raises `RemoteProtocolError` for a partner who does not wait for any.
        """
        if self.owed_count >= OWED_MAX:
            raise RemoteProtocolError(f"more than {OWED_MAX:,} segments not acknowledged yet")
        self.owed_count += 1
        message = Message(conversation, 0, Traffic.LEGACY)
        message.acknowledges = True
        return message

    def count_package(self, package: Package) -> None:
        """Add what a package that was written or read has of APPC/VM."""
        self.count += package.appc_count

    def forget(self, conversation: int) -> None:
        """The conversation is over: send no more of it."""
        for segment in self._waiting.pop(conversation, ()):
            self.waiting_length -= segment.length


# An enumeration's members are slow to reach, and this one is needed for every message.
_TRANSPORT: Final = Traffic.TRANSPORT


class Conversations:
    """What a message goes through before it may be packed, and after its package has come.

    Going out it is cut into segments, which are numbered; those of APPC/VM wait for the partner's
    acknowledgements besides. Coming in, segments are put in order, joined and acknowledged.
    """

    def __init__(self, packager: Packager) -> None:
        self.appc = AppcFlow()
        self._packager = packager
        self._segmenter = Segmenter()
        self._resequencer = Resequencer()
        self._reassembler = Reassembler()

    @property
    def room(self) -> int:
        """Bytes that `reserve` still takes."""
        return self._packager.room - self.appc.waiting_length

    def reserve(self, messages: list[Message]) -> None:
        """Raise `Backpressure` unless the backlog has room for ``messages`` too."""
        length = self.appc.waiting_length
        for message in messages:
            length += message.length
        self._packager.reserve(length)

    def send(self, message: Message) -> None:
        """Let the segments of ``message`` that may be packed now wait in the backlog, numbered."""
        if message.traffic is not _TRANSPORT:
            first = self.appc.send(message)
            if first is not None:
                self._wait(first)
        elif message.length <= SEGMENT_LENGTH_MAX:
            self._wait(message)
        else:
            for segment in cut(message):
                self._wait(segment)

    def end_write(self, package: Package) -> list[Message]:
        """The segments of ``package``, which has been written, without acknowledgements."""
        if not package.appc_count:
            return package.messages
        self.appc.count_package(package)
        sent = [message for message in package.messages if not message.acknowledges]
        self.appc.owed_count -= len(package.messages) - len(sent)
        return sent

    def receive(self, package: Package) -> list[Message]:
        """The messages that are whole with ``package``, which has been read.

        What is to be sent in answer waits in the backlog then. Raises `RemoteProtocolError` for
        what cannot be received.
        """
        segments = self._resequencer.accept(package)
        if package.appc_count:
            self.appc.count_package(package)
            self._answer(segments)
            segments = [segment for segment in segments if not segment.acknowledges]
        return self._reassembler.join(segments)

    def _answer(self, segments: list[Message]) -> None:
        """Acknowledge what has arrived of APPC/VM messages, and send what has been asked for."""
        for segment in segments:
            if segment.traffic is _TRANSPORT:
                continue
            if segment.acknowledges:
                for following in self.appc.acknowledge(segment.conversation):
                    self._wait(following)
            elif segment.more:
                self._wait(self.appc.receive(segment.conversation))

    def _wait(self, segment: Message) -> None:
        self._segmenter.number(segment)
        self._packager.add(segment)
