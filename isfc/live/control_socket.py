"""The Unix socket of a node's control: made for its owner only, and found out if left over."""

import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError

PATH_LENGTH_MAX: Final = 103 if sys.platform == "darwin" else 107
"""Bytes of a Unix socket's path: Linux has 108 for it and macOS 104, with a zero behind it."""
BACKLOG: Final = 16
CONNECT_S: Final = 5.0
"""A node that is too busy to accept for so long is treated as gone."""
_RETRY_S: Final = 0.02
_PEER: Final = struct.Struct("3i")  # struct ucred of Linux: pid, uid, gid
_PEER_OF_MACOS: Final = struct.Struct("=II68x")  # struct xucred: version, uid, groups
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # sys/un.h of macOS


_NODE_RUNS: Final = "a node of that name runs already"


def listen_at(path: Path, taken: str = _NODE_RUNS, *, backlog: int = BACKLOG) -> socket.socket:
    """A socket that listens at ``path``, which only its owner may use (0600).

    A socket left over by a process that has ended is replaced. Raises `ConfigurationError`
    when a process listens there, which ``taken`` says in words, or when the path cannot be used.
    """
    _check_length(path)
    with _locked(path.parent):
        if is_left_over(path, taken):
            path.unlink()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            path.chmod(0o600)  # before it listens: nobody can have connected
            listener.listen(backlog)
        except OSError as error:
            listener.close()
            raise ConfigurationError(f"{path}: cannot listen there: {error.strerror}") from None
    listener.setblocking(False)
    return listener


def inode_of(path: Path) -> int:
    """By which `take_away` knows a socket again, for as long as it is open."""
    return path.lstat().st_ino


def take_away(path: Path, inode: int) -> None:
    """Remove the socket of that inode at ``path``, unless another has taken its place."""
    with suppress(FileNotFoundError):
        if inode_of(path) == inode:
            path.unlink()


def connect_to(path: Path, timeout_s: float = CONNECT_S) -> socket.socket:
    """A connection to the process that listens at ``path``; `OSError` if there is none.

    That is a `TimeoutError` if it is there and too busy to accept.
    """
    _check_length(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout_s)
    end_s = time.monotonic() + timeout_s
    try:
        while True:
            try:
                connection.connect(str(path))
            except BlockingIOError:  # its queue is full, and Linux lets nobody wait for a place
                if time.monotonic() >= end_s:
                    raise TimeoutError("timed out") from None
                time.sleep(_RETRY_S)
            else:
                break
    except OSError:
        connection.close()
        raise
    return connection


def is_left_over(path: Path, taken: str = _NODE_RUNS) -> bool:
    """Whether ``path`` is a socket at which nobody listens; False if there is nothing.

    Raises `ConfigurationError` when somebody does, with the words ``taken``, and for anything but
    a socket.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(mode):
        raise ConfigurationError(f"{path}: is no socket; expected nothing there")
    try:
        connect_to(path).close()
    except ConnectionRefusedError:
        return True
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be reached: {error.strerror or error}") from None
    raise ConfigurationError(f"{path}: {taken}")


def connect_to_own(path: Path, timeout_s: float = CONNECT_S) -> socket.socket:
    """The same, to a process of this user's. Raises `ConfigurationError` for another's."""
    connection = connect_to(path, timeout_s)
    uid = peer_uid(connection)
    if uid != os.getuid():
        connection.close()
        raise ConfigurationError(f"{path}: user {uid} listens there; expected a node of your own")
    return connection


def peer_uid(connection: socket.socket) -> int:
    """The user id of the process at the other end, as the kernel noted it."""
    if sys.platform == "darwin":
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _PEER_OF_MACOS.size)
        return int(_PEER_OF_MACOS.unpack(data)[1])
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(data)[1])


def _check_length(path: Path) -> None:
    if len(os.fsencode(path)) > PATH_LENGTH_MAX:
        raise ConfigurationError(
            f"{path}: too long for a socket, whose path has at most {PATH_LENGTH_MAX} bytes; "
            "--run-dir, or XDG_RUNTIME_DIR for 'isfc up', says where control sockets are"
        )


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Be the only one that replaces sockets in a directory."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ConfigurationError(f"{directory}: cannot be used: {error.strerror}") from None
    import fcntl  # Windows has none; virtual programs import this module there as well

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
