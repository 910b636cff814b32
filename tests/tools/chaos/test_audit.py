"""The audit of a chaos run: books that do not add up are said to."""

from collections.abc import Callable

import pytest

from tools.chaos.book import Account, Book, Entry, Sums, audit, sums


def account(number: int, name: str, partner: str, *sent: tuple[int, int, int]) -> Account:
    """The book of a life that has sent in some epochs: sent, confirmed, reported undelivered."""
    book = Book()
    for counts in sent:
        epoch = book.begin_epoch()
        epoch.sent[0], epoch.confirmed[0], epoch.told[0] = counts
    return Account(number, name, partner, book)


def hear(receiver: Account, life: int, epoch: int, count: int) -> None:
    receiver.book.begin_heard(life, epoch).delivered[0] = count


def good() -> tuple[Account, Account]:
    """A life that has sent in two epochs, and its partner, which has received most of it."""
    first = account(1, "ATLANTA", "BOSTON", (10, 6, 4), (5, 3, 0))
    second = account(2, "BOSTON", "ATLANTA", (0, 0, 0))
    hear(second, 1, 0, 7)
    hear(second, 1, 1, 5)
    return first, second


def test_books_that_agree_have_sums_that_agree() -> None:
    lives = good()
    assert list(audit(lives)) == []
    found = sums(lives)
    assert found["ATLANTA"] == Sums(sent=15, confirmed=9, told=4, orphaned=2, delivered=12)
    assert (found["ATLANTA"].undelivered, found["ATLANTA"].arrived_nonetheless) == (3, 3)
    assert found["BOSTON"] == Sums()


def heard_of_the_first_epoch(count: int) -> Callable[[Account, Account], None]:
    def spoil(_: Account, receiver: Account) -> None:
        receiver.book.heard[0].delivered[0] = count

    return spoil


def never_reported(sender: Account, _: Account) -> None:
    sender.book.sent[0].told[0] = 3


def heard_too(life: int) -> Callable[[Account, Account], None]:
    return lambda _, receiver: hear(receiver, life, 0, 1)


def entered(entry: Entry) -> Callable[[Account, Account], None]:
    return lambda _, receiver: receiver.book.entries.__setitem__(entry, 1)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (heard_of_the_first_epoch(5), "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 5 del"),
        (heard_of_the_first_epoch(11), "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 11 del"),
        (never_reported, "[3, 0, 0, 0] reported, [4, 0, 0, 0] not confirmed"),
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
