"""Order restored, and nothing taken twice."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message
from isfc.link.package import Package
from isfc.link.segment import (
    AHEAD_PACKAGES_MAX,
    CONVERSATIONS_MAX,
    HELD_LENGTH_MAX,
    HELD_MESSAGES_MAX,
    Resequencer,
)
from tests.isfc.link.link_harness import is_viewed


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


def test_packages_in_order_pass() -> None:
    resequencer = Resequencer()
    assert accepted(resequencer, package(0, (0, 0), (1, 0))) == [(0, 0), (1, 0)]
    assert accepted(resequencer, package(1, (0, 1))) == [(0, 1)]


def test_package_that_overtook_waits_for_the_earlier_one() -> None:
    resequencer = Resequencer()
    assert accepted(resequencer, package(1, (0, 1))) == []
    assert resequencer.held_count == 1
    assert accepted(resequencer, package(0, (0, 0))) == [(0, 0), (0, 1)]
    assert resequencer.held_count == 0


def test_conversations_do_not_wait_for_each_other() -> None:
    resequencer = Resequencer()
    assert accepted(resequencer, package(1, (0, 1), (1, 0))) == [(1, 0)]


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
    resequencer.accept(package(1, (0, 1), (0, 2), length=HELD_LENGTH_MAX // 2))
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


def test_bytes_are_held_up_to_the_bound_exactly() -> None:
    resequencer = Resequencer()
    held = package(1, (0, 1), (0, 2), length=HELD_LENGTH_MAX // 2)
    assert accepted(resequencer, held) == []
    assert resequencer.held_count == 2


def test_packages_that_overtook_are_known_once_their_turn_has_passed() -> None:
    resequencer = Resequencer()
    for number in (1, 2, 3, 0):
        resequencer.accept(package(number, (number, 0)))
    for number in range(4):
        assert accepted(resequencer, package(number, (10 + number, 0))) == []
    assert accepted(resequencer, package(4, (4, 0))) == [(4, 0)]
