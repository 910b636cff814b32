"""Frames and packages as bytes: the one place that knows how they look on a connection.

A frame is a prefix and a body. The prefix is ``length`` (4 bytes, of the body), ``version`` (1),
``kind`` (1) and ``check`` (2): the lower half of the CRC-32 of these six bytes. The body is what
the frame says, with the headers of all its messages, the CRC-32 of that (4), and the data of the
messages, one after the other. So damage shows in every byte but the data, which
`isfc.programs.verification` protects end to end where that is wanted.

Numbers are big-endian and unsigned. There is one connection for each CTC, so that a frame names
no device. Everything is bounded, and bytes that do not decode raise `WireError` with the offset
where reading stopped.
"""

import struct
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.errors import WireError
from isfc.link.message import Message, Traffic
from isfc.link.package import MESSAGES_MAX, Package

VERSION: Final = 2
PREFIX_LENGTH: Final = 8
FRAME_LENGTH_MAX: Final = 4 * 2**20
"""Most bytes of a frame after its prefix: four times the largest package."""
LONG_LENGTH: Final = 32 * 1024
"""Data of a message of so many bytes are not copied: they are sent from where they lie, and what
arrives is a view of its frame, which stays in memory as long as one of its messages does."""
VIEWED_SHARE_MIN: Final = 32
"""Unless that would keep a frame of more than so many times their length in memory: such a message
of `LONG_LENGTH` may lie in the largest package. What is held for long is copied anyhow
(`isfc.link.message.VIEWS_MAX`)."""

NUMBER_MAX: Final = 2**63 - 1
"""Serial numbers go up to here, as compiled code holds them: no link lives to send so many."""

_COMMAND_KIND: Final = 1
_DATA_KIND: Final = 2
_STATUS_KIND: Final = 3

_HEADER: Final = struct.Struct(">IBB")
_PREFIX: Final = struct.Struct(">IBBH")
_CRC: Final = struct.Struct(">I")
_COMMAND: Final = struct.Struct(">BQII")
_STATUS: Final = struct.Struct(">BQ")
_COMMAND_FRAME: Final = struct.Struct(f">{PREFIX_LENGTH}xBQIII")
_STATUS_FRAME: Final = struct.Struct(f">{PREFIX_LENGTH}xBQI")
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
        return (_COMMAND_PREFIX + body + _CRC.pack(crc32(body)),)
    if isinstance(frame, StatusFrame):
        body = _STATUS.pack(frame.signal, frame.serial)
        return (_STATUS_PREFIX + body + _CRC.pack(crc32(body)),)
    assert isinstance(frame.load, Package), "only packages travel"
    return _encode_data(frame.serial, frame.load)


def _prefix(said_length: int, kind: int) -> bytes:
    """The prefix of a frame whose body has so many bytes and a CRC."""
    length = said_length + _CRC.size
    return _PREFIX.pack(length, VERSION, kind, _check(_HEADER.pack(length, VERSION, kind)))


def _check(header: bytes | memoryview) -> int:
    return crc32(header) & 0xFFFF


def frame_length(prefix: bytes | memoryview) -> int:
    """How many bytes the frame that begins with these eight has, prefix included.

    Raises `WireError` when they are damaged, or it is longer than `FRAME_LENGTH_MAX`.
    """
    known = _SHORT_LENGTHS.get(bytes(prefix[:PREFIX_LENGTH]))
    if known is not None:
        return known
    length, _, _, check = _PREFIX.unpack_from(prefix)
    if check != _check(prefix[: _HEADER.size]):
        raise WireError("a damaged prefix", 0)
    if not _CRC.size <= length <= FRAME_LENGTH_MAX:
        raise WireError(f"a frame of {length} bytes", 0)
    frame_length: int = PREFIX_LENGTH + length
    return frame_length


def roundtripped(frame: Frame) -> Frame:
    """``frame`` as it arrives: what is left of it once it was bytes."""
    return decode(encode(frame))


def decode(data: bytes | memoryview, *, measured: bool = False) -> Frame:
    """The one frame that ``data`` is. Raises `WireError` for anything else.

    ``data`` must stay as they are: long messages are views of them. ``measured`` says that they
    are as many as `frame_length` has said.
    """
    length = len(data)
    if length == _STATUS_LENGTH and data[:PREFIX_LENGTH] == _STATUS_PREFIX:
        return _decode_status(data)
    if length == _COMMAND_LENGTH and data[:PREFIX_LENGTH] == _COMMAND_PREFIX:
        return _decode_command(data)
    view = memoryview(data)
    if not measured:
        if length < PREFIX_LENGTH:
            raise WireError("a truncated frame", len(view))
        if frame_length(view) != len(view):
            raise WireError("a frame whose length is wrong", 0)
    _, version, kind, _ = _PREFIX.unpack_from(view)
    if version != VERSION:
        raise WireError(f"version {version}, not {VERSION}", _HEADER.size - 2)
    try:
        if kind == _DATA_KIND:
            return _decode_data(view)
    except struct.error:
        raise WireError("a truncated frame", len(view)) from None
    if kind in _SHORT_KINDS:
        raise WireError("a frame whose length is not that of its kind", 0)
    raise WireError(f"a frame of kind {kind}", _HEADER.size - 1)


def _decode_status(data: bytes | memoryview) -> StatusFrame:
    code, serial, crc = _STATUS_FRAME.unpack(data)
    if crc != crc32(data[PREFIX_LENGTH : -_CRC.size]):
        raise WireError("a damaged header", PREFIX_LENGTH)
    signal = _SIGNALS.get(code)
    if signal is None:
        raise WireError(f"signal {code}", PREFIX_LENGTH)
    _expect_number(serial)
    return StatusFrame(signal, serial)


def _decode_command(data: bytes | memoryview) -> CommandFrame:
    code, serial, length, count, crc = _COMMAND_FRAME.unpack(data)
    if crc != crc32(data[PREFIX_LENGTH : -_CRC.size]):
        raise WireError("a damaged header", PREFIX_LENGTH)
    command = _COMMANDS.get(code)
    if command is None:
        raise WireError(f"command X'{code:02X}'", PREFIX_LENGTH)
    _expect_number(serial)
    return CommandFrame(command, serial, length, count)


_COMMAND_PREFIX: Final = _prefix(_COMMAND.size, _COMMAND_KIND)
_STATUS_PREFIX: Final = _prefix(_STATUS.size, _STATUS_KIND)
_COMMAND_LENGTH: Final = PREFIX_LENGTH + _COMMAND.size + _CRC.size
_STATUS_LENGTH: Final = PREFIX_LENGTH + _STATUS.size + _CRC.size
_SHORT_KINDS: Final = (_COMMAND_KIND, _STATUS_KIND)
_SHORT_LENGTHS: Final = {_COMMAND_PREFIX: _COMMAND_LENGTH, _STATUS_PREFIX: _STATUS_LENGTH}
"""The prefixes of most frames, and how long these are."""

# To look a member up is quicker than to call its enumeration.
_COMMANDS: Final = {command.value: command for command in Command}
_SIGNALS: Final = {signal.value: signal for signal in Signal}
_TRAFFICS: Final = {traffic.value: traffic for traffic in Traffic}


def _encode_data(serial: int, package: Package) -> Sequence[bytes | memoryview]:
    headers: list[bytes] = [_DATA.pack(serial, package.number, len(package.messages))]
    pieces: list[bytes | memoryview] = []
    first: list[bytes | memoryview] = []
    short: list[bytes | memoryview] = []
    data_length = 0
    for message in package.messages:
        data = message.data
        length = message.length
        flags = message.traffic | (_MORE if message.more else 0)
        if data is not None:
            flags |= _HAS_DATA
        if message.acknowledges:
            flags |= _ACKNOWLEDGES
        headers.append(_MESSAGE.pack(message.conversation, message.serial, length, flags))
        if data is None:
            continue
        data_length += length
        if message.head:
            short.append(message.head)
        if length < LONG_LENGTH:
            short.append(data)
        else:
            if not pieces:
                first, short = short, []
            elif short:
                pieces.append(b"".join(short))
                short = []
            pieces.append(data)
    said = b"".join(headers)
    prefix = _prefix(len(said) + data_length, _DATA_KIND)
    head = (prefix, said, _CRC.pack(crc32(said)))
    if not pieces:
        return (b"".join((*head, *short)),)
    if short:
        pieces.append(b"".join(short))
    return (b"".join((*head, *first)), *pieces)


def _decode_data(view: memoryview) -> DataFrame:
    serial, number, count = _DATA.unpack_from(view, PREFIX_LENGTH)
    if not 0 < count <= MESSAGES_MAX:
        raise WireError(f"a package of {count} messages", PREFIX_LENGTH + _DATA.size - 4)
    table = PREFIX_LENGTH + _DATA.size
    offset = _expect_crc(view, table + _MESSAGE.size * count)
    _expect_number(serial)
    _expect_number(number)
    messages: list[Message] = []
    payload_length = 0
    for conversation, message_serial, length, flags in _MESSAGE.iter_unpack(
        view[table : offset - _CRC.size]
    ):
        traffic = _TRAFFICS.get(flags & _TRAFFIC)
        if traffic is None:
            raise WireError(f"traffic {flags & _TRAFFIC}", table)
        data: bytes | memoryview | None = None
        if flags & _HAS_DATA:
            if offset + length > len(view):
                raise WireError("a message longer than its frame", offset)
            part = view[offset : offset + length]
            is_long = length >= LONG_LENGTH and length * VIEWED_SHARE_MIN >= len(view)
            data = part if is_long else part.tobytes()
            offset += length
        _expect_number(message_serial)
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
    _expect_end(view, offset)
    return DataFrame(Package(number, messages, payload_length), serial)


def _expect_crc(view: memoryview, offset: int) -> int:
    """Where what follows the CRC begins that stands at ``offset``, and must be right."""
    if offset + _CRC.size > len(view):
        raise WireError("a truncated frame", len(view))
    if _CRC.unpack_from(view, offset)[0] != crc32(view[PREFIX_LENGTH:offset]):
        raise WireError("a damaged header", PREFIX_LENGTH)
    return offset + _CRC.size


def _expect_number(number: int) -> None:
    if number > NUMBER_MAX:
        raise WireError("a number beyond 63 bits", PREFIX_LENGTH)


def _expect_end(view: memoryview, offset: int) -> None:
    if offset != len(view):
        raise WireError("bytes after the end of a frame", offset)
