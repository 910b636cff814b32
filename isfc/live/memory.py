"""How a process that runs a live node takes memory from the system, and gives it back.

A node allocates and frees buffers of up to a megabyte thousands of times a second. glibc maps
and unmaps each of them, and returns the end of the heap again and again; the page faults of that
cost more than the data. And Python's collector looks through all that was set up at the start,
which lives as long as the process.
"""

import ctypes
import gc
from typing import Final

from isfc.live.frames import drop_buffers

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
    drop_buffers()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
