"""The memory of two live nodes under HL: sampled as the system sees it, and judged to be flat."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from tools.benchmarks.bench import MEMORY_GROWTH_MAX, MEMORY_MB_MAX, Check
from tools.benchmarks.contenders import Contender, ContenderError, Process, Work, started

INTERVAL_S: Final = 1.0
FOREVER: Final = Work("memory", 0, 10**15)
"""More exchanges than there is time for: the processes are ended."""


def sample_memory(contender: Contender, seconds: float) -> dict[str, list[float]]:
    """Resident memory of each process of ``contender`` every second, in 2^20 bytes."""
    samples: dict[str, list[float]] = {"near": [], "far": []}
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        lines = [contender.command_line(role, FOREVER, Path(folder)) for role in samples]
        with started(lines) as processes:
            end_s = time.monotonic() + seconds
            while time.monotonic() < end_s:
                time.sleep(min(INTERVAL_S, seconds / 20))
                for taken, process in zip(samples.values(), processes, strict=True):
                    taken.append(_resident_mb(process))
    return samples


def judge_memory(samples: dict[str, list[float]]) -> list[Check]:
    """Both nodes: small, and flat once the first fifth of the time is over."""
    checks = []
    for role, taken in samples.items():
        growth = growth_of(taken)
        checks.append(Check(f"HL: peak memory of the {role} node, MB", max(taken), MEMORY_MB_MAX))
        checks.append(
            Check("HL: its last fifth of the time / its second", growth, MEMORY_GROWTH_MAX)
        )
    return checks


def growth_of(taken: Sequence[float]) -> float:
    """The median of the last fifth over that of the second."""
    fifth = len(taken) // 5
    return median(taken[-fifth:]) / median(taken[fifth : 2 * fifth])


def _resident_mb(process: Process) -> float:
    if process.poll() is not None:
        raise ContenderError(f"a node has ended, status {process.returncode}")
    for line in Path(f"/proc/{process.pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ContenderError("this system does not tell the memory of a process")
