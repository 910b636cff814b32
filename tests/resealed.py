"""Frames that were changed, with checks that are right: to reach what is behind the checks."""

from zlib import crc32

from isfc.engine.wire import PREFIX_LENGTH, VERSION


def prefix(length: int, kind: int = 1, version: int = VERSION) -> bytes:
    """What a frame begins with whose body has so many bytes."""
    header = length.to_bytes(4, "big") + bytes((version, kind))
    return header + (crc32(header) & 0xFFFF).to_bytes(2, "big")


def resealed(data: bytes, said_length: int | None = None) -> bytes:
    """A frame with its length, and its checks, made right again.

    ``said_length`` is how many bytes of the body the CRC is of: all but the CRC, unless given.
    """
    said_length = len(data) - PREFIX_LENGTH - 4 if said_length is None else said_length
    said = data[PREFIX_LENGTH : PREFIX_LENGTH + said_length]
    body = said + crc32(said).to_bytes(4, "big") + data[PREFIX_LENGTH + said_length + 4 :]
    return prefix(len(body), data[5], data[4]) + body
