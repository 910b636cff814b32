"""Ends of CTCs, and ports for them: each with the one above it, as the older form takes pairs."""

import os
import socket
from contextlib import suppress
from functools import cache
from itertools import count

from ctc.address import Rdev
from isfc.live.ctce.join import CtcEnd, HostPort, JoinedCtc


@cache
def _candidates() -> "count[int]":
    """Below those that a kernel gives out; processes with numbers in a row begin far apart."""
    return count(20_000 + 64 * (37 * os.getpid() % 150), 2)


def free_ports(wanted: int) -> list[int]:
    """So many even ports of which the next is free too."""
    found: list[int] = []
    while len(found) < wanted:
        port = next(_candidates())
        with (
            suppress(OSError),
            socket.create_server(("127.0.0.1", port)),
            socket.create_server(("127.0.0.1", port + 1)),
        ):
            found.append(port)
    return found


def two_ends(first: str = "A", second: str = "B") -> JoinedCtc:
    """The ends of a CTC that nobody connects to."""
    at, ours = HostPort("h", 31000), HostPort("h", 31002)
    return CtcEnd(first, Rdev(0x500), at, ours), CtcEnd(second, Rdev(0x500), at, ours)
