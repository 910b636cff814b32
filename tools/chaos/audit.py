"""All books together: every message is accounted for, or it is said which are not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from tools.chaos.book import Book, Entry, HeardEpoch, SentEpoch


@dataclass(slots=True)
class Account:
    """What one life of a node leaves of a link: its book's content."""

    number: int
    name: str
    sent: list[SentEpoch]
    heard: list[HeardEpoch]
    entries: dict[Entry, int]
    partner: str = ""

    @classmethod
    def of(cls, number: int, name: str, book: Book, partner: str = "") -> "Account":
        """As the book has it now."""
        return cls(
            number,
            name,
            list(book.sent_epochs()),
            list(book.heard_epochs()),
            {entry: book[entry] for entry in Entry},
            partner,
        )


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

    def add(self, other: "Sums") -> None:
        """Add another's."""
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))


def sums(lives: Iterable[Account]) -> dict[str, Sums]:
    """What each node has sent, and what has become of it."""
    lives = list(lives)
    found = {life.name: Sums() for life in lives}
    names = {life.number: life.name for life in lives}
    for life in lives:
        own = found[life.name]
        for epoch, sent in enumerate(life.sent):
            own.sent += sum(sent.sent)
            own.confirmed += sum(sent.confirmed)
            if epoch < len(life.sent) - 1:
                own.told += sum(sent.told)
            else:  # it was never severed
                own.orphaned += sum(sent.sent) - sum(sent.confirmed)
        for heard in life.heard:
            if heard.life in names:
                found[names[heard.life]].delivered += sum(heard.delivered)
    return found


def audit(lives: Sequence[Account]) -> Iterator[str]:
    """What does not add up of one link; nothing if all does."""
    by_number = {life.number: life for life in lives}
    delivered: dict[tuple[int, int], tuple[int, ...]] = {}
    for life in lives:
        if life.entries[Entry.WRONG] or life.entries[Entry.DOUBLED]:
            yield (
                f"{_life(life)}: {life.entries[Entry.WRONG]} messages were changed, lost or out "
                f"of turn, {life.entries[Entry.DOUBLED]} doubled"
            )
        if life.entries[Entry.OTHER_SEVERS]:
            yield f"{_life(life)}: {life.entries[Entry.OTHER_SEVERS]} times severed for no fault"
        for heard in life.heard:
            key = (heard.life, heard.epoch)
            if key in delivered:
                yield f"{_life(life)}: epoch {key} has been delivered elsewhere, too"
            delivered[key] = heard.delivered
            if heard.life not in by_number or by_number[heard.life].name == life.name:
                yield f"{_life(life)}: messages of life {heard.life}, which is not the partner's"
    for life in lives:
        for epoch, sent in enumerate(life.sent):
            arrived = delivered.pop((life.number, epoch), (0,) * len(sent.sent))
            yield from _audit_epoch(f"{_life(life)}, epoch {epoch}", sent, arrived)
            severed = epoch < len(life.sent) - 1
            told = tuple(s - c for s, c in zip(sent.sent, sent.confirmed, strict=True))
            if severed and sent.told != told:
                yield f"{_life(life)}, epoch {epoch}: {sent.told} reported, {told} not confirmed"
    for key in delivered:
        yield f"epoch {key} was delivered and never sent"


def _audit_epoch(place: str, sent: SentEpoch, arrived: Sequence[int]) -> Iterator[str]:
    """Of each conversation a beginning has arrived, and all that is confirmed belongs to it."""
    for conversation, count in enumerate(sent.sent):
        if not sent.confirmed[conversation] <= arrived[conversation] <= count:
            yield (
                f"{place}, conversation {conversation}: {count} sent, {arrived[conversation]} "
                f"delivered, {sent.confirmed[conversation]} confirmed"
            )


def _life(life: Account) -> str:
    return f"{life.name}, life {life.number}"
