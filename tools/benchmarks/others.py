"""What else the machine does while something is measured: a benchmark should be alone."""

import os
import resource
import time
from pathlib import Path
from typing import Final

STAT: Final = Path("/proc/stat")

OTHERS_MAX: Final = 0.1
"""Processors that others may take before it is worth a word."""


class Others:
    """Counts the processor time of everybody else, from when it is made."""

    def __init__(self) -> None:
        self._begun_s = time.monotonic()
        self._busy_s = _busy_s() - _own_s()

    def processors(self) -> float:
        """How many processors others took, on average; 0 where the system does not tell."""
        busy_s = _busy_s() - _own_s() - self._busy_s
        return max(0.0, busy_s / (time.monotonic() - self._begun_s))


def _busy_s() -> float:
    """Processor time of the whole machine that was not idle, in seconds."""
    if not STAT.exists():
        return 0.0
    ticks = [int(field) for field in STAT.read_text("ascii").split("\n", 1)[0].split()[1:9]]
    idle, waiting = ticks[3:5]
    return (sum(ticks) - idle - waiting) / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    """That of this process and of those it has started that have ended."""
    if not STAT.exists():
        return 0.0
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def describe_others(processors: float) -> str:
    """A remark, where there is reason for one; else nothing."""
    if processors < OTHERS_MAX:
        return ""
    return (
        f"Others took {processors:.1f} of {os.cpu_count()} processors, and ratios suffer from it."
    )
