"""Each conversation counts its messages from 0, whatever its number is."""

import pytest

from isfc.link.message import Serials

NUMBERS = [0, 5, 16_383, 16_384, 2**40, -1]


@pytest.mark.parametrize("conversation", NUMBERS)
def test_conversation_counts_from_0_and_again_when_it_is_forgotten(conversation: int) -> None:
    serials = Serials()
    assert serials.find(conversation) is None
    serial = serials.begin(conversation)
    assert (serial.next, serials.count) == (0, 1)
    serial.next = 300
    assert serials.find(conversation) is serial
    for _ in range(2):
        serials.forget(conversation)
        assert (serials.find(conversation), serials.count) == (None, 0)
    assert (serials.begin(conversation).next, serials.count) == (0, 1)


def test_conversations_count_by_themselves() -> None:
    serials = Serials()
    for step, conversation in enumerate(NUMBERS, 1):
        serials.begin(conversation).next = step
        assert serials.count == step
    found = [serials.find(conversation) for conversation in NUMBERS]
    assert [serial.next for serial in found if serial is not None] == [1, 2, 3, 4, 5, 6]


def test_number_of_no_conversation_takes_no_memory() -> None:
    serials = Serials()
    serials.begin(2**40)
    assert not serials._listed  # noqa: SLF001  # its memory is what this is about
