"""One connection: the bytes between the two ends of one CTC.

Frames come out whole. All are read into large buffers that the connections of a process take
when bytes have come, and that are free again as soon as nobody holds any of it. What is not yet
a whole frame never holds more than the longest one, and an idle connection holds nothing.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Protocol, cast

from isfc.engine.wire import FRAME_LENGTH_MAX, PREFIX_LENGTH, VIEWED_SHARE_MIN, frame_length
from isfc.errors import RemoteProtocolError, WireError
from isfc.live.buffers import KEPT_LENGTH, Buffers
from isfc.live.keepalive import keep_alive

BORROWED_LENGTH_MIN: Final = KEPT_LENGTH // VIEWED_SHARE_MIN
"""A frame of so many bytes is handed over where it lies; a shorter one is copied, so that a message
kept for long does not keep a buffer that is much larger."""

CARRIED_LENGTH_MAX: Final = 4_096
"""Bytes of the beginning of a frame that are worth no buffer. Greetings never get one."""

UNSENT_LENGTH_MAX: Final = 2 * FRAME_LENGTH_MAX
"""Bytes that may wait for a partner who does not read. A CTC has one package on its way, so that
more than two mean that resets have piled up."""

SEND_BUFFER_LENGTH: Final = 2**20
"""Bytes that a Unix socket takes without waiting: a whole package. (TCP sets its own.)"""

FAREWELL: Final = bytes(PREFIX_LENGTH)
"""A frame of no length, which no other is: the last of a partner who ends in good order."""

FAREWELL_REASON: Final = "the partner has ended"
"""Why a connection is gone on which that was said."""

PARTING_S: Final = 0.5
"""How long a partner may take to close what we parted on, in seconds: it may be gone itself."""

_LOOK_S: Final = 0.002
"""Between two looks at what is to be closed."""

_BUFFERS: Final = Buffers()
"""What is read into, on all connections of this process."""


class Receiver(Protocol):
    """Who is told what comes out of a connection."""

    def connected(self, connection: "Connection") -> None:
        """It is there."""

    def received(self, connection: "Connection", data: bytes | memoryview) -> None:
        """One whole frame; ``data`` is the receiver's to keep. May raise `RemoteProtocolError`."""

    def lost(self, connection: "Connection", reason: str) -> None:
        """It is gone; nothing follows."""


class Connection(asyncio.BufferedProtocol):
    """Cuts what arrives into frames.

    ``measure`` says how long the frame that begins with some bytes is, or None while too few
    are there; it raises `WireError` for what cannot become a frame. It may be changed from one
    frame to the next: greetings first, then the link's frames. So may ``deliver``, which takes
    them: the receiver's `received` at first. Nothing is delivered once it was ended here.
    """

    def __init__(
        self,
        receiver: Receiver,
        measure: Callable[[memoryview], int | None],
    ) -> None:
        self.measure = measure
        self.deliver: Callable[[bytes | memoryview], None] = partial(receiver.received, self)
        self._receiver = receiver
        self._transport: asyncio.Transport | None = None
        self._reason = "the partner closed the connection"
        self._view: memoryview | None = None
        """What is being read into; nothing between frames."""
        self._begin = 0
        """Where the frame begins that is not yet whole."""
        self._end = 0
        """How far the buffer is filled."""
        self._carry = b""
        """The first bytes of a frame, for which no buffer is kept."""

    @property
    def transport(self) -> asyncio.Transport:
        """What it is sent over; only once it is connected."""
        assert self._transport is not None, "not connected yet"
        return self._transport

    def write(self, *pieces: bytes | memoryview) -> None:
        """Send; more than a partner may leave unread ends the connection.

        Pieces may be sent from where they lie, so they must stay as they are.
        """
        transport = self._transport
        assert transport is not None, "not connected yet"
        if transport.get_write_buffer_size() > UNSENT_LENGTH_MAX:
            self.abort("the partner does not read")
        elif len(pieces) == 1:
            transport.write(pieces[0])
        else:
            transport.writelines(pieces)

    def close(self, reason: str) -> None:
        """End it once everything is sent."""
        self.deliver = _drop
        self._reason = reason
        if self._transport is not None:
            self._transport.close()

    def part(self, reason: str) -> None:
        """Say that this node ends. The partner closes; what it still sends is not delivered."""
        self.deliver = _ignore
        self._reason = reason
        self.write(FAREWELL)

    @property
    def closing(self) -> bool:
        """Whether it has ended, or is about to."""
        return self._transport is None or self._transport.is_closing()

    def abort(self, reason: str) -> None:
        """End it now."""
        self.deliver = _drop
        self._reason = reason
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is not one by descent
        _prepare(self.transport)
        self._receiver.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End, by whoever's doing."""
        self._receiver.lost(self, why(exc) if exc else self._reason)

    def get_buffer(self, sizehint: int) -> memoryview:  # asyncio's signature
        """Where the next bytes go."""
        view = self._view
        if view is None:
            self._view = view = _BUFFERS.take(KEPT_LENGTH)
            self._begin, self._end = 0, len(self._carry)
            view[: self._end] = self._carry
        return view[self._end :] if self._end else view

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes are there: hand over every frame that is whole."""
        assert self._view is not None, "more than was asked for"
        view, begin, end = self._view, self._begin, self._end + nbytes
        length = None
        try:
            while begin < end and self.deliver is not _drop:
                length = self.measure(view[begin:end])
                if length is None or begin + length > end:
                    break
                frame = view[begin : begin + length]
                begin += length
                self.deliver(frame if length >= BORROWED_LENGTH_MIN else frame.tobytes())
        except RemoteProtocolError as error:
            self.abort(str(error))
        self._keep(view, begin, end, length or 0)

    def _keep(self, view: memoryview, begin: int, end: int, length: int) -> None:
        """Keep the beginning of a frame of ``length`` bytes; the buffer only if that is long."""
        self._view, self._carry = None, b""
        if self.deliver is _drop or begin == end:
            return
        if end - begin < CARRIED_LENGTH_MAX:
            self._carry = view[begin:end].tobytes()
        elif begin + length <= len(view):
            self._view, self._begin, self._end = view, begin, end
        else:
            self._view, self._begin, self._end = _BUFFERS.take(length), 0, end - begin
            self._view[: end - begin] = view[begin:end]


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


def _drop(data: bytes | memoryview) -> None:
    """What comes too late."""


def _ignore(data: bytes | memoryview) -> None:
    """What comes too late, though a farewell among it still counts."""


def _prepare(transport: asyncio.Transport) -> None:
    """Set socket options: a whole package is sent in one go, and a dead partner is noticed."""
    connected = transport.get_extra_info("socket")
    if connected is None:
        return
    keep_alive(connected)
    if connected.family == socket.AF_UNIX:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_LENGTH)


def measure_frame(data: memoryview) -> int | None:
    """How many bytes the link's frame that ``data`` begins with has; None if not yet known.

    Raises `WireError` for what is none, and `RemoteProtocolError` for the partner's farewell.
    """
    if len(data) < PREFIX_LENGTH:
        return None
    try:
        return frame_length(data)
    except WireError:
        if data[:PREFIX_LENGTH] == FAREWELL:
            raise RemoteProtocolError(FAREWELL_REASON) from None
        raise


def why(error: Exception) -> str:
    """What is wrong with a connection, without numbers and the places of a library's source."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not accepted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno) if error.errno > 0 else error.strerror or str(error)
    return str(error) or "the partner closed the connection"
