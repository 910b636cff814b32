"""Whose process is at the other end of a TCP connection on this machine.

Any local user can reach a port of the loopback interface, to connect or to listen there first.
Linux says to whom a connection belongs: netlink's ``sock_diag`` is asked for that one alone, which
takes microseconds however many others there are.
"""

import os
import socket
import struct
from typing import Final

_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_ANY: Final = 0xFFFF_FFFF
_LISTENING: Final = 10
"""From linux/netlink.h, linux/sock_diag.h and net/tcp_states.h."""

_HEADER: Final = struct.Struct("=I H H I I")  # struct nlmsghdr
_ASK: Final = struct.Struct("=B B B x I")  # the begin of struct inet_diag_req_v2
_ENDS: Final = struct.Struct("!H H 16s 16s")  # that of struct inet_diag_sockid
_REST: Final = struct.Struct("=I I I")  # its interface and cookie
_FOUND: Final = struct.Struct("=B B B B")  # the begin of struct inet_diag_msg
_OWNER: Final = struct.Struct("=I I I I I")  # its end: expires, two queues, uid, inode
_ANSWER_LENGTH_MAX: Final = 8_192


def can_tell_users() -> bool:
    """Whether this system says whose a connection is: Linux does, macOS does not."""
    if not hasattr(socket, "AF_NETLINK"):
        return False
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = listener.getsockname()
            with socket.create_connection(address) as connection:
                return _owner(socket.AF_INET, connection.getsockname(), address) is not None
    except OSError:
        return False


def foreign_user(connection: socket.socket) -> str | None:
    """Why the other end of a connection on this machine is not ours; None if it is."""
    try:
        uid = _owner(connection.family, connection.getpeername(), connection.getsockname())
    except (OSError, AttributeError):  # a system without netlink has no AF_NETLINK either
        uid = None
    if uid is None:
        return "nobody knows whose process this is: it takes TLS, or --insecure"
    if uid != os.getuid():
        return f"a process of another user, {uid}: it takes TLS, or --insecure"
    return None


def _owner(family: int, local: tuple[str | int, ...], remote: tuple[str | int, ...]) -> int | None:
    """Who has the connection between two places; None if nobody has. Raises `OSError`.

    One that nobody has accepted yet, or that was closed, has no inode.
    """
    ends = _ENDS.pack(local[1], remote[1], _packed(family, local[0]), _packed(family, remote[0]))
    question = _ASK.pack(family, socket.IPPROTO_TCP, 0, _ANY) + ends + _REST.pack(0, _ANY, _ANY)
    length = _HEADER.size + len(question)
    header = _HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0)
    kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    with socket.socket(socket.AF_NETLINK, kind, _NETLINK_SOCK_DIAG) as netlink:
        netlink.setblocking(False)
        netlink.send(header + question)
        answer = netlink.recv(_ANSWER_LENGTH_MAX)  # the kernel has answered before send returns
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None  # an error: no such connection
    at = _HEADER.size
    state = _FOUND.unpack_from(answer, at)[1]
    at += _FOUND.size
    if state == _LISTENING or answer[at : at + _ENDS.size] != ends:
        return None  # the connection is gone, and this is who listens there
    at += _ENDS.size + _REST.size
    _, _, _, uid, inode = _OWNER.unpack_from(answer, at)
    return int(uid) if inode else None


def _packed(family: int, host: str | int) -> bytes:
    """An address as the kernel has it, in 16 bytes."""
    return socket.inet_pton(family, str(host).partition("%")[0]).ljust(16, b"\0")
