"""Buffers for long frames, used again once nobody holds what has arrived in them.

A new buffer of a package's size costs more than the package: the system has to map and clear
every page of it. So a few are kept, and one is free again when the last view into it is gone,
which nobody has to announce.
"""

from typing import Final

KEPT_LENGTH: Final = 2**20
"""Bytes of a buffer that is kept: the largest package with its headers, and then some."""

KEPT_MAX: Final = 24
"""Buffers that are kept: what sixteen CTCs can be reading at the same time, and half as much
again."""


class Buffers:
    """Gives out buffers; there is no giving back. Those of ``length`` bytes are kept."""

    def __init__(self, length: int = KEPT_LENGTH) -> None:
        self._length = length
        self._kept: list[bytearray] = []

    def take(self, length: int) -> memoryview:
        """A buffer of ``length`` bytes, with whatever was in it before.

        It is the taker's for as long as this view, or any that is made of it, exists. What is
        longer than those that are kept, and all when too many are out, is made for once only.
        """
        if length <= self._length:
            for buffer in self._kept:  # always from the first: the same few stay in the cache
                if _is_free(buffer):
                    return memoryview(buffer)[:length]
            if len(self._kept) < KEPT_MAX:
                self._kept.append(bytearray(self._length))
                return memoryview(self._kept[-1])[:length]
        return memoryview(bytearray(length))

    def drop_free(self) -> None:
        """Keep none of those that nobody holds."""
        self._kept = [buffer for buffer in self._kept if not _is_free(buffer)]


def _is_free(buffer: bytearray) -> bool:
    """Whether no view of it exists.

    Python lets only such a buffer change its length, which is tried here, and undone.
    """
    try:
        buffer.pop()
    except BufferError:
        return False
    buffer.append(0)
    return True
