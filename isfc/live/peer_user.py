"""Whose process is at the other end of a TCP connection on this machine.

Any local user can reach a port of the loopback interface, to connect or to listen there first.
Linux shows every connection of a network namespace with the user who owns it.
"""

import os
import socket
import struct
from pathlib import Path
from typing import Final

TABLES: Final = {socket.AF_INET: Path("/proc/net/tcp"), socket.AF_INET6: Path("/proc/net/tcp6")}
"""Where the kernel lists the connections of a family of addresses."""

_WORD: Final = struct.Struct("=I")
_UID, _INODE = 7, 9
_FIELDS_MIN: Final = 10


def can_tell_users() -> bool:
    """Whether this system says whose a connection is."""
    return TABLES[socket.AF_INET].exists()


def foreign_user(connection: socket.socket) -> str | None:
    """Why the other end of a connection on this machine is not ours; None if it is."""
    local, remote = connection.getpeername()[:2], connection.getsockname()[:2]
    try:
        table = TABLES[connection.family].read_text("ascii")
    except OSError:
        table = ""
    uid = uid_in(table, _place(connection.family, *local), _place(connection.family, *remote))
    if uid is None:
        return "nobody knows whose process this is: it takes TLS, or --insecure"
    if uid != os.getuid():
        return f"a process of another user, {uid}: it takes TLS, or --insecure"
    return None


def uid_in(table: str, local: str, remote: str) -> int | None:
    """Who has the connection between two places, of a kernel's table; None if nobody has.

    One that nobody has accepted yet, or that was closed, is shown as root's; it has no inode.
    """
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) >= _FIELDS_MIN and fields[1] == local and fields[2] == remote:
            return int(fields[_UID]) if fields[_INODE] != "0" else None
    return None


def _place(family: int, host: str, port: int) -> str:
    """Address and port as the kernel writes them: words as this processor has them, in hex."""
    packed = socket.inet_pton(family, host.partition("%")[0])
    words = "".join(f"{word:08X}" for (word,) in _WORD.iter_unpack(packed))
    return f"{words}:{port:04X}"
