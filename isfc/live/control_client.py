"""The other side of a node's control socket: asks, and hears what is announced."""

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from isfc.errors import RemoteProtocolError
from isfc.live.control import ANSWER_LENGTH_MAX, LISTEN, decode_answer, encode_request, read_reply
from isfc.live.control_socket import CONNECT_S, connect_to_own

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
        self._socket.sendall(encode_request(kind, operand))
        while True:
            answer = self._poll_line()
            if answer is None:
                self._receive()
            elif not self._note(answer):
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
        while (answer := self._poll_line()) is not None:
            if not self._note(answer):
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

    def _poll_line(self) -> dict[str, object] | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return decode_answer(line)

    def _note(self, answer: Mapping[str, object]) -> bool:
        """Keep an announcement; whether it was one."""
        announcement = answer.get("announcement")
        if isinstance(announcement, str):
            self._announcements.append(announcement)
            return True
        return False
