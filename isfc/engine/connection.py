"""One connection: the bytes between the two ends of one CTC.

Frames come out whole. A short one is copied out of a buffer that stays; a long one gets a
buffer of its own, which is read into directly and belongs to whoever takes the frame. What is
not yet a whole frame never holds more than the longest one.
"""

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, cast

from isfc.engine.buffers import Buffers
from isfc.errors import RemoteProtocolError
from isfc.wire import FRAME_LENGTH_MAX, PREFIX_LENGTH, frame_length

BUFFER_LENGTH: Final = 64 * 1024
"""Bytes of the buffer that short frames are read into."""

UNSENT_LENGTH_MAX: Final = 2 * FRAME_LENGTH_MAX
"""Bytes that may wait for a partner who does not read. A CTC has one package on its way, so that
more than two mean that resets have piled up."""

SEND_BUFFER_LENGTH: Final = 2**20
"""Bytes that a Unix socket takes without waiting: a whole package. (TCP sets its own.)"""

_BUFFERS: Final = Buffers()
"""What long frames are read into, on all connections of this process."""


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
        self._small = memoryview(bytearray(BUFFER_LENGTH))
        self._view = self._small
        """Where the frame that is arriving goes: the small buffer, or one of its own."""
        self._end = 0
        """How far it is filled."""

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

    def abort(self, reason: str) -> None:
        """End it now."""
        self.deliver = _drop
        self._reason = reason
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is not one by descent
        _widen(self.transport)
        self._receiver.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End, by whoever's doing."""
        self._receiver.lost(self, str(exc) if exc else self._reason)

    def get_buffer(self, sizehint: int) -> memoryview:  # asyncio's signature
        """Where the next bytes go."""
        return self._view[self._end :] if self._end else self._view

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes are there: hand over every frame that is whole."""
        self._end = end = self._end + nbytes
        try:
            if self._view is not self._small:
                if end == len(self._view):
                    data, self._view, self._end = self._view, self._small, 0
                    self.deliver(data)
                return
            arrived = self._small[:end]
            if self.measure(arrived) == end:  # one frame, as nearly always
                self._end = 0
                self.deliver(bytes(arrived))
            else:
                self._cut()
        except RemoteProtocolError as error:
            self.abort(str(error))

    def _cut(self) -> None:
        """Take the whole frames out of the small buffer, and move what is left to its front."""
        begin, end, small = 0, self._end, self._small
        while begin < end and not self.transport.is_closing():
            length = self.measure(small[begin:end])
            if length is None:
                break
            if begin + length <= end:
                data = bytes(small[begin : begin + length])
                begin += length
                self.deliver(data)
                continue
            if length > BUFFER_LENGTH:
                self._view = _BUFFERS.take(length)
                self._view[: end - begin] = small[begin:end]
                self._end = end - begin
                return
            break
        if begin and begin < end:
            small[: end - begin] = bytes(small[begin:end])
        self._end = end - begin


def _drop(data: bytes | memoryview) -> None:
    """What comes too late."""


def _widen(transport: asyncio.Transport) -> None:
    """Let a whole package be sent at once, where that is to be had."""
    connected = transport.get_extra_info("socket")
    if connected is not None and connected.family == socket.AF_UNIX:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_LENGTH)


def measure_frame(data: memoryview) -> int | None:
    """How many bytes the link's frame that ``data`` begins with has; None if not yet known."""
    return frame_length(data) if len(data) >= PREFIX_LENGTH else None
