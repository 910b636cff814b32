"""Being called by a model time: a timer until shortly before, then looking every time."""

import asyncio
from collections.abc import Callable
from typing import Final

from ctc.agenda import NEVER_NS
from isfc.live.clock import Clock

_SPIN_S: Final = 0.0015
"""Timers tick in milliseconds, so that the last one before a deadline is spent looking."""


class Alarm:
    """Calls ``ring`` by the earliest time that was asked for since it last did."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Clock, ring: Callable[[], None]
    ) -> None:
        self.set_ns = 0
        """When it was last set, or what it was set for was begun."""
        self._loop = loop
        self._clock = clock
        self._call = ring
        self._due_ns = NEVER_NS
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None

    def set(self, due_ns: int, now_ns: int) -> None:
        """Ring by ``due_ns``; one that rings sooner stays, for it is set again then."""
        if due_ns == NEVER_NS:
            return
        if self._timer is not None:
            if self._due_ns <= due_ns:
                return
            self._timer.cancel()
        self._due_ns = due_ns
        self.set_ns = now_ns
        delay_s = self._clock.delay_s(due_ns)
        if delay_s > _SPIN_S:
            self._timer = self._loop.call_later(delay_s - _SPIN_S, self._ring)
        else:
            self._timer = self._loop.call_soon(self._ring)

    def cancel(self) -> None:
        """Do not ring."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self._timer = None
        self._call()
