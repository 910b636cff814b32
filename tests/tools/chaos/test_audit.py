"""The audit of a chaos run: books that do not add up are said to."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tools.chaos.audit import Account, Sums, audit, sums
from tools.chaos.book import CONVERSATIONS, Entry, HeardEpoch, SentEpoch


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
