"""A file that a thread of its own writes: a slow disk then delays nobody but the file."""

import errno
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Final, Protocol

WAITING_LENGTH_MAX: Final = 64 * 2**20
"""Bytes that may wait for the disk before a write is refused."""

CLOSE_S: Final = 10.0
"""How long the disk may take for what still waits when the file is closed, in seconds."""


class RawFile(Protocol):
    """An unbuffered binary file."""

    def write(self, data: memoryview, /) -> int | None:
        """Write a part of ``data``; return how much."""

    def close(self) -> None:
        """Close the file that is written late."""


class LateFile:
    """A `RawFile` that takes everything immediately, and passes it on to another one.

    An error of that one is raised once: by the next write, or by `close`.
    """

    def __init__(self, file: RawFile, waiting_length_max: int = WAITING_LENGTH_MAX) -> None:
        self._file = file
        self._waiting_length_max = waiting_length_max
        self._waiting_length = 0
        self._lock = threading.Lock()
        self._pieces: SimpleQueue[bytes | None] = SimpleQueue()
        self._error: OSError | None = None
        self._failed = False
        """Whether a write has been refused, so that nothing more is to be waited for."""
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def write(self, data: memoryview, /) -> int:
        """Let all of ``data`` be written later. Raises `OSError` when too much waits already."""
        with self._lock:
            self._failed = True
            if self._error is not None:
                raise self._error_again()
            if self._waiting_length + len(data) > self._waiting_length_max:
                raise OSError(
                    errno.EAGAIN,
                    f"the disk is too slow: more than {self._waiting_length_max:,} bytes wait",
                )
            self._failed = False
            self._waiting_length += len(data)
        self._pieces.put(bytes(data))
        return len(data)

    def close(self) -> None:
        """Wait until all is written, for `CLOSE_S` at most; not after a write was refused."""
        self._pieces.put(None)
        if self._failed:
            return
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            raise OSError(errno.EAGAIN, f"the disk did not take all of it within {CLOSE_S:g} s")
        if self._error is not None:
            raise self._error_again()

    def _error_again(self) -> OSError:
        """A copy of the error, to raise.

        The one that is kept would hold its traceback, and so the data that were to be written.
        """
        assert self._error is not None, "nothing has failed"
        return OSError(self._error.errno, self._error.strerror)

    def _run(self) -> None:
        while (piece := self._pieces.get()) is not None:
            self._try(partial(_write, self._file, piece))
            with self._lock:
                self._waiting_length -= len(piece)
        self._try(self._file.close, always=True)

    def _try(self, act: Callable[[], None], *, always: bool = False) -> None:
        """Do something to the file, unless that has failed before; keep the first error."""
        if self._error is None or always:
            try:
                act()
            except OSError as error:
                self._error = self._error or error


def _write(file: RawFile, piece: bytes) -> None:
    waiting = memoryview(piece)
    while waiting:
        waiting = waiting[file.write(waiting) or 0 :]
