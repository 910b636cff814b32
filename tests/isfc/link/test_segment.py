"""Long messages: cut, and joined again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message, Traffic
from isfc.link.segment import (
    SEGMENT_LENGTH_MAX,
    UNFINISHED_LENGTH_MAX,
    UNFINISHED_SEGMENTS_MAX,
    Reassembler,
    Segmenter,
)
from tests.isfc.link.link_harness import is_viewed


def cut(message: Message, segmenter: Segmenter | None = None) -> list[Message]:
    return list((segmenter or Segmenter()).cut(message))


@pytest.mark.parametrize("length", [0, 1, SEGMENT_LENGTH_MAX])
def test_short_message_is_its_own_only_segment(length: int) -> None:
    message = Message(0, length)
    assert cut(message) == [message]
    assert not message.more


def test_long_message_is_cut_into_full_segments_and_a_rest() -> None:
    segments = cut(Message(5, 1_000_000, Traffic.LEGACY))
    assert [s.length for s in segments] == [262_144, 262_144, 262_144, 213_568]
    assert [s.more for s in segments] == [True, True, True, False]
    assert [s.serial for s in segments] == [0, 1, 2, 3]
    assert {(s.conversation, s.traffic) for s in segments} == {(5, Traffic.LEGACY)}


def test_whole_number_of_segments_leaves_no_empty_one() -> None:
    segments = cut(Message(0, 2 * SEGMENT_LENGTH_MAX))
    assert [(s.length, s.more) for s in segments] == [
        (SEGMENT_LENGTH_MAX, True),
        (SEGMENT_LENGTH_MAX, False),
    ]


def test_each_conversation_has_its_own_numbers() -> None:
    segmenter = Segmenter()
    messages = [Message(0, 10), Message(1, 10), Message(0, 600_000), Message(0, 10), Message(1, 10)]
    serials = [
        (segment.conversation, segment.serial)
        for message in messages
        for segment in cut(message, segmenter)
    ]
    assert serials == [(0, 0), (1, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 1)]


def test_conversation_that_is_over_begins_at_0_again() -> None:
    segmenter = Segmenter()
    cut(Message(0, 10), segmenter)
    segmenter.forget(0)
    segmenter.forget(99)  # which never was
    assert [segment.serial for segment in cut(Message(0, 10), segmenter)] == [0]


@given(st.integers(0, 3 * SEGMENT_LENGTH_MAX + 1), st.booleans())
def test_what_was_cut_is_joined_as_it_was(length: int, live: bool) -> None:
    data = bytes(range(256)) * (length // 256 + 1)
    message = Message(0, length, Traffic.LEGACY, data[:length] if live else None)
    reassembler = Reassembler()
    whole = [m for segment in cut(message) for m in reassembler.join([segment])]
    (joined,) = whole
    assert (joined.conversation, joined.length, joined.traffic) == (0, length, Traffic.LEGACY)
    assert joined.data == message.data
    assert not joined.more


def test_segments_of_conversations_may_mingle() -> None:
    one, other = cut(Message(1, 300_000)), cut(Message(2, 400_000))
    reassembler = Reassembler()
    assert list(reassembler.join([one[0], other[0]])) == []
    short = Message(3, 10)
    assert list(reassembler.join([short])) == [short]
    assert [m.length for m in reassembler.join([other[1], one[1]])] == [400_000, 300_000]


def test_messages_that_are_whole_pass_as_they_are() -> None:
    messages = [Message(0, 10), Message(1, 10)]
    assert list(Reassembler().join(messages)) == messages


@pytest.mark.parametrize(
    ("count", "length"),
    [(5, UNFINISHED_LENGTH_MAX // 5), (UNFINISHED_SEGMENTS_MAX, 0)],
    ids=["bytes", "segments"],
)
def test_what_does_not_end_is_bounded(count: int, length: int) -> None:
    reassembler = Reassembler()

    def segment(conversation: int, *, more: bool) -> Message:
        made = Message(conversation, length)
        made.more = more
        return made

    for conversation in (*[0] * (count - 3), 1, 1, 1):
        assert list(reassembler.join([segment(conversation, more=True)])) == []
    with pytest.raises(RemoteProtocolError, match="of messages that do not end"):
        reassembler.join([segment(0, more=True)])
    # conversation 0 is given up, and there is room again
    assert [m.length for m in reassembler.join([segment(1, more=False)])] == [4 * length]
    for _ in range(count):
        reassembler.join([segment(2, more=True)])
    assert [m.length for m in reassembler.join([segment(2, more=False)])] == [(count + 1) * length]


def test_beginning_of_a_message_is_forgotten_with_its_conversation() -> None:
    reassembler = Reassembler()
    reassembler.join(cut(Message(0, 300_000))[:1])
    reassembler.forget(0)
    reassembler.forget(99)
    assert [m.length for m in reassembler.join([Message(0, 10)])] == [10]


def test_unfinished_messages_keep_few_of_the_buffers_in_which_they_came() -> None:
    reassembler = Reassembler()
    buffers = [bytearray(b"----abcd--") for _ in range(3 * VIEWS_MAX)]
    for buffer in buffers:
        segment = Message(0, 4, data=memoryview(buffer)[4:8])
        segment.more = True
        assert not reassembler.join([segment])
    assert sum(map(is_viewed, buffers)) == VIEWS_MAX
    (message,) = reassembler.join([Message(0, 4, data=b"last")])
    assert message.data == b"abcd" * len(buffers) + b"last"
