"""All books together: every message is accounted for, or it is said which are not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tools.chaos.book import Book, Entry, SentEpoch


@dataclass(frozen=True, slots=True)
class Account:
    """What one life of a node leaves of its link to a partner: a book."""

    number: int
    name: str
    partner: str
    book: Book

    def __str__(self) -> str:
        return f"{self.name}, life {self.number}"


@dataclass(slots=True)
class Sums:
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
