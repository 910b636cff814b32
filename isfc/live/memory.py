"""How a process that runs a live node takes memory from the system, and gives it back.

A node allocates and frees buffers of up to a megabyte thousands of times a second. glibc maps
and unmaps each of them, and returns the end of the heap again and again; the page faults of that
cost more than the data. And Python's collector looks through all that was set up at the start,
which lives as long as the process.

A new buffer of a package's size costs more than the package: the system has to map and clear
every page of it. So a few are kept, and one is free again when the last view into it is gone,
which nobody has to announce.
"""

import ctypes
import gc
from typing import Final

MMAP_THRESHOLD: Final = 64 * 2**20
TRIM_THRESHOLD: Final = 128 * 2**20
TOP_PAD: Final = 16 * 2**20
"""Bytes: what is mapped by itself, what may lie free at the heap's end, and what it grows by."""

GENERATION_SIZES: Final = (20_000, 50, 50)
"""When Python's collector runs: objects made, runs of the generation below."""

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3


def keep_freed() -> None:
    """Let malloc keep what this process frees and will soon need again: up to `TRIM_THRESHOLD`.

    The settings hold for all of the process. Where the C library is not glibc, nothing changes.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # glibc has it
        libc.mallopt(_M_MMAP_THRESHOLD, MMAP_THRESHOLD)
        libc.mallopt(_M_TRIM_THRESHOLD, TRIM_THRESHOLD)
        libc.mallopt(_M_TOP_PAD, TOP_PAD)


def keep_memory() -> None:
    """The same, and spare Python's collector what was set up. Once, when all is set up.

    It is for processes that do little else.
    """
    keep_freed()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GENERATION_SIZES)


def give_back() -> None:
    """Return to the system what is free: after much was dropped in one go."""
    read_buffers.drop_free()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


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


read_buffers = Buffers()
"""What is read into, on all connections of this process."""
