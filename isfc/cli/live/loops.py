"""How a live command runs: its loop, the signals that end it, input, and output that delays nobody.

A write to a pipe or terminal that takes no more blocks, and with it the event loop, the link and
Ctrl-C. So a thread of its own writes; when too much waits, whole lines are dropped and counted.
"""

import asyncio
import io
import os
import stat
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from select import select
from typing import Any, Final, TextIO

from isfc.cli.output.streams import (
    ENDING_SIGNALS,
    STDIN,
    ExitCode,
    open_closed_files,
    pipe_may_break,
)
from isfc.errors import ConfigurationError
from isfc.errors.in_words import counted
from isfc.live.journal_file import LateWriter

LOOP_VARIABLE: Final = "ISFC_LOOP"
LOOPS: Final = ("uvloop", "asyncio")


def run_live(main: Callable[[asyncio.Event], Coroutine[Any, Any, int]]) -> int:
    """Run ``main`` on an event loop and return its exit code.

    The event it is given is set by the first of `ENDING_SIGNALS`; a second one does no more harm.
    The code `ExitCode.INTERRUPTED` becomes that of the signal. The loop is uvloop's where that is
    installed, and asyncio's own where it is not.
    """
    open_closed_files()  # a loop forbids sockets in their place

    async def whole() -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        came: list[int] = []

        def note(number: int) -> None:
            came.append(number)
            stop.set()

        for number in ENDING_SIGNALS:
            loop.add_signal_handler(number, note, number)
        code = await main(stop)
        return ENDING_SIGNALS[came[0]] if came and code == ExitCode.INTERRUPTED else code

    with late_stderr(), asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(whole())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """What makes the fastest loop there is; asyncio's own if ``ISFC_LOOP=asyncio`` asks for it.

    Raises `ConfigurationError` for another value.
    """
    wanted = os.environ.get(LOOP_VARIABLE, "uvloop")
    if wanted not in LOOPS:
        raise ConfigurationError(f"{LOOP_VARIABLE}={wanted[:40]}: expected {' or '.join(LOOPS)}")
    if wanted == "asyncio":
        return asyncio.new_event_loop
    try:
        import uvloop
    except ImportError:  # an extra, and not to be had for every platform
        return asyncio.new_event_loop
    return uvloop.new_event_loop


_LENGTH_MAX: Final = 4096
"""Bytes of a line of input; a longer one comes in pieces."""


@contextmanager
def typed_lines(
    hear: Callable[[str], None], ended: Callable[[], None] = lambda: None, number: int = STDIN
) -> Iterator[None]:
    """Call ``hear`` for each line of an open file, if it is a terminal or a pipe.

    ``ended`` is called when nothing more can come.
    """
    mode = os.fstat(number).st_mode
    if not (os.isatty(number) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        ended()
        yield
        return
    loop = asyncio.get_running_loop()
    rest = bytearray()

    def read() -> None:
        data = os.read(number, _LENGTH_MAX)
        rest.extend(data)
        *lines, tail = bytes(rest).split(b"\n")
        if len(tail) >= _LENGTH_MAX or not data:
            lines, tail = [*lines, tail], b""
        rest[:] = tail
        for line in lines:
            if line.strip():
                hear(line.decode(errors="replace"))
        if not data:
            loop.remove_reader(number)
            ended()

    loop.add_reader(number, read)
    try:
        yield
    finally:
        loop.remove_reader(number)


WAITING_LENGTH_MAX: Final = 262_144
"""Bytes that may wait for the reader of a stream before lines are dropped."""

CLOSE_S: Final = 1.0
"""How long the reader may take for what waits when the command ends, in seconds."""


def say_dropped(count: int) -> str:
    """What stands in place of ``count`` lines that were dropped."""
    return f"isfc: dropped here, as nobody read: {counted(count, 'line')}\n"


class LateStream(io.TextIOBase):
    """A text stream that takes everything immediately, and passes whole lines on to another one.

    With ``fails`` an error of the other one is raised by the next write, or by `finish`.
    """

    def __init__(self, stream: TextIO, *, fails: bool) -> None:
        self.note: Callable[[int], str] = say_dropped
        """Says in a line how many were dropped."""
        self.dropped_count = 0
        """Lines that were dropped so far."""
        self._stream = stream
        self._fails = fails
        self._unnoted_count = 0
        self._begun = ""
        """A line without its end."""
        self._late = LateWriter[str](self._write, WAITING_LENGTH_MAX)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a property there too, in effect
        """The other stream's."""
        return self._stream.encoding

    def isatty(self) -> bool:
        """Whether the other stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The other stream's descriptor."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Take ``text``; what has no end of line yet waits for it, or for `flush`."""
        if self._fails:
            self._late.check()
        head, end, tail = text.rpartition("\n")
        if end:
            self._put(self._begun + head + end)
            self._begun = tail
        else:
            self._begun += text
        return len(text)

    def flush(self) -> None:
        """Let what has no end of line be written too."""
        if self._begun:
            text, self._begun = self._begun, ""
            self._put(text)

    def finish(self) -> bool:
        """Wait until all is written, for `CLOSE_S` at most; whether it is.

        Raises `OSError` if it could not be, unless it is not to fail.
        """
        self.flush()
        finished = self._late.finish(CLOSE_S)
        if self._fails:
            self._late.check()
        return finished

    def _put(self, text: str) -> None:
        if not self._late.takes(len(text)):
            count = max(1, text.count("\n"))
            self.dropped_count += count
            self._unnoted_count += count
            return
        if self._unnoted_count:
            text, self._unnoted_count = self.note(self._unnoted_count) + text, 0
        self._late.put(text)

    def _write(self, text: str) -> None:
        """Write to the descriptor, if there is one: a stream that is locked hangs Python's end."""
        try:
            descriptor = self._stream.fileno()
        except OSError:  # io.UnsupportedOperation is one
            self._stream.write(text)
            self._stream.flush()
            return
        except ValueError:  # whoever gave it to us has closed it
            return
        waiting = memoryview(text.encode(self._stream.encoding, "backslashreplace"))
        while waiting:
            try:
                waiting = waiting[os.write(descriptor, waiting) :]
            except BlockingIOError:  # whoever shares it wants it so
                select([], [descriptor], [])


@contextmanager
def late_stderr() -> Iterator[None]:
    """Within the block, let nobody wait for whoever reads standard error."""
    real = sys.stderr
    if real is None:  # it was closed when we were started
        yield
        return
    late = LateStream(real, fails=False)
    sys.stderr = late
    try:
        yield
    finally:
        if late.finish():
            sys.stderr = real  # else whatever is still said must not block either


@contextmanager
def late_stdout() -> Iterator[None]:
    """Within the block, let nobody wait for whoever reads standard output. Raises its `OSError`."""
    real = sys.stdout
    if real is None:
        yield
        return
    real.flush()
    late = LateStream(real, fails=True)
    sys.stdout = late
    try:
        yield
    finally:
        sys.stdout = real
        with pipe_may_break():
            late.finish()
