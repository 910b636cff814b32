"""What a node writes down where no ``kill -9`` reaches it: a file that is mapped into memory.

A book is that of one life of a node: one process, from its start to its end. Every time its link
is severed, a new epoch of that life begins, with new numbers. The node writes each number before
anybody can hear of what it counts, so that a book is right at whatever moment its writer is killed.
All books together account for every message, or say which are not (`audit`).
"""

from collections.abc import Iterable, Iterator, Sequence
from ctypes import Array, Structure, c_uint64, sizeof
from enum import IntEnum
from mmap import mmap
from pathlib import Path
from typing import Final

from msgspec import Struct

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


class Account(Struct, frozen=True):
    """What one life of a node leaves of its link to a partner: a book."""

    number: int
    name: str
    partner: str
    book: Book

    def __str__(self) -> str:
        return f"{self.name}, life {self.number}"


class Sums(Struct):
    """Messages of one node's, or of all."""

    sent: int = 0
    confirmed: int = 0
    """The partner's program has said that it has them."""
    told: int = 0
    """Reported undelivered to the program that had sent them, when the link was severed."""
    orphaned: int = 0
    """Not confirmed when the process that had sent them ended: the supervisor reports them."""
    delivered: int = 0

    @property
    def undelivered(self) -> int:
        """Sent and not delivered. Each of them is among those that were reported."""
        return self.sent - self.delivered

    @property
    def arrived_nonetheless(self) -> int:
        """Reported, and delivered: only the confirmation was lost."""
        return self.delivered - self.confirmed


def sums(lives: Iterable[Account]) -> dict[str, Sums]:
    """What each node has sent, and what has become of it."""
    lives = list(lives)
    found = {life.name: Sums() for life in lives}
    names = {life.number: life.name for life in lives}
    for life in lives:
        own, epochs = found[life.name], life.book.sent
        own.sent += sum(sum(epoch.sent) for epoch in epochs)
        own.confirmed += sum(sum(epoch.confirmed) for epoch in epochs)
        own.told += sum(sum(epoch.told) for epoch in epochs[:-1])
        own.orphaned += sum(sum(last.sent) - sum(last.confirmed) for last in epochs[-1:])
        for heard in life.book.heard:
            if heard.life in names:
                found[names[heard.life]].delivered += sum(heard.delivered)
    return found


def audit(lives: Sequence[Account]) -> Iterator[str]:
    """What does not add up of one link; nothing if all does."""
    names = {life.number: life.name for life in lives}
    delivered: dict[tuple[int, int], Sequence[int]] = {}
    for life in lives:
        entries = life.book.entries
        if entries[Entry.WRONG] or entries[Entry.DOUBLED]:
            yield (
                f"{life}: {entries[Entry.WRONG]} messages were changed, lost or out "
                f"of turn, {entries[Entry.DOUBLED]} doubled"
            )
        if entries[Entry.OTHER_SEVERS]:
            yield f"{life}: {entries[Entry.OTHER_SEVERS]} times severed for no fault"
        for heard in life.book.heard:
            key = (heard.life, heard.epoch)
            if key in delivered:
                yield f"{life}: epoch {key} has been delivered elsewhere, too"
            delivered[key] = [*heard.delivered]
            if names.get(heard.life, life.name) == life.name:
                yield f"{life}: messages of life {heard.life}, which is not the partner's"
    for life in lives:
        epochs = life.book.sent
        for epoch, sent in enumerate(epochs):
            arrived = delivered.pop((life.number, epoch), (0,) * len(sent.sent))
            yield from _audit_epoch(f"{life}, epoch {epoch}", sent, arrived)
        for epoch, sent in enumerate(epochs[:-1]):
            told = [*sent.told]
            due = [s - c for s, c in zip(sent.sent, sent.confirmed, strict=True)]
            if told != due:
                yield f"{life}, epoch {epoch}: {told} reported, {due} not confirmed"
    for key in delivered:
        yield f"epoch {key} was delivered and never sent"


def _audit_epoch(place: str, sent: SentEpoch, arrived: Sequence[int]) -> Iterator[str]:
    """Of each conversation a beginning has arrived, and all that is confirmed belongs to it."""
    figures = zip(sent.sent, arrived, sent.confirmed, strict=True)
    for conversation, (count, there, confirmed) in enumerate(figures):
        if not confirmed <= there <= count:
            yield (
                f"{place}, conversation {conversation}: {count} sent, {there} delivered, "
                f"{confirmed} confirmed"
            )
