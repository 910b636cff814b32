"""The benchmark: our engine beside a SimPy model of the same link, its memory and its growth.

``python -m tools.benchmarks.bench`` times both models in turn in one run, measures the memory of
runs of two lengths in processes of their own, and times one CTC against sixteen. It ends with 1
when a target is missed. Times depend on the machine and are only shown; what is judged are
ratios, and how long the studio takes. Ratios are of processor time, which others on the machine
disturb less: each model has one thread and waits for nothing, so that left alone it is the time of
the wall.
"""

import argparse
import gc
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Final

from isfc.layout.catalogue import load_layout
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result, measure
from scenarios.runs.run import build
from scenarios.runs.workload import find_workload, free_workload
from tools.benchmarks.judged import (
    COMPILED,
    HEADING,
    MEMORY_GROWTH_MAX,
    MEMORY_MB_MAX,
    Check,
    Timing,
    describe_check,
    describe_timing,
    end,
    make_parser,
    say_nothing,
    say_now,
    slowdown,
)
from tools.benchmarks.links import run_links
from tools.benchmarks.simpy_run import simulate
from tools.benchmarks.studio_latency import latencies, p95_s

RATIO_MIN: Final = {"HS": 50.0, "HL": 45.0}
"""Suites that are run beside SimPy, each with 16 CTCs and 100 pairs: our messages per second over
SimPy's in the same round, compiled by what runs went through; median of the rounds."""
RATIO_INTERPRETED_MIN: Final = 1.0
"""The same where isfc runs as source, which is for who works on it."""
DIFFERENCE_PERCENT_MAX: Final = 2.0
"""Between the MB/s of the two models, on average over all repetitions."""
_APPC: Final = "CDU:1000"
"""APPC/VM messages of 1,000 bytes."""

SLOWDOWN_MAX: Final = 1.3
"""Time per message with 16 CTCs over that with one, with 100 pairs over that with ten, and with six
links over that with one."""
FROM_ONE_PAIR_MAX: Final = 1.45
"""The same from one pair to a hundred: one pair repeats one path, and stays in the first cache."""
PACKAGES_PERCENT_MAX: Final = 1.0
"""Between the messages per package of those, which are to be equal."""

EDIT_S_MAX: Final = 1.0
"""From an edit on the page of `isfc studio` to the last figure of its judgement, p95, compiled."""
EDIT_INTERPRETED_S_MAX: Final = 10.0
LOOK_S_MAX: Final = 0.25
"""From an edit to its drawing, write order, rule figures and findings while models run, p95."""
EDITS_PER_REPETITION: Final = 6

_ROOT: Final = Path(__file__).parents[2]
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class EngineExtent:
    """How much is run: repetitions, and seconds of virtual time (two for the memory)."""

    repetitions: int = 7
    seconds: float = 2.0
    memory_seconds: tuple[float, float] = (5.0, 20.0)


QUICK: Final = EngineExtent(repetitions=3, seconds=0.5, memory_seconds=(1.0, 4.0))


Comparer = Callable[[EngineExtent], tuple[list[Timing], list[Check]]]
"""Times contestants in turn, and says what is judged of them."""

Model = Callable[[Experiment], tuple[int, float, float]]
"""Runs an experiment; returns messages carried (warm-up included), MB/s, messages a package."""


def run_ours(experiment: Experiment) -> tuple[int, float, float]:
    """Our engine, as `scenarios.runs.run` runs it."""
    engine, systems = build(experiment)
    end = systems[0].ends[0]
    engine.run(experiment.begin_ns)
    before = end.snapshot(engine.now_ns)
    engine.run(experiment.end_ns)
    after = end.snapshot(engine.now_ns)
    result: Result = measure(end.name, before, after)
    per_package = (result.messages_per_s_out + result.messages_per_s_in) / (
        result.packages_per_s_out + result.packages_per_s_in
    )
    return after.write_message_count + after.read_message_count, result.mb_per_s, per_package


def run_simpy(experiment: Experiment) -> tuple[int, float, float]:
    """The SimPy model."""
    result = simulate(experiment)
    return result.message_count, result.mb_per_s, result.messages_per_package


def time_in_turn(
    contestants: Sequence[tuple[str, Model, Callable[[int], Experiment]]], repetitions: int
) -> list[Timing]:
    """Run each contestant once, then each again, and so on; every round has its own seed."""
    runs: list[list[tuple[float, int, float, float]]] = [[] for _ in contestants]
    for seed in range(1, repetitions + 1):
        for (_, model, experiment), taken in zip(contestants, runs, strict=True):
            gc.collect()  # nobody pays for what the last one left behind
            start_s = time.process_time()
            outcome = model(experiment(seed))
            taken.append((time.process_time() - start_s, *outcome))
    timings = []
    for (name, _, _), taken in zip(contestants, runs, strict=True):
        processor_s, counts, mb_per_s, per_package = zip(*taken, strict=True)
        timings.append(Timing(name, processor_s, counts, mb_per_s, mean(per_package)))
    return timings


def published_cell(suite: str, seconds: float, seed: int = 1) -> Experiment:
    """A suite with 16 CTCs and 100 pairs."""
    layout = load_layout("published-16")
    return Experiment.of(layout, find_workload(suite), 100, seconds, warmup=0.2, seed=seed)


def equal_packages(ctcs: int, seconds: float, seed: int = 1) -> Experiment:
    """A link that has more to carry than it can, in packages of eight messages each.

    One limit for a single CTC and for many, and a backlog that is never empty, make packages
    alike; the single CTC gets more virtual time, so that about as many messages pass.
    """
    length = 8 * 2_048
    return Experiment.of(
        load_layout(f"published-{ctcs}"),
        free_workload("2048:2048:0", 2_048),
        pairs=200,
        seconds=seconds * (4 if ctcs == 1 else 1),
        warmup=0.2,
        seed=seed,
        link=LinkParameters(
            package_limit=PackageLimit(length),
            single_ctc_length=length,
            single_ctc_message_length=0,
        ),
    )


def single_messages(pairs: int, seconds: float, seed: int = 1) -> Experiment:
    """16 CTCs that carry every message in a package of its own, whatever else waits.

    With few pairs there is less to carry, and more virtual time for it, so that runs take alike.
    """
    return Experiment.of(
        load_layout("published-16"),
        free_workload("2048:2048:0", 2_048),
        pairs=pairs,
        seconds=seconds * {1: 8, 10: 5}.get(pairs, 1),
        warmup=0.2,
        seed=seed,
        link=LinkParameters(package_limit=PackageLimit(1)),
    )


def peak_memory_mb(seconds: float) -> float:
    """Peak resident memory of a process that does nothing but one run, in 2^20 bytes."""
    command = [sys.executable, "-m", "tools.benchmarks.bench", "--memory", str(seconds)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, check=True, text=True)
    return float(done.stdout)


def _peak_length() -> int:
    """Peak resident memory of this process, in bytes.

    Linux lets ``ru_maxrss`` begin with what the process that started this one had then.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status.read_text("utf-8"), re.MULTILINE)
        return int(peak) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RUSAGE_UNIT


def compare_with_simpy(suite: str, extent: EngineExtent) -> tuple[list[Timing], list[Check]]:
    """Both models on one cell, in turn."""

    def experiment(seed: int) -> Experiment:
        return published_cell(suite, extent.seconds, seed)

    timings = time_in_turn(
        [("isfc", run_ours, experiment), ("SimPy", run_simpy, experiment)], extent.repetitions
    )
    ours, theirs = timings
    ratio = slowdown(theirs, ours)
    ratio_min = RATIO_MIN[suite] if COMPILED else RATIO_INTERPRETED_MIN
    difference = abs(mean(theirs.mb_per_s) / mean(ours.mb_per_s) - 1) * 100
    return timings, [
        Check(f"{suite}: messages per second, isfc / SimPy", ratio, ratio_min, at_least=True),
        Check(f"{suite}: MB/s, difference in percent", difference, DIFFERENCE_PERCENT_MAX),
    ]


def compare_ctcs(extent: EngineExtent) -> tuple[list[Timing], list[Check]]:
    """One CTC against sixteen, with the same messages per package."""
    counts = {"1 CTC": 1, "16 CTCs": 16}
    return _compare_counts(extent, equal_packages, counts, {("1 CTC", "16 CTCs"): SLOWDOWN_MAX})


def compare_pairs(extent: EngineExtent) -> tuple[list[Timing], list[Check]]:
    """One pair and ten against a hundred, with one message per package."""
    counts = {"1 pair": 1, "10 pairs": 10, "100 pairs": 100}
    limits = {("10 pairs", "100 pairs"): SLOWDOWN_MAX, ("1 pair", "100 pairs"): FROM_ONE_PAIR_MAX}
    return _compare_counts(extent, single_messages, counts, limits)


def _compare_counts(
    extent: EngineExtent,
    experiment: Callable[[int, float, int], Experiment],
    counts: Mapping[str, int],
    limits: Mapping[tuple[str, str], float],
) -> tuple[list[Timing], list[Check]]:
    """The time of a message with few and with many, at the same messages per package."""

    def run_with(count: int) -> Callable[[int], Experiment]:
        return lambda seed: experiment(count, extent.seconds / 2, seed)

    timings = time_in_turn(
        [(name, run_ours, run_with(count)) for name, count in counts.items()], extent.repetitions
    )
    timed = dict(zip(counts, timings, strict=True))
    checks = [
        Check(
            f"time per message, {many} / {few}",
            slowdown(timed[many], timed[few]),
            most,
        )
        for (few, many), most in limits.items()
    ]
    packages = [timing.messages_per_package for timing in timings]
    difference = (max(packages) / min(packages) - 1) * 100
    name = "messages per package, difference in percent"
    return timings, [*checks, Check(name, difference, PACKAGES_PERCENT_MAX)]


def compare_links(extent: EngineExtent) -> tuple[list[Timing], list[Check]]:
    """One link of a mesh of four systems against all six, which share nothing, or a chpid each.

    With ISFC Transport, and with APPC/VM, whose messages are copied under one lock of a system.
    """
    names = ("1 link", "6 links", "1 shares", "6 share")
    models = [run_links(count, shared=shared) for shared in (False, True) for count in (1, 6)]
    contestants = [
        (f"{kind}{name}", model, experiments)
        for kind, experiments in (
            ("", lambda seed: published_cell("HL", extent.seconds / 4, seed)),
            ("APPC ", lambda seed: published_cell(_APPC, extent.seconds / 4, seed)),
        )
        for name, model in zip(names, models, strict=True)
    ]
    timings = time_in_turn(contestants, extent.repetitions)
    checks = []
    for kind, four in (("", timings[:4]), (", APPC/VM", timings[4:])):
        one, six, one_shares, six_share = four
        apart = f"time per message, 6 links / 1 link{kind}"
        checks.append(Check(apart, slowdown(six, one), SLOWDOWN_MAX))
        checks.append(
            Check(
                f"the same, a chpid of each system shared{kind}",
                slowdown(six_share, one_shares),
                SLOWDOWN_MAX,
            )
        )
    return timings, checks


def compare_memory(extent: EngineExtent) -> list[Check]:
    """A run against one four times as long."""
    shorter, longer = (peak_memory_mb(seconds) for seconds in extent.memory_seconds)
    return [
        Check("peak memory of a run, MB", longer, MEMORY_MB_MAX),
        Check("peak memory, four times as long a run", longer / shorter, MEMORY_GROWTH_MAX),
    ]


def compare_studio(extent: EngineExtent) -> list[Check]:
    """The page of a layout with 16 CTCs: seconds of the wall from an edit to its judgement."""
    taken = latencies(EDITS_PER_REPETITION * extent.repetitions)
    most = EDIT_S_MAX if COMPILED else EDIT_INTERPRETED_S_MAX
    return [
        Check("studio, 16 CTCs: s from edit to judgement, p95", p95_s(taken.judged_s), most),
        Check(
            "  s until the rules' part is shown, meanwhile, p95", p95_s(taken.looked_s), LOOK_S_MAX
        ),
    ]


COMPARISONS: Final[Sequence[tuple[str, str, Comparer]]] = (
    *(
        (suite, f"{suite}, 16 CTCs, 100 pairs", partial(compare_with_simpy, suite))
        for suite in RATIO_MIN
    ),
    ("CTCs", "One CTC and sixteen, packages alike", compare_ctcs),
    ("pairs", "One pair, ten and a hundred, packages alike", compare_pairs),
    (
        "links",
        "One link of four systems and six, their own fibres or one chpid each",
        compare_links,
    ),
)
"""What is timed in turn: its name in JSON, what is said of it, and how it is done."""


def bench(
    extent: EngineExtent, say: Callable[[str], None]
) -> tuple[dict[str, list[Timing]], list[Check]]:
    """All of it; ``say`` is told each part as soon as it is known."""
    timings: dict[str, list[Timing]] = {}
    checks: list[Check] = []
    say(
        f"isfc is {'compiled' if COMPILED else 'interpreted'}, SimPy as it is installed.\n{HEADING}"
    )
    for name, what, compare in COMPARISONS:
        say(what)
        timings[name], judged = compare(extent)
        checks += judged
        say("\n".join(map(describe_timing, timings[name])))
    say("")
    checks += compare_memory(extent)
    checks += compare_studio(extent)
    say("\n".join(map(describe_check, checks)))
    return timings, checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit status."""
    parser = make_parser("bench", "Time the engine.")
    parser.add_argument("--memory", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.memory:
        run_ours(published_cell("HL", options.memory))
        print(_peak_length() / 2**20)
        return 0
    extent = QUICK if options.quick else EngineExtent()
    timings, checks = bench(extent, say_nothing if options.json else say_now)
    figures = {"timings": {name: [asdict(t) for t in pair] for name, pair in timings.items()}}
    return end(figures, checks, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
