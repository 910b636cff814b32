"""All conversations of two nodes in virtual time, whatever becomes of the CTCs between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import Backpressure, LocalProtocolError
from isfc.link.events import Delivered, LinkEvent, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs import switchboard
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import (
    LINK_LENGTH,
    ConversationLimits,
    ConversationSevered,
    ConversationState,
    SeverCode,
    Verb,
)
from isfc.programs.switchboard import Switchboard
from isfc.testing.pair import MS, S, Setup
from isfc.testing.strategies import traffics
from tests.isfc.programs.dialogue import SMALL, Dialogue


def feed(board: Switchboard, event: LinkEvent) -> list[Message]:
    """Let a board receive an event; what it sends because of it."""
    return [message for _, messages in board.receive(event, 0) for message in messages]


def deliver(
    board: Switchboard, number: int, data: bytes | None, traffic: Traffic = Traffic.TRANSPORT
) -> list[Message]:
    """A message of the partner's; what the board answers."""
    return feed(board, Delivered([Message(number, len(data or b""), traffic, data)]))


def handed(board: Switchboard) -> list[Message]:
    """What the board has for the link."""
    return [message for messages in board.messages() for message in messages]


def said(messages: list[Message]) -> list[tuple[int, int]]:
    """Number and verb of each message."""
    return [(m.conversation, m.data[0]) for m in messages if m.data]


def connected(board: Switchboard, number: int = 1) -> ConversationEnd:
    """A conversation that the partner has opened and the board has taken up."""
    deliver(board, number, verbs.connect(1_000, "ECHO"))
    conversation = board.conversations[number]
    conversation.accept()
    board.messages()
    return conversation


def reason_code(conversation: ConversationEnd) -> SeverCode | None:
    return conversation.reason.code if conversation.reason else None


@pytest.mark.parametrize("traffic", Traffic)
def test_request_and_reply_cross_a_link(traffic: Traffic) -> None:
    dialogue = Dialogue()
    asking, asked = dialogue.connect(traffic=traffic)
    assert asked.service == "ECHO"
    assert asked.traffic is traffic
    asking.send(b"request")
    asking.finish()
    dialogue.run_until(lambda: asked.partner_finished)
    assert asked.poll_data(100) == b"request"
    asked.send(b"reply")
    asked.finish()
    dialogue.run_until(lambda: asking.over and asked.over)
    assert asking.poll_data(100) == b"reply"
    assert [end.board.conversations for end in dialogue.ends] == [{}, {}]
    assert [end.board.in_link_length for end in dialogue.ends] == [0, 0]


def test_lesser_node_opens_even_numbers_and_greater_odd_ones() -> None:
    dialogue = Dialogue()
    numbers = [[dialogue.connect(here)[0].number for _ in range(3)] for here in (0, 1)]
    assert numbers == [[0, 2, 4], [1, 3, 5]]


def test_number_is_used_again_only_when_both_ends_have_said_their_last_word() -> None:
    dialogue = Dialogue()
    asking, asked = dialogue.connect()
    asking.sever()
    dialogue.carry()
    assert dialogue.ends[0].board.connect("ECHO").number == 2
    dialogue.run_until(lambda: asking.over and asked.over)
    assert dialogue.ends[0].board.connect("ECHO").number == 0


def test_number_keeps_its_kind_of_traffic() -> None:
    dialogue = Dialogue()
    asking, _ = dialogue.connect(traffic=Traffic.LEGACY)
    asking.sever()
    dialogue.run_until(lambda: asking.over)
    board = dialogue.ends[0].board
    assert board.connect("ECHO", Traffic.TRANSPORT).number == 2
    assert board.connect("ECHO", Traffic.LEGACY).number == 0


def test_conversations_one_after_another_take_few_numbers() -> None:
    dialogue = Dialogue()
    for _ in range(50):
        asking, _ = dialogue.connect()
        asking.send(b"x")
        asking.sever()
        dialogue.run_until(lambda: not any(end.board.conversations for end in dialogue.ends))
    for end in dialogue.ends:
        conversations = end.link.conversations
        resequencer = conversations._resequencer  # noqa: SLF001  # it alone knows the numbers
        assert resequencer._serials.count == 1  # noqa: SLF001  # and tells nobody


def test_changed_conversations_are_named_once() -> None:
    board = Switchboard(lesser=True)
    deliver(board, 1, verbs.connect(1_000, "ECHO"))
    conversation = board.poll_changed()
    assert conversation is board.conversations[1]
    assert conversation.state is ConversationState.REQUESTED
    assert board.poll_changed() is None
    conversation.accept()
    for _ in range(2):
        deliver(board, 1, bytes((Verb.DATA,)) + b"x")
    assert board.poll_changed() is conversation
    assert board.poll_changed() is None


def begun(board: Switchboard) -> list[int]:
    """Numbers of the conversations that ask for a service, in the order of their beginning."""
    numbers = []
    while (conversation := board.poll_changed()) is not None:
        if conversation.state is ConversationState.REQUESTED:
            numbers.append(conversation.number)
    return numbers


def test_conversations_begin_in_the_order_of_their_opening_whichever_comes_first() -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    deliver(board, 5, verbs.connect(1_000, "ECHO", 2))
    deliver(board, 3, verbs.connect(1_000, "ECHO", 1))
    deliver(board, 3, verbs.sever(ConversationSevered(SeverCode.CLOSED)))  # given up meanwhile
    assert begun(board) == []
    deliver(board, 1, verbs.connect(1_000, "ECHO", 0))
    assert begun(board) == [1, 5]
    feed(board, Severed("the partner restarted"))
    deliver(board, 1, verbs.connect(1_000, "ECHO", 0))
    assert begun(board) == [1]


def test_refused_opening_keeps_no_other_waiting() -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(conversations_max=2))
    deliver(board, 3, verbs.connect(1_000, "ECHO", 1))
    deliver(board, 5, verbs.connect(1_000, "ECHO", 3))
    deliver(board, 7, verbs.connect(1_000, "ECHO", 0))  # refused: too many
    deliver(board, 9, verbs.connect(1_000, "ECHO", 2))  # the same
    assert begun(board) == [3, 5]


@pytest.mark.parametrize("opening", [7, 2**32 - 1, 70_000])
def test_partner_that_counts_its_openings_wrong_harms_only_itself(opening: int) -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    for number in range(1, 101, 2):
        deliver(board, number, verbs.connect(1_000, "ECHO", opening))
    assert len(board.conversations) == SMALL.conversations_max
    feed(board, Severed("the partner restarted"))
    assert board.conversations == {}


def test_openings_are_counted_as_they_are_asked_for() -> None:
    board = Switchboard(lesser=True)
    first, given_up, second = (board.connect("ECHO") for _ in range(3))
    given_up.sever()
    asked = [message.data or b"" for message in handed(board)]
    assert [verbs.parse_connect(data[1:])[1] for data in asked] == [0, 1]
    assert first.number != second.number


def test_too_many_conversations_are_refused_at_both_ends() -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    for number in range(8):
        board.connect(f"S{number}")
    with pytest.raises(Backpressure, match="conversations is full: 8 of 8"):
        board.connect("S8")
    for number in range(1, 17, 2):  # the partner has as many places of its own
        deliver(board, number, verbs.connect(1_000, "ECHO"))
    answers = deliver(board, 17, verbs.connect(1_000, "ECHO"))
    (refusal,) = [m for m in answers if m.conversation == 17]
    assert refusal.data is not None
    assert verbs.parse_sever(refusal.data[1:])[0].code is SeverCode.BUSY
    assert 17 not in board.conversations
    board.conversations[3].sever()
    board.messages()
    deliver(board, 3, verbs.sever(ConversationSevered(SeverCode.CLOSED)))
    deliver(board, 3, verbs.connect(1_000, "ECHO"))
    assert 3 in board.conversations


def test_refusal_because_busy_frees_the_number() -> None:
    dialogue = Dialogue(limits=SMALL, partner_limits=ConversationLimits(conversations_max=2))
    for number in range(2):
        dialogue.ends[0].board.connect(f"S{number}")
    asking = dialogue.ends[0].board.connect("ECHO")
    dialogue.run_until(lambda: asking.over)
    assert reason_code(asking) is SeverCode.BUSY
    assert dialogue.ends[0].board.conversations.keys() == {0, 2}
    assert dialogue.ends[0].board.connect("ECHO").number == 4


def test_bad_service_name_is_refused_here() -> None:
    with pytest.raises(LocalProtocolError, match="not a service's name"):
        Switchboard(lesser=True).connect("no such")


def test_only_so_much_is_handed_to_the_link_at_once() -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(send_length=2**26))
    conversations = [board.connect("SINK") for _ in range(3)]
    feed(board, Sent(handed(board)))
    for conversation in conversations:
        deliver(board, conversation.number, verbs.accept(2**26))
    for conversation in conversations:
        conversation.send(bytes(2**23))
    first = handed(board)
    assert board.in_link_length >= LINK_LENGTH * 7 // 8
    assert board.in_link_length < LINK_LENGTH + 263_000
    counts = [sum(m.conversation == number for m in first) for number in (0, 2, 4)]
    assert max(counts) - min(counts) <= 1  # by turns
    assert min(counts) > 8
    more = feed(board, Sent(first[:10]))
    assert 9 <= len(more) <= 11


def test_everything_waits_while_the_link_is_down_and_stays_within_bounds() -> None:
    dialogue = Dialogue(Setup(ctc_count=1))
    asking, asked = dialogue.connect()
    dialogue.engine.unplug(next(iter(dialogue.ends[0].link.ctcs)))
    sent = 0
    for _ in range(100):
        sent += asking.send(bytes(100_000))
        dialogue.carry()
        dialogue.run(MS)
    limits = dialogue.ends[0].board.limits
    assert sent == limits.window_length + limits.send_length
    dialogue.engine.plug(next(iter(dialogue.ends[0].link.ctcs)))
    received = 0

    def all_received() -> bool:
        nonlocal received
        received += len(asked.poll_data(10**6))
        return received == sent

    dialogue.run_until(all_received)


def test_severed_link_severs_every_conversation_and_new_ones_begin() -> None:
    board = Switchboard(lesser=True)
    ours, theirs = board.connect("ECHO"), connected(board)
    theirs.send(b"x")
    assert feed(board, Severed("the partner restarted")) == []
    for conversation in (ours, theirs):
        assert str(conversation.reason) == "LINK: the partner restarted"
    assert board.conversations == {}
    assert board.in_link_length == 0
    assert board.connect("ECHO").number == 0


def test_what_is_severed_but_not_confirmed_ends_with_the_link_and_is_named() -> None:
    board = Switchboard(lesser=True)
    closing, told = connected(board, 1), connected(board, 3)
    for conversation in (closing, told):
        conversation.send(b"x")
        board.messages()
        conversation.sever()
        board.messages()
    deliver(board, 3, verbs.sever(ConversationSevered(SeverCode.CLOSED), 1))
    while board.poll_changed() is not None:
        pass
    feed(board, Severed("the partner restarted"))
    assert board.poll_changed() is closing
    assert closing.over
    assert [reason_code(c) for c in (closing, told)] == [SeverCode.LINK, SeverCode.CLOSED]
    assert board.conversations == {}


@pytest.mark.parametrize(
    "data", [None, b"", b"\xff", bytes((Verb.DATA,)), verbs.connect(1_000, "ECHO")]
)
def test_garbage_severs_its_conversation_and_no_other(data: bytes | None) -> None:
    board = Switchboard(lesser=True)
    good, bad = connected(board, 1), connected(board, 3)
    assert said(deliver(board, 3, data)) == [(3, Verb.SEVER)]
    other = connected(board, 5)
    deliver(board, 5, bytes((Verb.DATA,)) + b"x", Traffic.LEGACY)  # of the other kind of traffic
    assert [reason_code(each) for each in (bad, other)] == [SeverCode.PROTOCOL] * 2
    assert good.state is ConversationState.OPEN


def test_messages_of_no_conversation_are_counted_and_answered() -> None:
    board = Switchboard(lesser=True)
    assert said(deliver(board, 7, bytes((Verb.DATA,)) + b"x")) == [(7, Verb.SEVER)]
    assert deliver(board, 7, verbs.sever(ConversationSevered(SeverCode.CLOSED))) == []
    assert said(deliver(board, 2, verbs.connect(1_000, "ECHO"))) == [(2, Verb.SEVER)]
    assert said(deliver(board, 7, verbs.connect(1_000, "not good"))) == [(7, Verb.SEVER)]
    assert board.stray_count == 3
    assert board.conversations == {}


def test_flood_of_strays_is_not_answered_for_ever() -> None:
    board = Switchboard(lesser=True)
    flood = [Message(number, 1, Traffic.TRANSPORT, b"\x03") for number in range(10_000)]
    answers = feed(board, Delivered(flood))
    assert len(answers) == switchboard.ANSWERS_MAX
    for _ in range(10):
        feed(board, Delivered(flood))
    assert board.in_link_length < 2 * LINK_LENGTH


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.none() | st.binary(max_size=12), traffics), max_size=40
    )
)
def test_any_messages_leave_it_working(messages: list[tuple[int, bytes | None, Traffic]]) -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    for number, data, traffic in messages:
        deliver(board, number, data, traffic)
        while (conversation := board.poll_changed()) is not None:
            if conversation.state is ConversationState.REQUESTED:
                conversation.accept()
    assert len(board.conversations) <= SMALL.conversations_max
    feed(board, Severed("done"))
    assert connected(board, 9).state is ConversationState.OPEN


@pytest.mark.parametrize("verified", [False, True])
def test_a_request_in_many_segments_leaves_nothing_in_the_link(verified: bool) -> None:
    dialogue = Dialogue(verified=verified)
    asking, asked = dialogue.connect(traffic=Traffic.LEGACY)
    for length in (100_000, 65_536 - 13, 65_536 - 5, 200_000):  # a trailer that is cut, too
        asking.send(bytes(length))
        asking.pass_turn()
        dialogue.run_until(lambda: asked.record_whole)
        asked.record_whole = False
        asked.pass_turn()
        dialogue.run_until(lambda: asking.holds_conversation)
        dialogue.run(S)
        assert [end.board.in_link_length for end in dialogue.ends] == [0, 0]
        assert asked.poll_data(length) == bytes(length)


def test_stale_end_takes_no_number_from_its_next_owner() -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(link_length=600))
    first = board.connect("ECHO")
    feed(board, Sent(handed(board)))
    deliver(board, first.number, verbs.accept(1_000))
    first.send(bytes(500))
    filled = handed(board)
    assert board.in_link_length > 600
    first.send(b"x")  # due, and remains so
    first.sever()
    assert deliver(board, first.number, verbs.sever(ConversationSevered(SeverCode.CLOSED))) == []
    assert first.state is ConversationState.SEVER_RECEIVED
    while board.poll_changed() is not None:
        pass
    sent = feed(board, Sent(filled))
    assert said(sent) == [(first.number, Verb.SEVER)]
    assert board.poll_changed() is first  # whoever waits for its end is told
    assert board.conversations == {}
    second = board.connect("ECHO")
    assert second.number == first.number
    feed(board, Sent(sent))
    assert board.conversations == {second.number: second}
    assert board.in_link_length < 600


def test_refusals_wait_for_room_in_the_link_and_are_sent_then() -> None:
    limits = ConversationLimits(link_length=300, conversations_max=2)
    board = Switchboard(lesser=True, limits=limits)
    for number in (1, 3):
        deliver(board, number, verbs.connect(1_000, "ECHO", number // 2))
    for _ in range(2):
        board.connect("ECHO")
    filled = handed(board)
    assert deliver(board, 5, verbs.connect(1_000, "ECHO", 2)) == []
    assert said(feed(board, Sent(filled))) == [(5, Verb.SEVER)]
