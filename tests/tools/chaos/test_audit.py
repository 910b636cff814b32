"""The audit of a chaos run: each way in which books do not add up is said."""

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

SENDER, RECEIVER = 0, 1
Lives = tuple[Account, Account]


def counts(first: int) -> tuple[int, ...]:
    return (first, *(CONVERSATIONS - 1) * (0,))


def good() -> Lives:
    """A life that has sent in two epochs, and its partner, which has received most of it."""
    none = dict.fromkeys(Entry, 0)
    sender = Account(
        1,
        "ATLANTA",
        [
            SentEpoch(counts(10), counts(6), counts(4)),
            SentEpoch(counts(5), counts(3), counts(0)),
        ],
        [],
        {**none},
    )
    receiver = Account(
        2,
        "BOSTON",
        [SentEpoch(counts(0), counts(0), counts(0))],
        [HeardEpoch(1, 0, counts(7)), HeardEpoch(1, 1, counts(5))],
        {**none},
    )
    return sender, receiver


def test_books_that_agree_have_sums_that_agree() -> None:
    lives = good()
    assert list(audit(lives)) == []
    found = sums(lives)
    assert found["ATLANTA"] == Sums(sent=15, confirmed=9, told=4, orphaned=2, delivered=12)
    assert found["ATLANTA"].undelivered == 3
    assert found["ATLANTA"].arrived_nonetheless == 3
    assert found["BOSTON"] == Sums()


def confirmed_and_not_delivered(lives: Lives) -> None:
    lives[RECEIVER].heard[0] = replace(lives[RECEIVER].heard[0], delivered=counts(5))


def delivered_and_never_sent(lives: Lives) -> None:
    lives[RECEIVER].heard[0] = replace(lives[RECEIVER].heard[0], delivered=counts(11))


def never_reported(lives: Lives) -> None:
    lives[SENDER].sent[0] = replace(lives[SENDER].sent[0], told=counts(3))


def delivered_twice(lives: Lives) -> None:
    lives[RECEIVER].heard.append(HeardEpoch(1, 0, counts(1)))


def delivered_of_nobody(lives: Lives) -> None:
    lives[RECEIVER].heard.append(HeardEpoch(7, 0, counts(1)))


def delivered_to_oneself(lives: Lives) -> None:
    lives[SENDER].heard.append(HeardEpoch(1, 2, counts(1)))


def noticed(lives: Lives) -> None:
    lives[RECEIVER].entries[Entry.WRONG] = 1


def severed_for_no_fault(lives: Lives) -> None:
    lives[RECEIVER].entries[Entry.OTHER_SEVERS] = 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (confirmed_and_not_delivered, "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 5 del"),
        (delivered_and_never_sent, "ATLANTA, life 1, epoch 0, conversation 0: 10 sent, 11 del"),
        (never_reported, "(3, 0, 0, 0) reported, (4, 0, 0, 0) not confirmed"),
        (delivered_twice, "epoch (1, 0) has been delivered elsewhere, too"),
        (delivered_of_nobody, "messages of life 7, which is not the partner's"),
        (delivered_to_oneself, "messages of life 1, which is not the partner's"),
        (noticed, "BOSTON, life 2: 1 messages were changed"),
        (severed_for_no_fault, "BOSTON, life 2: 1 times severed for no fault"),
    ],
)
def test_books_that_disagree_are_said_to(spoil: Callable[[Lives], None], said: str) -> None:
    lives = good()
    spoil(lives)
    assert any(said in each for each in audit(lives))


@pytest.fixture
def ends(tmp_path: Path) -> list[tuple[Correspondence, Book]]:
    books = [Book.create(tmp_path / f"{number}.book") for number in (1, 2)]
    return [(Correspondence(n + 1, book, Random(n)), book) for n, book in enumerate(books)]


def exchange(
    ends: list[tuple[Correspondence, Book]], lose: Callable[[Message], bool] = lambda _: False
) -> None:
    """Both send what is due, and have it, but what is lost."""
    for here, (end, _) in enumerate(ends):
        messages = [each for each in end.due(quiet=False) if not lose(each)]
        ends[1 - here][0].receive(Delivered(messages), 0)


def accounts(ends: list[tuple[Correspondence, Book]]) -> list[Account]:
    return [Account.of(n + 1, str(n), book) for n, (_, book) in enumerate(ends)]


def test_traffic_over_a_perfect_link_adds_up(ends: list[tuple[Correspondence, Book]]) -> None:
    for _ in range(100):
        exchange(ends)
    lives = accounts(ends)
    assert list(audit(lives)) == []
    for part in sums(lives).values():
        assert part.sent == part.delivered == 100
        assert part.confirmed >= 95


def test_severed_messages_are_reported_and_a_new_epoch_begins(
    ends: list[tuple[Correspondence, Book]],
) -> None:
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
    assert [life.entries[Entry.PARTNER_RESTARTED] for life in lives] == [1, 1]


def test_message_that_is_lost_is_noticed_when_the_next_one_arrives(
    ends: list[tuple[Correspondence, Book]],
) -> None:
    lost: list[Message] = []

    def lose_one(message: Message) -> bool:
        if len(lost) == 0 and message.data is not None and bytes(message.data[:1]) == b"D":
            lost.append(message)
            return True
        return False

    for _ in range(100):
        exchange(ends, lose_one)
    assert any("changed, lost or out of turn" in each for each in audit(accounts(ends)))
