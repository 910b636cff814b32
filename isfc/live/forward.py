"""TCP connections carried over the link: ``--forward ATLANTA:15432=BOSTON:127.0.0.1:5432``.

One system listens on a TCP port; each connection there becomes a conversation with the partner,
which connects to a TCP service and carries the bytes on: both ways, each direction with its own
end, and no faster than the slower side takes them. A connection that breaks on one side is reset
on the other, never ended as if all had arrived; so it is when the node itself is killed. The
service sees connections in the order in which they were accepted.

What comes from either side goes to the other within the same turn of the loop (`Relay`): no task
waits in between.
"""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final, cast

from isfc.errors import Backpressure, ConfigurationError
from isfc.live.accepting import PAUSE_S, Service, accept, spawn
from isfc.live.connection import Answers, keep_alive, reason_of
from isfc.live.conversation import RECEIVE_LENGTH_MAX, Conversation
from isfc.live.endpoint import Forward, TcpEndpoint
from isfc.live.memory import Buffers
from isfc.live.session import ConversationSevered, OpenNode
from isfc.programs.protocol import ConversationLimits, SeverCode

CONNECTIONS_MAX: Final = 128
"""Connections of one forwarded port at a time; further ones wait in the listener's queue."""

BACKLOG_MAX: Final = 1_024
"""How many may wait there, if the system lets so many."""

CHECK_S: Final = 5.0
"""Between two looks whether the other ends of all connections are still there, in seconds."""

REMIND_S: Final = 60.0
"""Between two words about connections that cannot be accepted, in seconds."""


def forward_limits(forwards: Sequence[Forward]) -> ConversationLimits:
    """Limits with places for every connection of every forward, each way.

    Twice as many as there can be: those that have ended are over a little later.
    """
    limits = ConversationLimits()
    places = 2 * CONNECTIONS_MAX * len(forwards)
    return replace(limits, conversations_max=max(limits.conversations_max, places))


class Forwarder:
    """Everything one node forwards; `report` is told of connections that failed, in words."""

    def __init__(self, node: OpenNode, report: Callable[[str], None]) -> None:
        self.connection_count = 0
        """TCP connections that were carried, or are being carried."""
        self.failed_count = 0
        """Those of them that did not end well."""
        self._node = node
        self._report = report
        self._tasks: set[asyncio.Task[None]] = set()
        self._accepting: list[asyncio.Task[None]] = []
        self._listeners: list[socket.socket] = []
        self._relays: set[Relay] = set()
        spawn(self._check_peers(), self._tasks)

    def listen(self, forward: Forward) -> None:
        """Listen for one forward. Raises `ConfigurationError` if it cannot."""
        place = (forward.listen_host, forward.listen_port)
        family = socket.AF_INET6 if ":" in forward.listen_host else socket.AF_INET
        try:
            listener = socket.create_server(place, family=family, backlog=BACKLOG_MAX)
        except OSError as error:
            raise ConfigurationError(
                f"--forward {forward}: cannot listen: {reason_of(error)}"
            ) from None
        listener.setblocking(False)
        self._listeners.append(listener)
        self._accepting.append(spawn(self._accept(forward, listener), self._tasks))

    def serve(self, forward: Forward) -> None:
        """Connect what the partner forwards to the TCP service."""
        service = Service(forward.host, forward.port)

        async def connect(conversation: Conversation) -> None:
            try:
                connection = await service.connect(_prepare)
            except OSError as error:
                reason = f"{TcpEndpoint(forward.host, forward.port)}: {reason_of(error)}"
                self._fail(forward, reason)
                conversation.refuse(reason)
                return
            await self._join(forward, conversation, connection)

        self._node.serve(forward.service, connect, forward.node)

    async def close(self) -> None:
        """Listen no more, and reset every connection."""
        # in this order: a task that is cancelled before it has begun closes nothing
        for tasks in (self._accepting, self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for listener in self._listeners:
            listener.close()

    async def _accept(self, forward: Forward, listener: socket.socket) -> None:
        """Take connections as they come, as long as there is room."""
        room = asyncio.Semaphore(CONNECTIONS_MAX)
        loop = asyncio.get_running_loop()
        word_due_s = loop.time()
        while True:
            await room.acquire()
            try:
                connection, _ = await accept(listener)
            except OSError as error:
                if loop.time() >= word_due_s:
                    word_due_s = loop.time() + REMIND_S
                    self._report(f"--forward {forward}: cannot accept: {reason_of(error)}")
                room.release()
                await asyncio.sleep(PAUSE_S)
                continue
            task = spawn(self._carry(forward, connection), self._tasks)
            task.add_done_callback(lambda _: room.release())

    async def _carry(self, forward: Forward, connection: socket.socket) -> None:
        """One TCP connection, from accept to its end."""
        _prepare(connection)
        try:
            conversation = await self._node.connect(forward.service, partner=forward.partner)
        except (ConversationSevered, Backpressure) as error:
            self._fail(forward, str(error))
            connection.close()
        except BaseException:
            connection.close()
            raise
        else:
            await self._join(forward, conversation, connection)
            await conversation.wait_over()  # until then it takes a place at the partner

    async def _join(
        self, forward: Forward, conversation: Conversation, connection: socket.socket
    ) -> None:
        """Carry bytes both ways until both ways have ended, or one has failed."""
        self.connection_count += 1
        relay = Relay(conversation)
        self._relays.add(relay)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: relay, connection)
            reason = await asyncio.shield(relay.ended)
        except BaseException:
            relay.stop("the forwarder has ended")
            raise
        finally:
            self._relays.discard(relay)
        if reason is not None:
            self._fail(forward, reason)

    async def _check_peers(self) -> None:
        """End connections whose other ends are gone without a word."""
        while True:
            await asyncio.sleep(CHECK_S)
            for relay in tuple(self._relays):
                relay.check_peer()

    def _fail(self, forward: Forward, reason: str) -> None:
        self.failed_count += 1
        self._report(f"--forward {forward}: {reason}")


@asynccontextmanager
async def forwarding(
    node: OpenNode, forwards: Iterable[Forward], report: Callable[[str], None]
) -> AsyncIterator[Forwarder]:
    """Forward within the block what begins or ends at ``node``.

    Raises `ConfigurationError` when it cannot listen.
    """
    forwarder = Forwarder(node, report)
    try:
        for forward in forwards:
            if forward.node == node.name:
                forwarder.listen(forward)
            elif forward.partner == node.name:
                forwarder.serve(forward)
        yield forwarder
    finally:
        await forwarder.close()


def _prepare(connection: socket.socket) -> None:
    """Close resets it, until it has ended well."""
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    reset_on_close(connection)
    keep_alive(connection, reads=False)


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
