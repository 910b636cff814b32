"""A journal in a file: it may stop, but it never stops the node.

Writing is buffered. When the file takes no more (the disk is full, a limit is reached) the
journal stops for good with one message; the node goes on, and what was written can be
replayed.
"""

import atexit
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from isfc.engine.journal_record import FILE_HEADER
from isfc.errors import ConfigurationError
from isfc.live.late_writer import RawFile, write_all

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
            self._stop(error.strerror or str(error))

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
            self._on_stop(
                f"journal {self._path}: {reason}. It ends here and can be replayed up to here; "
                "all else goes on."
            )

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._on_stop(f"journal {self._path}: {error.strerror or error}")


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
