"""The time of a live node: real time, at whatever pace the model is to run."""

import time
from collections.abc import Callable
from typing import Final

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
