"""What a node writes down where no ``kill -9`` reaches it: a file that is mapped into memory.

A book is that of one life of a node: one process, from its start to its end. Every time its link
is severed, a new epoch of that life begins, with new numbers. The node writes each number before
anybody can hear of what it counts, so that a book is right at whatever moment its writer is killed.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

CONVERSATIONS: Final = 4
"""Conversations of each node, numbered from 0."""
EPOCHS_MAX: Final = 16_384
"""Epochs of one life, and epochs of partners that one life may hear of."""

Counts = tuple[int, ...]
"""One number for each conversation."""


class Entry(IntEnum):
    """The numbers that an incarnation has once."""

    EPOCHS = 0
    """Epochs that have begun."""
    HEARD = 1
    """Epochs of partners of which anything has arrived."""
    ATTACHED = 2
    """Connections of CTCs that were made."""
    LINK_UPS = 3
    PARTNER_RESTARTED = 4
    """Severed: the partner was another life, or had severed."""
    DOWN_TOO_LONG = 5
    """Severed: the link was down for the reconnect time."""
    OTHER_SEVERS = 6
    WRONG = 7
    """Messages that were changed, lost or out of turn within an epoch."""
    DOUBLED = 8


_SENT_WIDTH: Final = 3 * CONVERSATIONS
_HEARD_WIDTH: Final = 2 + CONVERSATIONS
_SENT: Final = len(Entry)
_HEARD: Final = _SENT + EPOCHS_MAX * _SENT_WIDTH
_CELL_COUNT: Final = _HEARD + EPOCHS_MAX * _HEARD_WIDTH
_CELL_LENGTH: Final = 8


@dataclass(frozen=True, slots=True)
class SentEpoch:
    """What an incarnation has sent in one epoch, and what it knows of it, in messages."""

    sent: Counts
    confirmed: Counts
    """The partner's program has said that it has them."""
    told: Counts
    """Reported undelivered when the epoch was severed: not confirmed by then."""


@dataclass(frozen=True, slots=True)
class HeardEpoch:
    """What has arrived of one epoch of a partner's life, in messages."""

    life: int
    epoch: int
    delivered: Counts


class Book:
    """One life's book, to write or to read; both can be at the same time."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._cells = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")

    @classmethod
    def create(cls, path: Path) -> "Book":
        """A new book. What is not written takes no room on the disk."""
        with path.open("xb") as file:
            file.truncate(_CELL_COUNT * _CELL_LENGTH)
        return cls(path)

    def __getitem__(self, entry: Entry) -> int:
        return self._cells[entry]

    def __setitem__(self, entry: Entry, number: int) -> None:
        self._cells[entry] = number

    def begin_epoch(self) -> int:
        """Begin an epoch of this life; its number."""
        epoch = self[Entry.EPOCHS]
        assert epoch < EPOCHS_MAX, "the book is full"
        self[Entry.EPOCHS] = epoch + 1
        return epoch

    def write_sent(self, epoch: int, conversation: int, count: int) -> None:
        """So many messages of a conversation have been sent."""
        self._cells[_SENT + epoch * _SENT_WIDTH + conversation] = count

    def write_confirmed(self, epoch: int, conversation: int, count: int) -> None:
        """So many messages of a conversation are confirmed."""
        self._cells[_SENT + epoch * _SENT_WIDTH + CONVERSATIONS + conversation] = count

    def write_told(self, epoch: int, conversation: int, count: int) -> None:
        """So many messages of a conversation were reported undelivered."""
        self._cells[_SENT + epoch * _SENT_WIDTH + 2 * CONVERSATIONS + conversation] = count

    def begin_heard(self, life: int, epoch: int) -> int:
        """An epoch of a partner's is heard of for the first time; its line in this book."""
        line = self[Entry.HEARD]
        assert line < EPOCHS_MAX, "the book is full"
        at = _HEARD + line * _HEARD_WIDTH
        self._cells[at], self._cells[at + 1] = life, epoch
        self[Entry.HEARD] = line + 1
        return line

    def write_delivered(self, line: int, conversation: int, count: int) -> None:
        """So many messages of a conversation of that epoch have arrived."""
        self._cells[_HEARD + line * _HEARD_WIDTH + 2 + conversation] = count

    def sent_epochs(self) -> Iterator[SentEpoch]:
        """What this life has sent, by epoch."""
        width = CONVERSATIONS
        for epoch in range(self[Entry.EPOCHS]):
            cells = self._read(_SENT + epoch * _SENT_WIDTH, _SENT_WIDTH)
            yield SentEpoch(cells[:width], cells[width : 2 * width], cells[2 * width :])

    def heard_epochs(self) -> Iterator[HeardEpoch]:
        """What has arrived in this life, by the partner's epoch."""
        for line in range(self[Entry.HEARD]):
            life, epoch, *delivered = self._read(_HEARD + line * _HEARD_WIDTH, _HEARD_WIDTH)
            yield HeardEpoch(life, epoch, tuple(delivered))

    def _read(self, first: int, count: int) -> Counts:
        return tuple(self._cells[first : first + count])
