"""Traffic that can be accounted for: every message has a number, and is confirmed by the program.

A conversation tells its program when the partner's *link* has read a message, which is not yet the
partner's program. So here the program that receives confirms what it has, as any program must that
has to know.
"""

import struct
from collections.abc import Iterator
from random import Random
from typing import Final

from isfc.programs.verification import filler
from tools.chaos.book import CONVERSATIONS, Book, Entry, HeardEpoch

WINDOW: Final = 8
"""Messages of a conversation that may be sent and not confirmed."""
LENGTHS: Final = (100, 4_000, 30_000, 200_000)
"""Messages are up to so long, in bytes, each as often: within a package, and in segments."""

_HEADER: Final = struct.Struct(">IcIIQ")
"""How many bytes follow, which of the two, the sender's life and epoch, and a number: for data, the
message's; for a confirmation, how many of the receiver's have arrived."""
_DATA, _CONFIRM = b"D", b"C"


class Correspondence:
    """What one life of a node sends a partner and hears of it, written down in its book."""

    def __init__(self, life: int, book: Book, random: Random) -> None:
        self._life = life
        self._book = book
        self._random = random
        self._begin()

    def _begin(self) -> None:
        self._epoch = self._book.entries[Entry.EPOCHS]
        self._own = self._book.begin_epoch()
        self._heard: HeardEpoch | None = None
        self._rest = [bytearray() for _ in range(CONVERSATIONS)]
        self._confirm: dict[int, int] = {}
        """How many messages have arrived of conversations of which that is to be said."""

    def due(self, *, quiet: bool) -> Iterator[tuple[int, bytes]]:
        """What is to be sent now, by conversation: confirmations, unless ``quiet`` a message."""
        for conversation, count in self._confirm.items():
            assert self._heard is not None
            life, epoch = self._heard.life, self._heard.epoch
            yield conversation, _HEADER.pack(0, _CONFIRM, life, epoch, count)
        self._confirm.clear()
        conversation = self._random.randrange(CONVERSATIONS)
        number = self._own.sent[conversation]
        if not quiet and number - self._own.confirmed[conversation] < WINDOW:
            self._own.sent[conversation] = number + 1
            length = self._random.randint(1, self._random.choice(LENGTHS))
            header = _HEADER.pack(length, _DATA, self._life, self._epoch, number)
            yield conversation, b"".join((header, filler(length, number)))

    def sever(self, reason: str) -> None:
        """What is not confirmed is reported undelivered; an epoch ends."""
        own = self._own
        for conversation in range(CONVERSATIONS):
            own.told[conversation] = own.sent[conversation] - own.confirmed[conversation]
        if reason.endswith("has restarted"):
            self._book.entries[Entry.PARTNER_RESTARTED] += 1
        elif reason.startswith("the link was down"):
            self._book.entries[Entry.DOWN_TOO_LONG] += 1
        else:
            self._book.entries[Entry.OTHER_SEVERS] += 1
        self._begin()

    def hear(self, conversation: int, data: bytes) -> None:
        """Write down what has arrived, or that it is wrong; a message may come in pieces."""
        rest = self._rest[conversation]
        rest += data
        while len(rest) >= _HEADER.size:
            length, kind, life, epoch, number = _HEADER.unpack_from(rest)
            if len(rest) < _HEADER.size + length:
                break
            del rest[: _HEADER.size + length]
            arrive = self._be_confirmed if kind == _CONFIRM else self._take
            is_right = arrive(conversation, life, epoch, number)
            self._book.entries[Entry.WRONG] += not is_right

    def _be_confirmed(self, conversation: int, life: int, epoch: int, count: int) -> bool:
        """The partner's program has so many of our messages, if that can be."""
        is_own = (life, epoch) == (self._life, self._epoch)
        if is_own and count <= self._own.sent[conversation]:
            self._own.confirmed[conversation] = count
            return True
        return False

    def _take(self, conversation: int, life: int, epoch: int, number: int) -> bool:
        """A message of the partner's, if it is the next of its conversation."""
        if self._heard is None:
            self._heard = self._book.begin_heard(life, epoch)
        heard = self._heard
        if (heard.life, heard.epoch, heard.delivered[conversation]) != (life, epoch, number):
            return False
        heard.delivered[conversation] = self._confirm[conversation] = number + 1
        return True
