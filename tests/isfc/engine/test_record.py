"""Records of a journal: bytes and back, and whatever else the bytes may be."""

from contextlib import suppress
from io import BytesIO
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.frame import CommandFrame, DataFrame, Frame, StatusFrame
from ctc.subchannel import Command
from isfc.engine.framed import RECORD_LENGTH_MAX
from isfc.engine.journal_record import (
    FILE_HEADER,
    InputKind,
    InputOutcome,
    JournalReader,
    JournalRecord,
    encode_definition,
    encode_messages,
    encode_record,
)
from isfc.engine.wire import FRAME_LENGTH_MAX, encode
from isfc.errors import JournalError
from isfc.link.message import Message, Traffic
from isfc.link.segment import SEGMENT_LENGTH_MAX
from isfc.system.link_end import LinkEndDefinition
from isfc.testing.pair import Setup
from isfc.testing.strategies import frames, setups

INT64 = st.integers(-(2**63), 2**63 - 1)
digests = st.binary(min_size=8, max_size=8)
outcomes = st.builds(
    InputOutcome,
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.none() | st.integers(0, 2**63 - 1),
    digests,
    digests,
    st.sampled_from(["", "Backpressure", "AssertionError"]),
)


def read(*records: bytes) -> list[JournalRecord]:
    return list(JournalReader(BytesIO(FILE_HEADER + b"".join(records)).read))


def framed(payload: bytes) -> bytes:
    """A record of any payload, with everything around it in order."""
    length = len(payload).to_bytes(4, "big")
    checks = (crc32(length).to_bytes(4, "big"), crc32(payload).to_bytes(4, "big"))
    return length + checks[0] + payload + checks[1]


@given(
    st.sampled_from(
        [
            InputKind.DEADLINE,
            InputKind.CONNECT,
            InputKind.DISCONNECT,
            InputKind.ACTIVATE,
            InputKind.DEACTIVATE,
        ]
    ),
    INT64,
    st.integers(0, 0xFFFF),
    outcomes,
)
def test_record_is_read_as_it_was_written(
    act: InputKind, now_ns: int, number: int, outcome: InputOutcome
) -> None:
    (record,) = read(encode_record(act, now_ns, number, b"", outcome))
    expected = JournalRecord(0, len(FILE_HEADER), act, now_ns, number, None, outcome)
    assert record == expected


@given(frames)
def test_frame_that_arrived_is_read_as_it_was(frame: Frame) -> None:
    (record,) = read(encode_record(InputKind.ARRIVE, 5, 0x6000, encode(frame), InputOutcome()))
    assert isinstance(record.given, CommandFrame | DataFrame | StatusFrame)
    assert encode(record.given) == encode(frame)


@given(setups())
def test_definition_is_read_as_it_was(setup: Setup) -> None:
    definition = setup.definition(1)
    (record,) = read(
        encode_record(InputKind.BEGIN, 0, 0, encode_definition(definition), InputOutcome())
    )
    assert isinstance(record.given, LinkEndDefinition)
    assert record.given == definition
    assert type(record.given.name) is type(definition.name)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message(0, 0)],
        [Message(0, 0, data=b"")],
        [Message(1, 3, Traffic.LEGACY, b"abc"), Message(1, 10), Message(2, 1_000_000)],
        [Message(7, 2 * FRAME_LENGTH_MAX + 1, data=bytes(range(256)) * (2**15) + b"!")],
        [Message(7, 3, data=memoryview(b"abc"))],
        [Message(n, 1) for n in range(60_000)],
    ],
    ids=["none", "empty", "empty data", "several", "longer than a frame", "view", "many"],
)
def test_messages_are_read_as_they_were_sent(messages: list[Message]) -> None:
    (record,) = read(encode_record(InputKind.SEND, 5, 0, encode_messages(messages), InputOutcome()))
    assert isinstance(record.given, list)
    assert [*map(said, record.given)] == [*map(said, messages)]


def said(message: Message) -> tuple[object, ...]:
    return (message.conversation, message.length, message.traffic, message.more, message.data)


def test_encoding_leaves_the_messages_alone() -> None:
    messages = [Message(7, SEGMENT_LENGTH_MAX + 1), Message(7, 5)]
    messages[1].serial = 12
    encode_messages(messages)
    assert [(m.serial, m.more, m.length) for m in messages] == [
        (0, False, SEGMENT_LENGTH_MAX + 1),
        (12, False, 5),
    ]


NO_OUTPUT = InputOutcome()
DEADLINE = encode_record(InputKind.DEADLINE, 1, 0, b"", InputOutcome())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"is empty: the disk was full"),
        (b"ISFCJRNL\x00\x01", "of another version"),
        (b"#!/bin/sh\nexit 0\n", "is no journal"),
        (FILE_HEADER + b"\xff" * 20, r"its length is wrong \(at byte 10\)"),
        (FILE_HEADER + bytes(20), r"its length is wrong \(at byte 10\)"),
        (FILE_HEADER + DEADLINE[:-1] + b"\0", r"a damaged record \(at byte 10\)"),
        (FILE_HEADER + DEADLINE + DEADLINE[:9] + b"\7" + DEADLINE[10:], r"\(at byte 66\)"),
        (FILE_HEADER + framed(b""), "makes no sense"),
        (FILE_HEADER + framed(b"\x63" + bytes(43)), "an unknown act 99"),
        (FILE_HEADER + encode_record(InputKind.BEGIN, 0, 0, b"{}", NO_OUTPUT), "makes no sense"),
        (FILE_HEADER + encode_record(InputKind.DEADLINE, 0, 0, b"x", NO_OUTPUT), "makes no sense"),
        (FILE_HEADER + encode_record(InputKind.ARRIVE, 0, 0, b"x", NO_OUTPUT), "makes no sense"),
        (
            FILE_HEADER
            + encode_record(
                InputKind.SEND, 0, 0, encode(CommandFrame(Command.READ, 2)), InputOutcome()
            ),
            "messages that are none",
        ),
    ],
)  # fmt: skip
def test_what_is_no_journal_is_refused_with_its_place(data: bytes, reason: str) -> None:
    with pytest.raises(JournalError, match=reason) as caught:
        list(JournalReader(BytesIO(data).read))
    assert 0 <= caught.value.offset <= len(data)


def test_name_that_is_none_is_refused() -> None:
    definition = b'{"name":"not a name","partner":"BOSTON","ctcs":[]}'
    with pytest.raises(JournalError, match="is not a node name"):
        read(encode_record(InputKind.BEGIN, 0, 0, definition, InputOutcome()))


@given(st.sampled_from(InputKind), st.binary(max_size=80))
def test_any_content_within_order_raises_only_journal_errors(act: InputKind, rest: bytes) -> None:
    with suppress(JournalError):
        read(framed(bytes([act]) + rest))


def test_missing_end_is_no_damage() -> None:
    reader = JournalReader(BytesIO(FILE_HEADER + DEADLINE + DEADLINE[:-1]).read)
    assert len(list(reader)) == 1
    assert reader.framed.truncated_length == len(DEADLINE) - 1


def test_length_is_believed_only_as_far_as_bytes_follow() -> None:
    asked: list[int] = []
    length = RECORD_LENGTH_MAX.to_bytes(4, "big")
    file = BytesIO(FILE_HEADER + length + crc32(length).to_bytes(4, "big") + b"abc")

    def read(count: int) -> bytes:
        asked.append(count)
        return file.read(count)

    reader = JournalReader(read)
    assert list(reader) == []
    assert reader.framed.truncated_length == 11
    assert max(asked) <= 2**20
    assert len(asked) < 10
