"""Traffic that can be accounted for: every message has a number, and is confirmed by the program.

A link tells its client when the partner's *link* has read a message (`Sent`), which is not yet the
partner's program. So here the program that receives confirms what it has, as any program must that
has to know.
"""

import struct
from collections import deque
from collections.abc import Iterable
from random import Random
from typing import Final

from isfc.engine.program import Offer
from isfc.link.events import Delivered, LinkEvent, LinkUp, Severed
from isfc.link.message import Message, Traffic
from isfc.programs.verification import filler
from tools.chaos.book import CONVERSATIONS, Book, Entry

WINDOW: Final = 8
"""Messages of a conversation that may be sent and not confirmed."""
LENGTHS: Final = (100, 4_000, 30_000, 200_000)
"""Messages are up to so long, in bytes, each as often: within a package, and in segments."""
ROOM: Final = 2 * LENGTHS[-1]
"""Bytes of the link's backlog that must be free before anything is sent."""

_HEADER: Final = struct.Struct(">cIIQ")
"""Which of the two, the sender's life and epoch, and a number: for data, the message's; for a
confirmation, how many of the receiver's have arrived."""
_DATA, _CONFIRM = b"D", b"C"


class Correspondence:
    """The `Program` of one life of a node. What it sends, it is asked for: `due`."""

    def __init__(self, life: int, book: Book, random: Random) -> None:
        self._life = life
        self._book = book
        self._random = random
        self._begin()

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing: see `due`."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Write down what has happened."""
        if isinstance(event, Delivered):
            for message in event.messages:
                self._arrive(message)
        elif isinstance(event, LinkUp):
            self._book[Entry.LINK_UPS] += 1
        elif isinstance(event, Severed):
            self._sever(event.reason)
        return ()

    def due(self, *, quiet: bool) -> list[Message]:
        """What is to be sent now: confirmations, and unless ``quiet`` a message."""
        messages = [
            self._message(conversation, _CONFIRM, life, epoch, count)
            for conversation, (life, epoch, count) in self._confirm.items()
        ]
        self._confirm.clear()
        conversation = self._random.randrange(CONVERSATIONS)
        outstanding = self._outstanding[conversation]
        if not quiet and len(outstanding) < WINDOW:
            number = self._sent[conversation]
            self._sent[conversation] = number + 1
            self._book.write_sent(self._epoch, conversation, number + 1)
            outstanding.append(number)
            length = self._random.randint(1, self._random.choice(LENGTHS))
            messages.append(
                self._message(conversation, _DATA, self._life, self._epoch, number, length)
            )
        return messages

    def _begin(self) -> None:
        self._epoch = self._book.begin_epoch()
        self._sent = [0] * CONVERSATIONS
        self._outstanding: list[deque[int]] = [deque() for _ in range(CONVERSATIONS)]
        self._heard: tuple[int, int, int] | None = None
        """The partner's life and epoch, and their line in the book."""
        self._delivered = [0] * CONVERSATIONS
        self._confirm: dict[int, tuple[int, int, int]] = {}

    def _sever(self, reason: str) -> None:
        """What is not confirmed is reported undelivered; an epoch ends."""
        for conversation, outstanding in enumerate(self._outstanding):
            self._book.write_told(self._epoch, conversation, len(outstanding))
        if reason.endswith("has restarted"):
            self._book[Entry.PARTNER_RESTARTED] += 1
        elif reason.startswith("the link was down"):
            self._book[Entry.DOWN_TOO_LONG] += 1
        else:
            self._book[Entry.OTHER_SEVERS] += 1
        self._begin()

    def _arrive(self, message: Message) -> None:
        if message.data is None or len(message.data) < _HEADER.size:
            self._book[Entry.WRONG] += 1  # `Verifying` has found it changed, or others lost
            return
        kind, life, epoch, number = _HEADER.unpack_from(message.data)
        if kind == _CONFIRM:
            self._be_confirmed(message.conversation, life, epoch, number)
        else:
            self._note(message.conversation, life, epoch, number)

    def _be_confirmed(self, conversation: int, life: int, epoch: int, count: int) -> None:
        """The partner's program has so many of our messages."""
        outstanding = self._outstanding[conversation]
        if (life, epoch) != (self._life, self._epoch) or count > self._sent[conversation]:
            self._book[Entry.WRONG] += 1
            return
        while outstanding and outstanding[0] < count:
            outstanding.popleft()
        self._book.write_confirmed(epoch, conversation, count)

    def _note(self, conversation: int, life: int, epoch: int, number: int) -> None:
        """A message of the partner's: the next of its conversation, or something is wrong."""
        if self._heard is None:
            self._heard = (life, epoch, self._book.begin_heard(life, epoch))
        if self._heard[:2] != (life, epoch) or self._delivered[conversation] != number:
            self._book[Entry.WRONG] += 1
            return
        self._delivered[conversation] = number + 1
        self._book.write_delivered(self._heard[2], conversation, number + 1)
        self._confirm[conversation] = (life, epoch, number + 1)

    def _message(
        self, conversation: int, kind: bytes, life: int, epoch: int, number: int, length: int = 0
    ) -> Message:
        data = b"".join((_HEADER.pack(kind, life, epoch, number), filler(length, number)))
        traffic = Traffic.LEGACY if conversation == CONVERSATIONS - 1 else Traffic.TRANSPORT
        return Message(conversation, len(data), traffic, data)
