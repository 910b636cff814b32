"""Several programs on one node: each hears of its own conversations alone."""

from collections.abc import Iterable

from isfc.link.events import Delivered, LinkEvent, LinkUp, Offer, Sent
from isfc.link.message import Message
from scenarios.runs.programs import SeveralPrograms


class Recorder:
    """A program that offers one message and keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[LinkEvent] = []

    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns, [Message(1, 10)])]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        self.told.append(event)
        return [(now_ns + 5, [Message(0, 20)])]


def numbers(offers: Iterable[Offer]) -> list[tuple[int, int, int]]:
    return [(at, m.conversation, m.length) for at, messages in offers for m in messages]


def test_conversations_are_numbered_apart() -> None:
    first, second = Recorder(), Recorder()
    together = SeveralPrograms([(first, 2), (second, 3)])
    assert numbers(together.start(7)) == [(7, 1, 10), (7, 3, 10)]
    event = Delivered([Message(1, 1), Message(2, 2), Message(4, 3)])
    assert numbers(together.receive(event, 9)) == [(14, 0, 20), (14, 2, 20)]
    (ours,), (theirs,) = first.told, second.told
    assert isinstance(ours, Delivered)
    assert isinstance(theirs, Delivered)
    assert [(m.conversation, m.length) for m in ours.messages] == [(1, 1)]
    assert [(m.conversation, m.length) for m in theirs.messages] == [(0, 2), (2, 3)]


def test_who_has_no_message_is_not_told() -> None:
    first, second = Recorder(), Recorder()
    SeveralPrograms([(first, 2), (second, 3)]).receive(Sent([Message(3, 1)]), 0)
    assert first.told == []
    assert isinstance(second.told[0], Sent)


def test_all_are_told_of_the_link() -> None:
    first, second = Recorder(), Recorder()
    SeveralPrograms([(first, 2), (second, 3)]).receive(LinkUp(), 0)
    assert [type(event) for event in first.told + second.told] == [LinkUp, LinkUp]
