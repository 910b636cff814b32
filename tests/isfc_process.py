"""isfc as a process, forked from one that has loaded it: loading takes longer than most commands.

`start` and `isfc` are `Popen` and `run` of `subprocess` for ``python -m isfc``. What they start has
arguments, directory, environment, standard files and signals of its own, as Python begins with
them, and ends as Python ends. Tests of what is loaded, and of what comes meanwhile, need another.

As a program this module is the server that forks. Each process of tests has one from its first
command on, which ends with it.
"""

import atexit
import gc
import io
import os
import pickle
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.waiting import PATIENCE_S

ROOT: Final = Path(__file__).parents[1]
AT_FIRST: Final = dict(os.environ)
OF_PYTHON: Final = ("PYTHON", "LC_", "LANG")
"""How the variables begin that Python reads as it starts: where they differ, it has to start."""

FOR_ALL: Final = ("isfc.cli.output.table", "uvloop")
"""What commands load only to show a result, or to run live."""

NUMBER_SIZE: Final = 4


@dataclass(frozen=True, slots=True)
class Start:
    """What a process is to be."""

    module: str
    words: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    has_session: bool


def start(
    *words: str,
    module: str = "isfc",
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    **options: Any,
) -> "subprocess.Popen[Any]":
    """``python -m isfc WORDS``, with more in its ``environment``; the options are of `Popen`.

    ``module`` is another program than isfc, ``prefix`` one that starts Python.
    """
    env = os.environ | dict(environment or {})
    command = [*prefix, sys.executable, "-m", module, *words]
    if prefix or _of_python(env) != _of_python(AT_FIRST):
        return subprocess.Popen(command, env=env, **options)
    return _Forked(command, env, **options)


def isfc(*words: str, timeout: float = PATIENCE_S, **options: Any) -> Any:
    """The `CompletedProcess` of a command, with what it has said unless that goes elsewhere."""
    common = {"stdin": subprocess.DEVNULL, "text": True}
    common |= dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with start(*words, **common | options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _of_python(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(OF_PYTHON)}


@cache
def _server() -> socket.socket:
    """The line to the server; at its end the server ends."""
    ours, theirs = socket.socketpair()
    with theirs:
        number = theirs.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.isfc_process", str(number)],
            cwd=ROOT,
            env=AT_FIRST,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[number],
        )

    def end() -> None:
        ours.close()
        server.wait(PATIENCE_S)

    atexit.register(end)
    return ours


class _Forked(subprocess.Popen[Any]):
    """A process that the server forks, and of which a line of its own tells number and status."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        *,
        cwd: Path | str = ".",
        start_new_session: bool = False,
        **options: Any,
    ) -> None:
        _, _, module, *words = command
        self._start = Start(module, words, str(Path(cwd).resolve()), dict(env), start_new_session)
        self._line, self._servers = socket.socketpair()
        super().__init__(command, **options)

    def _execute_child(self, *arguments: Any) -> None:
        """As `Popen` does it, which has opened the files by now: each one's two ends."""
        ends = arguments[10:16]
        stdin, _, _, stdout, _, stderr = ends
        files = [own if it < 0 else it for own, it in enumerate((stdin, stdout, stderr))]
        with self._servers as theirs:
            socket.send_fds(_server(), [b"."], [theirs.fileno(), *files])
        self._line.sendall(pickle.dumps(self._start))
        self._line.shutdown(socket.SHUT_WR)
        self.pid = _number(self._line.recv(NUMBER_SIZE, socket.MSG_WAITALL))
        self._child_created = True
        self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def __del__(self, *_: Any) -> None:
        super().__del__()
        if self.returncode is not None:
            self._line.close()

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self._ended(0)

    def _wait(self, timeout: float | None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _ended(self, timeout_s: float | None) -> int | None:
        end = select.poll()
        end.register(self._line, select.POLLIN)
        if self.returncode is None and end.poll(None if timeout_s is None else timeout_s * 1_000):
            # it stays there, for another thread that waits
            status = self._line.recv(NUMBER_SIZE, socket.MSG_PEEK | socket.MSG_WAITALL)
            self.returncode = os.waitstatus_to_exitcode(_number(status))
        return self.returncode


def _number(told: bytes) -> int:
    assert len(told) == NUMBER_SIZE, "the server from which commands are forked has ended"
    return int.from_bytes(told, "little")


def _serve(tests: socket.socket) -> str:
    """Fork until the tests end; in each process that is forked, return the module to run."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # for a child, once that takes it
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ends, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    lines: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([tests, ends], [], [])
        if ends in ready:
            ends.recv(4_096)
            _tell_ends(lines)
        if tests not in ready:
            continue
        _, files, _, _ = socket.recv_fds(tests, 1, 4)
        if not files:
            for pid in lines:
                os.kill(pid, signal.SIGKILL)
            raise SystemExit
        line = socket.socket(fileno=files.pop(0))
        with line.makefile("rb") as asked:
            what: Start = pickle.load(asked)
        _load(what)
        pid = os.fork()
        if not pid:
            for each in (tests, ends, waker, line, *lines.values()):
                each.close()
            _become(what, files)
            return what.module
        for file in files:
            os.close(file)
        line.sendall(pid.to_bytes(NUMBER_SIZE, "little"))
        lines[pid] = line


def _tell_ends(lines: dict[int, socket.socket]) -> None:
    while lines:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with lines.pop(pid) as line, suppress(OSError):  # nobody waits for it any more
            line.sendall(status.to_bytes(NUMBER_SIZE, "little"))


def _load(what: Start) -> None:
    """Load what a command will load; what cannot be, it will say itself."""
    from isfc.cli.main import COMMANDS

    named = [f"isfc.cli.{COMMANDS[word].module}" for word in what.words[:1] if word in COMMANDS]
    for module in (*named, *FOR_ALL):
        with suppress(ImportError):
            import_module(module)
    gc.collect()
    gc.freeze()  # a child need not look through it, nor have copies of it


def _become(what: Start, files: Sequence[int]) -> None:
    """Make this process one that has just begun."""
    signal.set_wakeup_fd(-1)
    for signum in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if what.has_session:
        os.setsid()
    for number, (name, file) in enumerate(zip(("stdin", "stdout", "stderr"), files, strict=True)):
        os.dup2(file, number)
        os.close(file)
        before = getattr(sys, name)
        straight = before.write_through and before.mode == "w"  # PYTHONUNBUFFERED
        buffering = 0 if straight else -1
        binary: Any = open(number, f"{before.mode}b", buffering, closefd=False)  # noqa: SIM115
        getattr(binary, "raw", binary).name = before.name
        by_line = not before.write_through and (name == "stderr" or binary.isatty())
        after: Any = io.TextIOWrapper(
            binary, before.encoding, before.errors, "\n", by_line, before.write_through
        )
        after.mode = before.mode
        setattr(sys, name, after)
        setattr(sys, f"__{name}__", after)
    os.chdir(what.folder)
    os.environ.clear()
    os.environ.update(what.environment)
    sys.argv[1:] = what.words
    if not sys.flags.safe_path:
        sys.path[0] = what.folder


if __name__ == "__main__":
    runpy.run_module(
        _serve(socket.socket(fileno=int(sys.argv[1]))), run_name="__main__", alter_sys=True
    )
