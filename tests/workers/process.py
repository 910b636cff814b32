"""A forked worker, as the main process knows it."""

import os
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

import pytest

from tests.waiting import wait_for
from tests.workers.work import work

LEAVE_S: Final = 15.0
"""How long a worker may take to tear down, and to end."""
TOLD_BYTES_MAX: Final = 20_000
LEFT_OUT: Final = (
    "/_pytest/",
    "/pluggy/",
    "/tests/workers/",
    "/pytest/__main__.py",
    "<frozen runpy>",
)
"""Frames that are in every stack."""


class Worker:
    """A forked process, as the main one knows it."""

    def __init__(self, pid: int, pipe: "Connection[Any, Any]", stacks: int, stderr: int) -> None:
        self.pid = pid
        self.pipe = pipe
        self.running: int | None = None
        self.next: int | None = None
        self.last: int | None = None
        self._stacks = stacks
        """The file into which faulthandler writes, and below it what captures the error stream."""
        self._stderr = stderr
        self._status: int | None = None

    @property
    def ended(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = status
        return self._status is not None

    def end(self, within_s: float = LEAVE_S) -> str:
        """Give it time to end, and return how it did; nothing that it started is left."""
        with suppress(AssertionError):
            wait_for(lambda: self.ended, "a worker to end", within_s)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._status is None:
            self._status = os.waitpid(self.pid, 0)[1]
        code = os.waitstatus_to_exitcode(self._status)
        return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"

    def told(self) -> str:
        """The stacks it has written, and then the end of its error stream."""
        lines: list[str] = []
        for file in (self._stacks, self._stderr):
            status = os.fstat(file)
            if S_ISREG(status.st_mode):
                begin = max(0, status.st_size - TOLD_BYTES_MAX)
                lines += os.pread(file, TOLD_BYTES_MAX, begin).decode(errors="replace").splitlines()
        return "\n".join(line for line in lines if not any(each in line for each in LEFT_OUT))

    def close(self) -> None:
        self.pipe.close()
        os.close(self._stacks)
        os.close(self._stderr)


def fork(session: pytest.Session, base: Path, others: list[Worker]) -> Worker:
    """A new one, with ``base`` for its temporary files."""
    names = threads()
    if len(names) > 1:
        raise pytest.UsageError(
            f"{len(names)} threads after collection ({', '.join(names)}), and a process with"
            " threads cannot be forked: import in tests, not in their modules, what starts them"
        )
    here, there = Pipe()
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            here.close()
            for other in others:  # else none would see that the main process has ended
                other.close()
            work(session, there, base, file.fileno())
        there.close()
        return Worker(pid, here, os.dup(file.fileno()), recv_handle(here))


def threads() -> list[str]:
    """The names of this process's threads, also of those that Python has not started."""
    if not Path("/proc/self/task").is_dir():
        return [thread.name for thread in threading.enumerate()]
    return [path.read_text().strip() for path in sorted(Path("/proc/self/task").glob("*/comm"))]
