"""Bytes for the benchmark guests."""

from collections.abc import Iterable

import pytest

from isfc.engine.program import Offer
from isfc.link.events import LinkDown, LinkEvent
from isfc.link.message import Message
from isfc.programs.verification import Filling, filler


@pytest.mark.parametrize("length", [0, 1, 250, 251, 252, 100_000, 3_000_000, 5])
def test_a_filler_has_the_length_and_goes_on_from_its_place(length: int) -> None:
    assert bytes(filler(length)) == bytes(i % 251 for i in range(length))
    assert bytes(filler(length, 700)) == bytes((700 + i) % 251 for i in range(length))


class _Talker:
    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns, [Message(1, 10), Message(1, 3, data=b"abc")])]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        assert isinstance(event, LinkDown)
        return [(now_ns + 5, [Message(2, 20)])]


def test_only_messages_without_data_are_filled() -> None:
    program = Filling(_Talker())
    ((at_ns, (empty, own)),) = program.start(7)
    assert (at_ns, bytes(empty.data or b""), own.data) == (7, bytes(range(10)), b"abc")
    ((at_ns, (answer,)),) = program.receive(LinkDown(), 7)
    assert (at_ns, bytes(answer.data or b"")) == (12, bytes(range(20)))
