"""Frames and packages as bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.frame import CommandFrame, DataFrame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import (
    FRAME_LENGTH_MAX,
    LONG_LENGTH,
    PREFIX_LENGTH,
    VERSION,
    decode,
    encode,
    encode_pieces,
    frame_length,
)
from isfc.errors import WireError
from isfc.link.message import Message, Traffic
from isfc.link.package import MESSAGES_MAX, Package
from tests.ctc.cable import Cargo
from tests.resealed import prefix, resealed

WRITE = CommandFrame(Command.WRITE, 258, 4096, 3)


def data_frame(*messages: Message) -> DataFrame:
    return DataFrame(Package(5, list(messages), sum(m.length for m in messages)), 7)


def changed(data: bytes, index: int, value: int) -> bytes:
    return data[:index] + bytes([value]) + data[index + 1 :]


COMMAND, STATUS = encode(WRITE), encode(StatusFrame(Signal.READY, 3))
DATA = encode(data_frame(Message(1, 3, data=b"abc")))


def test_command_and_signal_look_as_described() -> None:
    assert encode(WRITE).hex(" ") == (
        "00 00 00 15 02 01 92 2c "  # 21 bytes follow; version 2, kind 1; check
        "01 00 00 00 00 00 00 01 02 "  # WRITE, serial
        "00 00 10 00 00 00 00 03 "  # length and count
        "15 a2 2a 67"  # CRC-32
    )
    assert STATUS.hex(" ") == "00 00 00 0d 02 03 01 c8 02 00 00 00 00 00 00 00 03 51 f6 6d 92"


def test_headers_come_first_and_data_follow() -> None:
    data = encode(data_frame(Message(1, 3, data=b"abc"), Message(2, 2), Message(3, 2, data=b"de")))
    assert data.endswith(b"abcde")
    assert len(data) == PREFIX_LENGTH + 20 + 3 * 17 + 4 + 5


@given(st.sampled_from(range(8 * 84)), st.booleans())
def test_a_bit_that_is_changed_in_a_header_shows(bit: int, short: bool) -> None:
    frame = WRITE if short else data_frame(Message(1, 3, data=b"abc"), Message(2, 4, data=b"data"))
    data = bytearray(encode(frame))
    data_length = 0 if short else 7
    index = bit // 8 % (len(data) - data_length)
    data[index] ^= 1 << bit % 8
    with pytest.raises(WireError):
        decode(bytes(data))


def test_package_keeps_what_its_messages_are() -> None:
    live = Message(1, 3, Traffic.LEGACY, b"abc")
    live.serial, live.more, live.acknowledges = 9, True, True
    virtual = Message(2, 1_000_000)
    frame = decode(encode(data_frame(live, virtual)))
    assert isinstance(frame, DataFrame)
    package = frame.load
    assert isinstance(package, Package)
    assert (frame.serial, package.number, len(package.messages)) == (7, 5, 2)
    assert package.length == data_frame(live, virtual).load.length
    first, second = package.messages
    assert (first.conversation, first.serial, first.more) == (1, 9, True)
    assert (first.acknowledges, second.acknowledges) == (True, False)
    assert (first.traffic, first.data, first.length) == (Traffic.LEGACY, b"abc", 3)
    assert (second.traffic, second.data, second.length) == (Traffic.TRANSPORT, None, 1_000_000)
    assert not second.more


def test_long_data_are_not_copied_either_way() -> None:
    long, short = bytes(LONG_LENGTH), bytes(LONG_LENGTH - 1)
    sent = data_frame(
        Message(1, 1, data=b"a"),
        Message(2, len(long), data=long),
        Message(3, len(short), data=short),
        Message(4, len(long), data=memoryview(long)),
        Message(5, 5 + len(long), data=long, head=b"ahead"),
    )
    pieces = encode_pieces(sent)
    assert [piece is long for piece in pieces] == [False, True, False, False, False, True]
    data = b"".join(pieces)
    assert data == encode(sent)
    frame = decode(data)
    assert isinstance(frame, DataFrame)
    assert isinstance(frame.load, Package)
    arrived = [message.data for message in frame.load.messages]
    assert arrived == [b"a", long, short, long, b"ahead" + long]
    assert [piece.obj is data for piece in arrived if isinstance(piece, memoryview)] == [True] * 3


def test_only_packages_travel() -> None:
    with pytest.raises(AssertionError, match="only packages travel"):
        encode(DataFrame(Cargo(1), 1))


def test_length_is_known_from_the_prefix() -> None:
    data = encode(WRITE)
    assert frame_length(data[:PREFIX_LENGTH]) == len(data)
    assert decode(memoryview(data)).serial == 258


@pytest.mark.parametrize("length", [0, 1, FRAME_LENGTH_MAX + 1, 2**32 - 1])
def test_length_is_bounded(length: int) -> None:
    with pytest.raises(WireError, match=f"a frame of {length} bytes"):
        frame_length(prefix(length))
    assert frame_length(prefix(FRAME_LENGTH_MAX)) == FRAME_LENGTH_MAX + PREFIX_LENGTH


def test_a_length_that_was_changed_shows_at_once() -> None:
    for index in range(PREFIX_LENGTH):
        with pytest.raises(WireError, match="a damaged prefix"):
            frame_length(changed(COMMAND[:PREFIX_LENGTH], index, COMMAND[index] ^ 0x10))


def test_a_package_of_too_many_messages_is_refused_before_it_is_read() -> None:
    most = [Message(1, 0, data=b"")] * MESSAGES_MAX
    assert decode(encode(data_frame(*most))).serial == 7
    with pytest.raises(WireError, match=f"a package of {MESSAGES_MAX + 1} messages"):
        decode(encode(data_frame(*most, most[0])))


def test_claim_of_more_than_a_frame_can_hold_is_refused() -> None:
    most = Message(1, FRAME_LENGTH_MAX)
    assert decode(encode(data_frame(most))).serial == 7
    with pytest.raises(WireError, match=f"a package of {FRAME_LENGTH_MAX + 1} bytes"):
        decode(encode(data_frame(most, Message(1, 1))))


@pytest.mark.parametrize(("others", "viewed"), [(1, True), (30, True), (32, False)])
def test_data_keep_no_much_larger_frame_in_memory(others: int, viewed: bool) -> None:
    messages = [Message(1, 40_000, data=bytes(40_000)) for _ in range(1 + others)]
    frame = decode(encode(data_frame(*messages)))
    assert isinstance(frame, DataFrame)
    assert isinstance(frame.load, Package)
    assert isinstance(frame.load.messages[0].data, memoryview) == viewed


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"a truncated frame \(at byte 0\)"),
        (COMMAND[:5], r"a truncated frame \(at byte 5\)"),
        (COMMAND[:-1], r"whose length is wrong"),
        (COMMAND + b"\0", r"whose length is wrong"),
        (resealed(changed(COMMAND, 4, VERSION + 1)), r"version 3, not 2 \(at byte 4\)"),
        (resealed(changed(COMMAND, 5, 9)), r"a frame of kind 9 \(at byte 5\)"),
        (resealed(changed(COMMAND, 8, 0xFF)), r"command X'FF' \(at byte 8\)"),
        (resealed(changed(STATUS, 8, 0)), r"signal 0 \(at byte 8\)"),
        (resealed(COMMAND[:-1]), r"not that of its kind"),
        (resealed(COMMAND + b"\0", 17), r"not that of its kind"),
        (resealed(STATUS[:-1]), r"not that of its kind"),
        (resealed(STATUS + b"\0", 9), r"not that of its kind"),
        (changed(COMMAND, 12, 1), r"a damaged header"),
        (resealed(changed(DATA, 44, 0x7F), 37), r"traffic 31"),
        (resealed(changed(DATA, 43, 200), 37), r"a message longer than its frame"),
        (resealed(changed(DATA, 27, 0), 37), r"a package of 0 messages"),
        (resealed(changed(DATA, 27, 2), 37), r"a truncated frame"),
        (resealed(DATA[:20], 8), r"a truncated frame"),
    ],
)
def test_anything_else_is_refused_with_its_place(data: bytes, reason: str) -> None:
    with pytest.raises(WireError, match=reason) as caught:
        decode(data)
    assert 0 <= caught.value.offset <= len(data)
