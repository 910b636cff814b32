"""Finding out that the other end of a TCP connection is gone without having said so.

A machine that lost its power, or a cable that was cut, closes no connection. The system can ask
now and then whether the other end is still there, and give a connection up that confirms nothing.
"""

import socket
from typing import Final

IDLE_S: Final = 15
"""After so many seconds of silence the other end is asked: a missing-interrupt interval."""

INTERVAL_S: Final = 5
PROBES_MAX: Final = 3
"""Seconds between further questions, and how many may go without an answer."""

UNCONFIRMED_MS: Final = 30_000
"""How long bytes may stay unconfirmed: as long as an idle connection may be silent, in all."""

_OPTIONS: Final = {
    "TCP_KEEPIDLE": IDLE_S,
    "TCP_KEEPINTVL": INTERVAL_S,
    "TCP_KEEPCNT": PROBES_MAX,
    "TCP_USER_TIMEOUT": UNCONFIRMED_MS,
}


def keep_alive(connection: socket.socket) -> None:
    """Let the system watch over a TCP connection; one of another kind stays as it is."""
    if connection.family == socket.AF_UNIX:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        number = getattr(socket, name, None)  # Linux has them all
        if number is not None:
            connection.setsockopt(socket.IPPROTO_TCP, number, value)
