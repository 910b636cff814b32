"""What conversations say survives as bytes, and other bytes do no harm."""

from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError, LocalProtocolError, WireError
from isfc.programs import protocol as verbs
from isfc.programs.protocol import (
    ROOM_LENGTH_MAX,
    ConversationLimits,
    ConversationSevered,
    SeverCode,
    Verb,
)
from isfc.programs.switchboard import Switchboard

rooms = st.integers(0, ROOM_LENGTH_MAX)
services = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_", min_size=1, max_size=8)


@given(rooms, services, rooms)
def test_connect_comes_back(room_length: int, service: str, opening: int) -> None:
    message = verbs.connect(room_length, service, opening)
    assert message[0] == Verb.CONNECT
    assert verbs.parse_connect(message[1:]) == (room_length, opening, service)


@given(rooms)
def test_rooms_come_back(room_length: int) -> None:
    for message, verb in (
        (verbs.accept(room_length), Verb.ACCEPT),
        (verbs.credit(room_length), Verb.CREDIT),
    ):
        assert message[0] == verb
        assert verbs.parse_room(message[1:]) == room_length


@given(st.sampled_from(SeverCode), st.text(max_size=60), st.integers(0, 2**64 - 1))
def test_sever_comes_back_cut_to_its_bound(code: SeverCode, text: str, length: int) -> None:
    message = verbs.sever(ConversationSevered(code, text), length)
    reason, received_length = verbs.parse_sever(message[1:])
    assert reason.code is code
    assert received_length == length
    assert len(message) <= 10 + verbs.SEVER_TEXT_LENGTH_MAX
    whole = text.encode("utf-8", "replace")
    if len(whole) <= verbs.SEVER_TEXT_LENGTH_MAX:
        assert reason.text.encode() == whole


@given(st.binary(max_size=300))
def test_any_bytes_raise_wire_errors_only(body: bytes) -> None:
    verbs.parse_sever(body)
    for parse in (verbs.parse_connect, verbs.parse_room):
        with suppress(WireError):
            parse(body)


def test_unknown_code_is_a_breach_of_protocol() -> None:
    assert verbs.parse_sever(b"\xffwhy")[0].code is SeverCode.PROTOCOL
    assert verbs.parse_sever(b"")[0].code is SeverCode.PROTOCOL


@pytest.mark.parametrize("service", ["", "NINECHARS", "lower", "A B", "\u00c4", "A\0"])
def test_service_names_are_checked_on_both_sides(service: str) -> None:
    with pytest.raises(LocalProtocolError, match="1 to 8 of A-Z"):
        verbs.check_service(service)
    with pytest.raises(WireError, match="name of a service"):
        verbs.parse_connect(bytes(8) + service.encode("latin-1"))


def test_error_says_code_and_words_and_the_code_as_the_pages_have_it() -> None:
    assert str(ConversationSevered(SeverCode.REFUSED, "not today")) == "REFUSED: not today"
    assert str(ConversationSevered(SeverCode.CLOSED)) == "CLOSED"
    assert f"{ConversationSevered(SeverCode.NO_SERVICE).code}" == "NO_SERVICE"


MIB = 2**20


@pytest.mark.parametrize(
    ("count", "window", "send"),
    [
        (0, 4 * MIB, MIB),
        (1, 4 * MIB, MIB),
        (16, 4 * MIB, MIB),
        (64, MIB, MIB // 2),
        (256, MIB // 4, MIB // 8),
        (512, MIB // 8, MIB // 8),
    ],
)
def test_share_is_even_and_never_less_than_128_kib(count: int, window: int, send: int) -> None:
    limits = ConversationLimits()
    assert (limits.window_share(count), limits.send_share(count)) == (window, send)
    less = ConversationLimits(window_length=1_000, send_length=100)  # than any share
    assert (less.window_share(count), less.send_share(count)) == (1_000, 100)


@pytest.mark.parametrize(("count", "taken"), [(1, MIB), (64, MIB // 2), (256, MIB // 8)])
def test_conversation_that_is_not_read_takes_its_share_to_be_sent(count: int, taken: int) -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(conversations_max=256))
    conversations = [board.connect("SINK") for _ in range(count)]
    assert conversations[-1].send(bytes(2 * MIB)) == taken
    assert conversations[-1].send(b"one more") == 0


@pytest.mark.parametrize("part", [part.name for part in fields(ConversationLimits)])
def test_a_limit_under_which_nothing_is_ever_sent_is_refused(part: str) -> None:
    ConversationLimits(**{part: 1})
    for value in (0, -5):
        with pytest.raises(ConfigurationError, match=f"{part} {value}: expected 1 at least"):
            ConversationLimits(**{part: value})
