"""``isfc journal``: a journal shown, and replayed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import ChpidId, Rdev
from ctc.frame import Frame
from isfc.answers.journal import input_lines, input_of, seconds
from isfc.cli.journal import json_line
from isfc.cli.main import run
from isfc.engine.framed import CTCE_HEADER
from isfc.engine.journal_record import (
    InputKind,
    InputOutcome,
    JournalReader,
    JournalRecord,
    encode_record,
)
from isfc.errors import LocalProtocolError
from isfc.link.message import Message, Traffic
from isfc.system.system import Activate, VaryChpid
from isfc.testing.pair import MS, Setup
from isfc.testing.strategies import UINT32_MAX, frames, messages
from tests.properties.test_journal import JournalledPair


@pytest.fixture(scope="module")
def journal() -> bytes:
    """What ATLANTA was given: messages, a cable pulled, commands, a mistake."""
    pair = JournalledPair(Setup(ctc_count=2))
    for side in pair.sides:
        pair.send(side, 100, 300_000, traffic=Traffic.LEGACY)
    pair.run(2 * MS)
    pair.unplug(0)
    pair.run(MS)
    system, now_ns = pair.first.system, pair.engine.now_ns
    with pytest.raises(LocalProtocolError):
        system.apply(Activate(Rdev(0x6001)), now_ns)
    system.apply(VaryChpid(ChpidId(0x40), online=False), now_ns)
    return bytes(pair.journals[0].data)


@pytest.fixture
def file(journal: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "journal"
    path.write_bytes(journal)
    return path


def test_show_has_a_line_for_each_input(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "show", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split()[:3] == ["seconds", "input", "on"]
    assert lines[1] == "node ATLANTA, partner BOSTON, 2 CTCs, both fail"
    assert lines[2].split() == ["0.000000000", "connect", "6000", "1", "0", "15000.000"]
    assert any(" send            2 messages, 300,100 B " in line for line in lines)
    assert any(" frame      6001 WRITE #1, " in line for line in lines)
    assert any(" data #1, package 0 " in line for line in lines)
    assert any(" disconnect 6000 " in line for line in lines)
    assert lines[-2].split() == ["raised", "LocalProtocolError"]
    assert lines[-1].split()[1:4] == ["vary", "off", "40"]


def test_show_json_has_a_document_for_each_record(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", file.open())  # "-" is standard input
    assert run(["journal", "show", "-", "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["index"] for record in records] == [*range(len(records))]
    first, connect = records[:2]
    assert (first["act"], first["node"], first["rdevs"]) == ("begin", "ATLANTA", ["6000", "6001"])
    assert list(connect) == [
        "index", "offset", "act", "now_ns", "rdev", "frames", "events", "next_deadline_ns",
        "frames_digest", "events_digest", "raised",
    ]  # fmt: skip
    sent = next(record["messages"] for record in records if record["act"] == "send")
    assert [(m["length"], m["traffic"]) for m in sent] == [(100, "legacy"), (300_000, "legacy")]
    frames = [record["frame"] for record in records if record["act"] == "arrive"]
    assert {frame["kind"] for frame in frames} == {"command", "data", "status"}
    assert records[-2]["raised"] == "LocalProtocolError"
    assert records[-1]["chpid"] == "40"


def test_replay_that_is_identical_ends_with_0(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["journal", "replay", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    first, _, second = out.splitlines()
    assert first.startswith("Journal of ATLANTA (partner BOSTON): ")
    assert first.endswith(" inputs, 0.000000000 to 0.003004000 s")
    assert second.startswith("Identical  ")


def test_replay_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "replay", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == [
        "node", "partner", "identical", "fresh_nodes", "inputs", "first_ns", "last_ns",
        "frames", "events", "truncated_bytes", "difference",
    ]  # fmt: skip
    assert (document["node"], document["identical"]) == ("ATLANTA", True)
    assert (document["last_ns"], document["difference"]) == (3_004_000, None)


def add(file: Path, act: InputKind, outcome: InputOutcome) -> None:
    """Claim that something else came of one more input."""
    file.write_bytes(file.read_bytes() + encode_record(act, 4_000_000, 0x6001, b"", outcome))


def test_replay_names_the_first_difference_and_ends_with_1(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(file, InputKind.DISCONNECT, InputOutcome(frame_count=7, deadline_ns=5_000_000))
    add(file, InputKind.DISCONNECT, InputOutcome(frame_count=8))
    with file.open("rb") as stream:
        count = len(list(JournalReader(stream.read)))
    assert run(["journal", "replay", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith(f"Different  at record {count - 2} (byte ")
    assert lines[4].split()[:3] == ["0.004000000", "disconnect", "6001"]
    assert lines[5].split() == ["recorded", "replayed"]
    assert ["frames", "7", "0"] in [line.split() for line in lines]
    assert any(line.startswith("next deadline, s 0.005000000 ") for line in lines)
    assert run(["journal", "replay", str(file), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["identical"] is False
    assert document["difference"]["recorded"]["frames"] == 7
    assert document["difference"]["replayed"]["frames"] == 0


def test_missing_end_is_told_and_no_fault(
    file: Path, journal: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(journal[:-5])
    assert run(["journal", "replay", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Identical  " in out
    assert "its last 51 bytes are no whole record" in out
    assert run(["journal", "show", str(file)]) == 0
    assert "its last 51 bytes are no whole record" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "replay"])
def test_damaged_journal_ends_with_1_and_its_place(
    file: Path, journal: bytes, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = bytearray(journal)
    damaged[200] ^= 1  # within the first record
    file.write_bytes(damaged)
    assert run(["journal", command, str(file)]) == 1
    assert f"isfc: {file}: a damaged record (at byte 10)" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "replay"])
def test_other_files_are_refused(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("no journal\n")
    assert run(["journal", command, str(tmp_path / "x")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "is no journal, or one of another version" in err
    assert run(["journal", command, str(tmp_path / "y")]) == 2
    assert "No such file or directory: expected a journal" in capsys.readouterr().err
    assert run(["journal", command, str(tmp_path)]) == 2
    (tmp_path / "z").write_bytes(CTCE_HEADER)
    capsys.readouterr()
    assert run(["journal", command, str(tmp_path / "z")]) == 2
    assert f"expected 'isfc ctce {tmp_path / 'z'}'" in capsys.readouterr().err


def test_two_nodes_in_one_journal_are_told(
    file: Path, journal: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(journal + journal[10:])
    assert run(["journal", "replay", str(file)]) == 0
    assert "Restarted  once" in capsys.readouterr().out


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
