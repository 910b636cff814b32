"""An event loop of asyncio whose clock jumps: deterministic, without sockets and threads.

Where nothing is ready to run, time goes on to the next timer immediately. Where there is no timer
either, nothing can ever happen, and `Stuck` says so instead of waiting for ever.
"""

import asyncio
from math import ceil
from typing import Any, Final

NS_PER_S: Final = 1_000_000_000


class Stuck(RuntimeError):
    """Every task waits, and nothing is going to wake one."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Tasks, timers and locks as in any loop; time is virtual, in whole nanoseconds from 0."""

    def __init__(self) -> None:
        super().__init__()
        self.now_ns = 0
        self._clock_resolution = 1 / NS_PER_S
        self._selector = self  # the base class asks it to wait

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self.now_ns / NS_PER_S

    def select(self, timeout: float | None) -> tuple[()]:
        """Wait: no time passes outside."""
        if timeout is None:
            raise Stuck("every task waits, and nothing is going to happen")
        self.now_ns += ceil(timeout * NS_PER_S)
        return ()

    def _process_events(self, event_list: Any) -> None:
        """There are none: nothing outside is waited for."""

    def _write_to_self(self) -> None:
        """Nobody else runs, so that there is nobody to be woken by."""
