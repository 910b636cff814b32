"""The memory of two live nodes, as the system sees it.

Under HL, where it has to stay flat, and with 200 forwarded connections that all carry data both
ways.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from tools.benchmarks.contenders import ContenderCommand, ContenderError, ContenderWork, started
from tools.benchmarks.forwarded import forwarding_pair
from tools.benchmarks.judged import MEMORY_GROWTH_MAX, MEMORY_MB_MAX, Check
from tools.benchmarks.live_peer import MEMORY
from tools.benchmarks.tcp_services import own_service, running

INTERVAL_S: Final = 1.0
ROLES: Final = ("near", "far")
FORWARDED_COUNT: Final = 200
FORWARDED_PORTS: Final = 2
"""Connections, and the ports that they come to: each carries 128 at most."""
FORWARDED_MB_MAX: Final = 200.0
"""Peak memory of a node that carries them, in 2^20 bytes."""

Samples = dict[str, list[float]]
"""By process, resident memory in 2^20 bytes."""

FOREVER: Final = ContenderWork("memory", MEMORY.warmup, MEMORY.count)
"""More exchanges than there is time for: the processes are ended."""


def sample_memory(contender: ContenderCommand, seconds: float) -> Samples:
    """Of each process of ``contender``, every second."""
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        lines = [contender.command_line(role, FOREVER, Path(folder)) for role in ROLES]
        with started(lines) as processes:
            return _sample([process.pid for process in processes], seconds)


def sample_forwarded(seconds: float) -> Samples:
    """Of two nodes that carry `FORWARDED_COUNT` connections, every second."""
    with ExitStack() as stack:
        echo = stack.enter_context(own_service("echo"))
        ports = {f"echo {index}": echo for index in range(FORWARDED_PORTS)}
        forwarded, pids = stack.enter_context(forwarding_pair(ports))
        for port in forwarded.values():
            count = str(FORWARDED_COUNT // FORWARDED_PORTS)
            module = [sys.executable, "-m", "tools.benchmarks.live_flood"]
            stack.enter_context(running([*module, str(port), count]))
        return _sample(pids, seconds)


def _sample(pids: Sequence[int], seconds: float) -> Samples:
    samples: Samples = {role: [] for role in ROLES}
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        time.sleep(min(INTERVAL_S, seconds / 20))
        for taken, pid in zip(samples.values(), pids, strict=True):
            taken.append(_resident_mb(pid))
    return samples


def judge_memory(samples: Samples) -> list[Check]:
    """Both nodes: small, and flat once the first fifth of the time is over."""
    checks = []
    for role, taken in samples.items():
        growth = growth_of(taken)
        checks.append(Check(f"HL: peak memory of the {role} node, MB", max(taken), MEMORY_MB_MAX))
        checks.append(
            Check("HL: its last fifth of the time / its second", growth, MEMORY_GROWTH_MAX)
        )
    return checks


def judge_forwarded(samples: Samples) -> list[Check]:
    """Both nodes: small."""
    return [
        Check(
            f"{FORWARDED_COUNT} forwards: peak memory of the {role} node, MB",
            max(taken),
            FORWARDED_MB_MAX,
        )
        for role, taken in samples.items()
    ]


def growth_of(taken: Sequence[float]) -> float:
    """The median of the last fifth over that of the second."""
    fifth = len(taken) // 5
    return median(taken[-fifth:]) / median(taken[fifth : 2 * fifth])


def _resident_mb(pid: int) -> float:
    """Resident memory in 2^20 bytes."""
    status = Path(f"/proc/{pid}/status")
    if not status.parent.parent.joinpath("self").exists():
        raise ContenderError("this system does not tell the memory of a process")
    lines = status.read_text("ascii").splitlines() if status.exists() else []
    for line in lines:
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ContenderError("a node has ended")
