"""A node's control, both sides: requests over a Unix socket, one JSON object on a line each.

The one key of a request names its kind, as in ``{"cp": "QUERY ISLINK"}``. It is answered, in
turn, by ``{"reply": {...}}`` or ``{"error": "..."}``. After ``{"listen": true}`` the client is
also sent ``{"announcement": "..."}`` whenever there is one.

Nothing a client does can harm the node: only its owner's processes are served, so many at a
time; lines and buffers are bounded; and who says nothing for a while has to go. Clients take turns,
a request each; after an answer the link has the loop for `REST_SHARE` times as long, so that
neither it nor another operator waits for those who ask without end.
"""

import asyncio
import json
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, field

from isfc.errors import IsfcError, RemoteProtocolError
from isfc.live.accepting import Acceptor
from isfc.live.endpoint import CONNECT_S, connect_to_own, inode_of, listen_at, peer_uid, take_away

LISTEN: Final = "listen"
"""The kind of request that asks for announcements; it never comes to `Handle`."""

ANSWER_LENGTH_MAX: Final = 1_048_576
"""Bytes of what a node may answer. A snapshot of sixteen CTCs has about 10 kB."""

REST_SHARE: Final = 3
REST_S_MIN: Final = 0.001
"""Between two answers: so many times as long as the last one took, in seconds at least that."""

Reply = Mapping[str, object]
Handle = Callable[[str, object], Reply]
"""Answers a request, given its kind and what it holds. Raises `BadRequest` if that is no use."""


class BadRequest(IsfcError):
    """A request that cannot be answered; the client is told why."""


LINE_LENGTH_MAX: Final = 4_096
CLIENT_COUNT_MAX: Final = 16
IDLE_S: Final = 60.0
"""What clients may take: bytes of a request, clients at a time, seconds of silence, but for those
that listen."""

UNREAD_LENGTH_MAX: Final = 262_144
"""Bytes that may wait for a client that does not read before announcements are no longer kept for
it, and it has to go."""

SILENT_S: Final = 1.0
"""Where there are too many clients, one that has asked nothing for so many seconds gives way."""


class ControlServer(Struct, eq=False):
    """Serves one node's control socket on the running event loop."""

    path: Path
    handle: Handle
    refused_count: int = 0
    """Connections that were closed because of what they did, or of who they were."""
    clients: "set[_Client]" = set()
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held for an answer and the rest after it, by one client after the other."""
    _server: Acceptor | None = None
    _inode: int = 0

    async def start(self) -> None:
        """Listen. Raises `ConfigurationError` when another process does."""
        listener = listen_at(self.path)
        self._inode = inode_of(self.path)
        self._server = Acceptor(listener, self._protocol)

    async def close(self) -> None:
        """Close all connections, and take the socket away."""
        if self._server is None:
            return
        server, self._server = self._server, None
        await server.close()
        clients = [*self.clients]
        for client in clients:
            client.abort()
            client.task.cancel()
        await asyncio.gather(*(client.task for client in clients), return_exceptions=True)
        self.clients.clear()
        take_away(self.path, self._inode)

    def announce(self, line: str) -> None:
        """Send a line to every client that listens."""
        for client in tuple(self.clients):
            client.announce(line)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        reader = asyncio.StreamReader(LINE_LENGTH_MAX - 1)  # without its end
        return asyncio.StreamReaderProtocol(reader, self._come)

    def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(self, reader, writer)
        if peer_uid(writer.get_extra_info("socket")) != os.getuid():
            client.refuse("this node is another user's")
        elif not self._make_room():
            client.refuse(f"{CLIENT_COUNT_MAX} clients are connected already")
        else:
            self.clients.add(client)
            client.task = asyncio.get_running_loop().create_task(client.serve())

    def _make_room(self) -> bool:
        """Let who has been silent longest give way if there are too many; whether there is room."""
        if len(self.clients) < CLIENT_COUNT_MAX:
            return True
        silent = max(self.clients, key=lambda client: client.silent_s)
        if silent.silent_s < SILENT_S:
            return False
        self.clients.discard(silent)
        silent.task.cancel()
        silent.refuse("others have come")
        return True


class _Client:
    """One connection: lines in, lines out, in turn."""

    task: asyncio.Task[None]
    """That serves it, if it was let in."""

    def __init__(
        self, server: ControlServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer
        self._listens = False
        self._waits = False
        """Whether it has a request that has not had its turn."""
        self._asked_s = time.monotonic()
        """When it was last answered, or came."""

    async def serve(self) -> None:
        """Answer requests until it goes, or has to."""
        try:
            while True:
                async with asyncio.timeout(None if self._listens else IDLE_S):
                    await self._writer.drain()
                    line = await self._reader.readuntil(b"\n")
                self._waits = True
                async with self._server.turn:
                    begin_s = time.monotonic()
                    self._send(self._reply(line))
                    self._waits, self._asked_s = False, time.monotonic()
                    await asyncio.sleep(max(REST_S_MIN, REST_SHARE * (self._asked_s - begin_s)))
        except TimeoutError:
            self.refuse(f"nothing was asked for {IDLE_S:g} s")
            self.abort()  # if it does not read either
        except asyncio.LimitOverrunError:
            self.refuse(f"expected requests of at most {LINE_LENGTH_MAX} B")
        except (ConnectionError, EOFError):
            pass  # it is gone
        finally:
            self._server.clients.discard(self)
            self._writer.close()

    @property
    def waiting_length(self) -> int:
        """Bytes that the client has not read yet."""
        return self._writer.transport.get_write_buffer_size()

    @property
    def silent_s(self) -> float:
        """Since when it has asked nothing, in seconds; 0 if it listens, or waits for an answer."""
        if self._listens or self._waits or self.waiting_length:
            return 0.0
        return time.monotonic() - self._asked_s

    def abort(self) -> None:
        """Close immediately; what waits to be read is lost."""
        self._writer.transport.abort()

    def announce(self, line: str) -> None:
        """Send an announcement if the client listens, and reads."""
        if not self._listens or self._writer.is_closing():
            return
        if self.waiting_length > UNREAD_LENGTH_MAX:
            self._server.refused_count += 1
            self.abort()
        else:
            self._send({"announcement": line})

    def refuse(self, reason: str) -> None:
        """Say why, and close."""
        self._server.refused_count += 1
        self._send({"error": reason})
        self._writer.close()

    def _reply(self, line: bytes) -> Reply:
        try:
            kind, operand = _read_request(line)
            if kind == LISTEN:
                self._listens = True
                return {"reply": {}}
            return {"reply": self._server.handle(kind, operand)}
        except BadRequest as error:
            return {"error": str(error)}

    def _send(self, record: Mapping[str, object]) -> None:
        self._writer.write(json.dumps(record).encode() + b"\n")


def decode_answer(line: bytes) -> dict[str, object]:
    """What a node has sent. Raises `RemoteProtocolError` for anything but an object."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise RemoteProtocolError("expected one JSON object on a line")
    return answer


def read_reply(answer: Mapping[str, object]) -> dict[str, object]:
    """The reply in an answer. Raises `RemoteProtocolError`, with the node's reason if any."""
    reply = answer.get("reply")
    if not isinstance(reply, dict):
        raise RemoteProtocolError(f"the node refuses: {answer.get('error', 'no reply')}")
    return reply


def _read_request(line: bytes) -> tuple[str, object]:
    """Kind and operand of a request. Raises `BadRequest` for anything else."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRequest("expected one JSON object on a line") from None
    if not isinstance(request, dict) or len(request) != 1:
        raise BadRequest("expected {KIND: OPERAND}")
    ((kind, operand),) = request.items()
    return kind, operand


ANNOUNCEMENTS_MAX: Final = 10_000
"""Announcements that are kept; older ones are lost if nobody polls them."""


class ControlClient:
    """A connection to a node's control. Blocks, for at most ``timeout_s`` each time.

    Raises `OSError` when the node cannot be reached, or ends, or is too busy to answer, and
    `ConfigurationError` when it is another user's.
    """

    def __init__(self, path: Path, timeout_s: float = CONNECT_S) -> None:
        self._socket = connect_to_own(path, timeout_s)
        self._timeout_s = timeout_s
        self._buffer = bytearray()
        self._announcements: deque[str] = deque(maxlen=ANNOUNCEMENTS_MAX)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def fileno(self) -> int:
        """The socket's descriptor, to be told when there is something to `receive`."""
        return self._socket.fileno()

    def ask(self, kind: str, operand: object = True) -> dict[str, object]:
        """The reply to a request of that kind.

        Raises `RemoteProtocolError` when the node calls it a bad one, or answers with what is
        no reply.
        """
        self._socket.settimeout(self._timeout_s)
        self._socket.sendall(json.dumps({kind: operand}).encode() + b"\n")
        while (answer := self._poll_answer()) is None:
            self._receive()
        return read_reply(answer)

    def listen(self) -> None:
        """Ask to be told of announcements from now on."""
        self.ask(LISTEN)

    def receive(self) -> None:
        """Receive what has arrived, without waiting for more. For use while one listens."""
        self._socket.settimeout(0)
        try:
            self._receive()
        except BlockingIOError:
            return
        while (answer := self._poll_answer()) is not None:
            read_reply(answer)  # why the node closes the connection, most likely

    def poll_announcement(self) -> str | None:
        """The next announcement that has come in."""
        return self._announcements.popleft() if self._announcements else None

    def _receive(self) -> None:
        data = self._socket.recv(65_536)
        if not data:
            raise ConnectionResetError("the node has closed the connection")
        self._buffer += data
        if len(self._buffer) > ANSWER_LENGTH_MAX:
            raise RemoteProtocolError(f"a line is longer than {ANSWER_LENGTH_MAX} bytes")

    def _poll_answer(self) -> dict[str, object] | None:
        """The next answer that has come in; announcements before it are kept."""
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            answer = decode_answer(line)
            announcement = answer.get("announcement")
            if not isinstance(announcement, str):
                return answer
            self._announcements.append(announcement)
        return None
