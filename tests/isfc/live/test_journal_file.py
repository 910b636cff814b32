"""A journal in a file, and a disk that takes no more."""

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path

import pytest

from isfc.engine.journal import Replay, journalled, replay
from isfc.engine.journal_record import FILE_HEADER
from isfc.errors import ConfigurationError
from isfc.link.events import Sink
from isfc.link.message import Message
from isfc.live import journal_file
from isfc.live.journal_file import BUFFER_LENGTH, JournalWriter, LateFile
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import Send, System
from isfc.testing.pair import MS, Pair, Setup
from tests.refusals import NO_ROOM
from tests.waiting import PATIENCE_S

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

    def __init__(self, room: int, path: Path | None = None) -> None:
        self.data = bytearray()
        self.closed = False
        self._room = room
        self._path = path

    def write(self, data: memoryview, /) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(len(data), self._room, 1_000)
        self.data += data[:taken]
        self._room -= taken
        return taken

    def close(self) -> None:
        self.closed = True
        if self._path is not None:
            self._path.write_bytes(self.data)


def replayed(path: Path) -> Replay:
    """What comes of a journal in a file, which leads to the same again."""
    with path.open("rb") as file:
        done = replay(file.read)
    assert done.difference is None
    return done


def test_journal_is_in_the_file_once_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with JournalWriter(path, pytest.fail) as writer:
        pair = WrittenPair(writer)
        pair.talk()
    assert not writer.recording
    assert path.stat().st_size == writer.length > 500_000
    done = replayed(path)
    assert (done.truncated_length, done.definition) == (0, pair.setup.definition(0))


def test_file_is_there_at_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    """One that was there before is kept. A flush leaves nothing behind."""
    path = tmp_path / "journal"
    path.write_text("earlier")
    with JournalWriter(path, pytest.fail) as writer:
        assert path.read_bytes() == FILE_HEADER
        assert (tmp_path / "journal.old").read_text() == "earlier"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
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


def run_script(script: str, *words: str | Path) -> list[str]:
    """Journal in a process of its own, which must end well; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_process_that_ends_without_a_word_leaves_a_whole_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    script = """
import sys
from pathlib import Path
from isfc.live.journal_file import JournalWriter
from tests.isfc.live.test_journal_file import WrittenPair

WrittenPair(JournalWriter(Path(sys.argv[1]), print))
"""
    assert run_script(script, path) == []
    done = replayed(path)
    assert done.input_count > 3
    assert done.truncated_length == 0


@pytest.mark.parametrize("kind", ["missing", "folder", "link", "pipe", "pipe that is read"])
def test_what_cannot_be_written_is_the_callers_fault(tmp_path: Path, kind: str) -> None:
    """Immediately; a link that leads nowhere is not followed."""
    path, reader = tmp_path / "journal", None
    if kind == "missing":
        path = tmp_path / "missing" / "journal"
    elif kind == "folder":
        path = tmp_path
    elif kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if kind != "pipe" else None
    try:
        with pytest.raises(ConfigurationError, match=r"expected .* that can be written"):
            JournalWriter(path, pytest.fail)
        assert not (tmp_path / "elsewhere").exists()
    finally:
        if reader is not None:
            os.close(reader)


@pytest.mark.parametrize("room", [0, 5, 5_000, 300_000])
def test_full_disk_stops_the_journal_with_one_message_and_the_node_goes_on(
    tmp_path: Path, room: int
) -> None:
    path = tmp_path / "j"
    disk, messages = Disk(room, path), list[str]()
    writer = JournalWriter(path, messages.append, file=disk)
    pair = WrittenPair(writer)
    for _ in range(3):
        pair.talk()
    (message,) = messages
    left = "can be replayed up to here" if room >= 5_000 else "nothing of it can be replayed"
    assert message == f"journal {path}: {NO_ROOM}. It ends here and {left}; all else goes on."
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
    assert replayed(path).truncated_length == 0


def test_error_at_the_very_end_is_told() -> None:
    class Late(Disk):
        def close(self) -> None:
            raise OSError(errno.EIO, "Input/output error")

    messages: list[str] = []
    JournalWriter(Path("j"), messages.append, file=Late(100)).close()
    assert messages == ["journal j: Input/output error"]


FULL = """
import sys
from pathlib import Path
from isfc.live.journal_file import JournalWriter
from tests.isfc.live.test_journal_file import WrittenPair

messages = []
pair = WrittenPair(JournalWriter(Path(sys.argv[1]), messages.append))
for _ in range(3):
    pair.talk()
assert not pair.writer.recording, "still recording"
print(*messages, sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")
def test_device_that_is_full_stops_the_journal_only() -> None:
    (message,) = run_script(FULL, Path("/dev/full"))
    assert "write elsewhere. It ends here and nothing of it can be replayed" in message
    assert Path("/dev/full").is_char_device()


class SlowDisk:
    """Takes nothing before it may, then a thousand bytes at a time, and so many in all."""

    def __init__(self, room: int = 10**9) -> None:
        self.data = bytearray()
        self.closed = threading.Event()
        self.may = threading.Event()
        self._room = room

    def write(self, data: memoryview, /) -> int:
        assert self.may.wait(PATIENCE_S)
        if len(self.data) >= self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.data += data[:1_000]
        return min(len(data), 1_000)

    def close(self) -> None:
        self.closed.set()


def test_writing_waits_for_no_disk_and_closing_does() -> None:
    disk = SlowDisk()
    file = LateFile(disk)
    for number in range(10):
        assert file.write(memoryview(bytes([number]) * 5_000)) == 5_000
    assert not disk.data
    disk.may.set()
    file.close()
    assert disk.closed.is_set()
    assert disk.data == b"".join(bytes([number]) * 5_000 for number in range(10))


def test_what_waits_is_bounded() -> None:
    disk = SlowDisk()
    file = LateFile(disk, 10_000)
    file.write(memoryview(bytes(10_000)))
    with pytest.raises(OSError, match="too slow: more than 10,000 bytes wait"):
        file.write(memoryview(b"x"))
    file.close()  # does not wait: it was told
    disk.may.set()
    assert disk.closed.wait(PATIENCE_S)
    assert len(disk.data) == 10_000


def test_a_full_disk_is_told_by_the_next_write_and_by_closing() -> None:
    disk = SlowDisk(room=2_000)
    disk.may.set()
    file = LateFile(disk)
    file.write(memoryview(bytes(5_000)))
    with pytest.raises(OSError, match="No space left"):
        write_on(file)
    file.close()  # it was told


def write_on(file: LateFile) -> None:
    while True:
        file.write(memoryview(b"x"))


def test_a_full_disk_that_nobody_was_told_of_is_told_by_closing() -> None:
    disk = SlowDisk(room=2_000)
    file = LateFile(disk)
    file.write(memoryview(bytes(5_000)))
    disk.may.set()
    with pytest.raises(OSError, match="No space left"):
        file.close()
    assert disk.closed.is_set()


def test_a_disk_that_hangs_keeps_no_process_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "CLOSE_S", 0.05)
    disk = SlowDisk()
    file = LateFile(disk)
    file.write(memoryview(b"x"))
    with pytest.raises(OSError, match=r"did not take all of it within 0\.05 s"):
        file.close()
    disk.may.set()


def test_a_journal_on_a_disk_that_is_too_slow_ends_with_a_word() -> None:
    disk, told = SlowDisk(), list[str]()
    writer = JournalWriter(Path("journal"), told.append, file=LateFile(disk, 1_000_000))
    for _ in range(10):
        writer(bytes(300_000))
    writer.close()
    (word,) = told
    assert "the disk is too slow" in word
    assert not writer.recording
    disk.may.set()
