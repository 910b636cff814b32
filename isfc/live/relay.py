"""One TCP connection joined to one conversation: bytes both ways, in the loop's callbacks.

What comes from either side goes to the other within the same turn of the loop: no task waits in
between. Each direction has its own end, and neither side is read faster than the other takes it.
"""

import asyncio
import socket
import struct
from contextlib import suppress
from typing import Final, cast

from isfc.live.buffers import Buffers
from isfc.live.connection import reason_of
from isfc.live.conversation import RECEIVE_LENGTH_MAX, Conversation
from isfc.live.keepalive import Answers
from isfc.programs.protocol import SeverCode

UNWRITTEN_LENGTH_MAX: Final = 262_144
"""Bytes that wait for a TCP connection that takes none; more stay in the conversation's window."""

READ_LENGTH: Final = 262_080
"""Most bytes that are read of a connection at a time: one message."""

COPIED_LENGTH_MAX: Final = 32_768
"""What is read is copied if it is so short, so that it does not keep a whole buffer."""


class _Spare:
    """What is read into next, from any connection of this process."""

    def __init__(self) -> None:
        self._buffers = Buffers(READ_LENGTH)
        self.view = self._buffers.take(READ_LENGTH)

    def take(self, length: int) -> memoryview:
        """What has been read, which stays as it is."""
        data = self.view[:length]
        if length <= COPIED_LENGTH_MAX:
            return memoryview(data.tobytes())
        self.view = self._buffers.take(READ_LENGTH)
        return data


_spare: Final = _Spare()

LOOK_S: Final = 0.005
"""Between two looks whether the last bytes have been handed to the system, in seconds."""

_NOTHING: Final = memoryview(b"")
_LINGER: Final = struct.Struct("ii")  # struct linger: on or off, seconds
_RESET: Final = _LINGER.pack(1, 0)
_END: Final = _LINGER.pack(0, 0)


def reset_on_close(connection: socket.socket) -> None:
    """Let the end of a connection be a reset, whoever ends it.

    The system ends those of a process that is killed. Nobody then takes that for a good end.
    """
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


class Relay(asyncio.BufferedProtocol):
    """A connection, which resets on close, and a conversation that has been accepted, or may be.

    ``ended`` is done when both are over: None if all went well, else what went wrong.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._conversation = conversation
        self._end = conversation.end
        self._transport: asyncio.Transport | None = None
        self._answers: Answers | None = None
        self._rest = _NOTHING
        """What has come and found no room in the conversation."""
        self._full = False
        """Whether the connection takes no more for now."""
        self._end_came = False
        self._end_written = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Bound what waits to be written."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in deed only
        self._transport.set_write_buffer_limits(UNWRITTEN_LENGTH_MAX)
        self._answers = Answers(self._transport.get_extra_info("socket"))
        self._conversation.watch(self._look)
        self._conversation.accept()
        self._look()
        self._conversation.carry()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go, and are sent from. Loops read one connection at a time."""
        view, length = _spare.view, self._end.piece_length
        return view if length >= READ_LENGTH else view[:length]

    def buffer_updated(self, nbytes: int) -> None:
        """From the connection to the conversation."""
        if self._end.reason is None:
            self._rest = _spare.take(nbytes)
            self._send_rest()
            self._conversation.carry_soon()

    def eof_received(self) -> bool:
        """Nothing more will come; the other direction goes on."""
        self._end_came = True
        if not self._rest:
            self._end.finish()
            self._conversation.carry()
        return True

    def pause_writing(self) -> None:
        """The connection takes no more."""
        self._full = True

    def resume_writing(self) -> None:
        """It takes some again."""
        self._full = False
        self._look()
        self._conversation.carry()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone: well ended, or not."""
        self._transport = None  # asyncio's own calls this again for an abort from here
        self.stop(reason_of(exc) if exc is not None else "the connection is gone")

    def check_peer(self) -> None:
        """End both if the connection's other end is gone. One that only does not read is there."""
        if self._answers is not None and not self.ended.done() and self._answers.are_missing():
            self.stop("no answer")

    def stop(self, reason: str) -> None:
        """End both immediately, unless they have ended."""
        if self.ended.done():
            return
        self._end_with(reason)
        if self._transport is not None:
            self._transport.abort()
        self._conversation.sever(reason, SeverCode.FAILED)

    def _look(self) -> None:
        """Something has happened to the conversation."""
        end, transport = self._end, self._transport
        if self.ended.done() or transport is None:
            return
        if end.reason is not None and end.reason.code is not SeverCode.ENDED:
            self.stop(str(end.reason))
            return
        if self._rest and end.room_length > 0:
            self._send_rest()
        while end.arrived_length and not self._full:
            transport.write(end.poll_data(RECEIVE_LENGTH_MAX))
        if end.partner_finished and not end.arrived_length and not self._end_written:
            self._end_written = True
            with suppress(OSError):  # it may be gone, and has had everything
                transport.write_eof()
        if end.over and self._end_written:
            self._close(transport)

    def _send_rest(self) -> None:
        transport = self._transport
        assert transport is not None, "data without a connection"
        was_waiting = not transport.is_reading()
        rest = self._rest[self._end.send(self._rest, stays=True) :]
        self._rest = rest or _NOTHING  # a view of no bytes would keep its buffer as well
        if rest:
            transport.pause_reading()
        elif was_waiting and not transport.is_closing():
            transport.resume_reading()
            if self._end_came:
                self._end.finish()

    def _close(self, transport: asyncio.Transport) -> None:
        """Both ways have ended, and all of it has arrived."""
        if self._end.undelivered_length:
            self.stop("not all has arrived")
        elif transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(LOOK_S, self._look)
        else:
            connected = transport.get_extra_info("socket")
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _END)
            transport.close()
            self._end_with(None)

    def _end_with(self, reason: str | None) -> None:
        """It is over, and neither side refers to it any more."""
        self.ended.set_result(reason)
        self._conversation.watch(None)
        self._rest = _NOTHING
