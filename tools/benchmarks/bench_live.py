"""The live benchmark: two isfc processes beside other pairs of processes, over Unix sockets.

``python -m tools.benchmarks.bench_live`` runs these cases: packages of 830 kB over eight
connections (CTCs), streams of messages of 118 kB, 32 KiB and 1 KiB, a ping-pong of 64 bytes, alone
and beside bulk, and then TCP programs through ``--forward`` (`tools.benchmarks.forwarded`). In
each, all contenders run in turn, over and over, so that they meet the same machine. Times depend on
the machine and are only shown; what is judged are medians of ratios. It ends with 1 when a goal is
missed. ``--memory SECONDS`` runs HL for so long, and then 200 forwarded connections, and judges the
memory of both nodes.
"""

import os
import platform
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import typer

from tools import DOCS
from tools.benchmarks.contenders import (
    CASES,
    ContenderError,
    ContenderPart,
    LiveCase,
    c_line,
    has_c_program,
    measure,
    module_line,
)
from tools.benchmarks.forwarded import (
    NODES,
    beside_downloads,
    forwarding_pair,
    measure_forwarded,
    node_pair,
)
from tools.benchmarks.judged import (
    COMPILED,
    MEMORY_GROWTH_MAX,
    MEMORY_MB_MAX,
    Goal,
    Sample,
    Taken,
    end,
    in_turn,
    say,
    table,
)
from tools.benchmarks.live_conversations import Transfers, beside
from tools.benchmarks.tcp_services import find_program, own_program, running, serving
from tools.tables import read_csv

INTERVAL_S: Final = 1.0
FORWARDED_PART: Final = 10
"""Memory is watched of forwards for so small a part of the time that HL takes."""
FORWARDED_MB_MAX: Final = 200.0
"""Peak memory of a node that carries 200 connections, in 2^20 bytes; a port takes 128 at most."""

MEMORY_GOALS: Final = tuple(
    goal
    for node in NODES
    for goal in (
        Goal("HL", "peak MB", MEMORY_MB_MAX, node),
        Goal("HL", "last fifth / second", MEMORY_GROWTH_MAX, node),
        Goal("forwards", "peak MB", FORWARDED_MB_MAX, node),
    )
)


def measure_memory(seconds: float) -> dict[str, Taken]:
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


REPETITIONS: Final = 7
FORWARDED_S: Final = 2.0
"""How long each TCP program runs each time, in seconds."""


GOALS: Final = tuple(
    Goal(
        *(row["case"], row["figure"], float(row["bound"]), row["ours"], row["peer"]),
        at_least=row["at"] == "least",
    )
    for row in read_csv(DOCS / "live-bounds.csv")
)
"""What this design reaches on two shared cores, less what runs of different days differ by.

The table has what was wanted of each too, and docs/decisions/0008 why less is asked here.
"""

BESIDE: Final[Mapping[str, tuple[Callable[[float], Sample], float]]] = {
    "one sender": (partial(beside, Transfers(senders=1)), 4.0),
    "one receiver": (partial(beside, Transfers(receivers=1)), 4.0),
    "eight senders": (partial(beside, Transfers(senders=8)), 4.0),
    "another link: 1": (partial(beside, Transfers(senders=1, to="other")), 3.5),
    "another link: 8": (partial(beside, Transfers(senders=8, to="other")), 3.5),
    "another link: 8 to it": (partial(beside, Transfers(receivers=8, to="other")), 4.0),
    "another link: both": (partial(beside, Transfers(senders=4, receivers=4, to="other")), 4.0),
    "one forwarded": (partial(beside_downloads, 1), 5.5),
    "eight forwarded": (partial(beside_downloads, 8), 5.5),
}
"""A ping-pong beside transfers, and its median over that alone, at most: what was reached on a
quiet machine, and a third."""
P99_OVER_ALONE_MAX: Final = 8.0
KEPT_MIN: Final = 0.4
"""The transfers beside round trips, over those without: the round trips take their share of both
processors, and transfers have less room in the link (docs/live.md)."""


def beside_goals() -> Iterator[Goal]:
    """What is asked of each of `BESIDE`."""
    for name, (_, most) in BESIDE.items():
        yield Goal("beside", "p50 over alone", most, name)
        yield Goal("beside", "p99 over alone", P99_OVER_ALONE_MAX, name)
        yield Goal("beside", "MB/s over without", KEPT_MIN, name, at_least=True)


def contenders_of(case: LiveCase) -> dict[str, Callable[[], Sample]]:
    """The link itself, conversations, which use it as programs do, and the peers that there are."""
    lines: dict[str, Callable[[ContenderPart], list[str]]] = {
        "isfc": partial(module_line, "live_ends isfc"),
        "API": partial(module_line, "live_conversations"),
        "pyzmq": partial(module_line, "live_ends pyzmq"),
    }
    if has_c_program():
        lines["C"] = c_line
    return {name: partial(measure, line, case) for name, line in lines.items()}


def describe_build() -> str:
    """Which Python this is, and how it was built: that counts for a third of a round trip."""
    flags = f"{sysconfig.get_config_var('CONFIG_ARGS')} {sysconfig.get_config_var('PY_CFLAGS')}"
    optimized = "--enable-optimizations" in flags or "-fprofile-use" in flags
    lto = "--with-lto" in flags or "-flto" in flags
    how = " and ".join(["with profiles"] * optimized + ["linked as one (LTO)"] * lto)
    return f"Python {platform.python_version()} was built {how or 'without optimization'}."


def bench() -> dict[str, Taken]:
    """All cases, each of which is shown as soon as it is known."""
    say(f"isfc is {'compiled' if COMPILED else 'interpreted'}; {REPETITIONS} runs of each.")
    say(describe_build())
    say(f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} processors have other work to begin with.")
    runs: dict[str, Taken] = {}
    for name, case in CASES.items():
        runs[name] = in_turn(contenders_of(case), REPETITIONS)
        say(table(case.heading, runs[name]))
    if "C" not in runs["packages"]:
        say("There is no C compiler (cc), so nothing is measured beside C.")
    beside_each = {
        name: partial(run, FORWARDED_S)
        for name, (run, _) in BESIDE.items()
        if "forwarded" not in name or find_program("curl")
    }
    runs["beside"] = in_turn(beside_each, REPETITIONS)
    say(table("beside: a ping-pong of 64 bytes beside bulk transfers", runs["beside"]))
    return runs | measure_forwarded(REPETITIONS, FORWARDED_S)


def main(memory: float = 0) -> None:
    """Time the live pair beside its peers, or run HL for so many seconds and watch its memory."""
    try:
        if memory:
            code = end(measure_memory(memory), MEMORY_GOALS)
        else:
            code = end(bench(), (*GOALS, *beside_goals()))
    except ContenderError as error:
        sys.exit(str(error))
    raise typer.Exit(code)


if __name__ == "__main__":
    typer.run(main)
