"""``make simulate SEEDS=N``: a swarm of pairs and clusters, drawn from seeds, with faults.

``python -m tools.simulation.simulate --seeds 1000 --first 0`` runs so many seeds and sums up what
happened; it ends with 1 at the first seed that fails, after a line with the command that repeats
it, and a smaller scenario that fails in the same way. ``--seed 7`` runs one. Each seed draws a
pair, and every `CLUSTER_EVERY`-th a cluster as well.
"""

import time
from collections.abc import Iterator
from multiprocessing import Pool
from typing import Final, NamedTuple

import typer

from scenarios.faults.fault import FaultKind
from tools.simulation.scenario import Scenario, draw, draw_cluster, shrink
from tools.simulation.swarm import Survived, run

CLUSTER_EVERY: Final = 10
"""Of so many seeds one draws a cluster too, which takes as long as several pairs. Chosen."""


class Failed(NamedTuple):
    """A scenario that has failed, and how."""

    scenario: Scenario
    reason: str


def attempt(seed: int) -> Survived | Failed:
    """Run one seed."""
    survived = Survived()
    for scenario in [draw(seed)] + [draw_cluster(seed)] * (seed % CLUSTER_EVERY == 0):
        found = outcome(scenario)
        if isinstance(found, str):
            return Failed(scenario, found)
        survived += found
    return survived


def outcome(scenario: Scenario) -> Survived | str:
    """What came of a scenario, or in words what breaks in it."""
    try:
        return run(scenario)
    except Exception as error:  # whatever it is, it is to be repeated
        return f"{type(error).__name__}: {error}"


def story(scenario: Scenario, reason: str) -> Iterator[str]:
    """What to print of a seed that fails."""
    yield f"seed {scenario.seed}: {reason}"
    yield f"to see this again: .venv/bin/python -m tools.simulation.simulate --seed {scenario.seed}"
    kind = reason.partition(":")[0]
    least = shrink(scenario, lambda each: str(outcome(each)).startswith(f"{kind}:"))
    yield f"a smaller scenario fails in the same way: {outcome(least)}"
    yield f"{least.links}" + ", the second side answers" * least.answers
    yield from (f"  {each!r}" for each in (*least.plan, *least.faults))


def summary(seed_count: int, survived: Survived, seconds: float) -> Iterator[str]:
    """What to print when nothing has failed."""
    faults = {kind.value: survived[kind.value] for kind in FaultKind if survived[kind.value]}
    events = survived["events"]
    yield f"{seed_count:,} seeds, {events:,} events, {seconds:.0f} s: every invariant held"
    yield f"{survived['messages']:,} messages delivered, {survived['severed']:,} severed by crashes"
    yield f"{survived['collisions']:,} collisions"
    yield f"{sum(faults.values()):,} faults: " + ", ".join(
        f"{count:,} {kind}" for kind, count in sorted(faults.items())
    )


def main(seeds: int = 1_000, first: int = 0, seed: int | None = None) -> None:
    """Run the swarm: so many seeds from the first on, or one."""
    count, begin = (seeds, first) if seed is None else (1, seed)
    began = time.perf_counter()
    survived = Survived()
    with Pool(1 if count == 1 else None) as pool:
        for found in pool.imap(attempt, range(begin, begin + count), chunksize=20):
            if isinstance(found, Failed):
                print(*story(*found), sep="\n")
                raise typer.Exit(1)
            survived += found
    print(*summary(count, survived, time.perf_counter() - began), sep="\n")


if __name__ == "__main__":
    typer.run(main)
