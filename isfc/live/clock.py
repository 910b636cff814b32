"""The time of a live node at whatever pace the model is to run, its timers, and how late it is."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from ctc.queues import NEVER_NS

NS_PER_S: Final = 1_000_000_000


class Clock:
    """Model time, in ns since the clock was made; ``dilation`` ns of real time make one of it.

    ``read`` is the real time in ns: monotonic, so that it never runs backwards.
    """

    def __init__(self, dilation: int = 1, read: Callable[[], int] = time.monotonic_ns) -> None:
        assert dilation >= 1, "real time cannot be hurried"
        self.dilation = dilation
        self._read = read
        self._origin_ns = read()

    def now_ns(self) -> int:
        """Model time, ns."""
        return (self._read() - self._origin_ns) // self.dilation

    def delay_s(self, deadline_ns: int) -> float:
        """Real seconds from now to a model time; negative when it is past."""
        due_ns = self._origin_ns + deadline_ns * self.dilation
        return (due_ns - self._read()) / NS_PER_S


class Lag:
    """How late a node's timers are: the machine is slower than the model, or busy.

    ``late_ns`` of ``waited_ns`` of model time between setting a deadline and handling it were
    lateness; ``late_ns_max`` is the worst single one.
    """

    __slots__ = ("late_ns", "late_ns_max", "waited_ns")

    def __init__(self) -> None:
        self.late_ns = 0
        self.late_ns_max = 0
        self.waited_ns = 0

    def note(self, set_ns: int, deadline_ns: int, now_ns: int) -> None:
        """A deadline, set at ``set_ns``, has been handled."""
        late_ns = now_ns - deadline_ns
        self.late_ns += late_ns
        self.late_ns_max = max(self.late_ns_max, late_ns)
        self.waited_ns += now_ns - set_ns


_SPIN_S: Final = 0.0015
"""Timers tick in milliseconds, so that the last one before a deadline is spent looking."""


class DeadlineTimer:
    """Calls ``on_due`` by the earliest time that was asked for since it last did."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Clock, on_due: Callable[[], None]
    ) -> None:
        self.set_ns = 0
        """When it was last set, or what it was set for was begun."""
        self._loop = loop
        self._clock = clock
        self._on_due = on_due
        self._due_ns = NEVER_NS
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None

    def set(self, due_ns: int, now_ns: int) -> None:
        """Be due by ``due_ns``; what is due sooner stays, for it is set again then."""
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
            self._timer = self._loop.call_later(delay_s - _SPIN_S, self._call)
        else:
            self._timer = self._loop.call_soon(self._call)

    def cancel(self) -> None:
        """Call nothing."""
        if self._timer is not None:
            self._timer.cancel()

    def _call(self) -> None:
        self._timer = None
        self._on_due()
