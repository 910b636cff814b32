"""One connection: the bytes between the two ends of one CTC, and what happens to it.

Frames come out whole (`isfc.live.frames`); what is sent goes as it is.

A machine that lost its power, or a cable that was cut, closes no connection. The system can ask
now and then whether the other end is still there, and give a connection up that confirms nothing.

A program that is there and does not read confirms nothing either: TCP_USER_TIMEOUT counts the time
in which its window is closed. The partner of a CTC always reads. A client or service of a forward
need not, so its connection has no such timeout; `Answers` looks whether its system answers.
"""

import asyncio
import os
import socket
import ssl
import struct
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Protocol, cast

from msgspec import Struct

from ctc.address import Rdev
from isfc.engine.wire import FRAME_LENGTH_MAX
from isfc.link.events import LinkEvent
from isfc.live.frames import FAREWELL, Deliver, FrameCutter, to_nobody


class LiveCounters(Struct):
    """What has happened to the connections since the engine began."""

    attached_count: int = 0
    detached_count: int = 0
    refused_count: int = 0
    severed_count: int = 0


class Attached(Struct, frozen=True):
    """A CTC has its connection."""

    rdev: Rdev


class Detached(Struct, frozen=True):
    """A CTC has lost its connection."""

    rdev: Rdev
    reason: str


class ConnectionRefused(Struct, frozen=True):
    """A connection was not let in, by this end or by the partner's (``by_partner``)."""

    peer: str
    reason: str
    by_partner: bool = False


LiveEvent = LinkEvent | Attached | Detached | ConnectionRefused
"""What an engine's listeners are told."""


UNSENT_LENGTH_MAX: Final = 2 * FRAME_LENGTH_MAX
"""Bytes that may wait for a partner who does not read. A CTC has one package on its way, so that
more than two mean that resets have piled up."""

SEND_BUFFER_LENGTH: Final = 2**20
"""Bytes that a Unix socket takes without waiting: a whole package. (TCP sets its own.)"""

PARTING_S: Final = 0.5
"""How long a partner may take to close what we parted on, in seconds: it may be gone itself."""

_LOOK_S: Final = 0.002
"""Between two looks at what is to be closed."""


class Receiver(Protocol):
    """Who is told what comes out of a connection."""

    def connected(self, connection: "Connection") -> None:
        """It is there."""

    def received(self, connection: "Connection", data: bytes | memoryview) -> None:
        """One whole frame; ``data`` is the receiver's to keep. May raise `RemoteProtocolError`."""

    def lost(self, connection: "Connection", reason: str) -> None:
        """It is gone; nothing follows."""


class Connection(asyncio.BufferedProtocol):
    """A connection whose bytes are frames.

    ``measure`` says how long a frame is, as for `FrameCutter`. It may be changed from one frame
    to the next: greetings first, then the link's frames. So may `deliver`, which takes them: the
    receiver's `received` at first. Nothing is delivered once it was ended here.
    """

    # What a loop calls for all bytes that come is the cutter's own, which is compiled: attributes
    # of each connection, where the protocol has methods.
    get_buffer: Callable[[int], memoryview]  # type: ignore[assignment]
    buffer_updated: Callable[[int], None]  # type: ignore[assignment]

    def __init__(
        self,
        receiver: Receiver,
        measure: Callable[[memoryview], int | None],
    ) -> None:
        self._receiver = receiver
        self._transport: asyncio.Transport | None = None
        self._lost = False
        """Whether it has ended: a transport of asyncio's that is then aborted ends once more."""
        self._reason = "the partner closed the connection"
        self._cutter = FrameCutter(measure, partial(receiver.received, self), self.abort)
        self.get_buffer = self._cutter.get_buffer
        self.buffer_updated = self._cutter.buffer_updated

    def deliver_to(self, deliver: Deliver, delivered: Callable[[], None] | None = None) -> None:
        """From the next frame on let ``deliver`` take them; then ``delivered`` is called."""
        self._cutter.deliver = deliver
        self._cutter.delivered = delivered

    def measure_with(self, measure: Callable[[memoryview], int | None]) -> None:
        """From the next frame on let ``measure`` say how long they are."""
        self._cutter.measure = measure

    @property
    def transport(self) -> asyncio.Transport:
        """What it is sent over; only once it is connected."""
        assert self._transport is not None, "not connected yet"
        return self._transport

    def write(self, *pieces: bytes | memoryview) -> None:
        """Send; more than a partner may leave unread ends the connection.

        Pieces may be sent from where they lie, so they must stay as they are. On a connection that
        has ended, or is about to, nothing is sent.
        """
        transport = self._transport
        assert transport is not None, "not connected yet"
        # ``writelines`` of asyncio (3.12, 3.13.0) does not ask: it would register a file descriptor
        # that is closed, which then belongs to the next connection with the same number.
        if transport.is_closing():
            return
        if transport.get_write_buffer_size() > UNSENT_LENGTH_MAX:
            self.abort("the partner does not read")
        elif len(pieces) == 1:
            transport.write(pieces[0])
        else:
            transport.writelines(pieces)

    def close(self, reason: str) -> None:
        """End it once everything is sent."""
        self._cutter.ended = True
        self._reason = reason
        if self._transport is not None:
            self._transport.close()

    def part(self, reason: str) -> None:
        """Say that this node ends. The partner closes; of what it still sends a farewell counts."""
        self._cutter.deliver = to_nobody
        self._reason = reason
        self.write(FAREWELL)

    @property
    def closing(self) -> bool:
        """Whether it has ended, or is about to."""
        return self._transport is None or self._transport.is_closing()

    def abort(self, reason: str) -> None:
        """End it now."""
        self._cutter.ended = True
        self._reason = reason
        if self._transport is not None and not self._lost:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set the socket up, and greet if this end has connected."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is not one by descent
        _prepare(self.transport)
        self._receiver.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End, by whoever's doing. The cutter refers back to nobody: no collector is needed."""
        self._lost = True
        self._cutter.release()
        self._receiver.lost(self, reason_of(exc) if exc else self._reason)


async def parted(connections: Iterable[Connection]) -> None:
    """Wait until the partner has closed connections on which we parted, for `PARTING_S` at most."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + PARTING_S
    waiting = [connection for connection in connections if not connection.closing]
    while waiting and loop.time() < end_s:
        await asyncio.sleep(_LOOK_S)
        waiting = [connection for connection in waiting if not connection.closing]
    for connection in waiting:
        connection.abort("this node ends")


def _prepare(transport: asyncio.Transport) -> None:
    """Set socket options: a whole package is sent in one go, and a dead partner is noticed."""
    connected = transport.get_extra_info("socket")
    if connected is None:
        return
    keep_alive(connected)
    if connected.family == socket.AF_UNIX:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_LENGTH)


def reason_of(error: BaseException) -> str:
    """What is wrong with a connection, without numbers and the places of a library's source."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not accepted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, OSError) and error.errno:
        own = isinstance(error, socket.gaierror) or error.errno < 0
        return str(error.strerror) if own else os.strerror(error.errno)
    return str(error) or "the partner closed the connection"


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
