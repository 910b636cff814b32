"""What a node writes down where no ``kill -9`` reaches it: a file that is mapped into memory.

A book is that of one life of a node: one process, from its start to its end. Every time its link
is severed, a new epoch of that life begins, with new numbers. The node writes each number before
anybody can hear of what it counts, so that a book is right at whatever moment its writer is killed.
"""

from ctypes import Array, Structure, c_uint64, sizeof
from enum import IntEnum
from mmap import mmap
from pathlib import Path
from typing import Final

CONVERSATIONS: Final = 4
"""Conversations of each node, numbered from 0."""
EPOCHS_MAX: Final = 16_384
"""Epochs of one life, and epochs of partners that one life may hear of."""

_Counts: Final = c_uint64 * CONVERSATIONS
"""One number for each conversation."""


class Entry(IntEnum):
    """The numbers that a life has once."""

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


class SentEpoch(Structure):
    """What a life has sent in one epoch, and what it knows of it, in messages.

    The partner's program has ``confirmed`` what it has. ``told`` are those that were reported
    undelivered when the epoch was severed: not confirmed by then.
    """

    sent: Array[c_uint64]
    confirmed: Array[c_uint64]
    told: Array[c_uint64]
    _fields_ = (("sent", _Counts), ("confirmed", _Counts), ("told", _Counts))


class HeardEpoch(Structure):
    """What has arrived of one epoch of a partner's life, in messages."""

    life: int
    epoch: int
    delivered: Array[c_uint64]
    _fields_ = (("life", c_uint64), ("epoch", c_uint64), ("delivered", _Counts))


class Book(Structure):
    """One life's book, to write or to read; both can be at the same time."""

    entries: Array[c_uint64]
    """By `Entry`."""
    _sent: Array[SentEpoch]
    _heard: Array[HeardEpoch]
    _fields_ = (
        ("entries", c_uint64 * len(Entry)),
        ("_sent", SentEpoch * EPOCHS_MAX),
        ("_heard", HeardEpoch * EPOCHS_MAX),
    )

    @classmethod
    def open(cls, path: Path) -> "Book":
        """The book in a file, which is made if it is not there.

        What is not written takes no room on the disk.
        """
        with path.open("ab+") as file:
            file.truncate(sizeof(cls))
            return cls.from_buffer(mmap(file.fileno(), 0))

    def begin_epoch(self) -> SentEpoch:
        """What is sent in a new epoch of this life."""
        sent: SentEpoch = self._sent[self.entries[Entry.EPOCHS]]
        self.entries[Entry.EPOCHS] += 1
        return sent

    def begin_heard(self, life: int, epoch: int) -> HeardEpoch:
        """What arrives of an epoch of a partner's, of which nothing has arrived yet."""
        heard: HeardEpoch = self._heard[self.entries[Entry.HEARD]]
        heard.life, heard.epoch = life, epoch
        self.entries[Entry.HEARD] += 1
        return heard

    @property
    def sent(self) -> list[SentEpoch]:
        """What this life has sent, by epoch."""
        return self._sent[: self.entries[Entry.EPOCHS]]

    @property
    def heard(self) -> list[HeardEpoch]:
        """What has arrived in this life, by the partner's epoch."""
        return self._heard[: self.entries[Entry.HEARD]]
