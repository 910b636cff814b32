"""Records of a journal in a file: framed so that a cut can be told from damage.

A file is a header and then records. A record is ``length`` (4 bytes, of its payload), the CRC-32 of
these four (4), the payload, and the CRC-32 of the payload (4). Numbers are big-endian.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Final
from zlib import crc32

from isfc.errors import JournalError

Read = Callable[[int], bytes]
"""A binary file's ``read``: at most so many bytes, none at the end."""

CTCE_HEADER: Final = b"ISFCCTCE\x00\x01"
"""How a journal of `isfc.live.ctce` begins: a magic word and the format's version (2 bytes)."""

MAGIC_LENGTH: Final = 8
"""Bytes of a header that say of what the journal is."""

RECORD_LENGTH_MAX: Final = 2**30
"""Most bytes of a record: four times what a node lets wait to be sent."""

_READ_LENGTH: Final = 2**20
"""Most bytes that are asked for at a time: a length is believed only as far as bytes follow."""

_PREFIX: Final = struct.Struct(">II")
_CHECK: Final = struct.Struct(">I")


def frame_record(payload: bytes) -> bytes:
    """The record of a payload."""
    length = _CHECK.pack(len(payload))
    return b"".join((length, _CHECK.pack(crc32(length)), payload, _CHECK.pack(crc32(payload))))


class FramedReader:
    """The records of a journal, one after the other: the byte where each begins, and its payload.

    Iterating raises `JournalError` where the journal is damaged. A journal whose end is missing
    (its process was killed) ends with its last whole record; ``truncated_length`` then says how
    many bytes were left over.
    """

    def __init__(self, read: Read, header: bytes) -> None:
        self.truncated_length = 0
        self._read = read
        self._header = header
        self._offset = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Every record. Raises `JournalError` also for what is no such journal at all."""
        header = self._take(len(self._header))
        if not header:
            raise JournalError("is empty: the disk was full, or nothing is written yet", 0)
        if not self._header.startswith(header):
            raise JournalError("is no journal, or one of another version", 0)
        while True:
            offset = self._offset
            payload = self._next_payload()
            if payload is None:
                self.truncated_length = self._offset - offset
                return
            yield offset, payload

    def _next_payload(self) -> bytes | None:
        """The next payload; None when there is no whole one."""
        offset = self._offset
        prefix = self._take(_PREFIX.size)
        if len(prefix) < _PREFIX.size:
            return None
        length, check = _PREFIX.unpack(prefix)
        if check != crc32(prefix[: _CHECK.size]) or length > RECORD_LENGTH_MAX:
            raise JournalError("a damaged record: its length is wrong", offset)
        payload = self._take(length)
        suffix = self._take(_CHECK.size)
        if len(suffix) < _CHECK.size:
            return None
        if _CHECK.pack(crc32(payload)) != suffix:
            raise JournalError("a damaged record", offset)
        return payload

    def _take(self, length: int) -> bytes:
        """The next ``length`` bytes, or all that are left."""
        pieces: list[bytes] = []
        while length:
            piece = self._read(min(length, _READ_LENGTH))
            if not piece:
                break
            pieces.append(piece)
            self._offset += len(piece)
            length -= len(piece)
        return b"".join(pieces)
