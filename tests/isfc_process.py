"""isfc as a process, forked from one that has loaded it: loading takes longer than most commands.

`start` and `isfc` are `Popen` and `run` of `subprocess` for ``python -m isfc``. What they start has
arguments, directory, environment, standard files and signals of its own, as Python begins with
them, and ends as Python ends. Tests of what is loaded, and of what comes meanwhile, need another.
"""

import atexit
import os
import pickle
import select
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.isfc_server import NUMBER_SIZE
from tests.waiting import PATIENCE_S

ROOT: Final = Path(__file__).parents[1]
AT_FIRST: Final = dict(os.environ)
OF_PYTHON: Final = ("PYTHON", "LC_", "LANG", "TZ")
"""How the variables begin that Python reads as it starts: where they differ, it has to start."""
USED: Final[Counter[str]] = Counter()
"""``ms`` of processor time of processes that have ended, which are no children of this one."""


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
    is_usual = _of_python(env) == _of_python(AT_FIRST) and _limits() == LIMITS
    if prefix or not is_usual or not hasattr(os, "fork"):
        return subprocess.Popen(command, env=env, **options)
    return _Forked(command, env, **options)


def isfc(
    *words: str, timeout: float = PATIENCE_S, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """A command from begin to end, with what it has said unless that goes elsewhere."""
    common = {"stdin": subprocess.DEVNULL, "text": True}
    common |= dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with start(*words, **common | options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _limits() -> list[tuple[int, int]]:
    """What a process may use, which it inherits of the one that starts it."""
    try:
        import resource
    except ImportError:  # Windows has none
        return []
    return [resource.getrlimit(each) for each in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)]


LIMITS: Final = _limits()


def _of_python(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(OF_PYTHON)}


@cache
def _server() -> socket.socket:
    """What goes to the server of this process of tests, which ends with it."""
    ours, theirs = socket.socketpair()
    with theirs:
        number = theirs.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.isfc_server", str(number)],
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
        **files: Any,
    ) -> None:
        assert files.keys() <= {"stdin", "stdout", "stderr", "text", "encoding"}
        sys.audit("subprocess.Popen", command[0], command, cwd, env)  # `Popen` does not come to it
        _, _, module, *words = command
        self._asked = (module, words, str(Path(cwd).resolve()), dict(env), start_new_session)
        self._line, self._servers = socket.socketpair()
        super().__init__(command, **files)

    def _execute_child(self, *arguments: Any) -> None:
        """As `Popen` does it, which has opened the files by now: each one's two ends."""
        ends = arguments[10:16]
        stdin, _, _, stdout, _, stderr = ends
        files = [own if it < 0 else it for own, it in enumerate((stdin, stdout, stderr))]
        with self._servers as theirs:
            socket.send_fds(_server(), [b"."], [theirs.fileno(), *files])
        self._line.sendall(pickle.dumps(self._asked))
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
            told = self._line.recv(2 * NUMBER_SIZE, socket.MSG_PEEK | socket.MSG_WAITALL)
            self.returncode = os.waitstatus_to_exitcode(_number(told[:NUMBER_SIZE]))
            USED["ms"] += _number(told[NUMBER_SIZE:])
        return self.returncode


def _number(told: bytes) -> int:
    assert len(told) == NUMBER_SIZE, "the server from which commands are forked has ended"
    return int.from_bytes(told, "little")
