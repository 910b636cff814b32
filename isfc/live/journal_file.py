"""A journal in a file, and writing late: it may stop, but it never stops the node.

A `LateWriter` writes in a thread of its own: whoever has something to write waits for no disk or
reader.

Writing is buffered. When the file takes no more (the disk is full, a limit is reached) the
journal stops for good with one message; the node goes on, and what was written can be
replayed.
"""

import atexit
import errno
import os
import stat
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import Final, Generic, Protocol, Self, TypeVar

from isfc.engine.journal_record import FILE_HEADER
from isfc.errors import ConfigurationError
from isfc.errors.in_words import reason_of

WAITING_LENGTH_MAX: Final = 64 * 2**20
"""Bytes that may wait for the disk before a write is refused."""

CLOSE_S: Final = 10.0
"""How long the disk may take for what still waits when the file is closed, in seconds."""

_Piece = TypeVar("_Piece", bytes, str)


class LateWriter(Generic[_Piece]):
    """Takes pieces immediately; its thread will ``write`` each in turn, and ``close`` in the end.

    ``length_max`` is how much may wait. Once a write has failed nothing more is written.
    """

    def __init__(
        self,
        write: Callable[[_Piece], None],
        length_max: int,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.error: OSError | None = None
        """The first one."""
        self._write: Callable[[_Piece], None] = write
        self._length_max = length_max
        self._close = close
        self._waiting_length = 0
        self._pieces: deque[_Piece] = deque()
        self._changed = Condition()
        self._ends = False
        self._thread = Thread(target=self._run, name="late writer", daemon=True)
        self._thread.start()

    def takes(self, length: int) -> bool:
        """Whether so much more may wait, and is going to be written."""
        return self.error is None and self._waiting_length + length <= self._length_max

    def put(self, piece: _Piece) -> None:
        """Let a piece be written later."""
        with self._changed:
            self._pieces.append(piece)
            self._waiting_length += len(piece)
            self._changed.notify_all()

    def finish(self, within_s: float) -> bool:
        """Wait until all is written, for so long at most; whether it is."""
        with self._changed:
            self._ends = True
            self._changed.notify_all()
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def check(self) -> None:
        """Raise a copy of the error, if there is one.

        The one that is kept would hold its traceback, and so the data that were to be written.
        """
        if self.error is not None:
            raise OSError(self.error.errno, self.error.strerror)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pieces or self._ends)
                if not self._pieces:
                    break
                piece = self._pieces.popleft()
            if self.error is None:
                self._try(partial(self._write, piece))
            with self._changed:
                self._waiting_length -= len(piece)
        self._try(self._close)

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            self.error = self.error or error


class RawFile(Protocol):
    """An unbuffered binary file."""

    def write(self, data: memoryview, /) -> int | None:
        """Write a part of ``data``; return how much."""

    def close(self) -> None:
        """Close the file that is written late."""


def write_all(file: RawFile, data: bytes | bytearray) -> None:
    """Write all of it, however little the file takes at a time."""
    waiting = memoryview(data)
    while waiting:
        waiting = waiting[file.write(waiting) or 0 :]


class LateFile:
    """A `RawFile` that takes everything immediately, and passes it on to another one.

    An error of that one is raised once: by the next write, or by `close`.
    """

    def __init__(self, file: RawFile, waiting_length_max: int = WAITING_LENGTH_MAX) -> None:
        self._waiting_length_max = waiting_length_max
        self._late = LateWriter[bytes](partial(write_all, file), waiting_length_max, file.close)
        self._failed = False
        """Whether a write has been refused, so that nothing more is to be waited for."""

    def write(self, data: memoryview, /) -> int:
        """Let all of ``data`` be written later. Raises `OSError` when too much waits already."""
        self._failed = not self._late.takes(len(data))
        if self._failed:
            self._late.check()
            raise OSError(
                errno.EAGAIN,
                f"the disk is too slow: more than {self._waiting_length_max:,} bytes wait",
            )
        self._late.put(bytes(data))
        return len(data)

    def close(self) -> None:
        """Wait until all is written, for `CLOSE_S` at most; not after a write was refused."""
        finished = self._late.finish(0 if self._failed else CLOSE_S)
        if self._failed:
            return
        if not finished:
            raise OSError(errno.EAGAIN, f"the disk did not take all of it within {CLOSE_S:g} s")
        self._late.check()


BUFFER_LENGTH: Final = 256 * 1024
FLUSH_S: Final = 1.0
"""Bytes that wait to be written, and how long: a killed process loses no more than came since."""

LENGTH_MAX: Final = 4 * 2**30
"""Bytes of a journal unless another bound is given: one that fills the disk harms everybody."""


class JournalWriter:
    """Writes a journal to ``path``; a file of that name is kept as ``path`` with ``.old``.

    It is readable by its owner only, because it holds all that was sent. ``on_stop`` is told
    once why the journal stops early. Raises `ConfigurationError` when the file cannot be made.
    """

    def __init__(
        self,
        path: Path,
        on_stop: Callable[[str], None],
        *,
        header: bytes = FILE_HEADER,
        length_max: int = LENGTH_MAX,
        file: RawFile | None = None,
    ) -> None:
        self.length = 0
        """Bytes recorded so far."""
        self._path = path
        self._on_stop = on_stop
        self._length_max = length_max
        self._least_length = len(header) + 1
        """Bytes without which nothing can be replayed: the header, and the first record."""
        self._flushed_s = time.monotonic()
        self._buffer = bytearray()
        self._file: RawFile | None = create_journal(path) if file is None else file
        atexit.register(self.close)
        self(header)
        self.flush()

    @property
    def recording(self) -> bool:
        """Whether records are still wanted."""
        return self._file is not None

    def __call__(self, record: bytes) -> None:
        """Take one record."""
        if self._file is None:
            return
        if self.length + len(record) > self._length_max:
            self.flush()
            self._stop(f"it has reached its bound of {self._length_max:,} bytes")
            return
        if self.length + 1 == self._least_length:
            self._least_length = self.length + len(record)
        self._buffer += record
        self.length += len(record)
        if len(self._buffer) >= BUFFER_LENGTH or time.monotonic() - self._flushed_s >= FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write what is buffered."""
        if self._file is None:
            return
        self._flushed_s = time.monotonic()
        waiting, self._buffer = self._buffer, bytearray()
        try:
            write_all(self._file, waiting)
        except OSError as error:
            self._stop(reason_of(error))

    def close(self) -> None:
        """Write what is buffered, and end the journal; happens at the end of the process."""
        atexit.unregister(self.close)
        self.flush()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stop(self, reason: str) -> None:
        """End the journal early."""
        if self._file is not None:
            self._end()
            size = self._path.stat().st_size if self._path.exists() else 0
            is_begun = size >= self._least_length
            left = "can be replayed up to here" if is_begun else "nothing of it can be replayed"
            self._on_stop(
                f"journal {self._path}: {reason}. It ends here and {left}; all else goes on."
            )

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._on_stop(f"journal {self._path}: {reason_of(error)}")


def create_journal(path: Path) -> RawFile:
    """A new file at ``path``; one of that name is kept as ``path`` with ``.old``.

    Raises `ConfigurationError` for what is no file that can be written, such as a pipe, which
    would stop the node, or a link to somewhere else.
    """
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        if path.is_file():
            path.replace(path.with_name(f"{path.name}.old"))
            flags |= os.O_EXCL
        file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
    except OSError as error:
        raise ConfigurationError(
            f"journal {path}: {error.strerror}: expected a file that can be written"
        ) from None
    mode = os.fstat(file.fileno()).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
        file.close()
        raise ConfigurationError(f"journal {path}: is no file: expected one that can be written")
    return file
