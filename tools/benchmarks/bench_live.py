"""The live benchmark: two isfc processes beside other pairs of processes, over Unix sockets.

``python -m tools.benchmarks.bench_live`` runs these cases: packages of 830 kB over eight
connections (CTCs), streams of messages of 118 kB, 32 KiB and 1 KiB, the small messages of the
suite HS in a closed loop, a ping-pong of 64 bytes, alone and beside bulk, and then TCP programs
through ``--forward`` (`tools.benchmarks.forwarded`). In each, all contenders run in turn, over
and over, so that they meet the same machine. Times depend on the machine and are only shown; what
is judged are ratios of medians. It ends with 1 when a goal is missed. ``--memory SECONDS`` runs HL
for so long, and then 200 forwarded connections, and judges the memory of both nodes.
"""

import platform
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from statistics import median
from typing import Final

from tools.benchmarks import resident as resident_memory
from tools.benchmarks.contenders import (
    ContenderCommand,
    ContenderError,
    ContenderRun,
    ContenderWork,
    c_contender,
    python_contender,
)
from tools.benchmarks.forwarded import Figures, measure_forwarded
from tools.benchmarks.judged import (
    COMPILED,
    Check,
    describe_check,
    end,
    make_parser,
    say_nothing,
    say_now,
)
from tools.benchmarks.live_beside import measure_beside
from tools.benchmarks.live_peer import CASES, LiveCase
from tools.benchmarks.others import Others, describe_others

OURS: Final = "isfc"
"""The link itself, used as `isfc.engine` uses it."""
API: Final = "API"
"""Conversations of `isfc.live.session`, which use the link as programs do."""
FORWARDS_PART: Final = 10
"""Memory is watched of forwards for so small a part of the time that HL takes."""


@dataclass(frozen=True, slots=True)
class LiveExtent:
    """How much is run: repetitions, and what each counts after its warm-up."""

    repetitions: int = 7
    part: int = 1
    """One of so many of what each case has is run."""
    forwarded_s: float = 2.0
    """How long each TCP program runs each time, in seconds."""

    @property
    def works(self) -> Iterator[ContenderWork]:
        """What each contender is to do, case by case."""
        for name, case in CASES.items():
            yield ContenderWork(name, case.warmup // self.part, case.count // self.part)


QUICK: Final = LiveExtent(3, 4, 1.0)

Timings = Mapping[str, Mapping[str, Sequence[ContenderRun]]]
"""By case and contender, the runs in their order."""


def time_in_turn(
    contenders: Sequence[ContenderCommand], work: ContenderWork, repetitions: int
) -> dict[str, list[ContenderRun]]:
    """Run each contender once, then each again, and so on."""
    runs: dict[str, list[ContenderRun]] = {contender.name: [] for contender in contenders}
    for _ in range(repetitions):
        for contender in contenders:
            runs[contender.name].append(contender.run(work))
    return runs


OUR_NODES: Final = python_contender(OURS, "live_isfc")
OUR_PROGRAMS: Final = python_contender(API, "live_api")


def contenders_of(case: str) -> list[ContenderCommand]:
    """Ours first, then the peers that there are."""
    pyzmq = python_contender("pyzmq", "live_pyzmq")
    if case == "messages":
        return [OUR_NODES, pyzmq]
    peers = [pyzmq]
    if case == "pingpong":
        peers.append(python_contender("echo", "live_echo"))
    in_c = c_contender()
    return [OUR_NODES, OUR_PROGRAMS, *peers, *([in_c] if in_c else [])]


Figure = tuple[str, Callable[[ContenderRun], float]]


_rate, _cpu_us, _p50_us, _p99_us = map(attrgetter, ("rate", "cpu_us", "p50_us", "p99_us"))


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure of ours, over that of a peer."""

    case: str
    what: str
    of: Callable[[ContenderRun], float]
    peer: str
    limit: float
    ours: str = OURS
    at_least: bool = True


GOALS: Final = (
    Goal("packages", "MB/s", _rate, "C", 0.55),
    Goal("packages", "CPU of a package", _cpu_us, "C", 2.5, at_least=False),
    Goal("packages", "MB/s", _rate, "C", 0.35, ours=API),
    Goal("packages", "MB/s", _rate, "pyzmq", 0.85),
    Goal("large", "MB/s", _rate, "C", 0.65),
    Goal("large", "MB/s", _rate, "C", 0.4, ours=API),
    Goal("large", "MB/s", _rate, OURS, 0.5, ours=API),
    Goal("blocks", "MB/s", _rate, "C", 0.5),
    Goal("blocks", "MB/s", _rate, "C", 0.35, ours=API),
    Goal("blocks", "MB/s", _rate, OURS, 0.6, ours=API),
    Goal("small", "messages/s", _rate, "C", 0.9),
    Goal("small", "messages/s", _rate, "C", 0.8, ours=API),
    Goal("messages", "messages/s", _rate, "pyzmq", 1.5),
    Goal("pingpong", "a second", _rate, "C", 0.07),
    Goal("pingpong", "median", _p50_us, "echo", 10.0, at_least=False),
    Goal("pingpong", "median", _p50_us, "echo", 14.0, ours=API, at_least=False),
    Goal("pingpong", "99th percentile", _p99_us, "echo", 8.0, at_least=False),
)
"""What this design reaches on two shared cores, less what runs of different days differ by.

docs/live-bounds.csv has what was wanted of each, and docs/decisions/0008 why less is asked here.
"""


def judge(timings: Timings) -> list[Check]:
    """The ratios that are goals; those to C only where it could be built."""
    checks = []
    for goal in GOALS:
        runs = timings[goal.case]
        if goal.peer in runs and goal.ours in runs:
            ours, theirs = (median(map(goal.of, runs[name])) for name in (goal.ours, goal.peer))
            name = f"{goal.case}: {goal.what}, {goal.ours} / {goal.peer}"
            checks.append(Check(name, ours / theirs, goal.limit, at_least=goal.at_least))
    return checks


def figures_of(case: LiveCase) -> tuple[Figure, Figure]:
    """The figures that the table of a case shows."""
    if case.unit == "us":
        return ("p50", _p50_us), ("p99", _p99_us)
    return (case.unit, lambda run: run.rate * case.in_unit), ("CPU us", _cpu_us)


def describe_case(case: str, runs: Mapping[str, Sequence[ContenderRun]]) -> str:
    """A case's table: median, least and greatest of each figure."""
    figures = figures_of(CASES[case])
    lines = [
        CASES[case].heading,
        " " * 10 + "".join(f"{name:>11}{'min':>9}{'max':>9}" for name, _ in figures),
    ]
    lines[1] = lines[1].rstrip()
    for name, taken in runs.items():
        cells = ""
        for _, of in figures:
            values = [of(run) for run in taken]
            cells += f"{median(values):11,.0f}{min(values):9,.0f}{max(values):9,.0f}"
        lines.append(f"  {name:8}{cells}")
    return "\n".join(lines)


def describe_build() -> str:
    """Which Python this is, and how it was built: that counts for a third of a round trip."""
    flags = f"{sysconfig.get_config_var('CONFIG_ARGS')} {sysconfig.get_config_var('PY_CFLAGS')}"
    optimized = "--enable-optimizations" in flags or "-fprofile-use" in flags
    lto = "--with-lto" in flags or "-flto" in flags
    how = " and ".join(["with profiles"] * optimized + ["linked as one (LTO)"] * lto)
    return f"Python {platform.python_version()} was built {how or 'without optimization'}."


def bench(extent: LiveExtent, say: Callable[[str], None]) -> tuple[Timings, Figures, list[Check]]:
    """All cases; ``say`` is told each as soon as it is known."""
    say(f"isfc is {'compiled' if COMPILED else 'interpreted'}; {extent.repetitions} runs of each.")
    say(describe_build())
    timings = {}
    others = Others()
    for work in extent.works:
        contenders = contenders_of(work.case)
        timings[work.case] = time_in_turn(contenders, work, extent.repetitions)
        say(describe_case(work.case, timings[work.case]))
    if "C" not in timings["packages"]:
        say("There is no C compiler (cc), so nothing is measured beside C.")
    remark = describe_others(others.processors())
    if remark:
        say(remark)
    _, beside = measure_beside(extent.repetitions, extent.forwarded_s, say)
    figures, checks = measure_forwarded(extent.repetitions, extent.forwarded_s, say)
    checks = [*judge(timings), *beside, *checks]
    say("\n" + "\n".join(map(describe_check, checks)))
    return timings, figures, checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit status."""
    parser = make_parser("bench_live", "Time the live pair beside its peers.")
    parser.add_argument(
        "--memory", type=float, metavar="SECONDS", help="run HL for so long, and watch the memory"
    )
    options = parser.parse_args(arguments)
    say = say_nothing if options.json else say_now
    try:
        figures, checks = _measure(options.memory, QUICK if options.quick else LiveExtent(), say)
    except ContenderError as error:
        print(error, file=sys.stderr)
        return 1
    return end(figures, checks, as_json=options.json)


def _measure(
    memory_s: float | None, extent: LiveExtent, say: Callable[[str], None]
) -> tuple[dict[str, object], list[Check]]:
    if memory_s:
        resident = {"HL": resident_memory.sample_memory(OUR_NODES, memory_s)}
        checks = resident_memory.judge_memory(resident["HL"])
        say("\n".join(map(describe_check, checks)))
        forwards_s = memory_s / FORWARDS_PART
        resident["forward"] = resident_memory.sample_forwarded(forwards_s)
        further = resident_memory.judge_forwarded(resident["forward"])
        say("\n".join(map(describe_check, further)))
        return {"resident_mb": resident}, [*checks, *further]
    timings, figures, checks = bench(extent, say)
    runs = {
        case: {name: [asdict(run) for run in taken] for name, taken in by_name.items()}
        for case, by_name in timings.items()
    }
    return {"timings": runs, "forwarded": figures}, checks


if __name__ == "__main__":
    sys.exit(main())
