"""One conversation, its two ends joined without a link: every message immediately, in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import LocalProtocolError, RemoteProtocolError
from isfc.link.message import Traffic
from isfc.programs import protocol as verbs
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import (
    ROOM_LENGTH_MAX,
    STEPS,
    VERBS,
    ConversationLimits,
    ConversationSevered,
    ConversationState,
    ConversationStep,
    SeverCode,
    Verb,
    after_step,
    after_verb,
)
from isfc.programs.register import Register

LIMITS = ConversationLimits(window_length=1_000, send_length=700)


def poll(end: ConversationEnd) -> bytes | None:
    """The bytes of its next message, if it has one."""
    message = end.poll_message()
    return None if message is None else b"".join((message.head, message.data or b""))


class Joined:
    """Both ends of a conversation: ``a`` has connected to ``b``."""

    def __init__(
        self, traffic: Traffic = Traffic.TRANSPORT, limits: ConversationLimits = LIMITS
    ) -> None:
        self.limits = limits
        register = Register[ConversationEnd]
        self.registers = (register(limits), register(limits, 1))
        self.a = self.end(traffic, ConversationState.ASKING)
        self.b = self.end(traffic, ConversationState.REQUESTED)

    def end(self, traffic: Traffic, state: ConversationState) -> ConversationEnd:
        register = self.registers[state is ConversationState.REQUESTED]
        return ConversationEnd(2, "ECHO", traffic, state, register)

    def partner(self, end: ConversationEnd) -> ConversationEnd:
        return self.b if end is self.a else self.a

    @property
    def over(self) -> bool:
        return self.a.over and self.b.over

    def carry(self) -> list[int]:
        """Exchange everything there is; the verbs that were said."""
        said = []
        while due := self.registers[0].due or self.registers[1].due:
            end = due.take()
            if message := poll(end):
                said.append(message[0])
                if message[0] == Verb.CONNECT:
                    self.partner(end).credit_length = verbs.parse_connect(message[1:])[0]
                else:
                    self.partner(end).receive(message)
                end.note_sent()
        return said

    def open(self) -> "Joined":
        self.carry()
        self.b.accept()
        self.carry()
        assert self.a.state is self.b.state is ConversationState.OPEN
        return self


def whole(end: ConversationEnd) -> bool:
    return end.record_whole


def test_bytes_sent_before_the_answer_wait_for_it() -> None:
    joined = Joined()
    joined.a.send(b"early")
    assert joined.carry() == [Verb.CONNECT]
    joined.b.accept()
    assert joined.carry() == [Verb.ACCEPT, Verb.DATA]
    assert joined.a.state is ConversationState.OPEN
    assert joined.b.poll_data(100) == b"early"


def test_refusal_reaches_the_one_that_asked_with_its_reason() -> None:
    joined = Joined()
    joined.a.send(b"early")
    joined.carry()
    joined.b.sever(SeverCode.REFUSED, "not today")
    assert joined.carry() == [Verb.SEVER, Verb.SEVER]
    assert str(joined.a.reason) == "REFUSED: not today"
    assert joined.over
    with pytest.raises(ConversationSevered, match="not today"):
        joined.a.send(b"late")


def test_one_severed_before_it_is_sent_needs_no_words() -> None:
    joined = Joined()
    joined.a.sever()
    assert joined.carry() == []
    assert joined.a.over


def test_bytes_beyond_send_buffer_are_not_taken() -> None:
    joined = Joined()
    assert joined.a.send(bytes(500)) == 500
    assert joined.a.send(bytes(500)) == 200
    assert joined.a.send(b"x") == 0
    assert joined.a.room_length == 0


def test_bytes_beyond_window_wait_until_half_of_it_is_taken() -> None:
    joined = Joined().open()
    sent = 0
    for _ in range(5):
        sent += joined.a.send(bytes(700))
        joined.carry()
    assert sent == 1_700  # the partner's window and our own buffer
    assert joined.b.arrived_length == 1_000
    joined.b.poll_data(499)
    assert joined.carry() == []
    joined.b.poll_data(1)
    assert joined.carry() == [Verb.CREDIT, Verb.DATA]
    assert joined.b.arrived_length == 1_000


def test_long_messages_are_cut() -> None:
    limits = ConversationLimits(window_length=10**6, send_length=10**6)
    for traffic in Traffic:
        joined = Joined(traffic, limits).open()
        joined.a.send(bytes(500_000))
        lengths = []
        while (message := poll(joined.a)) is not None:
            lengths.append(len(message) - 1)
        assert max(lengths) == 262_080
        assert sum(lengths) == 500_000


def test_finishing_one_direction_leaves_the_other() -> None:
    joined = Joined().open()
    joined.a.send(b"question")
    joined.a.finish()
    assert joined.carry() == [Verb.DATA, Verb.FINISH]
    assert joined.b.partner_finished
    assert joined.b.poll_data(100) == b"question"
    with pytest.raises(LocalProtocolError, match="has been finished"):
        joined.a.send(b"more")
    joined.b.send(b"answer")
    joined.carry()
    assert joined.a.poll_data(100) == b"answer"
    assert joined.a.state is ConversationState.OPEN


def test_both_finished_is_over_with_nothing_left_to_say() -> None:
    joined = Joined().open()
    joined.a.finish()
    joined.b.finish()
    said = joined.carry()
    assert sorted(said) == [Verb.FINISH, Verb.FINISH, Verb.SEVER, Verb.SEVER]
    for end in (joined.a, joined.b):
        assert end.over
        assert end.reason is not None
        assert end.reason.code is SeverCode.ENDED


def test_who_severs_says_how_much_it_has_received() -> None:
    joined = Joined().open()
    for text in (b"taken", b"arrived"):
        joined.a.send(text)
        joined.carry()
        joined.b.poll_data(5)
    joined.b.sever()
    joined.a.send(b"sent")
    joined.carry()
    assert joined.a.undelivered_length == len(b"ed" + b"sent")
    assert joined.b.undelivered_length == 0


def test_who_is_severed_keeps_and_counts_what_has_arrived() -> None:
    joined = Joined().open()
    joined.a.send(b"arrived")
    joined.carry()
    joined.a.send(b"and not")
    joined.a.sever(SeverCode.FAILED, "out of paper")
    joined.carry()
    assert joined.over
    assert joined.b.poll_data(100) == b"arrived"
    assert joined.a.undelivered_length == len(b"and not")


def test_crossing_severings_are_both_heard() -> None:
    joined = Joined().open()
    joined.a.sever(SeverCode.CLOSED, "a")
    joined.b.sever(SeverCode.CLOSED, "b")
    assert joined.carry() == [Verb.SEVER, Verb.SEVER]
    assert joined.over
    assert str(joined.a.reason) == "CLOSED: a"  # each keeps what it knew first


def test_severing_drops_what_is_still_on_its_way() -> None:
    joined = Joined().open()
    joined.a.send(b"on its way")
    joined.b.sever()
    joined.b.receive(bytes((Verb.DATA,)) + b"late")
    assert joined.b.arrived_length == 0
    joined.carry()
    assert joined.b.arrived_length == 0
    with pytest.raises(RemoteProtocolError, match="verb 3 in a conversation that is over"):
        joined.b.receive(bytes((Verb.DATA,)) + b"later still")


def test_lost_link_ends_it_without_words() -> None:
    joined = Joined().open()
    joined.a.send(b"x")
    joined.a.lose("the partner restarted")
    assert joined.carry() == []
    assert joined.a.over
    assert str(joined.a.reason) == "LINK: the partner restarted"


def test_appc_takes_turns_and_transport_none() -> None:
    with pytest.raises(LocalProtocolError, match="no turns"):
        Joined().open().a.pass_turn()
    joined = Joined(Traffic.LEGACY).open()
    with pytest.raises(LocalProtocolError, match="partner's turn"):
        joined.b.send(b"too early")
    joined.a.send(b"request")
    assert not whole(joined.b)
    joined.a.pass_turn()
    with pytest.raises(LocalProtocolError, match="partner's turn"):
        joined.a.send(b"more")
    assert joined.carry() == [Verb.LAST]
    assert whole(joined.b)
    assert joined.b.poll_data(100) == b"request"
    joined.b.record_whole = False
    joined.b.pass_turn()
    assert joined.carry() == [Verb.LAST]
    assert joined.a.record_whole
    assert joined.a.holds_conversation
    assert not joined.b.holds_conversation


def test_appc_turn_passes_only_when_all_has_been_sent() -> None:
    joined = Joined(Traffic.LEGACY).open()
    sent = joined.a.send(bytes(700))
    joined.carry()
    sent += joined.a.send(bytes(700))
    joined.a.pass_turn()
    joined.carry()
    assert not whole(joined.b)
    received = len(joined.b.poll_data(1_000))
    assert joined.carry() == [Verb.CREDIT, Verb.LAST]
    assert whole(joined.b)
    assert received + joined.b.arrived_length == sent


def test_appc_end_gives_the_partner_the_last_turn() -> None:
    joined = Joined(Traffic.LEGACY).open()
    joined.a.send(b"request")
    joined.a.finish()
    joined.carry()
    assert whole(joined.b)
    joined.b.send(b"reply")
    joined.b.finish()
    joined.carry()
    assert joined.a.poll_data(100) == b"reply"
    assert joined.over


def test_appc_reply_may_cross_the_end() -> None:
    joined = Joined(Traffic.LEGACY).open()
    joined.a.send(b"request")
    joined.a.pass_turn()
    joined.carry()
    joined.a.finish()
    joined.b.send(b"reply")
    joined.b.pass_turn()
    joined.carry()
    joined.b.send(b", and more")
    joined.b.pass_turn()
    joined.b.send(b", and the last")
    joined.b.finish()
    joined.carry()
    assert joined.a.poll_data(100) == b"reply, and more, and the last"
    assert joined.a.reason is not None
    assert joined.a.reason.code is SeverCode.ENDED


def test_verbs_come_only_in_their_state() -> None:
    joined = Joined()
    joined.carry()
    with pytest.raises(LocalProtocolError, match="not been accepted"):
        joined.b.send(b"x")
    with pytest.raises(LocalProtocolError, match="not been accepted"):
        joined.b.finish()
    with pytest.raises(LocalProtocolError, match="not been asked for"):
        joined.a.accept()
    joined.b.sever()
    joined.b.accept()  # it is over: nothing to take up
    joined.b.finish()
    assert joined.b.state is ConversationState.SEVERING


@pytest.mark.parametrize(
    ("traffic", "message", "why"),
    [
        (Traffic.TRANSPORT, b"", "without a verb"),
        (Traffic.TRANSPORT, b"\x63", "verb 99"),
        (Traffic.TRANSPORT, verbs.connect(1, "ECHO"), "verb 1"),
        (Traffic.TRANSPORT, verbs.accept(5), "verb 2"),
        (Traffic.TRANSPORT, bytes((Verb.DATA,)), "no data"),
        (Traffic.TRANSPORT, bytes((Verb.LAST,)) + b"x", "no.* turn|turn.* not have"),
        (Traffic.TRANSPORT, bytes((Verb.DATA,)) + bytes(1_001), "more data than"),
        (Traffic.TRANSPORT, bytes((Verb.FINISH,)) + b"x", "an end that it must not"),
        (Traffic.TRANSPORT, verbs.credit(5) + b"x", "wrong length"),
        (Traffic.TRANSPORT, verbs.credit(ROOM_LENGTH_MAX), "more room than"),
        (Traffic.LEGACY, bytes((Verb.DATA,)) + b"x", "out of its turn"),
    ],
)
def test_breach_of_the_rules_is_a_remote_protocol_error(
    traffic: Traffic, message: bytes, why: str
) -> None:
    with pytest.raises(RemoteProtocolError, match=why):
        Joined(traffic).open().a.receive(message)


def test_nothing_but_an_answer_may_come_before_it_is_open_and_nothing_after_the_end() -> None:
    joined = Joined()
    joined.carry()
    for end in (joined.a, joined.b):
        with pytest.raises(RemoteProtocolError, match="verb 3 in a conversation that is"):
            end.receive(bytes((Verb.DATA,)) + b"x")
    joined.open().b.finish()
    joined.carry()
    for message in (bytes((Verb.DATA,)) + b"x", bytes((Verb.FINISH,))):
        with pytest.raises(RemoteProtocolError):
            joined.a.receive(message)


def test_partner_that_says_ended_before_the_end_broke_the_rules() -> None:
    joined = Joined().open()
    joined.a.receive(verbs.sever(ConversationSevered(SeverCode.ENDED)))
    assert joined.a.reason is not None
    assert joined.a.reason.code is SeverCode.PROTOCOL


@given(st.sampled_from(Traffic), st.lists(st.binary(max_size=30), max_size=20))
def test_any_messages_raise_protocol_errors_only_and_stay_within_bounds(
    traffic: Traffic, messages: list[bytes]
) -> None:
    end = Joined(traffic).open().a
    for message in messages:
        try:
            end.receive(message)
        except RemoteProtocolError as error:
            end.sever(SeverCode.PROTOCOL, str(error))
        assert end.arrived_length <= LIMITS.window_length


@given(st.data())
def test_every_byte_arrives_once_in_order(data: st.DataObject) -> None:
    joined = Joined().open()
    sent = {joined.a: bytearray(), joined.b: bytearray()}
    received = {joined.a: bytearray(), joined.b: bytearray()}
    for _ in range(data.draw(st.integers(1, 15))):
        end = data.draw(st.sampled_from((joined.a, joined.b)))
        if data.draw(st.booleans()):
            piece = data.draw(st.binary(min_size=1, max_size=900))
            sent[end] += piece[: end.send(piece)]
        else:
            received[end] += end.poll_data(data.draw(st.integers(1, 800)))
        if data.draw(st.booleans()):
            joined.carry()
    for end in (joined.a, joined.b):
        end.finish()
    while joined.carry() or joined.a.arrived_length or joined.b.arrived_length:
        for end in (joined.a, joined.b):
            received[end] += end.poll_data(1_000)
    assert received[joined.b] == sent[joined.a]
    assert received[joined.a] == sent[joined.b]
    assert joined.over


def test_states_have_what_is_possible_in_them_and_nothing_else() -> None:
    for state in ConversationState:
        for step in ConversationStep:
            if state in STEPS[step]:
                assert after_step(state, step) is STEPS[step][state]
            else:
                with pytest.raises(LocalProtocolError, match=f"{state.value} cannot"):
                    after_step(state, step)
        for verb in range(256):
            if verb in VERBS and state in VERBS[Verb(verb)]:
                assert after_verb(state, verb) is VERBS[Verb(verb)][state]
            else:
                with pytest.raises(RemoteProtocolError, match=f"verb {verb} in"):
                    after_verb(state, verb)
