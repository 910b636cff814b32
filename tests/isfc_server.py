"""What commands of isfc are forked from, for `tests.isfc_process`: a process that has loaded them.

It takes requests from the socket whose number it is given, and ends with that. Each comes with the
three standard files and with a line of its own: there, what is to be run is read, and the process's
number and in the end its status are told. What a command needs is loaded when it first comes.
"""

import gc
import io
import os
import pickle
import runpy
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

NUMBER_SIZE: Final = 4
FOR_ALL: Final = ("isfc.reports.terminal", "uvloop", "json", "resource", "tempfile")
"""What commands load only to show a result, or to run live, and what `tests.own_process` loads.

Ctrl-C is lost that comes in a callback for the end of an object, as each import has one.
"""


def serve(tests: socket.socket) -> str:
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
            tell_ends(lines)
        if tests not in ready:
            continue
        _, files, _, _ = socket.recv_fds(tests, 1, 4)
        if not files:
            for pid in lines:
                os.kill(pid, signal.SIGKILL)
            raise SystemExit
        line = socket.socket(fileno=files.pop(0))
        with line.makefile("rb") as asked:
            module, words, *circumstances = pickle.load(asked)
        load(words)
        pid = os.fork()
        if not pid:
            for each in (tests, ends, waker, line, *lines.values()):
                each.close()
            sys.argv[1:] = words
            become(files, *circumstances)
            return str(module)
        for file in files:
            os.close(file)
        line.sendall(pid.to_bytes(NUMBER_SIZE, "little"))
        lines[pid] = line


def tell_ends(lines: dict[int, socket.socket]) -> None:
    """Tell the status of each process that has ended, and its processor time in ms."""
    while lines:
        pid, status, used = os.wait4(-1, os.WNOHANG)
        if not pid:
            return
        used_ms = round(1e3 * (used.ru_utime + used.ru_stime))
        with lines.pop(pid) as line, suppress(OSError):  # nobody waits for it any more
            line.sendall(b"".join(n.to_bytes(NUMBER_SIZE, "little") for n in (status, used_ms)))


def load(words: Sequence[str]) -> None:
    """Load what a command will load; what is not installed, it will say itself."""
    from isfc.cli.main import COMMANDS, load_command

    for word in {*words[:1]} & {*COMMANDS}:
        with suppress(ImportError):
            load_command(word)
    for module in FOR_ALL:
        with suppress(ImportError):
            import_module(module)
    gc.collect()
    gc.freeze()  # a child need not look through it, which would copy it


def become(
    files: Sequence[int], folder: str, environment: Mapping[str, str], has_session: bool
) -> None:
    """Make this process one that has just begun."""
    signal.set_wakeup_fd(-1)
    for signum in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if has_session:
        os.setsid()
    for number, (name, file) in enumerate(zip(("stdin", "stdout", "stderr"), files, strict=True)):
        os.dup2(file, number)
        os.close(file)
        opened = open_as(getattr(sys, name), number)
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if not sys.flags.safe_path:
        sys.path[0] = folder


def open_as(before: Any, number: int) -> Any:
    """A standard file as Python opens it, which has opened one ``before``."""
    straight = before.write_through  # PYTHONUNBUFFERED
    buffering = 0 if straight and before.mode == "w" else -1
    binary: Any = open(number, f"{before.mode}b", buffering, closefd=False)  # noqa: SIM115
    getattr(binary, "raw", binary).name = before.name
    by_line = not straight and (before.name == "<stderr>" or binary.isatty())
    text: Any = io.TextIOWrapper(binary, before.encoding, before.errors, "\n", by_line, straight)
    text.mode = before.mode
    return text


if __name__ == "__main__":
    wanted = serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module(wanted, run_name="__main__", alter_sys=True)
