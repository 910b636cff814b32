"""What a program offers waits for its time, and for room."""

from ctc.agenda import NEVER_NS
from isfc.engine.pump import Offers
from isfc.link.message import Message


def messages(*lengths: int) -> list[Message]:
    return [Message(0, length) for length in lengths]


def taken(found: object) -> list[int]:
    assert isinstance(found, list)
    return [message.length for message in found]


def test_offers_are_taken_one_by_one_in_the_order_of_time() -> None:
    offers = Offers()
    offers.add(20, messages(2))
    offers.add(10, messages(1, 1))
    assert offers.due_ns == 10
    assert taken(offers.take(100)) == [1, 1]
    assert offers.due_ns == 20
    assert taken(offers.take(100)) == [2]
    assert offers.due_ns == NEVER_NS


def test_all_that_is_due_earlier_is_taken_together() -> None:
    offers = Offers()
    for at_ns in (10, 20, 30):
        offers.add(at_ns, messages(at_ns))
    assert taken(offers.take_before(30, 1_000)) == [10, 20]
    assert offers.due_ns == 30


def test_what_has_no_room_waits_in_its_order_until_it_is_resumed() -> None:
    offers = Offers()
    offers.add(10, messages(5, 5, 1))
    offers.add(11, messages(2))
    assert taken(offers.take(7)) == [5]
    assert offers.due_ns == NEVER_NS
    offers.add(12, messages(3))
    assert offers.due_ns == NEVER_NS
    offers.resume()
    assert offers.due_ns == 10
    assert taken(offers.take_before(12, 7)) == [5, 1]
    offers.resume()
    assert taken(offers.take_before(100, 7)) == [2, 3]
    assert offers.due_ns == NEVER_NS


def test_offer_without_any_room_is_taken_later() -> None:
    offers = Offers()
    offers.add(10, messages(5))
    assert taken(offers.take(0)) == []
    offers.resume()
    assert taken(offers.take(5)) == [5]
