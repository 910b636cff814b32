"""Contenders of the live benchmark: what they run, and how their processes are started and read.

A contender is two processes joined by Unix sockets in a folder of their own. The ``far`` one
listens; the ``near`` one connects and drives. Both count the same things and mark their own clocks
when the warm-up is over and when all is counted, so that nobody else's time is in the figures; then
each prints one line of JSON. So does the C program ``live_c.c``. None leaves anything behind.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from tools import PROJECT
from tools.benchmarks.judged import Sample

C_SOURCE: Final = PROJECT / "tools" / "benchmarks" / "live_c.c"
C_PROGRAM: Final = PROJECT / "build" / "live_c"

MESSAGE_LENGTH: Final = 118_219
"""Seven such messages, with ISFC's headers, are a package of 830,000 bytes."""
MESSAGES_PER_PACKAGE: Final = 7
PAYLOAD_LENGTH: Final = MESSAGE_LENGTH * MESSAGES_PER_PACKAGE
"""What a package carries for programs; peers carry as much, without headers."""
PING_LENGTH: Final = 64
BUFFER_LENGTH: Final = 256 * 1024
"""Bytes that a socket's buffers are asked to hold either way."""

CONNECT_S: Final = 10.0
"""How long the near process waits for the far one to listen."""
RUN_S_MAX: Final = 120.0
"""A run that takes longer has hung."""


class LiveCase(msgspec.Struct, frozen=True):
    """What each contender is measured at. CPU is of both processes, for one of what is counted."""

    heading: str
    length: int
    """Bytes of what is counted: a package, a message of a stream, or a round trip."""
    warmup: int
    count: int
    """How many are measured, after ``warmup`` of them."""
    replies: bool = False
    """Whether something goes back; else all goes one way, as a stream."""
    messages: int = 1
    """Messages that are one of what is counted."""
    connections: int = 1
    """Of a peer; ISFC has 8 CTCs."""

    @property
    def message(self) -> bytes:
        """What is sent."""
        return bytes(self.length // self.messages)


CASES: Final = {
    "packages": LiveCase(
        "packages: of 830 kB, 8 CTCs or connections",
        *(PAYLOAD_LENGTH, 500, 4_000),
        messages=MESSAGES_PER_PACKAGE,
        connections=8,
    ),
    "large": LiveCase("large: a stream of messages of 118 kB", MESSAGE_LENGTH, 2_000, 20_000),
    "blocks": LiveCase("blocks: a stream of messages of 32 KiB", 32_768, 5_000, 50_000),
    "small": LiveCase("small: a stream of messages of 1 KiB", 1_024, 50_000, 400_000),
    "pingpong": LiveCase("pingpong: of 64 bytes", PING_LENGTH, 1_000, 5_000, replies=True),
}
"""What is compared, by name."""


class ContenderPart(msgspec.Struct, frozen=True, tag=True):
    """What one process of a contender is to do."""

    role: str
    """``far`` or ``near``."""
    folder: str
    case: LiveCase

    @property
    def far(self) -> bool:
        """Whether it is the one that listens."""
        return self.role == "far"


class Stopwatch:
    """Wall and processor time between two marks, and of each round trip where they are timed."""

    def __init__(self) -> None:
        self.wall_ns = self.cpu_ns = 0
        self.trips_ns: list[int] = []

    def start(self) -> None:
        """The warm-up is over."""
        self.trips_ns.clear()
        self.cpu_ns = -time.process_time_ns()
        self.wall_ns = -time.perf_counter_ns()

    def stop(self) -> None:
        """All is counted."""
        self.wall_ns += time.perf_counter_ns()
        self.cpu_ns += time.process_time_ns()

    def counted(self, case: LiveCase) -> Iterator[int]:
        """The numbers of all that is done; what comes after the warm-up is measured."""
        yield from range(case.warmup)
        self.start()
        yield from range(case.warmup, case.warmup + case.count)
        self.stop()

    def report(self) -> None:
        """Print the figures, in nanoseconds, as one line of JSON."""
        figures = {"wall_ns": self.wall_ns, "cpu_ns": self.cpu_ns}
        if self.trips_ns:
            figures["p50_ns"], figures["p99_ns"] = percentiles(self.trips_ns)
        print(msgspec.json.encode(figures).decode(), flush=True)


def percentiles(taken: Sequence[int]) -> tuple[int, int]:
    """The median, and what 99 of 100 do not exceed."""
    ordered = sorted(taken)
    return ordered[len(taken) // 2], ordered[len(taken) * 99 // 100]


def await_path(path: Path) -> None:
    """Wait until ``path`` is there."""
    end_s = time.monotonic() + CONNECT_S
    while not path.exists():
        if time.monotonic() > end_s:
            raise TimeoutError(f"nobody listens at {path}")
        time.sleep(0.002)


class ContenderError(Exception):
    """A contender could not be measured."""


def module_line(words: str, part: msgspec.Struct) -> list[str]:
    """How a module of `tools.benchmarks` is started, with words, that takes its part as JSON."""
    started = [sys.executable, "-m", *f"tools.benchmarks.{words}".split()]
    return [*started, msgspec.json.encode(part).decode()]


def c_line(part: ContenderPart) -> list[str]:
    """How the C program is started."""
    case, way = part.case, "echo" if part.case.replies else "stream"
    sizes = (case.warmup, case.count, case.connections, case.length, BUFFER_LENGTH)
    return [str(C_PROGRAM), part.role, way, part.folder, *map(str, sizes)]


def has_c_program() -> bool:
    """Whether the C program is there, built if it has to be; not without a C compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return False
    if not C_PROGRAM.exists() or C_PROGRAM.stat().st_mtime < C_SOURCE.stat().st_mtime:
        C_PROGRAM.parent.mkdir(exist_ok=True)
        subprocess.run([compiler, "-O2", "-o", C_PROGRAM, C_SOURCE], check=True)
    return True


def measure(line: Callable[[ContenderPart], Sequence[str]], case: LiveCase) -> Sample:
    """Start both processes, each with the line of its part, and read what they have measured."""
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        said = reports([line(ContenderPart(role, folder, case)) for role in ("far", "near")])
    far, near = (msgspec.json.decode(each, type=dict[str, int]) for each in said)
    rate = case.count * 1e9 / (near if case.replies else far)["wall_ns"]
    found = {
        "a second": rate,
        "MB/s": rate * case.length / 2**20,
        "CPU us": (far["cpu_ns"] + near["cpu_ns"]) / 1e3 / case.count,
    }
    if case.replies:
        found |= {"p50 us": near["p50_ns"] / 1e3, "p99 us": near["p99_ns"] / 1e3}
    return found


def reports(lines: Sequence[Sequence[str]]) -> list[bytes]:
    """What processes print until all have ended, or the error of one that failed.

    The last one has a processor of its own: what two that share one copy is still in its cache.
    """
    own, *others = sorted(os.sched_getaffinity(0))
    places = [others or [own]] * (len(lines) - 1) + [[own]]

    async def run_all() -> list[bytes]:
        async with asyncio.timeout(RUN_S_MAX):
            return await asyncio.gather(*map(_report, lines, places))

    try:
        return asyncio.run(run_all())
    except TimeoutError:
        raise ContenderError(f"{lines[0]} did not end within {RUN_S_MAX:g} s") from None


async def _report(line: Sequence[str], processors: Sequence[int]) -> bytes:
    """What one prints on some of the processors, which is ended if another fails."""
    process = await asyncio.create_subprocess_exec(*line, cwd=PROJECT, stdout=PIPE, stderr=PIPE)
    with suppress(ProcessLookupError):  # it has ended already
        os.sched_setaffinity(process.pid, processors)
    try:
        said, error = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ContenderError(f"{line!r} failed:\n{error.decode()}")
    return said
