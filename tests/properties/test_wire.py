"""What the codec must do with any frame, and with any bytes."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctc.frame import CommandFrame, DataFrame, Frame
from isfc.errors import WireError
from isfc.message import Message
from isfc.package import Package
from isfc.wire import PREFIX_LENGTH, decode, encode, frame_length
from tests.strategies import frames


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


def expect_a_frame_or_a_wire_error(data: bytes) -> None:
    """If the bytes are a frame, they are the one way to write it."""
    offset = 0
    try:
        frame = decode(data)
    except WireError as error:
        offset = error.offset
    else:
        assert encode(frame) == data
    assert 0 <= offset <= len(data)
