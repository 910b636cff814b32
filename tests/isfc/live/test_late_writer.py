"""A file that a thread writes: its disk may be slow, or full."""

import errno
import threading
from pathlib import Path

import pytest

from isfc.live import journal_file
from isfc.live.journal_file import JournalWriter, LateFile
from tests.waiting import PATIENCE_S, wait_for


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


def test_a_journal_on_a_disk_that_is_too_slow_ends_with_a_word(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    disk, told = SlowDisk(), list[str]()
    path = tmp_path_factory.mktemp("slow") / "journal"
    writer = JournalWriter(path, told.append, file=LateFile(disk, 1_000_000))
    for _ in range(10):
        writer(bytes(300_000))
    writer.close()
    (word,) = told
    assert "the disk is too slow" in word
    assert not writer.recording
    disk.may.set()


def test_a_journal_on_a_full_disk_ends_with_a_word() -> None:
    disk, told = SlowDisk(room=2_000), list[str]()
    disk.may.set()
    writer = JournalWriter(Path("journal"), told.append, file=LateFile(disk))

    def has_ended() -> bool:
        writer(bytes(300_000))
        return not writer.recording

    wait_for(has_ended, "the word of the thread that meets the disk")
    writer.close()
    (word,) = told
    assert "No space left on device" in word
    assert disk.closed.wait(PATIENCE_S)
