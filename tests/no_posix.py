"""Makes a Python of Linux look like one of Windows: without POSIX modules, signals and calls.

Run it first in a process of its own. What the standard library itself is built upon on Linux is
loaded before it is taken away.
"""

# ruff: noqa: F401
import asyncio.unix_events
import concurrent.futures.process
import importlib.resources
import logging.handlers
import multiprocessing.connection
import multiprocessing.popen_spawn_posix
import os
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop"}
SIGNALS = (
    "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH "
    "SIG_BLOCK SIG_SETMASK SIG_UNBLOCK pthread_kill pthread_sigmask setitimer sigwait"
)
CALLS = (
    "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork forkpty geteuid getgid "
    "getloadavg getpgid getuid killpg memfd_create mkfifo nice pread pwrite register_at_fork "
    "sched_getaffinity sched_setaffinity sendfile setsid statvfs sysconf"
)
SOCKETS = "AF_NETLINK AF_UNIX SO_PEERCRED SO_REUSEPORT TCP_USER_TIMEOUT"


class Without:
    """A finder of modules that does not find those of POSIX."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, name: str, *where: Any) -> Any:
        """As the finder has it, and None for a module of POSIX."""
        return None if name in MODULES else self._finder.find_spec(name, *where)

    def __getattr__(self, name: str) -> Any:
        """What else a finder has, such as `find_distributions`."""
        return getattr(self._finder, name)


def take_away(module: ModuleType, names: str) -> None:
    """Let a module have none of ``names``."""
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)


socket.socketpair = partial(socket.socketpair, socket.AF_UNIX)  # what multiprocessing's pipes are
lines: Any = multiprocessing.connection
lines.Pipe = FunctionType(lines.Pipe.__code__, dict(vars(lines)), "Pipe", (True,))
lines.Connection = type("Connection", (), {})  # of a socket: a pipe's ends are of another class
for loaded in MODULES:
    sys.modules.pop(loaded, None)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
take_away(signal, SIGNALS)
take_away(os, CALLS)
take_away(socket, SOCKETS)
