"""The memory of two live nodes, as the system sees it.

Under HL, where it has to stay flat, and with 200 forwarded connections that all carry data both
ways.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from tools.benchmarks.contenders import ContenderError
from tools.benchmarks.forwarded import NODES, forwarding_pair, node_pair
from tools.benchmarks.judged import MEMORY_GROWTH_MAX, MEMORY_MB_MAX, Goal, Taken
from tools.benchmarks.tcp_services import own_program, running, serving

INTERVAL_S: Final = 1.0
FORWARDED_PART: Final = 10
"""Memory is watched of forwards for so small a part of the time that HL takes."""
FORWARDED_MB_MAX: Final = 200.0
"""Peak memory of a node that carries 200 connections, in 2^20 bytes; a port takes 128 at most."""

GOALS: Final = tuple(
    goal
    for node in NODES
    for goal in (
        Goal("HL", "peak MB", MEMORY_MB_MAX, node),
        Goal("HL", "last fifth / second", MEMORY_GROWTH_MAX, node),
        Goal("forwards", "peak MB", FORWARDED_MB_MAX, node),
    )
)


def measure(seconds: float) -> dict[str, Taken]:
    """Both nodes for so long: small, and flat once the first fifth of the time is over."""
    with node_pair("--workload", "HL", "--pairs", "50", layout="published-16") as pids:
        runs = {"HL": _watched(pids, seconds)}
    with ExitStack() as stack:
        echo = stack.enter_context(serving(own_program("echo")))
        ports = {"echo": echo, "echo again": echo}
        forwarded, pids = stack.enter_context(forwarding_pair(ports))
        for port in forwarded.values():
            stack.enter_context(running([*own_program("flood"), str(port)]))
        return runs | {"forwards": _watched(pids, seconds / FORWARDED_PART)}


def _watched(pids: Sequence[int], seconds: float) -> Taken:
    taken: list[list[float]] = [[] for _ in pids]
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        time.sleep(min(INTERVAL_S, seconds / 20))
        for samples, pid in zip(taken, pids, strict=True):
            samples.append(_resident_mb(pid))
    return {
        node: [{"peak MB": max(samples), "last fifth / second": growth_of(samples)}]
        for node, samples in zip(NODES, taken, strict=True)
    }


def growth_of(taken: Sequence[float]) -> float:
    """The median of the last fifth over that of the second."""
    fifth = len(taken) // 5
    return median(taken[-fifth:]) / median(taken[fifth : 2 * fifth])


def _resident_mb(pid: int) -> float:
    """Resident memory in 2^20 bytes."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        raise ContenderError("a node has ended, or the system does not tell its memory") from None
