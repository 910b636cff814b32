"""Frames and packages as bytes."""

import pytest

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
from isfc.link.package import Package
from tests.ctc.cable import Cargo

WRITE = CommandFrame(Command.WRITE, 258, 4096, 3)


def data_frame(*messages: Message) -> DataFrame:
    return DataFrame(Package(5, messages, sum(m.length for m in messages)), 7)


def changed(data: bytes, index: int, value: int) -> bytes:
    return data[:index] + bytes([value]) + data[index + 1 :]


def test_command_looks_as_described() -> None:
    assert encode(WRITE).hex(" ") == (
        "00 00 00 13 02 01 "  # 19 bytes follow; version 2, kind 1
        "01 00 00 00 00 00 00 01 02 "  # WRITE, serial
        "00 00 10 00 00 00 00 03"  # length and count
    )


def test_signal_looks_as_described() -> None:
    assert encode(StatusFrame(Signal.READY, 3)).hex(" ") == (
        "00 00 00 0b 02 03 02 00 00 00 00 00 00 00 03"
    )


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
    )
    pieces = encode_pieces(sent)
    assert [piece is long for piece in pieces] == [False, False, True, False, False]
    data = b"".join(pieces)
    assert data == encode(sent)
    frame = decode(data)
    assert isinstance(frame, DataFrame)
    assert isinstance(frame.load, Package)
    arrived = [message.data for message in frame.load.messages]
    assert arrived == [b"a", long, short, long]
    assert [piece.obj is data for piece in arrived if isinstance(piece, memoryview)] == [True] * 2


def test_only_packages_travel() -> None:
    with pytest.raises(AssertionError, match="only packages travel"):
        encode(DataFrame(Cargo(1), 1))


def test_length_is_known_from_the_first_four_bytes() -> None:
    data = encode(WRITE)
    assert frame_length(data[:PREFIX_LENGTH]) == len(data)
    assert decode(memoryview(data)).serial == 258


@pytest.mark.parametrize("length", [0, 1, FRAME_LENGTH_MAX + 1, 2**32 - 1])
def test_length_is_bounded(length: int) -> None:
    with pytest.raises(WireError, match=f"a frame of {length} bytes"):
        frame_length(length.to_bytes(4, "big"))


def test_longest_frame_is_within_its_bound() -> None:
    assert frame_length(FRAME_LENGTH_MAX.to_bytes(4, "big")) == FRAME_LENGTH_MAX + 4


def test_claim_of_more_than_a_frame_can_hold_is_refused() -> None:
    most = Message(1, FRAME_LENGTH_MAX)
    assert decode(encode(data_frame(most))).serial == 7
    with pytest.raises(WireError, match=f"a package of {FRAME_LENGTH_MAX + 1} bytes"):
        decode(encode(data_frame(most, Message(1, 1))))


@pytest.mark.parametrize(("others", "viewed"), [(1, True), (6, True), (8, False)])
def test_data_keep_no_much_larger_frame_in_memory(others: int, viewed: bool) -> None:
    messages = [Message(1, 40_000, data=bytes(40_000)) for _ in range(1 + others)]
    frame = decode(encode(data_frame(*messages)))
    assert isinstance(frame, DataFrame)
    assert isinstance(frame.load, Package)
    assert isinstance(frame.load.messages[0].data, memoryview) == viewed


COMMAND, STATUS = encode(WRITE), encode(StatusFrame(Signal.READY, 3))
DATA = encode(data_frame(Message(1, 3, data=b"abc")))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"a truncated frame \(at byte 0\)"),
        (COMMAND[:5], r"a truncated frame \(at byte 5\)"),
        (COMMAND[:-1], r"whose length is wrong"),
        (COMMAND + b"\0", r"whose length is wrong"),
        (changed(COMMAND, 4, VERSION + 1), r"version 3, not 2 \(at byte 4\)"),
        (changed(COMMAND, 5, 9), r"a frame of kind 9 \(at byte 5\)"),
        (changed(COMMAND, 6, 0xFF), r"command X'FF' \(at byte 6\)"),
        (changed(STATUS, 6, 0), r"signal 0 \(at byte 6\)"),
        (changed(COMMAND[:-1], 3, 0x12), r"a truncated frame"),
        (changed(COMMAND + b"\0", 3, 0x14), r"bytes after the end"),
        (changed(STATUS[:-1], 3, 0x0A), r"a truncated frame"),
        (changed(STATUS + b"\0", 3, 0x0C), r"bytes after the end"),
        (changed(DATA, 42, 0x7F), r"traffic 31"),
        (changed(DATA, 41, 200), r"a message longer than its frame"),
        (changed(DATA, 25, 0), r"an empty package"),
        (changed(DATA, 25, 2), r"a truncated frame"),
    ],
)
def test_anything_else_is_refused_with_its_place(data: bytes, reason: str) -> None:
    with pytest.raises(WireError, match=reason) as caught:
        decode(data)
    assert 0 <= caught.value.offset <= len(data)
