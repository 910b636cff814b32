"""Each conversation counts its messages from 0, whatever its number is."""

import pytest

from isfc.link.serials import Serials

NUMBERS = [0, 5, 16_383, 16_384, 2**40, -1]


@pytest.mark.parametrize("conversation", NUMBERS)
def test_conversation_counts_from_0_and_again_when_it_is_forgotten(conversation: int) -> None:
    serials = Serials()
    assert serials.next_of(conversation) == 0
    for serial in (1, 2, 300):
        serials.set_next(conversation, serial)
        assert (serials.next_of(conversation), serials.count) == (serial, 1)
    for _ in range(2):
        serials.forget(conversation)
        assert (serials.next_of(conversation), serials.count) == (0, 0)
    serials.set_next(conversation, 1)
    assert (serials.next_of(conversation), serials.count) == (1, 1)


def test_conversations_count_by_themselves() -> None:
    serials = Serials()
    for step, conversation in enumerate(NUMBERS, 1):
        serials.set_next(conversation, step)
        assert serials.count == step
    assert [serials.next_of(conversation) for conversation in NUMBERS] == [1, 2, 3, 4, 5, 6]


def test_number_of_no_conversation_takes_no_memory() -> None:
    serials = Serials()
    serials.set_next(2**40, 1)
    assert not serials._listed  # noqa: SLF001  # its memory is what this is about
