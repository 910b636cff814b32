"""CTCs that were reset: when to give up waiting for an answer."""

import asyncio
from collections.abc import Callable

from ctc.address import Rdev


class ResetWatch:
    """Tells ``overdue`` of each CTC that was watched for ``patience_s`` seconds."""

    def __init__(self, patience_s: float, overdue: Callable[[Rdev], None]) -> None:
        self._patience_s = patience_s
        self._overdue = overdue
        self._timers: dict[Rdev, asyncio.TimerHandle] = {}

    def watch(self, rdev: Rdev) -> None:
        """From now on, if it is not watched already."""
        if rdev not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[rdev] = loop.call_later(self._patience_s, self._end, rdev)

    def forget(self, rdev: Rdev) -> None:
        """Its connection is gone."""
        timer = self._timers.pop(rdev, None)
        if timer is not None:
            timer.cancel()

    def close(self) -> None:
        """Watch nothing any more."""
        for rdev in list(self._timers):
            self.forget(rdev)

    def _end(self, rdev: Rdev) -> None:
        del self._timers[rdev]
        self._overdue(rdev)
