"""The live benchmark: two isfc processes beside other pairs of processes, over Unix sockets.

``python -m tools.benchmarks.bench_live`` runs three cases: packages of 830 kB over eight
connections (CTCs), the small messages of the suite HS in a closed loop, and a ping-pong of 64
bytes. In each, all contenders run in turn, over and over, so that they meet the same machine.
Times depend on the machine and are only shown; what is judged are ratios of medians. It ends with
1 when a goal is missed. ``--memory SECONDS`` runs HL for so long instead, and judges the memory
of both nodes.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Final

from tools.benchmarks.bench import COMPILED, Check, describe_check
from tools.benchmarks.contenders import (
    Contender,
    ContenderError,
    Run,
    Work,
    c_contender,
    python_contender,
)
from tools.benchmarks.live_peer import PAYLOAD_LENGTH
from tools.benchmarks.others import Others, describe_others
from tools.benchmarks.resident import judge_memory, sample_memory

OURS: Final = "isfc"
API: Final = "API"
"""Conversations of `isfc.live.session`, which use the link as programs do."""
C_RATE_MIN: Final = 0.5
"""Our packages per second, over those of C."""
API_RATE_MIN: Final = 0.5
"""Packages per second of conversations, over those of C."""
PYZMQ_RATE_MIN: Final = 1.0
"""Our packages per second, over those of pyzmq."""
C_CPU_MAX: Final = 2.5
"""Our processor time of a package, both processes, over that of C."""
MESSAGES_MIN: Final = 1.5
"""Our small messages per second, over those of pyzmq."""
ECHO_MAX: Final = 8.0
"""Our round trip of 64 bytes, over that of a bare echo: its median, and its 99th percentile."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is run: repetitions, and what each counts after its warm-up."""

    repetitions: int = 7
    packages: Work = Work("packages", 500, 4_000)
    messages: Work = Work("messages", 10_000, 60_000)
    pingpong: Work = Work("pingpong", 1_000, 5_000)


QUICK: Final = Extent(
    3, Work("packages", 200, 1_000), Work("messages", 2_000, 10_000), Work("pingpong", 200, 1_000)
)

Timings = Mapping[str, Mapping[str, Sequence[Run]]]
"""By case and contender, the runs in their order."""


def time_in_turn(
    contenders: Sequence[Contender], work: Work, repetitions: int
) -> dict[str, list[Run]]:
    """Run each contender once, then each again, and so on."""
    runs: dict[str, list[Run]] = {contender.name: [] for contender in contenders}
    for _ in range(repetitions):
        for contender in contenders:
            runs[contender.name].append(contender.run(work))
    return runs


OUR_NODES: Final = python_contender(OURS, "live_isfc")
OUR_PROGRAMS: Final = python_contender(API, "live_api")


def contenders_of(case: str) -> list[Contender]:
    """Ours first, then the peers that there are."""
    pyzmq = python_contender("pyzmq", "live_pyzmq")
    if case == "packages":
        in_c = c_contender()
        raw = python_contender("sockets", "live_sockets")
        return [OUR_NODES, OUR_PROGRAMS, pyzmq, raw, *([in_c] if in_c else [])]
    if case == "messages":
        return [OUR_NODES, pyzmq]
    return [OUR_NODES, OUR_PROGRAMS, python_contender("echo", "live_echo")]


def judge(timings: Timings) -> list[Check]:
    """The ratios that are goals; those to C only where it could be built."""
    packages, messages, pingpong = (timings[c] for c in ("packages", "messages", "pingpong"))
    checks = []
    if "C" in packages:
        rate, cpu = _ratio(packages, "C", _rate), _ratio(packages, "C", _cpu_us)
        checks.append(Check("packages: MB/s, isfc / C", rate, C_RATE_MIN, at_least=True))
        checks.append(Check("packages: CPU of a package, isfc / C", cpu, C_CPU_MAX))
        if API in packages:
            rate = _ratio(packages, "C", _rate, ours=API)
            checks.append(Check("packages: MB/s, API / C", rate, API_RATE_MIN, at_least=True))
    rate = _ratio(packages, "pyzmq", _rate)
    checks.append(Check("packages: MB/s, isfc / pyzmq", rate, PYZMQ_RATE_MIN, at_least=True))
    rate = _ratio(messages, "pyzmq", _rate)
    checks.append(Check("HS: messages/s, isfc / pyzmq", rate, MESSAGES_MIN, at_least=True))
    p50, p99 = (_ratio(pingpong, "echo", of) for of in (_p50_us, _p99_us))
    checks.append(Check("ping-pong: median, isfc / echo", p50, ECHO_MAX))
    checks.append(Check("ping-pong: 99th percentile, isfc / echo", p99, ECHO_MAX))
    return checks


def _ratio(
    runs: Mapping[str, Sequence[Run]], peer: str, of: Callable[[Run], float], *, ours: str = OURS
) -> float:
    return median(map(of, runs[ours])) / median(map(of, runs[peer]))


def _rate(run: Run) -> float:
    return run.rate


def _cpu_us(run: Run) -> float:
    return run.cpu_us


def _p50_us(run: Run) -> float:
    return run.p50_us


def _p99_us(run: Run) -> float:
    return run.p99_us


def _mb_per_s(run: Run) -> float:
    return run.rate * PAYLOAD_LENGTH / 2**20


def _messages_per_s(run: Run) -> float:
    """Both ways: an exchange is a message and its reply."""
    return 2 * run.rate


Figure = tuple[str, Callable[[Run], float]]

_CPU: Final[Figure] = ("CPU us", _cpu_us)
COLUMNS: Final[Mapping[str, tuple[str, tuple[Figure, ...]]]] = {
    "packages": ("Packages of 830 kB, 8 CTCs or connections", (("MB/s", _mb_per_s), _CPU)),
    "messages": (
        "HS: 512/8192 bytes, 20 %, replies 2048; 100 pairs, window 2, 16 CTCs; both ways",
        (("messages/s", _messages_per_s), _CPU),
    ),
    "pingpong": ("Ping-pong of 64 bytes, us", (("p50", _p50_us), ("p99", _p99_us))),
}
"""The heading of each case, and the figures that its table shows; CPU is of both processes, for
a package or an exchange."""


def describe_case(case: str, runs: Mapping[str, Sequence[Run]]) -> str:
    """A case's table: median, least and greatest of each figure."""
    heading, figures = COLUMNS[case]
    lines = [heading, " " * 10 + "".join(f"{name:>11}{'min':>9}{'max':>9}" for name, _ in figures)]
    lines[1] = lines[1].rstrip()
    for name, taken in runs.items():
        cells = ""
        for _, of in figures:
            values = [of(run) for run in taken]
            cells += f"{median(values):11,.0f}{min(values):9,.0f}{max(values):9,.0f}"
        lines.append(f"  {name:8}{cells}")
    return "\n".join(lines)


def bench(extent: Extent, say: Callable[[str], None]) -> tuple[Timings, list[Check]]:
    """All three cases; ``say`` is told each as soon as it is known."""
    say(f"isfc is {'compiled' if COMPILED else 'interpreted'}; {extent.repetitions} runs of each.")
    timings = {}
    others = Others()
    for work in (extent.packages, extent.messages, extent.pingpong):
        contenders = contenders_of(work.case)
        timings[work.case] = time_in_turn(contenders, work, extent.repetitions)
        say(describe_case(work.case, timings[work.case]))
    if "C" not in timings["packages"]:
        say("There is no C compiler (cc), so nothing is measured beside C.")
    remark = describe_others(others.processors())
    if remark:
        say(remark)
    checks = judge(timings)
    say("\n" + "\n".join(map(describe_check, checks)))
    return timings, checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.benchmarks.bench_live",
        description="Time the live pair beside its peers.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="shorter and fewer runs: rougher figures"
    )
    parser.add_argument(
        "--memory", type=float, metavar="SECONDS", help="run HL for so long, and watch the memory"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    say = _keep_quiet if options.json else _say
    try:
        figures, checks = _measure(options.memory, QUICK if options.quick else Extent(), say)
    except ContenderError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        judged = [{**asdict(check), "passed": check.passed} for check in checks]
        print(json.dumps({"compiled": COMPILED, **figures, "checks": judged}, indent=2))
    return 0 if all(check.passed for check in checks) else 1


def _measure(
    memory_s: float | None, extent: Extent, say: Callable[[str], None]
) -> tuple[dict[str, object], list[Check]]:
    if memory_s:
        resident = sample_memory(OUR_NODES, memory_s)
        checks = judge_memory(resident)
        say("\n".join(map(describe_check, checks)))
        return {"resident_mb": resident}, checks
    timings, checks = bench(extent, say)
    runs = {
        case: {name: [asdict(run) for run in taken] for name, taken in by_name.items()}
        for case, by_name in timings.items()
    }
    return {"timings": runs}, checks


def _say(text: str) -> None:
    print(text, flush=True)


def _keep_quiet(_: str) -> None:
    pass


if __name__ == "__main__":
    sys.exit(main())
