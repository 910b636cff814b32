"""What the two processes of every live contender share: cases, arguments, meter and report.

A contender is two processes joined by Unix sockets in one folder. The ``far`` one listens; the
``near`` one connects and drives. Both count the same things and mark their own clocks when the
warm-up is over and when all is counted, so that nobody else's time is in the figures; then each
prints one line of JSON. So does the C program ``live_packages.c``.
"""

import argparse
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final

MESSAGE_LENGTH: Final = 118_219
"""Seven such messages, with ISFC's headers, are a package of 830,000 bytes."""
MESSAGES_PER_PACKAGE: Final = 7
PAYLOAD_LENGTH: Final = MESSAGE_LENGTH * MESSAGES_PER_PACKAGE
"""What a package carries for programs; peers carry as much, without headers."""
CONNECTIONS: Final = 8
"""Sockets of a peer, CTCs of ISFC, for packages."""

WINDOW: Final = 200
"""Exchanges under way at a time: a hundred pairs of guests, two each."""
HL_WINDOW: Final = 100
"""The same for HL, where fifty pairs are enough."""
PING_LENGTH: Final = 64

BUFFER_LENGTH: Final = 256 * 1024
"""Bytes that a socket's buffers are asked to hold either way."""

CONNECT_S: Final = 10.0
"""How long the near process waits for the far one to listen."""

MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class LiveCase:
    """What each contender is measured at. CPU is of both processes, for one of what is counted."""

    heading: str
    length: int
    """Bytes of what is counted: a package, a message of a stream, an exchange or a round trip."""
    warmup: int
    count: int
    """How many are measured, after ``warmup`` of them."""
    unit: str = "MB/s"
    in_unit: float = 1.0
    """What one of them a second is in that unit."""
    replies: bool = False
    """Whether something goes back; else all goes one way, as a stream."""
    messages: int = 1
    """Messages that are one of what is counted."""
    connections: int = 1
    """Of a peer."""
    ctcs: int = 8


def _stream(heading: str, length: int, warmup: int, count: int) -> LiveCase:
    heading = f"{heading}; 8 CTCs, or one connection"
    return LiveCase(heading, length, warmup, count, in_unit=length / MIB)


CASES: Final = {
    "packages": LiveCase(
        "packages: of 830 kB, 8 CTCs or connections",
        *(PAYLOAD_LENGTH, 500, 4_000, "MB/s", PAYLOAD_LENGTH / MIB),
        messages=MESSAGES_PER_PACKAGE,
        connections=CONNECTIONS,
    ),
    "large": _stream("large: messages of 118 kB", MESSAGE_LENGTH, 2_000, 20_000),
    "blocks": _stream("blocks: messages of 32 KiB", 32_768, 5_000, 50_000),
    "small": replace(
        _stream("small: messages of 1 KiB", 1_024, 50_000, 400_000),
        unit="thousand/s",
        in_unit=1e-3,
    ),
    "messages": LiveCase(
        "messages: HS, 512/8192 bytes, 20 %, replies 2048; 200 under way; both ways",
        *(0, 10_000, 60_000, "messages/s", 2.0),
        replies=True,
        ctcs=16,
    ),
    "pingpong": LiveCase(
        "pingpong: of 64 bytes, us", PING_LENGTH, 1_000, 5_000, "us", replies=True
    ),
}
"""What is compared, by name."""
MEMORY: Final = LiveCase("HL, for as long as memory is watched", 0, 0, 10**15, ctcs=16)


@dataclass(frozen=True, slots=True)
class PeerPart:
    """What one process of a contender is to do."""

    far: bool
    case: str
    folder: Path
    warmup: int
    count: int
    """How many are measured, after ``warmup`` of them."""

    @property
    def of(self) -> LiveCase:
        """What is measured."""
        return CASES.get(self.case, MEMORY)

    @property
    def message_length(self) -> int:
        """Bytes of the messages that are sent one way."""
        return self.of.length // self.of.messages


@dataclass(slots=True)
class Stopwatch:
    """Wall and processor time between two marks, and of each round trip where they are timed."""

    wall_ns: int = 0
    cpu_ns: int = 0
    trips_ns: list[int] = field(default_factory=list)

    def start(self) -> None:
        """The warm-up is over."""
        self.trips_ns.clear()
        self.cpu_ns = -time.process_time_ns()
        self.wall_ns = -time.perf_counter_ns()

    def stop(self) -> None:
        """All is counted."""
        self.wall_ns += time.perf_counter_ns()
        self.cpu_ns += time.process_time_ns()

    def counted(self, part: PeerPart) -> Iterator[int]:
        """The numbers of all that is done; what comes after the warm-up is measured."""
        yield from range(part.warmup)
        self.start()
        yield from range(part.warmup, part.warmup + part.count)
        self.stop()

    def report(self) -> None:
        """Print the figures, in nanoseconds, as one line of JSON."""
        figures = {"wall_ns": self.wall_ns, "cpu_ns": self.cpu_ns}
        if self.trips_ns:
            trips = sorted(self.trips_ns)
            figures["p50_ns"] = trips[len(trips) // 2]
            figures["p99_ns"] = trips[len(trips) * 99 // 100]
        print(json.dumps(figures), flush=True)


def read_part(prog: str) -> PeerPart:
    """The part that the command line asks for."""
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("role", choices=("near", "far"))
    parser.add_argument("case", choices=(*CASES, "memory"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("warmup", type=int)
    parser.add_argument("count", type=int)
    given = parser.parse_args()
    return PeerPart(given.role == "far", given.case, given.folder, given.warmup, given.count)


def hs_messages() -> list[bytes]:
    """Messages of the suite HS in an order that is drawn once: 512 bytes in 20 %, else 8,192."""
    random = Random(1)
    small, large = bytes(512), bytes(8_192)
    return [small if random.random() < 0.2 else large for _ in range(4_096)]


HS_REPLY: Final = bytes(2_048)


def hl_messages() -> list[bytes]:
    """As `hs_messages`, of the suite HL: 98,304 bytes in 20 %, else 122,880."""
    small, large = bytes(98_304), bytes(122_880)
    return [small if len(message) == 512 else large for message in hs_messages()]


HL_REPLY: Final = bytes(8_192)


def listen(path: Path) -> socket.socket:
    """A listening Unix socket, there under its name only when it listens."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    hidden = path.with_suffix(".new")
    listener.bind(str(hidden))
    listener.listen(CONNECTIONS)
    hidden.rename(path)
    return listener


def connect(path: Path) -> socket.socket:
    """A connection to the listener at ``path``, which may still have to come."""
    await_path(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(str(path))
    return widen(connection)


def await_path(path: Path) -> None:
    """Wait until ``path`` is there."""
    end_s = time.monotonic() + CONNECT_S
    while not path.exists():
        if time.monotonic() > end_s:
            raise TimeoutError(f"nobody listens at {path}")
        time.sleep(0.002)


def widen(connection: socket.socket) -> socket.socket:
    """Give ``connection`` large buffers."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_LENGTH)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_LENGTH)
    return connection
