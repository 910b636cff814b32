"""The lines of a journal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.frame import Frame
from isfc.answers.journal import input_lines, input_of, seconds
from isfc.cli.journal import json_line
from isfc.engine.journal_record import InputKind, InputOutcome, JournalRecord
from isfc.link.message import Message
from isfc.testing.strategies import UINT32_MAX, frames, messages

outcomes = st.builds(
    InputOutcome,
    st.integers(0, UINT32_MAX),
    st.integers(0, UINT32_MAX),
    st.none() | st.integers(0, 2**62),
)
times = st.integers(0, 2**62)


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [(0, "0.000000000"), (1, "0.000000001"), (12_345_678_901, "12.345678901"),
     (-1, "-0.000000001")],
)  # fmt: skip
def test_times_are_exact(time_ns: int, text: str) -> None:
    assert seconds(time_ns) == text


@given(frames, times, outcomes)
def test_any_frame_has_one_line_and_one_document(
    frame: Frame, now_ns: int, outcome: InputOutcome
) -> None:
    record = JournalRecord(1, 10, InputKind.ARRIVE, now_ns, 0x6000, frame, outcome)
    (line,) = input_lines(input_of(record))
    assert line.split()[1:3] == ["frame", "6000"]
    assert "\n" not in json_line(input_of(record))


@given(st.lists(messages(), max_size=5), outcomes)
def test_any_messages_have_one_line_and_one_document(
    sent: list[Message], outcome: InputOutcome
) -> None:
    record = JournalRecord(1, 10, InputKind.SEND, 0, 0, sent, outcome)
    (line,) = input_lines(input_of(record))
    assert f" {len(sent)} message" in line
    assert len(json.loads(json_line(input_of(record)))["messages"]) == len(sent)


def test_ordinary_line_fits_80_columns() -> None:
    outcome = InputOutcome(12, 34, 10**14 + 15 * 10**9)
    sent = [Message(0, 868_352_000)] * 100
    record = JournalRecord(1, 10, InputKind.SEND, 10**14, 0, sent, outcome)
    (line,) = input_lines(input_of(record))
    assert len(line) <= 80
