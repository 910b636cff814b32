"""What one write carries: whatever waited, up to the cap, oldest first."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import Backpressure
from isfc.link.message import Message, Serials, Traffic
from isfc.link.package import (
    BACKLOG_LENGTH_MAX,
    BLOCK_HEADER_LENGTH,
    BLOCK_LENGTH,
    MESSAGE_HEADER_LENGTH,
    MESSAGES_MAX,
    Package,
    PackageLimit,
    Packager,
)

LIMIT = PackageLimit(length=1_000)


def packager(*lengths: int, limit: PackageLimit = LIMIT) -> Packager:
    """A packager in which messages of so many bytes wait."""
    packager = Packager(limit)
    for conversation, length in enumerate(lengths):
        packager.add(Message(conversation, length))
    return packager


def lengths(package: Package) -> list[int]:
    return [message.length for message in package.messages]


def test_package_is_its_messages_and_their_headers() -> None:
    package = packager(10, 20).pack()
    assert package.length == 2 * (MESSAGE_HEADER_LENGTH + BLOCK_HEADER_LENGTH) + 30
    assert repr(package) == f"Package(#0, 2 messages, {package.length} B)"


@pytest.mark.parametrize(
    ("length", "blocks"),
    [
        (0, 1),
        (1, 1),
        (BLOCK_LENGTH, 1),
        (BLOCK_LENGTH + 1, 2),
        (3 * BLOCK_LENGTH, 3),
        (3 * BLOCK_LENGTH + 1, 4),
    ],
)
def test_every_block_that_a_message_begins_has_a_header(length: int, blocks: int) -> None:
    header = packager(length).pack().length - length
    assert header == MESSAGE_HEADER_LENGTH + BLOCK_HEADER_LENGTH * blocks


def test_headers_account_for_both_directions_of_h001709c() -> None:
    # published: 829,631 B hold 7.012 messages, one in five of 98,304 B and the others of
    # 122,880 B; 205,140 B hold 24.70, rounded by 0.02 %, of 8,192 B
    suite = [98_304] + 4 * [122_880]
    for total, count, cycle in ((829_631, 7.012, suite), (205_140, 24.70, [8_192])):
        package = packager(*cycle, limit=PackageLimit(length=10**6)).pack()
        assert package.length / len(cycle) * count == pytest.approx(total, rel=0.000_2)


@pytest.mark.parametrize(
    ("waiting", "packed"),
    [
        ([10, 20], [10, 20]),
        ([600, 400, 1], [600, 400]),
        ([600, 401], [600]),
        ([5_000, 1], [5_000]),  # never empty, whatever the cap
    ],
)
def test_package_ends_at_the_cap(waiting: list[int], packed: list[int]) -> None:
    backlog = packager(*waiting)
    assert lengths(backlog.pack()) == packed
    assert bool(backlog) == (packed != waiting)


def test_each_message_counts_for_more_than_its_bytes() -> None:
    limit = PackageLimit(length=1_000, message_length=300)
    for waiting, packed in (
        ([1, 1, 1, 1], [1, 1, 1]),
        ([200, 200], [200, 200]),
        ([200, 201], [200]),
        ([900, 1], [900]),
    ):
        assert lengths(packager(*waiting, limit=limit).pack()) == packed


def test_package_to_be_sent_again_goes_first_and_unchanged() -> None:
    waiting = packager(10, 20)
    first = waiting.pack()
    waiting.add(Message(0, 30))
    redrives = [waiting.redrives]
    waiting.add_again(first)
    assert [*redrives, waiting.redrives] == [False, True]
    assert waiting.pack() is first
    assert lengths(waiting.pack()) == [30]


def test_packages_are_numbered_from_0_and_keep_their_order_when_sent_again() -> None:
    waiting = packager(900, 900, 900)
    packages = [waiting.pack() for _ in range(3)]
    assert [package.number for package in packages] == [0, 1, 2]
    for package in packages:
        waiting.add_again(package)
    assert [waiting.pack() for _ in range(3)] == packages


def test_backlog_counts_what_waits() -> None:
    waiting = packager(900, 300, 20)
    assert (waiting.backlog_count, waiting.backlog_length) == (3, 1_220)
    package = waiting.pack()
    assert (waiting.backlog_count, waiting.backlog_length) == (2, 320)
    waiting.add_again(package)
    assert (waiting.backlog_count, waiting.backlog_length) == (3, 320)
    empty = packager()
    assert not empty
    assert (empty.backlog_count, empty.backlog_length) == (0, 0)


def test_backlog_is_bounded() -> None:
    waiting, most = Packager(LIMIT), BACKLOG_LENGTH_MAX
    waiting.reserve(most)
    waiting.add(Message(0, most - 1))
    waiting.reserve(1)
    with pytest.raises(Backpressure) as caught:
        waiting.reserve(2)
    assert (caught.value.depth, caught.value.limit) == (most - 1, most)
    assert str(caught.value) == f"backlog is full: {most - 1} of {most}"
    assert waiting.room == 1


@dataclass
class Tally:
    """What is known of a packager from outside."""

    added: int = 0
    packed: int = 0


@given(st.lists(st.one_of(st.integers(0, 1_500), st.none()), max_size=60), st.integers(0, 600))
def test_nothing_is_lost_or_overtakes(script: list[int | None], message_length: int) -> None:
    limit = PackageLimit(length=1_000, message_length=message_length)
    waiting, tally = Packager(limit), Tally()
    for step in script:
        if step is not None:
            waiting.add(Message(tally.added, step))
            tally.added += 1
        elif waiting:
            package = waiting.pack()
            counted = sum(length + message_length for length in lengths(package))
            assert len(package.messages) == 1 or counted <= limit.length
            for message in package.messages:
                assert message.conversation == tally.packed
                tally.packed += 1
        assert waiting.backlog_count == tally.added - tally.packed


def test_message_counts_where_it_ends() -> None:
    messages = [Message(0, 10), Message(1, 10), Message(2, 10)]
    messages[1].more = True  # goes on in a later package
    package = Package(0, messages, 30)
    assert package.message_count == 2


@pytest.mark.parametrize(
    ("waiting", "ccws"), [([400], 1), ([400, 400], 2), ([399, 400], 1), ([399, 1], 1), ([0], 1)]
)
def test_short_messages_have_no_ccw_of_their_own_but_a_package_has_one(
    waiting: list[int], ccws: int
) -> None:
    backlog = packager(*waiting)
    assert backlog.ccw_count == sum(length >= 400 for length in waiting)
    assert backlog.pack().count == ccws
    assert backlog.ccw_count == 0


def test_backlog_counts_messages_to_be_sent_again_until_they_are_taken() -> None:
    waiting = packager(10, 20, 30)
    first = waiting.pack()
    waiting.add(Message(9, 5))
    counts = [waiting.backlog_count]
    waiting.add_again(first)
    counts.append(waiting.backlog_count)
    assert waiting.pack() is first
    assert [*counts, waiting.backlog_count] == [1, 4, 1]


def test_package_knows_what_of_it_is_of_appc() -> None:
    waiting = Packager(LIMIT)
    kinds = (Traffic.TRANSPORT, Traffic.LEGACY, Traffic.LEGACY)
    for conversation, (traffic, length) in enumerate(zip(kinds, (7, 100, 30), strict=True)):
        waiting.add(Message(conversation, length, traffic))
    assert not waiting.begins_with_appc
    package = waiting.pack()
    assert (package.appc_count, package.appc_length) == (2, 130)


def test_package_has_a_most_of_messages_however_short() -> None:
    waiting = packager(*[0] * (MESSAGES_MAX + 1))
    assert [len(waiting.pack().messages) for _ in range(2)] == [MESSAGES_MAX, 1]


def test_head_is_the_oldest_message_that_waits() -> None:
    waiting = packager(7, 900)
    heads = [waiting.head_length]
    first = waiting.pack()
    heads.append(waiting.head_length)
    waiting.add_again(first)  # a package, and no message that waits
    assert [*heads, waiting.head_length] == [7, 0, 0]


def test_next_package_begins_with_appc_when_its_first_message_is_appcs() -> None:
    waiting = Packager(PackageLimit(length=100))
    kinds = [Traffic.LEGACY, Traffic.TRANSPORT, Traffic.LEGACY]
    for conversation, traffic in enumerate(kinds):
        waiting.add(Message(conversation, 60, traffic))
    begins, packages = [], []
    while waiting:
        begins.append(waiting.begins_with_appc)
        packages.append(waiting.pack())
    assert begins == [True, False, True]
    waiting.add(Message(3, 60, Traffic.TRANSPORT))
    waiting.add_again(packages[0])  # goes before what waits, and tells what is next
    begins = [waiting.begins_with_appc]
    waiting.pack()
    assert [*begins, waiting.begins_with_appc] == [True, False]
    waiting.add_again(packages[1])
    assert not waiting.begins_with_appc


@given(
    st.lists(st.integers(1, 40_000), min_size=1, max_size=60),
    st.integers(0, 16),
    st.integers(1, 400_000),
)
def test_a_share_keeps_a_package_from_taking_what_others_could_carry(
    lengths_: list[int], free_count: int, share: int
) -> None:
    waiting = packager(*lengths_, limit=PackageLimit(length=300_000, share_length=share))
    part = max(share, sum(lengths_) // max(1, free_count))
    package = waiting.pack(free_count)
    taken = sum(message.length for message in package.messages)
    assert len(package.messages) == 1 or taken <= min(300_000, part)
    if len(package.messages) < len(lengths_):  # nor less than it may
        assert taken + lengths_[len(package.messages)] > min(300_000, part)


def test_package_that_collided_goes_before_others_that_are_sent_again() -> None:
    waiting = packager(10, 20)
    waiting.limit = PackageLimit(length=10)
    first, second = waiting.pack(), waiting.pack()
    waiting.add_again(first)
    waiting.add_first(second)
    assert waiting.backlog_count == 2
    assert [waiting.pack(), waiting.pack()] == [second, first]


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
    serials = Serials()
    serials.begin(2**40)
    assert not serials._listed  # noqa: SLF001  # numbers of no conversation take no memory


def test_new_message_is_whole_unnumbered_transport_without_data_and_shows_what_it_is() -> None:
    message = Message(3, 100)
    assert (message.conversation, message.length) == (3, 100)
    assert (message.traffic, message.data) == (Traffic.TRANSPORT, None)
    assert (message.serial, message.more) == (0, False)
    message.serial = 7
    assert repr(message) == "Message(3:7 100 B)"
    message.more = True
    assert repr(message) == "Message(3:7 100 B+)"
