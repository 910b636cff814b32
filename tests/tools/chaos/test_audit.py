"""The audit of a chaos run: books that do not add up are said to."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from isfc.link.events import Delivered, Severed
from isfc.link.message import Message
from tools.chaos.audit import Account, Sums, audit, sums
from tools.chaos.book import CONVERSATIONS, Book, Entry, HeardEpoch, SentEpoch
from tools.chaos.traffic import Correspondence


def counts(first: int) -> tuple[int, ...]:
    return (first, *(CONVERSATIONS - 1) * (0,))


def sent(all_of_them: int, confirmed: int, told: int) -> SentEpoch:
    return SentEpoch(counts(all_of_them), counts(confirmed), counts(told))


def good() -> tuple[Account, Account]:
    """A life that has sent in two epochs, and its partner, which has received most of it."""
    none = dict.fromkeys(Entry, 0)
    heard = [HeardEpoch(1, 0, counts(7)), HeardEpoch(1, 1, counts(5))]
    return (
        Account(1, "ATLANTA", [sent(10, 6, 4), sent(5, 3, 0)], [], {**none}),
        Account(2, "BOSTON", [sent(0, 0, 0)], heard, {**none}),
    )


def test_books_that_agree_have_sums_that_agree() -> None:
    lives = good()
    assert list(audit(lives)) == []
    found = sums(lives)
    assert found["ATLANTA"] == Sums(sent=15, confirmed=9, told=4, orphaned=2, delivered=12)
    assert (found["ATLANTA"].undelivered, found["ATLANTA"].arrived_nonetheless) == (3, 3)
    assert found["BOSTON"] == Sums()


def heard_of_the_first_epoch(count: int) -> Callable[[Account, Account], None]:
    def spoil(_: Account, receiver: Account) -> None:
        receiver.heard[0] = replace(receiver.heard[0], delivered=counts(count))

    return spoil


def never_reported(sender: Account, _: Account) -> None:
    sender.sent[0] = replace(sender.sent[0], told=counts(3))


def heard_too(life: int) -> Callable[[Account, Account], None]:
    return lambda _, receiver: receiver.heard.append(HeardEpoch(life, 0, counts(1)))


def entered(entry: Entry) -> Callable[[Account, Account], None]:
    return lambda _, receiver: receiver.entries.update({entry: 1})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (heard_of_the_first_epoch(5), "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 5 del"),
        (heard_of_the_first_epoch(11), "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 11 del"),
        (never_reported, "(3, 0, 0, 0) reported, (4, 0, 0, 0) not confirmed"),
        (heard_too(1), "epoch (1, 0) has been delivered elsewhere, too"),
        (heard_too(7), "messages of life 7, which is not the partner's"),
        (entered(Entry.WRONG), "BOSTON, life 2: 1 messages were changed"),
        (entered(Entry.OTHER_SEVERS), "BOSTON, life 2: 1 times severed for no fault"),
    ],
)
def test_books_that_disagree_are_said_to(
    spoil: Callable[[Account, Account], None], said: str
) -> None:
    lives = good()
    spoil(*lives)
    assert any(said in each for each in audit(lives))


Ends = list[tuple[Correspondence, Book]]


@pytest.fixture
def ends(tmp_path: Path) -> Ends:
    books = [Book.create(tmp_path / f"{number}.book") for number in (1, 2)]
    return [(Correspondence(n + 1, book, Random(n)), book) for n, book in enumerate(books)]


def exchange(ends: Ends, lose: Callable[[Message], bool] = lambda _: False) -> None:
    """Both send what is due, and have it, but what is lost."""
    for here, (end, _) in enumerate(ends):
        messages = [each for each in end.due(quiet=False) if not lose(each)]
        ends[1 - here][0].receive(Delivered(messages), 0)


def accounts(ends: Ends) -> list[Account]:
    return [Account.of(n + 1, str(n), book) for n, (_, book) in enumerate(ends)]


def test_severed_messages_are_reported_and_all_others_add_up(ends: Ends) -> None:
    for _ in range(10):
        exchange(ends)
    ends[0][0].due(quiet=False)  # and nobody has it
    for end, _ in ends:
        end.receive(Severed("1 has restarted"), 0)
    for _ in range(10):
        exchange(ends)
    lives = accounts(ends)
    assert list(audit(lives)) == []
    first = sums(lives)["0"]
    assert first.told >= 1
    assert first.sent == first.confirmed + first.told + first.orphaned
    assert first.undelivered == 1


def test_message_that_is_lost_is_noticed_when_the_next_one_arrives(ends: Ends) -> None:
    lost: list[Message] = []

    def lose_one(message: Message) -> bool:
        if not lost and message.data is not None and bytes(message.data[:1]) == b"D":
            lost.append(message)
            return True
        return False

    for _ in range(100):
        exchange(ends, lose_one)
    assert any("changed, lost or out of turn" in each for each in audit(accounts(ends)))
