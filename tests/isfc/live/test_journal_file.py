"""A journal in a file, and a disk that takes no more."""

import errno
import os
import stat
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import pytest

from isfc.engine.journal import journalled, replay
from isfc.engine.journal_record import FILE_HEADER
from isfc.errors import ConfigurationError
from isfc.link.events import Sink
from isfc.link.message import Message
from isfc.live.journal_file import BUFFER_LENGTH, JournalWriter
from isfc.system.definition import LinkEndDefinition
from isfc.system.inputs import Connect, Send
from isfc.system.system import System
from isfc.testing.pair import MS, Pair, Setup

DEFINITION = Setup(ctc_count=2).definition(0)


class WrittenPair(Pair):
    """A pair whose first node is journalled in a file."""

    def __init__(self, writer: JournalWriter) -> None:
        self.writer = writer
        super().__init__(Setup(ctc_count=2))

    def make_system(self, here: int, definition: LinkEndDefinition, trace: Sink) -> System:
        if here:
            return System([definition], trace)
        return journalled(definition, self.writer, trace)

    def talk(self) -> None:
        """Send with data, all of which must arrive."""
        now_ns = self.engine.now_ns
        data = bytes(100_000)
        self.first.system.apply(Send([Message(1, len(data), data=data) for _ in range(5)]), now_ns)
        self.engine.drain()
        self.run(50 * MS)
        assert self.second.arrived
        assert sum(message.length for message in self.second.arrived) % 500_000 == 0


class Disk:
    """A file on a disk with so much room; it takes a thousand bytes at a time."""

    def __init__(self, room: int) -> None:
        self.data = bytearray()
        self.closed = False
        self._room = room

    def write(self, data: memoryview, /) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(len(data), self._room, 1_000)
        self.data += data[:taken]
        self._room -= taken
        return taken

    def close(self) -> None:
        self.closed = True


def test_journal_is_in_the_file_once_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    messages: list[str] = []
    with JournalWriter(path, messages.append) as writer:
        pair = WrittenPair(writer)
        pair.talk()
    assert messages == []
    assert not writer.recording
    assert path.stat().st_size == writer.length > 500_000
    with path.open("rb") as file:
        done = replay(file.read)
    assert done.difference is None
    assert done.truncated_length == 0
    assert done.definition == pair.setup.definition(0)


def test_file_is_there_at_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with JournalWriter(path, pytest.fail):
        assert path.read_bytes() == FILE_HEADER
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_flush_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with JournalWriter(path, pytest.fail) as writer:
        writer(b"abc")
        assert path.stat().st_size == len(FILE_HEADER)
        writer.flush()
        assert path.stat().st_size == writer.length == len(FILE_HEADER) + 3
        writer(bytes(BUFFER_LENGTH))
        assert path.stat().st_size == writer.length


def test_file_is_never_far_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, now_s = tmp_path / "journal", [5.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    with JournalWriter(path, pytest.fail) as writer:
        sizes = []
        for pause_s in (0.0, 0.6, 0.6, 0.6, 0.6):
            now_s[0] += pause_s
            writer(bytes(10))
            sizes.append(path.stat().st_size - len(FILE_HEADER))
    assert sizes == [0, 0, 30, 30, 50]


def test_process_that_ends_without_a_word_leaves_a_whole_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    code = """
import sys
from pathlib import Path
from isfc.live.journal_file import JournalWriter
from tests.isfc.live.test_journal_file import WrittenPair

WrittenPair(JournalWriter(Path(sys.argv[1]), print))
"""
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], capture_output=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    with path.open("rb") as file:
        replayed = replay(file.read)
    assert replayed.input_count > 3
    assert (replayed.difference, replayed.truncated_length) == (None, 0)


def test_earlier_journal_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text("earlier")
    JournalWriter(path, pytest.fail).close()
    assert path.read_bytes() == FILE_HEADER
    assert (tmp_path / "journal.old").read_text() == "earlier"


@pytest.mark.parametrize("name", ["missing/journal", "."])
def test_file_that_cannot_be_made_is_the_callers_fault(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"expected a file that can be written"):
        JournalWriter(tmp_path / name, pytest.fail)


@pytest.mark.parametrize("room", [0, 5, 5_000, 300_000])
def test_full_disk_stops_the_journal_with_one_message_and_the_node_goes_on(room: int) -> None:
    disk, messages = Disk(room), list[str]()
    writer = JournalWriter(Path("j"), messages.append, file=disk)
    pair = WrittenPair(writer)
    for _ in range(3):
        pair.talk()
    (message,) = messages
    assert message == (
        "journal j: No space left on device. It ends here and can be replayed up to here; "
        "all else goes on."
    )
    assert disk.closed
    assert not writer.recording
    pair.talk()
    assert sum(message.length for message in pair.second.arrived) == 4 * 500_000
    assert len(disk.data) == room
    writer.close()
    writer.flush()
    assert len(messages) == 1
    if room >= 5_000:  # else not even the definition is there
        assert replay(BytesIO(disk.data).read).difference is None


def test_journal_keeps_its_bound(tmp_path: Path) -> None:
    path, messages = tmp_path / "journal", list[str]()
    writer = JournalWriter(path, messages.append, length_max=200_000)
    WrittenPair(writer).talk()
    assert len(messages) == 1
    assert "it has reached its bound of 200,000 bytes" in messages[0]
    assert path.stat().st_size == writer.length <= 200_000
    with path.open("rb") as file:
        done = replay(file.read)
    assert (done.difference, done.truncated_length) == (None, 0)


def test_fresh_node_after_a_full_disk_is_not_recorded_either() -> None:
    writer = JournalWriter(Path("j"), lambda _: None, file=Disk(0))
    system = journalled(DEFINITION, writer)
    system.apply(Connect(DEFINITION.ctcs[0].device.rdev), 1)
    assert isinstance(system, System)
    assert not writer.recording
    assert system.ends[0].poll_frame() is not None


def test_error_at_the_very_end_is_told() -> None:
    class Late(Disk):
        def close(self) -> None:
            raise OSError(errno.EIO, "Input/output error")

    messages: list[str] = []
    JournalWriter(Path("j"), messages.append, file=Late(100)).close()
    assert messages == ["journal j: Input/output error"]


LIMITED = """
import resource, sys
from pathlib import Path
from isfc.live.journal_file import JournalWriter
from isfc.system.inputs import Connect, Send
from tests.isfc.live.test_journal_file import WrittenPair

if sys.argv[2] != "none":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
messages = []
pair = WrittenPair(JournalWriter(Path(sys.argv[1]), messages.append))
for _ in range(3):
    pair.talk()
assert not pair.writer.recording, "still recording"
print(*messages, sep="\\n")
"""


def run_limited(path: Path, limit: str) -> list[str]:
    """Journal in a process of its own; what it was told."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path, limit],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.slow
def test_file_that_the_system_keeps_small_stops_the_journal_only(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    (message,) = run_limited(path, "900000")
    assert "File too large. It ends here" in message
    assert path.stat().st_size == 900_000
    with path.open("rb") as file:
        done = replay(file.read)
    assert done.difference is None
    assert done.input_count >= 10
    assert done.truncated_length > 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")
def test_device_that_is_full_stops_the_journal_only() -> None:
    (message,) = run_limited(Path("/dev/full"), "none")
    assert "No space left on device. It ends here" in message
    assert Path("/dev/full").is_char_device()


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "journal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="expected a file that can be written"):
        JournalWriter(tmp_path / "journal", pytest.fail)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("read", [False, True])
def test_a_pipe_is_refused_at_once(tmp_path: Path, read: bool) -> None:
    path = tmp_path / "journal"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if read else None
    try:
        with pytest.raises(ConfigurationError, match=r"expected .* that can be written"):
            JournalWriter(path, pytest.fail)
    finally:
        if reader is not None:
            os.close(reader)
