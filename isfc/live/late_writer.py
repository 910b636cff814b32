"""Writing by a thread of its own: whoever has something to write waits for no disk or reader."""

import errno
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Condition, Thread
from typing import Final, Generic, Protocol, TypeVar

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
