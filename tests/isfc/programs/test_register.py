"""The conversations of a node, each under its number; their turns, windows and room in links."""

from functools import partial

import pytest

from isfc.link.events import Delivered, Sent
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
    MEASURED_LENGTH,
    TELL_LENGTH,
    TOLD_LENGTH,
    TURN_LENGTH,
    Incoming,
    Turns,
    Windows,
)
from isfc.programs.switchboard import Switchboard
from tests.isfc.programs.dialogue import Dialogue
from tests.isfc.programs.test_conversation import Joined, poll
from tests.isfc.programs.test_switchboard import deliver, feed, handed, said

PIECE_LENGTH = 263_000
"""A message of the longest, and what it costs besides."""

DATA = bytes((Verb.DATA,))


def board_of(incoming: Incoming | None = None, link_length: int = LINK_LENGTH) -> Switchboard:
    limits = ConversationLimits(send_length=2**28, link_length=link_length)
    return Switchboard(lesser=True, limits=limits, incoming=incoming)


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


def deliver_short(board: Switchboard, asking: ConversationEnd) -> None:
    """Let short messages come; the first one might be the beginning of bulk."""
    for _ in range(2):
        assert deliver(board, asking.number, DATA + b"answer") == []


def limit_said(board: Switchboard, bulk: ConversationEnd) -> int | None:
    """What the partner is told, as bulk comes, that it may have in the link."""
    (data,) = [m.data for m in deliver(board, bulk.number, DATA + bytes(PIECE_LENGTH))] or [None]
    bulk.poll_data(PIECE_LENGTH)
    return verbs.parse_room(data[1:]) if data and data[0] == Verb.LIMIT else None


def test_short_messages_over_any_link_have_bulk_make_way_until_it_is_alone_for_long() -> None:
    incoming = Incoming()
    board, other = board_of(incoming), board_of(incoming)
    bulk, asking = opened(board), opened(other)
    assert limit_said(board, bulk) is None
    deliver_short(other, asking)
    told = [limit_said(board, bulk) for _ in range(2 * ALONE_LENGTH // PIECE_LENGTH)]
    assert told[0] == BESIDE_LENGTH
    limits = [limit for limit in told if limit]
    assert ALONE_LENGTH // TOLD_LENGTH < len(limits) <= ALONE_LENGTH // TELL_LENGTH
    assert set(limits) == {BESIDE_LENGTH}
    assert not any(told[len(told) // 2 + 1 :])


def test_links_that_bulk_comes_over_share_what_may_be_on_its_way() -> None:
    incoming = Incoming()
    boards = [board_of(incoming) for _ in range(3)]
    bulk = [opened(board) for board in boards]
    deliver_short(boards[0], opened(boards[0]))
    told: list[int] = []
    for _ in range(2 * TELL_LENGTH // PIECE_LENGTH):
        told += [limit_said(*each) or 0 for each in zip(boards, bulk, strict=True)]
    limits = [limit for limit in told if limit]
    assert limits[:3] == [BESIDE_LENGTH, BESIDE_LENGTH // 2, BESIDE_LENGTH // 3]
    assert set(limits[3:]) == {BESIDE_LENGTH // 3}
    told = [limit_said(boards[0], bulk[0]) or 0 for _ in range(3 * TELL_LENGTH // PIECE_LENGTH)]
    assert max(told) == BESIDE_LENGTH  # the others are silent


@pytest.mark.parametrize("in_time_length", [2**30, 2**19, 1_000])
def test_bulk_that_comes_slower_when_alone_has_less_room_but_two_messages(
    in_time_length: int,
) -> None:
    board = board_of()
    bulk, asking = opened(board), opened(board)
    now_ns, came_length = 0, 0
    while came_length < 16 * MEASURED_LENGTH:
        now_ns += PIECE_LENGTH * BESIDE_NS // in_time_length
        came_length += PIECE_LENGTH
        message = Message(
            bulk.number, PIECE_LENGTH + 1, Traffic.TRANSPORT, DATA + bytes(PIECE_LENGTH)
        )
        board.receive(Delivered([message]), now_ns)
        bulk.poll_data(PIECE_LENGTH)
    handed(board)
    deliver_short(board, asking)
    expected = min(BESIDE_LENGTH, max(BESIDE_LENGTH_MIN, in_time_length))
    assert limit_said(board, bulk) == pytest.approx(expected, rel=1e-3)


def test_the_beginning_and_the_rest_of_bulk_are_nothing_short_beside_it() -> None:
    board = board_of()
    bulk, other = opened(board), opened(board)
    for each in (bulk, other):
        deliver(board, each.number, DATA + b"HTTP/1.1 200 OK")
        for length in (PIECE_LENGTH, 100, PIECE_LENGTH):
            assert said(deliver(board, each.number, DATA + bytes(length))) == []
            each.poll_data(PIECE_LENGTH)


@pytest.mark.parametrize("length", [0, 2**17, BESIDE_LENGTH, 2**32 - 1])
def test_a_link_holds_as_much_bulk_as_the_partner_says_and_something_for_a_time(
    length: int,
) -> None:
    board = board_of()
    bulk, asking = opened(board), opened(board)
    bulk.send(bytes(2**27))
    under_way = handed(board)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8
    asking.send(b"request")
    assert [message.conversation for message in handed(board)] == [asking.number]
    assert deliver(board, bulk.number, verbs.limit(length)) == []
    keep_full(board, bulk, under_way, LINK_LENGTH)
    most = min(LINK_LENGTH * 7 // 8, max(length, GATHERED_LENGTH))
    assert 0 < board.in_link_length <= most + PIECE_LENGTH
    keep_full(board, bulk, under_way, TOLD_LENGTH)
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


def test_those_who_send_little_are_bounded_too() -> None:
    board = board_of(link_length=2**20)
    conversations = [opened(board) for _ in range(250)]
    for conversation in conversations:
        conversation.send(bytes(16_000))
        handed(board)
    assert 2**20 <= board.in_link_length < 2**20 + PIECE_LENGTH


def test_a_link_that_is_lost_holds_nothing_any_more() -> None:
    board = board_of()
    bulk = opened(board)
    bulk.send(bytes(2**22))
    handed(board)
    deliver(board, bulk.number, verbs.limit(2**17))
    assert board.in_link_length > 2**20
    board.lose("gone")
    assert board.in_link_length == 0
    opened(board).send(bytes(2**24))  # nor does what the partner said hold
    handed(board)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8


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
