"""The benchmark: our engine beside a SimPy model of the same link, its memory and its growth.

``python -m tools.benchmarks.bench`` times both models in turn in one run, measures the memory of
runs of two lengths in processes of their own, and times one CTC against sixteen. It ends with 1
when a target is missed. Times depend on the machine and are only shown; what is judged are ratios
of processor time, which others on the machine disturb less: each model has one thread and waits for
nothing, so that left alone it is the time of the wall.
"""

import gc
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from operator import sub
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import build
from scenarios.runs.workload import LinkLoad, find_workload, free_workload
from tests.layouts import mesh
from tools import PROJECT
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
from tools.benchmarks.simpy_run import simulate

SLOWDOWN_MAX: Final = 1.3
"""Time per message with 16 CTCs over that with one, with 100 pairs over that with ten, and with six
links over that with one."""
PACKAGES_WITHIN: Final = 0.01
"""How far the messages per package of those may differ, which are to be equal."""
_ALIKE_WITHIN: Final = 0.02
"""The same of the MB/s of the two models."""
SIMPY: Final = "SimPy"
_APPC: Final = "CDU:1000"
"""APPC/VM messages of 1,000 bytes."""

_RUSAGE_MB: Final = 2**20 if sys.platform == "darwin" else 1024


REPETITIONS: Final = 7
SECONDS: Final = 2.0
MEMORY_SECONDS: Final = 5.0
"""Virtual time of the shorter run whose memory is measured."""


def _alike(case: str, figure: str, within: float, ours: str, peer: str) -> Iterator[Goal]:
    """A figure that both are to have alike."""
    yield Goal(case, figure, 1 + within, ours, peer)
    yield Goal(case, figure, 1 - within, ours, peer, at_least=True)


def _slower(case: str, many: str, few: str, most: float = SLOWDOWN_MAX) -> Goal:
    return Goal(case, "us/message", most, many, few)


GOALS: Final = (
    # Compiled by what runs went through; the source is for who works on it.
    Goal("HS", "messages/s", 50.0 if COMPILED else 1.0, "isfc", SIMPY, at_least=True),
    Goal("HL", "messages/s", 45.0 if COMPILED else 1.0, "isfc", SIMPY, at_least=True),
    *_alike("HS", "MB/s", _ALIKE_WITHIN, SIMPY, "isfc"),
    *_alike("HL", "MB/s", _ALIKE_WITHIN, SIMPY, "isfc"),
    _slower("CTCs", "16 CTCs", "1 CTC"),
    *_alike("CTCs", "messages/package", PACKAGES_WITHIN, "16 CTCs", "1 CTC"),
    _slower("pairs", "100 pairs", "10 pairs"),
    _slower("pairs", "100 pairs", "1 pair", 1.45),  # which stays in the first cache
    *_alike("pairs", "messages/package", PACKAGES_WITHIN, "100 pairs", "1 pair"),
    *(
        _slower(case, f"6 links{shared}", f"1 link{shared}")
        for case in ("links", "APPC/VM")
        for shared in ("", ", shared")
    ),
    Goal("memory", "peak MB", MEMORY_MB_MAX, "longer"),
    Goal("memory", "peak MB", MEMORY_GROWTH_MAX, "longer", "shorter"),
)


def run_ours(experiment: Experiment) -> Sample:
    """Our engine, as `scenarios.runs.run` runs it: what was written at all ends of all links."""
    engine, systems = build(experiment)

    def written() -> tuple[int, int, int]:
        ends = [end.link.counters for system in systems for end in system.ends]
        return (
            sum(end.write_message_count for end in ends),
            sum(end.write_package_count for end in ends),
            sum(end.write_length for end in ends),
        )

    engine.run(experiment.begin_ns)
    before = written()
    engine.run(experiment.end_ns)
    after = written()
    messages, packages, length = map(sub, after, before)
    return {
        "messages": after[0],
        "MB/s": length / experiment.seconds / MIB,
        "messages/package": messages / packages,
    }


def run_simpy(experiment: Experiment) -> Sample:
    """The SimPy model."""
    result = simulate(experiment)
    return {
        "messages": result.message_count,
        "MB/s": result.mb_per_s,
        "messages/package": result.messages_per_package,
    }


def timed(name: str, experiment: Experiment) -> Callable[[], Sample]:
    """A contender: each of its runs has a seed of its own, and the processor time of a message.

    A run tells the messages that it carried, warm-up included, MB/s, and messages a package.
    """
    model, seeds = run_simpy if name == SIMPY else run_ours, count(1)

    def run() -> Sample:
        gc.collect()  # nobody pays for what the last one left behind
        begin_s = time.process_time()
        found = dict(model(replace(experiment, seed=next(seeds))))
        took_s = time.process_time() - begin_s
        messages = found.pop("messages")
        return {"messages/s": messages / took_s, "us/message": 1e6 * took_s / messages, **found}

    return run


def published_cell(suite: str, seconds: float) -> Experiment:
    """A suite with 16 CTCs and 100 pairs."""
    layout = load_layout("published-16")
    return Experiment.of(layout, find_workload(suite), 100, seconds, warmup=0.2)


def equal_packages(ctcs: int, seconds: float) -> Experiment:
    """A link that has more to carry than it can, in packages of eight messages each.

    One limit for a single CTC and for many, and a backlog that is never empty, make packages
    alike; the single CTC gets more virtual time, so that about as many messages pass.
    """
    length = 8 * 2_048
    parameters = LinkParameters(
        package_limit=PackageLimit(length), single_ctc_length=length, single_ctc_message_length=0
    )
    return _equal_messages(ctcs, 200, seconds * (4 if ctcs == 1 else 1), parameters)


def single_messages(pairs: int, seconds: float) -> Experiment:
    """16 CTCs that carry every message in a package of its own, whatever else waits.

    With few pairs there is less to carry, and more virtual time for it, so that runs take alike.
    """
    parameters = LinkParameters(package_limit=PackageLimit(1))
    return _equal_messages(16, pairs, seconds * {1: 8, 10: 5}.get(pairs, 1), parameters)


def _equal_messages(ctcs: int, pairs: int, seconds: float, link: LinkParameters) -> Experiment:
    workload = free_workload("2048:2048:0", 2_048)
    return Experiment.of(load_layout(f"published-{ctcs}"), workload, pairs, seconds, 0.2, link=link)


def links_of_mesh(links: int, suite: str, seconds: float, *, shared: bool) -> Experiment:
    """So many links of a full mesh of four systems, each with a suite and 100 pairs.

    Links share nothing, or a chpid of each system.
    """
    collection = parse_collection(mesh(4, shared=shared))
    workload = find_workload(suite)
    loads = tuple(LinkLoad(*link.nodes, workload, 100) for link in collection.links[:links])
    return Experiment(collection, loads, seconds, warmup=0.2)


class Case(NamedTuple):
    """What is timed in turn: its name, what is said of it, and what each contender runs."""

    name: str
    heading: str
    experiments: Mapping[str, Experiment]


def cases(seconds: float) -> Iterator[Case]:
    """Each suite beside SimPy, and what grows."""
    for suite in ("HS", "HL"):
        cell = published_cell(suite, seconds)
        yield Case(suite, f"{suite}, 16 CTCs, 100 pairs", {"isfc": cell, SIMPY: cell})
    yield Case(
        "CTCs",
        "One CTC and sixteen, packages alike",
        {f"{n} CTC{'s' * (n > 1)}": equal_packages(n, seconds / 2) for n in (1, 16)},
    )
    yield Case(
        "pairs",
        "One pair, ten and a hundred, packages alike",
        {f"{n} pair{'s' * (n > 1)}": single_messages(n, seconds / 2) for n in (1, 10, 100)},
    )
    # APPC/VM's messages are copied under one lock of a system.
    for name, suite in (("links", "HL"), ("APPC/VM", _APPC)):
        yield Case(
            name,
            f"One link of four systems and six, {suite}",
            {
                f"{n} link{'s' * (n > 1)}{', shared' * shared}": links_of_mesh(
                    n, suite, seconds / 4, shared=shared
                )
                for shared in (False, True)
                for n in (1, 6)
            },
        )


def _peak_mb() -> float:
    """Peak resident memory of this process, in units of 2^20 bytes.

    Linux lets ``ru_maxrss`` begin with what the process that started this one had then.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status.read_text("utf-8"), re.MULTILINE)
        return int(peak) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _RUSAGE_MB


def memory(shorter_s: float) -> Taken:
    """A run, and one four times as long: each in a process that does nothing else."""
    taken = {}
    for name, seconds in (("shorter", shorter_s), ("longer", 4 * shorter_s)):
        command = [sys.executable, "-m", "tools.benchmarks.bench", "--memory", str(seconds)]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True, text=True)
        taken[name] = [{"peak MB": float(done.stdout)}]
    return taken


def bench() -> dict[str, Taken]:
    """All of it, each part of which is shown as soon as it is known."""
    runs: dict[str, Taken] = {}
    say(f"isfc is {'compiled' if COMPILED else 'interpreted'}, SimPy as it is installed.")
    for case in cases(SECONDS):
        contenders = {name: timed(name, each) for name, each in case.experiments.items()}
        runs[case.name] = in_turn(contenders, REPETITIONS)
        say(table(case.heading, runs[case.name]))
    return runs | {"memory": memory(MEMORY_SECONDS)}


def main(memory: Annotated[float, typer.Option(hidden=True)] = 0) -> None:
    """Time the engine."""
    if memory:
        run_ours(published_cell("HL", memory))
        print(_peak_mb())
    else:
        raise typer.Exit(end(bench(), GOALS))


if __name__ == "__main__":
    typer.run(main)
