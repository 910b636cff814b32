"""Records of a journal as bytes: what a node was given, and what came of it.

A journal is `FILE_HEADER` and then records, framed as `isfc.engine.framed` says. A payload is

- what was done (1 byte), when (8, ns), the number of the RDEV or chpid it was done to, or of the
  RDEV that messages were to go on (2), or 0;
- what came of it: how many frames (4) and events (4), the next deadline (8, ns; -1 for none), a
  digest of the frames (8) and one of the events (8), the name of the error raised (1 + n);
- what was given: a definition as JSON, or messages or a frame as `isfc.engine.wire` encodes them.

Numbers are big-endian.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final, cast

import msgspec

from ctc.address import ChpidId, Rdev, Record
from ctc.fabric import FabricRoute
from ctc.frame import DataFrame, Frame
from isfc.engine.framed import FramedReader, Read, frame_record
from isfc.engine.wire import PREFIX_LENGTH, decode, encode, frame_length
from isfc.errors import ConfigurationError, JournalError, WireError
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.package import Package, PackageLimit, Packager
from isfc.link.segment import SEGMENT_LENGTH_MAX, Reassembler, Segmenter
from isfc.system.link_end import CtcDefinition, LinkEndDefinition
from isfc.system.system import (
    DEADLINE,
    Activate,
    Arrive,
    Connect,
    Deactivate,
    Deadline,
    DeviceInput,
    Disconnect,
    Input,
    Send,
    VaryChpid,
    VaryDevice,
)

FILE_HEADER: Final = b"ISFCJRNL\x00\x02"
"""How a journal begins: a magic word and the format's version (2 bytes)."""

DIGEST_LENGTH: Final = 8
NOTHING: Final = bytes(DIGEST_LENGTH)
"""The digest of no outputs."""

_FIXED: Final = struct.Struct(">BqHIIq8s8sB")

_CARGO: Final = PackageLimit(length=2**20, message_length=20)
"""How much of what is sent goes into one frame of a record: well within the wire's bound."""


class InputKind(IntEnum):
    """The inputs of a system, by their numbers in a journal, and its making."""

    BEGIN = 0
    """It was made, of a definition; the system before it, if any, is gone."""
    SEND = 1
    ARRIVE = 2
    DEADLINE = 3
    CONNECT = 4
    DISCONNECT = 5
    ACTIVATE = 6
    DEACTIVATE = 7
    VARY_RDEV_ON = 8
    VARY_RDEV_OFF = 9
    VARY_CHPID_ON = 10
    VARY_CHPID_OFF = 11


_ACTS: Final = frozenset(InputKind)


@dataclass(frozen=True, slots=True)
class InputOutcome(Record):
    """What came of one input; two that are equal had the same outputs.

    ``error`` is the name of the class of the error that was raised, or empty.
    """

    frame_count: int = 0
    event_count: int = 0
    deadline_ns: int | None = None
    frames_digest: bytes = NOTHING
    events_digest: bytes = NOTHING
    error: str = ""


@dataclass(frozen=True, slots=True)
class JournalRecord(Record):
    """One record, read: the ``index``-th from 0, at byte ``offset`` of the journal.

    ``number`` is the RDEV (or chpid) of acts that have one, and 0 of others. ``given`` is the
    definition of BEGIN, the messages of SEND, the frame of ARRIVE; None for all others.
    """

    index: int
    offset: int
    act: InputKind
    now_ns: int
    number: int
    given: LinkEndDefinition | Frame | list[Message] | None
    outcome: InputOutcome

    @property
    def begun(self) -> LinkEndDefinition | None:
        """The definition of BEGIN."""
        return self.given if isinstance(self.given, LinkEndDefinition) else None


def encode_input(given: Input) -> tuple[InputKind, int, bytes]:
    """An input as a record has it: its act, the number of what it concerns, and what it brings."""
    match given:
        case Send():
            return InputKind.SEND, given.beside or 0, encode_messages(given.messages)
        case Arrive():
            return InputKind.ARRIVE, given.rdev, encode(given.frame)
        case Deadline():
            return InputKind.DEADLINE, 0, b""
        case VaryDevice():
            kind = InputKind.VARY_RDEV_ON if given.online else InputKind.VARY_RDEV_OFF
            return kind, given.rdev, b""
        case VaryChpid():
            kind = InputKind.VARY_CHPID_ON if given.online else InputKind.VARY_CHPID_OFF
            return kind, given.chpid, b""
        case DeviceInput():
            return _DEVICE_ACTS[type(given)], given.rdev, b""
    raise TypeError(f"{given} has no act in a journal")


def decode_input(record: JournalRecord) -> Input:
    """The input that was recorded; not of BEGIN, which is none."""
    number = record.number
    match record.act:
        case InputKind.SEND:
            beside = Rdev(number) if number else None
            return Send(cast("list[Message]", record.given), beside=beside)
        case InputKind.ARRIVE:
            return Arrive(Rdev(number), cast(Frame, record.given))
        case InputKind.DEADLINE:
            return DEADLINE
        case InputKind.VARY_RDEV_ON | InputKind.VARY_RDEV_OFF:
            return VaryDevice(Rdev(number), online=record.act is InputKind.VARY_RDEV_ON)
        case InputKind.VARY_CHPID_ON | InputKind.VARY_CHPID_OFF:
            return VaryChpid(ChpidId(number), online=record.act is InputKind.VARY_CHPID_ON)
    return _DEVICE_INPUTS[record.act](Rdev(number))


_DEVICE_INPUTS: Final[dict[InputKind, type[DeviceInput]]] = {
    InputKind.CONNECT: Connect,
    InputKind.DISCONNECT: Disconnect,
    InputKind.ACTIVATE: Activate,
    InputKind.DEACTIVATE: Deactivate,
}
_DEVICE_ACTS: Final = {kind: act for act, kind in _DEVICE_INPUTS.items()}


def encode_record(
    act: InputKind, now_ns: int, number: int, given: bytes, outcome: InputOutcome
) -> bytes:
    """One record; ``given`` is encoded already."""
    error = outcome.error.encode("ascii", "replace")[:255]
    deadline_ns = -1 if outcome.deadline_ns is None else outcome.deadline_ns
    fixed = _FIXED.pack(
        act,
        now_ns,
        number,
        outcome.frame_count,
        outcome.event_count,
        deadline_ns,
        outcome.frames_digest,
        outcome.events_digest,
        len(error),
    )
    return frame_record(b"".join((fixed, error, given)))


def encode_definition(definition: LinkEndDefinition) -> bytes:
    """A node's whole definition, as JSON."""
    return msgspec.json.encode(definition, enc_hook=str)


def encode_messages(messages: Sequence[Message]) -> bytes:
    """Messages as they are handed to a node: in frames of data, long ones in segments."""
    packager = Packager(_CARGO)
    for message in messages:
        if message.length <= SEGMENT_LENGTH_MAX:
            packager.add(message)
        else:
            for segment in Segmenter().cut(message):
                packager.add(segment)
    frames = []
    while packager:
        frames.append(encode(DataFrame(packager.pack(), 0)))
    return b"".join(frames)


class JournalReader:
    """The records of a journal, one after the other.

    Iterating raises `JournalError` where the journal is damaged. A journal whose end is missing
    (its process was killed) ends with its last whole record; ``framed.truncated_length`` then says
    how many bytes were left over.
    """

    def __init__(self, read: Read) -> None:
        self.framed = FramedReader(read, FILE_HEADER)

    def __iter__(self) -> Iterator[JournalRecord]:
        """Every record. Raises `JournalError` also for what is no journal at all."""
        for index, (offset, payload) in enumerate(self.framed):
            yield _decode_record(index, offset, payload)


def _decode_record(index: int, offset: int, payload: bytes) -> JournalRecord:
    """Raises `JournalError` for what no `encode_record` makes."""
    try:
        code, now_ns, number, *came_of_it, error_length = _FIXED.unpack_from(payload)
        frame_count, event_count, deadline_ns, frames_digest, events_digest = came_of_it
        if code not in _ACTS:
            raise JournalError(f"an unknown act {code}", offset)
        given = memoryview(payload)[_FIXED.size + error_length :]
        outcome = InputOutcome(
            frame_count,
            event_count,
            None if deadline_ns == -1 else deadline_ns,
            frames_digest,
            events_digest,
            payload[_FIXED.size : _FIXED.size + error_length].decode("ascii"),
        )
        act = InputKind(code)
        return JournalRecord(index, offset, act, now_ns, number, _decode_given(act, given), outcome)
    except (struct.error, UnicodeError, WireError, msgspec.MsgspecError) as error:
        raise JournalError(f"a record that makes no sense: {error}", offset) from None


def _decode_given(
    act: InputKind, given: memoryview
) -> LinkEndDefinition | Frame | list[Message] | None:
    if act is InputKind.BEGIN:
        return _decode_definition(given)
    if act is InputKind.SEND:
        return _decode_messages(given)
    if act is InputKind.ARRIVE:
        return decode(given)
    if given:
        raise WireError("more than it needs", 0)
    return None


def _decode_definition(given: memoryview) -> LinkEndDefinition:
    """CTCs and their routes by themselves: a compiled class knows no item's type, and no union."""
    document = msgspec.json.decode(given, type=dict[str, Any])
    written = msgspec.convert(document.pop("ctcs", None), tuple[dict[str, Any], ...])
    routes = [msgspec.convert(ctc.pop("route", None), FabricRoute | None) for ctc in written]
    bare = msgspec.convert(written, tuple[CtcDefinition, ...])
    ctcs = tuple(replace(ctc, route=route) for ctc, route in zip(bare, routes, strict=True))
    document["ctcs"] = ()
    definition = msgspec.convert(document, LinkEndDefinition, dec_hook=_decode_name)
    return replace(definition, ctcs=ctcs)


def _decode_messages(given: memoryview) -> list[Message]:
    reassembler = Reassembler()
    messages: list[Message] = []
    offset = 0
    while offset < len(given):
        end = offset + frame_length(given[offset : offset + PREFIX_LENGTH])
        frame = decode(given[offset:end])
        if not isinstance(frame, DataFrame) or not isinstance(frame.load, Package):
            raise WireError("messages that are none", offset)
        messages += reassembler.join(frame.load.messages)
        offset = end
    return messages


def _decode_name(kind: type, text: object) -> object:
    """Make a text the node name that it has to be."""
    if kind is NodeName and isinstance(text, str):
        try:
            return NodeName(text)
        except ConfigurationError as error:
            raise ValueError(str(error)) from None
    raise NotImplementedError(kind)
