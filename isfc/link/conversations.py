"""The conversations of one end of a link: messages in, segments out, and the other way round."""

from collections.abc import Iterable
from typing import Final

from isfc.link.appc import AppcFlow
from isfc.link.message import Message, Traffic
from isfc.link.package import Package, Packager
from isfc.link.segment import SEGMENT_LENGTH_MAX, Reassembler, Segmenter
from isfc.link.sequence import Resequencer

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

    def cut(self, message: Message) -> Iterable[Message]:
        """The segments of ``message`` that may be packed now, numbered."""
        segment = message
        if message.traffic is not _TRANSPORT:
            first = self.appc.send(message)
            if first is None:
                return ()
            segment = first
        elif message.length > SEGMENT_LENGTH_MAX:
            return self._segmenter.cut(message)
        self._segmenter.number(segment)
        return (segment,)

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
