"""Frames and packages as bytes: the one place that knows how they look on a connection.

A frame is ``length`` (4 bytes, of all that follows), ``version`` (1), ``kind`` (1) and a body;
numbers are big-endian and unsigned. There is one connection for each CTC, so that a frame
names no device. Everything is bounded, and bytes that do not decode raise `WireError` with
the offset where reading stopped.
"""

import struct
from collections.abc import Sequence
from typing import Final

from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.errors import WireError
from isfc.link.message import Message, Traffic
from isfc.link.package import Package

VERSION: Final = 2
PREFIX_LENGTH: Final = 4
FRAME_LENGTH_MAX: Final = 4 * 2**20
"""Most bytes of a frame after its length: four times the largest package."""
LONG_LENGTH: Final = 32 * 1024
"""Data of a message of so many bytes are not copied: they are sent from where they lie, and what
arrives is a view of its frame, which stays in memory as long as one of its messages does."""
VIEWED_SHARE_MIN: Final = 8
"""Unless that would keep a frame of more than so many times their length in memory."""

_COMMAND_KIND: Final = 1
_DATA_KIND: Final = 2
_STATUS_KIND: Final = 3

_HEADER: Final = struct.Struct(">IBB")
_COMMAND: Final = struct.Struct(">BQII")
_STATUS: Final = struct.Struct(">BQ")
_DATA: Final = struct.Struct(">QQI")
_MESSAGE: Final = struct.Struct(">IQIB")

_MORE: Final = 0x80
_HAS_DATA: Final = 0x40
_ACKNOWLEDGES: Final = 0x20
_TRAFFIC: Final = 0x1F


def encode(frame: Frame) -> bytes:
    """The bytes of ``frame``, its length first."""
    return b"".join(encode_pieces(frame))


def encode_pieces(frame: Frame) -> Sequence[bytes | memoryview]:
    """The bytes of ``frame`` in pieces to be sent one after the other.

    Long data of messages are pieces of their own, not copied.
    """
    if isinstance(frame, CommandFrame):
        body = _COMMAND.pack(frame.command, frame.serial, frame.length, frame.count)
        return (_header(len(body), _COMMAND_KIND) + body,)
    if isinstance(frame, StatusFrame):
        body = _STATUS.pack(frame.signal, frame.serial)
        return (_header(len(body), _STATUS_KIND) + body,)
    assert isinstance(frame.load, Package), "only packages travel"
    return _encode_data(frame.serial, frame.load)


def _header(body_length: int, kind: int) -> bytes:
    return _HEADER.pack(body_length + _HEADER.size - PREFIX_LENGTH, VERSION, kind)


def frame_length(prefix: bytes | memoryview) -> int:
    """How many bytes the frame that begins with these four has, prefix included.

    Raises `WireError` when it is longer than `FRAME_LENGTH_MAX`.
    """
    length = int.from_bytes(prefix[:PREFIX_LENGTH], "big")
    if not _HEADER.size - PREFIX_LENGTH <= length <= FRAME_LENGTH_MAX:
        raise WireError(f"a frame of {length} bytes", 0)
    return PREFIX_LENGTH + length


def decode(data: bytes | memoryview) -> Frame:
    """The one frame that ``data`` is. Raises `WireError` for anything else.

    ``data`` must stay as they are: long messages are views of them.
    """
    view = memoryview(data)
    if len(view) < _HEADER.size:
        raise WireError("a truncated frame", len(view))
    length, version, kind = _HEADER.unpack_from(view)
    if length + PREFIX_LENGTH != len(view) or length > FRAME_LENGTH_MAX:
        raise WireError("a frame whose length is wrong", 0)
    if version != VERSION:
        raise WireError(f"version {version}, not {VERSION}", PREFIX_LENGTH)
    try:
        if kind == _DATA_KIND:
            return _decode_data(view)
        return _decode_short(view, kind)
    except struct.error:
        raise WireError("a truncated frame", len(view)) from None


def _decode_short(view: memoryview, kind: int) -> Frame:
    if kind == _COMMAND_KIND:
        code, serial, length, count = _COMMAND.unpack_from(view, _HEADER.size)
        _expect_end(view, _HEADER.size + _COMMAND.size)
        command = _COMMANDS.get(code)
        if command is None:
            raise WireError(f"command X'{code:02X}'", _HEADER.size)
        return CommandFrame(command, serial, length, count)
    if kind == _STATUS_KIND:
        code, serial = _STATUS.unpack_from(view, _HEADER.size)
        _expect_end(view, _HEADER.size + _STATUS.size)
        signal = _SIGNALS.get(code)
        if signal is None:
            raise WireError(f"signal {code}", _HEADER.size)
        return StatusFrame(signal, serial)
    raise WireError(f"a frame of kind {kind}", PREFIX_LENGTH + 1)


# To look a member up is quicker than to call its enumeration.
_COMMANDS: Final = {command.value: command for command in Command}
_SIGNALS: Final = {signal.value: signal for signal in Signal}
_TRAFFICS: Final = {traffic.value: traffic for traffic in Traffic}


def _encode_data(serial: int, package: Package) -> Sequence[bytes | memoryview]:
    pieces: list[bytes | memoryview] = []
    short: list[bytes | memoryview] = [_DATA.pack(serial, package.number, len(package.messages))]
    length = _DATA.size + _MESSAGE.size * len(package.messages)
    for message in package.messages:
        data = message.data
        flags = message.traffic | (_MORE if message.more else 0)
        if data is not None:
            flags |= _HAS_DATA
        if message.acknowledges:
            flags |= _ACKNOWLEDGES
        short.append(_MESSAGE.pack(message.conversation, message.serial, message.length, flags))
        if data is None:
            continue
        length += message.length
        if message.length < LONG_LENGTH:
            short.append(data)
        else:
            pieces += (b"".join(short), data)
            short = []
    if short:
        pieces.append(b"".join(short))
    return (_header(length, _DATA_KIND), *pieces)


def _decode_data(view: memoryview) -> DataFrame:
    serial, number, count = _DATA.unpack_from(view, _HEADER.size)
    offset = _HEADER.size + _DATA.size
    messages: list[Message] = []
    payload_length = 0
    for _ in range(count):
        conversation, message_serial, length, flags = _MESSAGE.unpack_from(view, offset)
        offset += _MESSAGE.size
        traffic = _TRAFFICS.get(flags & _TRAFFIC)
        if traffic is None:
            raise WireError(f"traffic {flags & _TRAFFIC}", offset - 1)
        data: bytes | memoryview | None = None
        if flags & _HAS_DATA:
            if offset + length > len(view):
                raise WireError("a message longer than its frame", offset)
            part = view[offset : offset + length]
            is_long = length >= LONG_LENGTH and length * VIEWED_SHARE_MIN >= len(view)
            data = part if is_long else part.tobytes()
            offset += length
        message = Message(conversation, length, traffic, data)
        message.serial = message_serial
        if flags & _MORE:
            message.more = True
        if flags & _ACKNOWLEDGES:
            message.acknowledges = True
        messages.append(message)
        payload_length += length
        if payload_length > FRAME_LENGTH_MAX:
            raise WireError(f"a package of {payload_length} bytes", offset)
    if not messages:
        raise WireError("an empty package", offset)
    _expect_end(view, offset)
    return DataFrame(Package(number, messages, payload_length), serial)


def _expect_end(view: memoryview, offset: int) -> None:
    if offset != len(view):
        raise WireError("bytes after the end of a frame", offset)
