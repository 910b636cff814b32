"""Contenders of the live benchmark: two processes each, started, awaited and read.

Every contender is a program that `tools.benchmarks.live_peer` describes. A run starts two
fresh processes, in a folder of their own, lets them warm up and measure themselves, and ends when
both have. So contenders can be run in turn, and none leaves anything behind for the next.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

from tools.benchmarks.live_peer import BUFFER_LENGTH, CASES

ROOT: Final = Path(__file__).parents[2]
C_SOURCE: Final = ROOT / "tools" / "benchmarks" / "live_c.c"
C_PROGRAM: Final = ROOT / "build" / "live_c"

RUN_S_MAX: Final = 120.0
"""A run that takes longer has hung."""
POLL_S: Final = 0.02

Process = subprocess.Popen[str]


@dataclass(frozen=True, slots=True)
class ContenderWork:
    """What to run: a case of `tools.benchmarks.live_peer`, and how many of its items to count."""

    case: str
    warmup: int
    count: int


class Meter(msgspec.Struct, frozen=True):
    """What one process reports of itself, in ns; percentiles where it timed round trips."""

    wall_ns: int
    cpu_ns: int
    p50_ns: int = 0
    p99_ns: int = 0


@dataclass(frozen=True, slots=True)
class ContenderRun:
    """One run of a contender, both processes together."""

    count: int
    wall_s: float
    cpu_s: float
    """Processor time, user and system, of both processes."""
    p50_us: float
    p99_us: float

    @property
    def rate(self) -> float:
        """Packages, exchanges or round trips per second."""
        return self.count / self.wall_s

    @property
    def cpu_us(self) -> float:
        """Processor time of each of them, microseconds."""
        return 1e6 * self.cpu_s / self.count


@dataclass(frozen=True, slots=True)
class ContenderCommand:
    """A name for the table, and the command that both processes begin with."""

    name: str
    command: tuple[str, ...]
    compiled: bool = False
    """Whether it is the C program, which takes sizes instead of a case."""

    def command_line(self, role: str, work: ContenderWork, folder: Path) -> list[str]:
        """How one of its processes is started."""
        warmup, count = str(work.warmup), str(work.count)
        if self.compiled:
            case = CASES[work.case]
            way = "echo" if case.replies else "stream"
            sizes = map(str, (case.connections, case.length, BUFFER_LENGTH))
            return [*self.command, role, way, str(folder), warmup, count, *sizes]
        return [*self.command, role, work.case, str(folder), warmup, count]

    def run(self, work: ContenderWork) -> ContenderRun:
        """Start both processes, let them measure, and read what they say."""
        with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
            lines = [self.command_line(role, work, Path(folder)) for role in ("far", "near")]
            with started(lines) as processes:
                far, near = (_meter(report) for report in reports(self.name, processes))
        receiver = near if CASES[work.case].replies else far
        return ContenderRun(
            work.count,
            receiver.wall_ns / 1e9,
            (far.cpu_ns + near.cpu_ns) / 1e9,
            near.p50_ns / 1e3,
            near.p99_ns / 1e3,
        )


class ContenderError(Exception):
    """A contender could not be measured."""


@contextmanager
def started(lines: Sequence[Sequence[str]]) -> Iterator[list[Process]]:
    """Processes with these command lines; none of them outlives the block."""
    with ExitStack() as stack:
        processes: list[Process] = []
        for line in lines:
            process = subprocess.Popen(
                line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            processes.append(stack.enter_context(process))
            stack.callback(process.kill)
        yield processes


def reports(name: str, processes: Sequence[Process]) -> list[str]:
    """What the processes have printed when all have ended, or the error of one that failed."""
    end_s = time.monotonic() + RUN_S_MAX
    while None in (statuses := [process.poll() for process in processes]) and not any(statuses):
        if time.monotonic() > end_s:
            raise ContenderError(f"{name} did not end within {RUN_S_MAX:g} s")
        time.sleep(POLL_S)
    for process in processes:
        if process.returncode:
            raise ContenderError(f"{name} failed:\n{_drained(process.stderr)}")
    return [_drained(process.stdout) for process in processes]


def _drained(stream: IO[str] | None) -> str:
    assert stream is not None, "a pipe"
    return stream.read()


def _meter(report: str) -> Meter:
    return msgspec.json.decode(report, type=Meter)


def python_contender(name: str, module: str) -> ContenderCommand:
    """A contender that is a module of `tools.benchmarks`."""
    return ContenderCommand(name, (sys.executable, "-m", f"tools.benchmarks.{module}"))


def c_contender() -> ContenderCommand | None:
    """The C program, built if it has to be; None without a C compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    if not C_PROGRAM.exists() or C_PROGRAM.stat().st_mtime < C_SOURCE.stat().st_mtime:
        C_PROGRAM.parent.mkdir(exist_ok=True)
        subprocess.run([compiler, "-O2", "-o", C_PROGRAM, C_SOURCE], check=True)
    return ContenderCommand("C", (str(C_PROGRAM),), compiled=True)
