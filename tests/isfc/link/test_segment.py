"""Long messages are cut and joined again; order is restored, and nothing taken twice."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message, Traffic
from isfc.link.package import Package
from isfc.link.segment import (
    AHEAD_PACKAGES_MAX,
    CONVERSATIONS_MAX,
    HELD_LENGTH_MAX,
    HELD_MESSAGES_MAX,
    SEGMENT_LENGTH_MAX,
    UNFINISHED_LENGTH_MAX,
    UNFINISHED_SEGMENTS_MAX,
    Reassembler,
    Resequencer,
    Segmenter,
)
from tests.isfc.link.link_harness import is_viewed


def cut(message: Message, segmenter: Segmenter | None = None) -> list[Message]:
    return list((segmenter or Segmenter()).cut(message))


@pytest.mark.parametrize(
    ("length", "lengths"),
    [
        *((length, [length]) for length in (0, 1, SEGMENT_LENGTH_MAX)),
        (2 * SEGMENT_LENGTH_MAX, [SEGMENT_LENGTH_MAX] * 2),
        (1_000_000, [262_144, 262_144, 262_144, 213_568]),
    ],
)
def test_message_is_cut_into_full_segments_and_a_rest(length: int, lengths: list[int]) -> None:
    message = Message(5, length, Traffic.LEGACY)
    segments = cut(message)
    assert [s.length for s in segments] == lengths
    assert [s.more for s in segments] == [*[True] * (len(lengths) - 1), False]
    assert [s.serial for s in segments] == [*range(len(lengths))]
    assert {(s.conversation, s.traffic) for s in segments} == {(5, Traffic.LEGACY)}
    assert (segments == [message]) == (len(lengths) == 1)  # a short one is its own only segment


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
    whole = [Message(3, 10), Message(4, 10)]  # pass as they are
    assert list(reassembler.join(whole)) == whole
    assert [m.length for m in reassembler.join([other[1], one[1]])] == [400_000, 300_000]


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


def package(number: int, *names: tuple[int, int], length: int = 10) -> Package:
    """A package of messages, each named by (conversation, serial)."""
    messages = []
    for conversation, serial in names:
        message = Message(conversation, length)
        message.serial = serial
        messages.append(message)
    return Package(number, messages, length * len(messages))


def accepted(resequencer: Resequencer, package: Package) -> list[tuple[int, int]]:
    return [(m.conversation, m.serial) for m in resequencer.accept(package)]


def test_package_that_overtook_waits_for_the_earlier_one_of_its_conversation_only() -> None:
    resequencer = Resequencer()
    assert accepted(resequencer, package(1, (0, 1), (1, 0))) == [(1, 0)]
    assert resequencer.held_count == 1
    assert accepted(resequencer, package(0, (0, 0))) == [(0, 0), (0, 1)]
    assert resequencer.held_count == 0
    assert accepted(resequencer, package(2, (0, 2), (1, 1))) == [(0, 2), (1, 1)]


def test_package_seen_before_is_dropped_whole() -> None:
    resequencer = Resequencer()
    assert accepted(resequencer, package(0, (0, 0))) == [(0, 0)]
    assert accepted(resequencer, package(0, (0, 0))) == []
    assert accepted(resequencer, package(2, (0, 2))) == []  # held, and not to be held twice
    assert accepted(resequencer, package(2, (0, 2))) == []
    assert resequencer.duplicate_count == 2
    assert accepted(resequencer, package(1, (0, 1))) == [(0, 1), (0, 2)]
    for number in range(3):
        assert accepted(resequencer, package(number, (0, number))) == []


def test_what_is_held_is_bounded() -> None:
    resequencer, most = Resequencer(), HELD_MESSAGES_MAX
    resequencer.accept(package(1, *((0, n) for n in range(1, most + 1)), length=1))
    with pytest.raises(RemoteProtocolError, match="more than 65,536 messages wait for others"):
        resequencer.accept(package(2, (0, most + 1)))
    assert resequencer.held_count == most
    assert len(accepted(resequencer, package(0, (0, 0)))) == most + 1
    assert accepted(resequencer, package(3, (0, most + 2))) == []  # there is room again


def test_bytes_that_are_held_are_bounded() -> None:
    resequencer = Resequencer()
    held = package(1, (0, 1), (0, 2), length=HELD_LENGTH_MAX // 2)  # the bound exactly
    assert (accepted(resequencer, held), resequencer.held_count) == ([], 2)
    with pytest.raises(RemoteProtocolError, match="more than 268,435,456 bytes wait for others"):
        resequencer.accept(package(2, (0, 3)))
    resequencer.forget(0)
    assert accepted(resequencer, package(3, (1, 1), (1, 2))) == []


def test_packages_that_overtake_are_bounded() -> None:
    resequencer, most = Resequencer(), AHEAD_PACKAGES_MAX
    for number in range(2, most + 2):
        resequencer.accept(Package(number, [], 0))
    last = package(most + 3, (8, 0))
    with pytest.raises(RemoteProtocolError, match="more than 131,072 packages wait for one"):
        resequencer.accept(last)
    assert accepted(resequencer, package(0, (0, 0))) == [(0, 0)]
    assert accepted(resequencer, package(1, (1, 0))) == [(1, 0)]
    assert accepted(resequencer, last) == [(8, 0)]


def test_conversations_are_bounded() -> None:
    resequencer, most = Resequencer(), CONVERSATIONS_MAX
    resequencer.accept(package(0, *((n, 0) for n in range(most))))
    with pytest.raises(RemoteProtocolError, match="more than 65,536 conversations"):
        resequencer.accept(package(1, (most, 0)))
    assert accepted(resequencer, package(2, (5, 1), (6, 1))) == [(5, 1), (6, 1)]
    resequencer.forget(5)
    assert accepted(resequencer, package(3, (most, 0))) == [(most, 0)]


def test_message_that_was_there_before_is_dropped_whatever_brings_it() -> None:
    resequencer = Resequencer()
    resequencer.accept(package(0, (0, 0), (0, 1)))
    assert accepted(resequencer, package(1, (0, 0), (0, 1), (0, 2))) == [(0, 2)]
    assert accepted(resequencer, package(2, (0, 4))) == []
    assert accepted(resequencer, package(3, (0, 4))) == []
    assert resequencer.duplicate_count == 3
    assert resequencer.held_count == 1
    assert accepted(resequencer, package(4, (0, 3))) == [(0, 3), (0, 4)]
    assert resequencer.held_count == 0


def test_conversation_that_is_over_is_forgotten() -> None:
    resequencer = Resequencer()
    resequencer.accept(package(0, (0, 0), (0, 2), (1, 1)))
    assert resequencer.held_count == 2
    resequencer.forget(0)
    resequencer.forget(99)
    assert resequencer.held_count == 1
    assert accepted(resequencer, package(1, (0, 0))) == [(0, 0)]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_each_conversation_once_and_in_order(
    conversations: list[int], random: Random
) -> None:
    serials = [0, 0, 0]
    packages = []
    for number, conversation in enumerate(conversations):
        packages.append(package(number, (conversation, serials[conversation])))
        serials[conversation] += 1
    resequencer = Resequencer()
    arrivals = random.sample(packages * 2, 2 * len(packages))
    out = [name for arrival in arrivals for name in accepted(resequencer, arrival)]
    for conversation, count in enumerate(serials):
        assert [s for c, s in out if c == conversation] == list(range(count))
    assert resequencer.held_count == 0


def test_held_messages_keep_few_of_the_buffers_in_which_they_came() -> None:
    resequencer = Resequencer()
    buffers = [bytearray(10) for _ in range(3 * VIEWS_MAX)]
    for serial, buffer in enumerate(buffers, 1):
        message = Message(0, 4, data=memoryview(buffer)[2:6])
        message.serial = serial
        resequencer.accept(Package(serial, [message], 4))
    assert resequencer.held_count == 3 * VIEWS_MAX
    assert sum(map(is_viewed, buffers)) == VIEWS_MAX


def test_package_seen_before_is_dropped_whole_whatever_it_has_now() -> None:
    resequencer = Resequencer()
    accepted(resequencer, package(0, (0, 0)))
    assert accepted(resequencer, package(0, (5, 0))) == []  # taken in its turn
    accepted(resequencer, package(3, (1, 0)))
    assert accepted(resequencer, package(3, (6, 0))) == []  # ahead of its turn
    accepted(resequencer, package(2, (2, 0)))
    accepted(resequencer, package(1, (3, 0)))
    assert accepted(resequencer, package(3, (7, 0))) == []  # once its turn has passed
    assert resequencer.duplicate_count == 3
    assert accepted(resequencer, package(4, (8, 0))) == [(8, 0)]


def test_packages_that_overtook_are_known_once_their_turn_has_passed() -> None:
    resequencer = Resequencer()
    for number in (1, 2, 3, 0):
        resequencer.accept(package(number, (number, 0)))
    for number in range(4):
        assert accepted(resequencer, package(number, (10 + number, 0))) == []
    assert accepted(resequencer, package(4, (4, 0))) == [(4, 0)]
