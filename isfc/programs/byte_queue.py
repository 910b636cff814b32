"""Bytes that wait, first in, first out: pieces as they came, copied as little as can be."""

from collections import deque
from typing import Final, final

SMALL_LENGTH: Final = 4_096
"""Shorter pieces are gathered in one: an object for each would cost more than they have bytes."""

GATHERED_LENGTH: Final = 65_536
"""Bytes of short pieces that are gathered before the next ones begin; what is as long is not."""

LONG_LENGTH: Final = 32_768
"""A piece of so many bytes is taken by itself, rather than copied together with others."""

Piece = bytes | bytearray | memoryview


@final
class ByteQueue:
    """A queue of bytes. What is added must stay as it is."""

    def __init__(self) -> None:
        self.length = 0
        """Bytes that wait."""
        self._pieces: deque[Piece] = deque()
        self._tail = bytearray()

    def add(self, piece: bytes | memoryview) -> None:
        """Let a piece wait behind all others; it is kept, not copied, unless it is short."""
        length = len(piece)
        self.length += length
        if length < SMALL_LENGTH:
            self._tail += piece
            if len(self._tail) >= GATHERED_LENGTH:
                self._gather()
            return
        if self._tail:
            self._gather()
        self._pieces.append(piece)

    def add_beginning(self, data: bytes | bytearray | memoryview, length: int) -> None:
        """Let the first ``length`` bytes of what may change later wait; bytes are not copied."""
        if isinstance(data, bytes) and length == len(data):
            self.add(data)
        else:
            part = memoryview(data)[:length]  # only bytes are sure to stay as they are
            self.add(part if isinstance(part.obj, bytes) else part.tobytes())

    def take(self, length_max: int) -> bytes:
        """The next bytes, at most so many; one long piece rather than a copy of several."""
        pieces = self._pieces
        length = min(length_max, self.length)
        if pieces and LONG_LENGTH <= len(pieces[0]) < length:
            length = len(pieces[0])
        return _joined(self._cut(length))

    def take_uncopied(self, length_max: int) -> bytes | memoryview:
        """The next bytes, at most so many: those of one long piece, or those before the next."""
        length = 0
        for piece in self._pieces:
            if length >= length_max:
                break
            if len(piece) >= GATHERED_LENGTH:
                length = length or len(piece)
                break
            length += len(piece)
        else:
            length = self.length
        pieces = self._cut(min(length, length_max))
        if len(pieces) == 1:
            piece = pieces[0]
            return memoryview(piece) if isinstance(piece, bytearray) else piece
        return b"".join(pieces)

    def take_behind(self, head: bytes, length: int) -> bytes:
        """``head``, and behind it the next ``length`` bytes; so many must wait."""
        return b"".join((head, *self._cut(length)))

    def clear(self) -> None:
        """Drop everything."""
        self.length = 0
        self._pieces.clear()
        self._tail = bytearray()

    def _cut(self, length: int) -> list[Piece]:
        """The next ``length`` bytes, in pieces."""
        self.length -= length
        pieces = self._pieces
        taken: list[Piece] = []
        while length:
            if not pieces:
                self._gather()
            piece = pieces[0]
            if len(piece) > length:
                view = memoryview(piece)
                pieces[0] = view[length:]
                taken.append(view[:length])
                return taken
            pieces.popleft()
            taken.append(piece)
            length -= len(piece)
        return taken

    def _gather(self) -> None:
        """The short pieces are one from now on."""
        self._pieces.append(self._tail)
        self._tail = bytearray()


def _joined(pieces: list[Piece]) -> bytes:
    if len(pieces) == 1:
        piece = pieces[0]
        return piece if isinstance(piece, bytes) else bytes(piece)
    return b"".join(pieces)
