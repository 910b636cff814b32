"""The loop of a live command."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest
import uvloop

from isfc.cli.live import loops
from isfc.cli.live.loops import (
    LOOPS,
    WAITING_LENGTH_MAX,
    LateStream,
    late_stderr,
    late_stdout,
    loop_factory,
    run_live,
)
from isfc.cli.output.streams import ENDING_SIGNALS
from isfc.errors import ConfigurationError
from tests.waiting import PATIENCE_S


@pytest.mark.parametrize("number", ENDING_SIGNALS)
def test_each_signal_asks_for_an_end_and_the_exit_code_is_mains(number: signal.Signals) -> None:
    async def main(stop: asyncio.Event) -> int:
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await stop.wait()
        return 7

    assert run_live(main) == 7


def test_the_loop_is_uvloops_where_there_is_one_unless_asyncios_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ISFC_LOOP", raising=False)
    assert loop_factory() is uvloop.new_event_loop
    monkeypatch.setenv("ISFC_LOOP", "asyncio")
    assert loop_factory() is asyncio.new_event_loop
    monkeypatch.setenv("ISFC_LOOP", "trio")
    with pytest.raises(ConfigurationError, match="ISFC_LOOP=trio: expected uvloop or asyncio"):
        loop_factory()
    monkeypatch.delenv("ISFC_LOOP")
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert loop_factory() is asyncio.new_event_loop


@pytest.mark.parametrize("loop", LOOPS)
def test_standard_files_that_are_closed_do_no_harm(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISFC_LOOP", loop)
    script = (
        "import asyncio; from isfc.cli.live.loops import run_live\n"
        "async def main(stop):\n"
        "    server = await asyncio.start_server(print, '127.0.0.1')\n"
        "    return min(each.fileno() for each in server.sockets)\n"
        "raise SystemExit(run_live(main))"
    )
    words = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, script]
    done = subprocess.run(words, timeout=60, check=False)
    assert 2 < done.returncode < 100


LINE = "a line of a log with some forty letters\n"
LINE_COUNT = 4 * WAITING_LENGTH_MAX // len(LINE)


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    """A pipe: the descriptor to read, the stream to write."""
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        yield ours, stream
        with suppress(OSError):
            os.close(ours)


def read_lines(descriptor: int, late: LateStream) -> list[str]:
    """All lines that come, and the rest of the stream's once there is room."""
    os.set_blocking(descriptor, False)
    data, end_s = b"", time.monotonic() + PATIENCE_S
    finished = False
    while time.monotonic() < end_s:
        with suppress(BlockingIOError):
            data += os.read(descriptor, 65_536)
            continue
        if finished:
            return data.decode().splitlines()
        finished = late.finish()
    raise AssertionError("it was never finished")


def fill(pipe: tuple[int, TextIO]) -> int:
    """Write to the pipe until not one byte more has room; how many it took."""
    descriptor, length = pipe[1].fileno(), 0
    os.set_blocking(descriptor, False)
    with suppress(BlockingIOError):
        while True:
            length += os.write(descriptor, b"x")
    os.set_blocking(descriptor, True)
    return length


def test_lines_that_nobody_reads_are_dropped_and_counted(pipe: tuple[int, TextIO]) -> None:
    length, (descriptor, stream) = fill(pipe), pipe
    late = LateStream(stream, fails=False)
    begin_s = time.monotonic()
    for _ in range(LINE_COUNT):
        late.write(LINE)
    assert time.monotonic() - begin_s < PATIENCE_S  # a blocking write would never end
    kept_count = WAITING_LENGTH_MAX // len(LINE)
    assert late.dropped_count == LINE_COUNT - kept_count
    data = b""
    while len(data) < length + kept_count * len(LINE):
        data += os.read(descriptor, 65_536)
    late.write("the next line\n")
    lines = data[length:].decode().splitlines() + read_lines(descriptor, late)
    dropped = loops.say_dropped(late.dropped_count).rstrip()
    assert lines == [LINE.rstrip()] * kept_count + [dropped, "the next line"]


def test_lines_stay_whole_in_whatever_pieces_they_come(pipe: tuple[int, TextIO]) -> None:
    descriptor, stream = pipe
    late = LateStream(stream, fails=False)
    for piece in ("one", " and ", "two\nthr", "ee\n", "half"):
        late.write(piece)
    assert read_lines(descriptor, late) == ["one and two", "three", "half"]


def test_an_error_is_raised_by_the_next_write_or_in_the_end() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        late = LateStream(full, fails=True)
        late.write("no room\n")
        with pytest.raises(OSError, match="No space left"):
            late.finish()
        with pytest.raises(OSError, match="No space left"):
            late.write("nor for this\n")
        late = LateStream(full, fails=False)
        late.write("no room\n")
        assert late.finish()


def test_standard_error_stays_late_as_long_as_nobody_reads(
    pipe: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "CLOSE_S", 0.05)
    descriptor, stream = pipe
    monkeypatch.setattr(sys, "stderr", stream)
    with late_stderr():
        sys.stderr.write("all is read\n")
    assert sys.stderr is stream
    with late_stderr():
        sys.stderr.write("x" * 200_000)  # more than the pipe takes
        late = sys.stderr
    assert sys.stderr is late
    sys.stderr.write("so that this does not block either\n")
    assert isinstance(late, LateStream)
    assert len(read_lines(descriptor, late)) >= 2


def test_the_end_of_standard_output_is_an_error_of_the_command(
    pipe: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    descriptor, stream = pipe
    monkeypatch.setattr(sys, "stdout", stream)
    os.close(descriptor)
    with pytest.raises(SystemExit) as caught, late_stdout():
        sys.stdout.write("nobody is there\n")
    assert caught.value.code == 141
