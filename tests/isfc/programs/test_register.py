"""The conversations of a node, each under its number."""

import pytest

from isfc.link.message import Traffic
from isfc.programs.register import LITTLE_LENGTH, TURN_LENGTH, Turns
from tests.isfc.programs.test_conversation import Joined


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
