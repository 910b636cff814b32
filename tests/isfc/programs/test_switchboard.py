"""All conversations of two nodes in virtual time, whatever becomes of the CTCs between them."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.errors import Backpressure, LocalProtocolError
from isfc.link.events import Delivered, LinkEvent, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs import switchboard
from isfc.programs.conversation import ConversationEnd, ConversationLimits, ConversationState
from isfc.programs.protocol import ConversationSevered, SeverCode, Verb
from isfc.programs.switchboard import Switchboard
from isfc.testing.pair import MS, US, S, Setup
from isfc.testing.strategies import setups, traffics
from tests.isfc.programs.dialogue import SMALL, Dialogue

OTHER = {Traffic.TRANSPORT: Traffic.LEGACY, Traffic.LEGACY: Traffic.TRANSPORT}


def feed(board: Switchboard, event: LinkEvent) -> list[Message]:
    """Let a board take in an event; what it sends because of it."""
    return [message for _, messages in board.receive(event, 0) for message in messages]


def deliver(
    board: Switchboard, number: int, data: bytes | None, traffic: Traffic = Traffic.TRANSPORT
) -> list[Message]:
    """A message of the partner's; what the board answers."""
    return feed(board, Delivered([Message(number, len(data or b""), traffic, data)]))


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
    assert [end.board.severed_count for end in dialogue.ends] == [0, 0]


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
        resequencer = end.node.link._resequencer  # noqa: SLF001  # it alone knows the numbers
        assert list(resequencer._next_serial) == [0]  # noqa: SLF001  # and tells nobody


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


def test_too_many_conversations_are_refused_at_both_ends() -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    for number in range(8):
        board.connect(f"S{number}")
    with pytest.raises(Backpressure, match="conversations is full: 8 of 8"):
        board.connect("S8")
    answers = deliver(board, 1, verbs.connect(1_000, "ECHO"))
    (refusal,) = [m for m in answers if m.conversation == 1]
    assert refusal.data is not None
    assert verbs.parse_sever(refusal.data[1:])[0].code is SeverCode.BUSY
    assert 1 not in board.conversations


def test_refusal_because_busy_frees_the_number() -> None:
    dialogue = Dialogue(limits=SMALL)
    for number in range(8):
        dialogue.ends[1].board.connect(f"S{number}")
    asking = dialogue.ends[0].board.connect("ECHO")
    dialogue.run_until(lambda: asking.over)
    assert reason_code(asking) is SeverCode.BUSY
    assert dialogue.ends[0].board.conversations.keys() & {0} == set()


def test_bad_service_name_is_refused_here() -> None:
    with pytest.raises(LocalProtocolError, match="not a service's name"):
        Switchboard(lesser=True).connect("no such")


def test_only_so_much_is_handed_to_the_link_at_once() -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(send_length=2**26))
    conversations = [board.connect("SINK") for _ in range(3)]
    feed(board, Sent([m for messages in board.messages() for m in messages]))
    for conversation in conversations:
        deliver(board, conversation.number, verbs.accept(2**26))
    for conversation in conversations:
        conversation.send(bytes(2**23))
    handed = [m for messages in board.messages() for m in messages]
    assert board.in_link_length >= switchboard.IN_LINK_LENGTH_MAX
    assert board.in_link_length < switchboard.IN_LINK_LENGTH_MAX + 66_000
    counts = [sum(m.conversation == number for m in handed) for number in (0, 2, 4)]
    assert max(counts) - min(counts) <= 1  # by turns
    assert min(counts) > 40
    more = feed(board, Sent(handed[:10]))
    assert 9 <= len(more) <= 11


def test_everything_waits_while_the_link_is_down_and_stays_within_bounds() -> None:
    dialogue = Dialogue(Setup(ctc_count=1))
    asking, asked = dialogue.connect()
    dialogue.engine.unplug(next(iter(dialogue.ends[0].node.link.ctcs)))
    sent = 0
    for _ in range(100):
        sent += asking.send(bytes(100_000))
        dialogue.carry()
        dialogue.run(MS)
    limits = dialogue.ends[0].board.limits
    assert sent == limits.window_length + limits.send_length
    dialogue.engine.plug(next(iter(dialogue.ends[0].node.link.ctcs)))
    received = 0

    def all_received() -> bool:
        nonlocal received
        received += len(asked.poll_data(10**6))
        return received == sent

    dialogue.run_until(all_received)


def test_severed_link_severs_every_conversation_and_begins_anew() -> None:
    board = Switchboard(lesser=True)
    ours, theirs = board.connect("ECHO"), connected(board)
    theirs.send(b"x")
    assert feed(board, Severed("the partner restarted")) == []
    for conversation in (ours, theirs):
        assert str(conversation.reason) == "LINK: the partner restarted"
    assert board.conversations == {}
    assert board.in_link_length == 0
    assert board.severed_count == 2
    assert board.connect("ECHO").number == 0


@pytest.mark.parametrize(
    "data", [None, b"", b"\xff", bytes((Verb.DATA,)), verbs.connect(1_000, "ECHO")]
)
def test_garbage_severs_its_conversation_and_no_other(data: bytes | None) -> None:
    board = Switchboard(lesser=True)
    good, bad = connected(board, 1), connected(board, 3)
    assert said(deliver(board, 3, data)) == [(3, Verb.SEVER)]
    assert reason_code(bad) is SeverCode.PROTOCOL
    assert good.state is ConversationState.OPEN


def test_message_of_the_other_kind_of_traffic_severs() -> None:
    board = Switchboard(lesser=True)
    bad = connected(board)
    deliver(board, 1, bytes((Verb.DATA,)) + b"x", Traffic.LEGACY)
    assert reason_code(bad) is SeverCode.PROTOCOL


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
    assert board.in_link_length < 2 * switchboard.IN_LINK_LENGTH_MAX


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.none() | st.binary(max_size=12), traffics), max_size=40
    )
)
def test_any_messages_leave_the_board_working(
    messages: list[tuple[int, bytes | None, Traffic]],
) -> None:
    board = Switchboard(lesser=True, limits=SMALL)
    for number, data, traffic in messages:
        deliver(board, number, data, traffic)
        while (conversation := board.poll_changed()) is not None:
            if conversation.state is ConversationState.REQUESTED:
                conversation.accept()
    assert len(board.conversations) <= SMALL.conversations_max
    feed(board, Severed("done"))
    assert connected(board, 9).state is ConversationState.OPEN


class Talk:
    """One conversation with much to say both ways; notes what came of it."""

    def __init__(self, dialogue: Dialogue, here: int, traffic: Traffic, random: Random) -> None:
        self.ends = dialogue.connect(here, traffic=traffic)
        self.random = random
        self.texts = tuple(random.randbytes(random.randrange(40_000)) for _ in self.ends)
        self.sent = [0, 0]
        self.received = [bytearray(), bytearray()]

    def step(self) -> None:
        """Send and take a little at both ends, where that is allowed."""
        for here, end in enumerate(self.ends):
            if end.holds_turn and not end.finished and end.reason is None:
                start = self.sent[here]
                piece = self.texts[here][start : start + self.random.randrange(1, 3_000)]
                self.sent[here] += end.send(piece)
                if self.sent[here] == len(self.texts[here]):
                    end.finish()
                elif end.traffic is Traffic.LEGACY and self.random.random() < 0.3:
                    end.pass_turn()
            self.received[here] += end.poll_data(self.random.randrange(1, 2_000))

    def done(self) -> bool:
        return all(end.over and not end.arrived_length for end in self.ends)

    def check(self) -> None:
        for here in (0, 1):
            assert self.received[1 - here] == self.texts[here]
            assert reason_code(self.ends[here]) is SeverCode.ENDED


@settings(max_examples=25)
@given(
    setups(ctc_counts=st.integers(1, 4)),
    st.integers(0, 2**32).map(Random),
    st.lists(st.tuples(st.integers(0, 1), traffics), min_size=1, max_size=4),
)
def test_bytes_arrive_once_in_order_whatever_ctcs_are_unplugged(
    setup: Setup, random: Random, kinds: list[tuple[int, Traffic]]
) -> None:
    dialogue = Dialogue(setup, SMALL)
    talks = [Talk(dialogue, here, traffic, random) for here, traffic in kinds]
    rdevs = list(dialogue.ends[0].node.link.ctcs)
    unplugged: set[Rdev] = set()
    end_ns = dialogue.engine.now_ns + 100 * S
    while not all(talk.done() for talk in talks):
        assert dialogue.engine.now_ns < end_ns
        for talk in talks:
            talk.step()
        dialogue.carry()
        dialogue.run(random.randrange(US, 3 * MS))
        if random.random() < 0.25:
            rdev = random.choice(rdevs)
            if rdev in unplugged:
                dialogue.engine.plug(rdev)
            else:
                dialogue.engine.unplug(rdev)
            unplugged ^= {rdev}
        if len(unplugged) == len(rdevs) and random.random() < 0.5:
            dialogue.engine.plug(unplugged.pop())
    for talk in talks:
        talk.check()
