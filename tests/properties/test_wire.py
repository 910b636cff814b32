"""What the codec must do with any frame, and with any bytes."""

import tracemalloc
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import (
    FRAME_LENGTH_MAX,
    NUMBER_MAX,
    PREFIX_LENGTH,
    decode,
    encode,
    frame_length,
)
from isfc.errors import WireError
from isfc.link.message import Message
from isfc.link.package import MESSAGES_MAX, Package
from isfc.testing.strategies import frames
from tests.resealed import resealed


def content(frame: Frame) -> tuple[object, ...]:
    """All that a frame says, to be compared."""
    if isinstance(frame, CommandFrame):
        return (frame.command, frame.serial, frame.length, frame.count)
    if isinstance(frame, DataFrame):
        assert isinstance(frame.load, Package)
        package = frame.load
        messages = [message_content(message) for message in package.messages]
        return (frame.serial, package.number, package.length, package.count, messages)
    return (frame.signal, frame.serial)


def message_content(message: Message) -> tuple[object, ...]:
    return tuple(getattr(message, name) for name in Message.__slots__)


@given(frames)
def test_p9_decoding_undoes_encoding(frame: Frame) -> None:
    data = encode(frame)
    assert frame_length(data[:PREFIX_LENGTH]) == len(data)
    again = decode(data)
    assert type(again) is type(frame)
    assert content(again) == content(frame)


@given(st.binary(max_size=200))
@example(b"")
def test_p9_arbitrary_bytes_raise_only_wire_errors(data: bytes) -> None:
    expect_a_frame_or_a_wire_error(data)


@given(frames, st.data())
def test_p9_damaged_frames_raise_only_wire_errors(frame: Frame, data: st.DataObject) -> None:
    encoded = bytearray(encode(frame))
    for _ in range(data.draw(st.integers(1, 3))):
        encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    expect_a_frame_or_a_wire_error(bytes(encoded[: data.draw(st.integers(0, len(encoded)))]))
    expect_a_frame_or_a_wire_error(bytes(encoded))


def expect_a_frame_or_a_wire_error(data: bytes) -> bool:
    """If the bytes are a frame, they are the one way to write it; whether they are."""
    try:
        frame = decode(data)
    except WireError as error:
        offset = error.offset
    else:
        assert encode(frame) == data
        return True
    assert 0 <= offset <= len(data)
    return False


def test_numbers_beyond_63_bits_are_refused() -> None:
    """A compiled node took them for a bug of its own, as no integer of its holds them."""
    largest = NUMBER_MAX.to_bytes(8, "big")
    for frame in (
        CommandFrame(Command.WRITE, NUMBER_MAX, 4_096, 3),
        StatusFrame(Signal.READY, NUMBER_MAX),
        DataFrame(Package(NUMBER_MAX, [Message(1, 0)], 0), 7),
        DataFrame(Package(5, [Message(1, 0)], 0), NUMBER_MAX),
    ):
        data = encode(frame)
        assert content(decode(data)) == content(frame)
        assert data.count(largest) == 1
        beyond = resealed(data.replace(largest, b"\x80" + bytes(7)))
        with pytest.raises(WireError, match="a number beyond 63 bits"):
            decode(beyond)


@pytest.mark.parametrize("frames", [5_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_p9_frames_of_rubbish_raise_only_wire_errors(frames: int) -> None:
    random = Random(9)
    messages = [Message(n, 300 * n, data=bytes(300 * n)) for n in range(4)]
    models = [
        encode(CommandFrame(Command.WRITE, 258, 4_096, 3)),
        encode(StatusFrame(Signal.READY, 3)),
        encode(DataFrame(Package(5, messages, 1_800), 7)),
        encode(DataFrame(Package(5, [Message(1, 0)] * 5, 0), 7)),
    ]
    decoded = 0
    for _ in range(frames):
        if random.random() < 0.3:
            data = bytearray(random.randbytes(random.randrange(80)))
        else:
            data = bytearray(random.choice(models))
            for _ in range(random.randint(1, 4)):
                value = random.choice([0, 1, 0x40, 0xFF, random.randrange(256)])
                data[random.randrange(len(data))] = value
            del data[random.choice([len(data), len(data), random.randrange(len(data))]) :]
        if random.random() < 0.7 and len(data) >= 40:  # else few get past the checks
            count = int.from_bytes(data[24:28], "big")
            said_length = 20 + 17 * count if data[5] == 2 and count < 10 else None
            data = bytearray(resealed(bytes(data), said_length))
        decoded += expect_a_frame_or_a_wire_error(bytes(data))
    assert 0.05 * frames < decoded < 0.95 * frames


@pytest.mark.slow
@pytest.mark.parametrize("data", [None, b""])
def test_p9_no_frame_takes_more_than_so_much_memory(data: bytes | None) -> None:
    # as many messages as a frame can hold: the costliest
    frame = encode(DataFrame(Package(0, [Message(2**31, 0, data=data)] * MESSAGES_MAX, 0), 1))
    claimed = frame[:24] + (2**32 - 1).to_bytes(4, "big") + frame[28:]
    claims_more = resealed(claimed)
    assert len(frame) <= FRAME_LENGTH_MAX + PREFIX_LENGTH
    for decodes, each in ((True, frame), (False, claims_more)):
        tracemalloc.start()
        try:
            if decodes:
                decode(each)
            else:
                with pytest.raises(WireError):
                    decode(each)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 20 * FRAME_LENGTH_MAX
