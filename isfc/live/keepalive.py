"""Finding out that the other end of a TCP connection is gone without having said so.

A machine that lost its power, or a cable that was cut, closes no connection. The system can ask
now and then whether the other end is still there, and give a connection up that confirms nothing.

A program that is there and does not read confirms nothing either: TCP_USER_TIMEOUT counts the time
in which its window is closed. The partner of a CTC always reads. A client or service of a forward
need not, so its connection has no such timeout; `Answers` looks whether its system answers.
"""

import socket
import struct
import sys
from typing import Final

IDLE_S: Final = 15
"""After so many seconds of silence the other end is asked: a missing-interrupt interval."""

INTERVAL_S: Final = 5
PROBES_MAX: Final = 3
"""Seconds between further questions, and how many may go without an answer."""

UNCONFIRMED_MS: Final = 30_000
"""How long bytes may stay unconfirmed: as long as an idle connection may be silent, in all."""

ANSWERS_MISSED_MIN: Final = 3
"""So many segments without an answer, and `UNCONFIRMED_MS` since the last one: the other end is
gone. Where a window stays closed, Linux asks ever more rarely: every 2 minutes in the end."""

_OPTIONS: Final = {
    "TCP_KEEPIDLE": IDLE_S,
    "TCP_KEEPINTVL": INTERVAL_S,
    "TCP_KEEPCNT": PROBES_MAX,
}

TCP_INFO: Final = struct.Struct("=2x B B 4x 48x I")
"""Of Linux's struct tcp_info: retransmits, probes, and after 12 more words last_ack_recv in ms."""


def keep_alive(connection: socket.socket, *, reads: bool = True) -> None:
    """Let the system watch over a TCP connection; one of another kind stays as it is.

    ``reads`` says that the program at the other end always reads, so that one that confirms
    nothing is gone.
    """
    if connection.family == socket.AF_UNIX:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    timeout = {"TCP_USER_TIMEOUT": UNCONFIRMED_MS} if reads else {}
    for name, value in {**_OPTIONS, **timeout}.items():
        number = getattr(socket, name, None)  # Linux has them all
        if number is not None:
            connection.setsockopt(socket.IPPROTO_TCP, number, value)


class Answers:
    """Whether the system at the other end of a TCP connection answers, looked at now and then.

    Linux says when the last segment came and how often it has sent without an answer. Where the
    system does not say, nobody is ever found to be gone.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._silent_ms = 0
        self._answered_retransmits = 0
        """Retransmissions when the last answer was seen. A closed window that is confirmed does not
        set the system's count back."""

    def are_missing(self) -> bool:
        """Whether the other end is gone, as of now."""
        if sys.platform != "linux" or self._connection.fileno() < 0:
            return False
        data = self._connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size)
        retransmits, probes, silent_ms = TCP_INFO.unpack(data)
        if silent_ms < self._silent_ms or retransmits < self._answered_retransmits:
            self._answered_retransmits = retransmits
        self._silent_ms = silent_ms
        missed = max(probes, retransmits - self._answered_retransmits)
        return bool(silent_ms >= UNCONFIRMED_MS and missed >= ANSWERS_MISSED_MIN)
