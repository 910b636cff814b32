"""The conversations of a node, each under its number; their turns, windows and room in links."""

from functools import partial

import pytest

from isfc.link.events import Sent
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs.conversation import UNDER_WAY_MAX, ConversationEnd
from isfc.programs.protocol import (
    GATHERED_LENGTH,
    LINK_LENGTH,
    WINDOWS_LENGTH,
    ConversationLimits,
    Verb,
)
from isfc.programs.register import (
    ALONE_LENGTH,
    BESIDE_LENGTH,
    BESIDE_LENGTH_MIN,
    BESIDE_NS,
    LITTLE_LENGTH,
    TURN_LENGTH,
    LinkRoom,
    Turns,
    Windows,
)
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


def test_conversation_is_struck_out_and_its_program_told_whichever_sever_is_last() -> None:
    for severs_first in (True, False):
        joined = Joined().open()
        register = joined.registers[0]
        joined.b.sever()
        if severs_first:
            joined.a.sever()
        while register.changed:
            register.changed.popleft().note_looked_at()
        joined.carry()
        assert joined.a.over
        assert joined.a in register.changed
        assert register.conversations == {}
        assert register.choose_number(Traffic.TRANSPORT) == 2
        with pytest.raises(AssertionError, match="number 2 is another"):
            register.strike_out(joined.a)


class Talker:
    """One who has so many bytes to send, in messages of one length."""

    def __init__(self, unsent_length: int, message_length: int) -> None:
        self.unsent_length = unsent_length
        self.message_length = message_length
        self.turn_length = TURN_LENGTH
        self.sent_length = 0


def send_one(turns: Turns[Talker]) -> Talker:
    """Whose turn it is sends one message."""
    sender = turns.take()
    sender.sent_length += sender.message_length
    turns.add(sender)
    turns.pay(sender, sender.message_length)
    return sender


def test_each_sends_as_many_bytes_however_long_its_messages_are() -> None:
    turns: Turns[Talker] = Turns()
    talkers = [Talker(2**30, length) for length in (262_143, 100_000, 40_000)]
    for talker in talkers:
        turns.add(talker)
    while talkers[0].sent_length < 100 * TURN_LENGTH:
        send_one(turns)
    lengths = [talker.sent_length for talker in talkers]
    assert max(lengths) - min(lengths) <= 2 * TURN_LENGTH


def test_who_has_little_goes_before_all_who_have_much() -> None:
    turns: Turns[Talker] = Turns()
    for _ in range(8):
        turns.add(Talker(2**20, 262_143))
    send_one(turns)
    little = Talker(LITTLE_LENGTH - 1, 64)
    turns.add(little)
    assert turns.take() is little


def test_who_never_stops_sending_little_keeps_nobody_waiting_for_more_than_a_turn() -> None:
    turns: Turns[Talker] = Turns()
    little, bulk = Talker(1_000, 1_000), Talker(2**20, 262_143)
    turns.add(little)
    turns.add(bulk)
    while little.sent_length < 20 * TURN_LENGTH:
        send_one(turns)
        assert little.sent_length - bulk.sent_length <= 2 * TURN_LENGTH
    assert bulk.sent_length >= 18 * TURN_LENGTH


def test_one_alone_always_has_its_turn() -> None:
    turns: Turns[Talker] = Turns()
    alone = Talker(2**20, 262_143 + 256)
    turns.add(alone)
    assert [send_one(turns) for _ in range(5)] == [alone] * 5
    turns.clear()
    assert not turns
