"""What bulk may have in a node's links: all room alone, little while little is sent beside it."""

from functools import partial

import pytest

from isfc.link.events import Sent
from isfc.link.message import Message
from isfc.programs import protocol as verbs
from isfc.programs.conversation import UNDER_WAY_MAX, ConversationEnd
from isfc.programs.link_room import (
    ALONE_LENGTH,
    BESIDE_LENGTH,
    BESIDE_LENGTH_MIN,
    BESIDE_NS,
    LinkRoom,
)
from isfc.programs.protocol import (
    GATHERED_LENGTH,
    LINK_LENGTH,
    WINDOWS_LENGTH,
    ConversationLimits,
    Verb,
)
from isfc.programs.register import Windows
from isfc.programs.switchboard import Switchboard
from tests.isfc.programs.dialogue import Dialogue
from tests.isfc.programs.test_conversation import Joined, poll
from tests.isfc.programs.test_switchboard import deliver, feed, handed

PIECE_LENGTH = 263_000
"""A message of the longest, and what it costs besides."""


def board_of(room: LinkRoom | None = None, link_length: int = LINK_LENGTH) -> Switchboard:
    limits = ConversationLimits(send_length=2**28, link_length=link_length)
    return Switchboard(lesser=True, limits=limits, room=room)


def opened(board: Switchboard) -> ConversationEnd:
    conversation = board.connect("ANY")
    feed(board, Sent(handed(board)))
    deliver(board, conversation.number, verbs.accept(2**30))
    return conversation


def keep_full(
    board: Switchboard, bulk: ConversationEnd, under_way: list[Message], length: int
) -> None:
    """Let the oldest messages be sent, and others follow, for so many bytes."""
    while length > 0:
        bulk.send(bytes(max(0, bulk.room_length)))
        oldest = under_way.pop(0)
        length -= oldest.length
        under_way += feed(board, Sent([oldest]))


def test_a_request_beside_bulk_has_all_of_it_wait_until_little_is_in_the_link() -> None:
    board = board_of()
    bulk, asking = opened(board), opened(board)
    bulk.send(bytes(2**27))
    under_way = handed(board)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8
    asking.send(b"request")
    (request,) = handed(board)  # though the link is full of bulk
    assert request.conversation == asking.number
    under_way.append(request)
    keep_full(board, bulk, under_way, LINK_LENGTH)
    assert board.in_link_length < BESIDE_LENGTH + PIECE_LENGTH
    keep_full(board, bulk, under_way, ALONE_LENGTH)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8


@pytest.mark.parametrize("in_time_length", [2**30, 2**18, 1_000])
def test_slower_links_hold_what_they_carry_in_a_time_but_two_messages(in_time_length: int) -> None:
    board = board_of()
    bulk, asking = opened(board), opened(board)
    bulk.send(bytes(2**27))
    under_way = handed(board)
    asking.send(b"request")
    handed(board)
    board.receive(Sent(under_way), board.in_link_length * BESIDE_NS // in_time_length)
    expected = min(BESIDE_LENGTH, max(BESIDE_LENGTH_MIN, in_time_length))
    assert expected - 1_000 < board.in_link_length < expected + 1_000


def test_the_last_of_bulk_is_nothing_little_beside_it() -> None:
    board = board_of()
    bulk = opened(board)
    bulk.send(bytes(PIECE_LENGTH + 1_000))  # of which the last message is short
    under_way = handed(board)
    assert under_way[-1].length < 2_000
    bulk.send(bytes(2**27))
    keep_full(board, bulk, under_way, 2**20)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8


def test_a_request_waits_for_no_other_conversation_to_have_its_turn() -> None:
    board = board_of()
    bulk, asking = [opened(board) for _ in range(8)], opened(board)
    for each in bulk:
        each.send(bytes(2**23))
    under_way = handed(board)
    asking.send(b"request")
    first = feed(board, Sent(under_way[:4]))[0]
    assert first.conversation == asking.number


def test_bulk_on_one_link_makes_room_for_a_request_on_another() -> None:
    room = LinkRoom()
    board, other = board_of(room), board_of(room)
    bulk, asking = opened(board), opened(other)
    bulk.send(bytes(2**27))
    under_way = handed(board)
    asking.send(b"request")
    assert len(handed(other)) == 1
    keep_full(board, bulk, under_way, LINK_LENGTH)
    assert board.in_link_length < BESIDE_LENGTH + PIECE_LENGTH


def test_those_who_send_little_are_bounded_too() -> None:
    board = board_of(link_length=2**20)
    conversations = [opened(board) for _ in range(250)]
    for conversation in conversations:
        conversation.send(bytes(16_000))
        handed(board)
    assert 2**20 <= board.in_link_length < 2**20 + PIECE_LENGTH


def test_a_link_that_is_lost_holds_nothing_any_more() -> None:
    room = LinkRoom()
    board = board_of(room)
    opened(board).send(bytes(2**22))
    handed(board)
    assert room.in_link_length > 2**20
    board.lose("gone")
    assert room.in_link_length == board.in_link_length == 0


def has_arrived(end: ConversationEnd) -> bool:
    return end.arrived_length > 0


def is_over(end: ConversationEnd) -> bool:
    return end.over


def test_all_that_is_not_taken_stays_within_one_bound_however_many_there_are() -> None:
    dialogue = Dialogue()
    talks = []
    for _ in range(40):
        talks.append(dialogue.connect())
        asking, asked = talks[-1]
        asking.send(bytes(2**20))
        dialogue.run_until(partial(has_arrived, asked))
        asked.poll_data(2**20)  # so that its window may grow
    for _ in range(12):
        for asking, _ in talks:
            asking.send(bytes(2**20))
        dialogue.carry()
        dialogue.run(10_000_000)
    unread = [asked.arrived_length for _, asked in talks]
    assert sum(unread) <= WINDOWS_LENGTH
    assert sum(unread) > WINDOWS_LENGTH // 4
    assert min(unread) >= ConversationLimits().window_min


def test_a_window_that_is_over_leaves_its_room_to_others() -> None:
    dialogue = Dialogue()
    for _ in range(50):
        asking, asked = dialogue.connect()
        window = asked.target_length
        asking.sever()
        dialogue.run_until(partial(is_over, asking))
        dialogue.run_until(partial(is_over, asked))
        assert window == ConversationLimits().window_length


@pytest.mark.parametrize("places", [1, 256, 512, 10_000])
def test_however_many_there_may_be_one_alone_has_a_whole_window(places: int) -> None:
    limits = ConversationLimits(conversations_max=places)
    least = 2 * places * limits.window_min  # each end may open so many
    assert least <= WINDOWS_LENGTH // 2
    assert least + limits.raised_length_max == WINDOWS_LENGTH
    windows = Windows(limits)
    assert windows.open(1) == windows.arrange(windows.open(1), 0, 1) == limits.window_length


DATA = bytes((Verb.DATA,))


def test_small_pieces_are_not_due_before_what_went_ahead_is_confirmed_or_they_are_many() -> None:
    joined = Joined(limits=ConversationLimits()).open()
    a, due = joined.a, joined.registers[0].due

    def said() -> list[bytes | None]:
        messages = []
        while due:
            messages.append(poll(due.take()))
        return messages

    for _ in range(UNDER_WAY_MAX):
        a.send(b"ahead")
        assert said() == [DATA + b"ahead", None]
    a.send(b"small")
    assert said() == []
    a.note_sent()
    assert said() == [DATA + b"small", None]
    a.send(bytes(GATHERED_LENGTH - 1))
    assert said() == []
    a.send(b"x")
    assert said() == [DATA + bytes(GATHERED_LENGTH - 1) + b"x", None]
