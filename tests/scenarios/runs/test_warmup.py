"""Guests that begin one after the other: what they send is the same, and comes by and by."""

from collections.abc import Iterable

from isfc.engine.program import Offer
from isfc.link.events import LinkEvent, Severed
from isfc.link.message import Message
from scenarios.runs.experiment import GRADUAL_NS, WARMUP, WARMUP_NS, Gradual

FIRST = [(5, [Message(0, 10), Message(1, 20)]), (7, [Message(2, 30), Message(0, 40)])]
LATER = [(9, [Message(1, 50)])]


class Program:
    """Offers the same whatever comes."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        return iter(FIRST)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        return LATER


def test_first_messages_come_one_after_the_other_and_in_their_order() -> None:
    offers = list(Gradual(Program()).start(0))
    assert [messages for _, messages in offers] == [[each] for _, some in FIRST for each in some]
    quarter = GRADUAL_NS // 4
    assert [at_ns for at_ns, _ in offers] == [5, 5 + quarter, 7 + 2 * quarter, 7 + 3 * quarter]


def test_what_follows_is_as_the_program_offers_it() -> None:
    assert Gradual(Program()).receive(Severed("restart"), 3) == LATER


def test_program_that_waits_to_be_asked_offers_nothing() -> None:
    class Servant(Program):
        def start(self, now_ns: int) -> Iterable[Offer]:
            return ()

    assert list(Gradual(Servant()).start(0)) == []


def test_all_have_begun_when_the_warm_up_is_over() -> None:
    assert GRADUAL_NS < WARMUP_NS == WARMUP * 1e9
