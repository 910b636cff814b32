"""``make simulate SEEDS=N``: a swarm of pairs and clusters, drawn from seeds, with faults.

``python -m tools.simulation.simulate --seeds 1000 --first 0`` runs so many seeds and sums up what
happened; it ends with 1 at the first seed that fails, after a line with the command that repeats
it, and a smaller scenario that fails in the same way. ``--seed 7`` runs one. Each seed draws a
pair, and every `CLUSTER_EVERY`-th a cluster as well.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from multiprocessing import Pool
from typing import Final, NamedTuple

from tools.simulation.cluster_swarm import draw_cluster, run_cluster_scenario
from tools.simulation.swarm import Scenario, Survived, draw, run, shrink

CLUSTER_EVERY: Final = 10
"""Of so many seeds one draws a cluster too, which takes as long as several pairs. Chosen."""


class FailedSeed(NamedTuple):
    """A seed that has failed, and how."""

    seed: int
    reason: str
    in_cluster: bool = False


def attempt(seed: int) -> Survived | FailedSeed:
    """Run one seed."""
    survived = None
    try:
        survived = run(draw(seed))
        if seed % CLUSTER_EVERY == 0:
            count = run_cluster_scenario(draw_cluster(seed))
            survived = replace(survived, message_count=survived.message_count + count)
    except Exception as error:  # whatever it is, it is to be repeated
        return FailedSeed(seed, _said(error), in_cluster=survived is not None)
    return survived


def why_it_fails(scenario: Scenario) -> str | None:
    """What breaks in a scenario, in words; None if nothing does."""
    try:
        run(scenario)
    except Exception as error:
        return _said(error)
    return None


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def smaller(scenario: Scenario, reason: str) -> Scenario:
    """A smaller scenario that fails in the same way."""
    kind = reason.partition(":")[0]
    return shrink(scenario, lambda each: (why_it_fails(each) or "").startswith(f"{kind}:"))


def story(seed: int, reason: str, in_cluster: bool) -> Iterator[str]:
    """What to print of a seed that fails."""
    yield f"seed {seed}: {reason}"
    yield f"to see this again: .venv/bin/python -m tools.simulation.simulate --seed {seed}"
    if in_cluster:
        cluster = draw_cluster(seed)
        yield cluster.text
        yield from (f"  {each!r}" for each in (*cluster.varied, *cluster.faults))
        return
    least = smaller(draw(seed), reason)
    yield f"a smaller scenario fails in the same way: {why_it_fails(least)}"
    yield f"  {least.setup!r}" + (", the second side answers" if least.answers else "")
    yield from (f"  {step!r}" for step in least.plan)
    yield from (f"  {fault!r}" for fault in least.faults)


def summary(outcomes: Iterable[Survived], seconds: float) -> Iterator[str]:
    """What to print when nothing has failed."""
    outcomes = list(outcomes)
    faults: Counter[str] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
    messages = sum(outcome.message_count for outcome in outcomes)
    severed = sum(outcome.severed_count for outcome in outcomes)
    collisions = sum(outcome.collision_count for outcome in outcomes)
    events = sum(outcome.event_count for outcome in outcomes)
    yield f"{len(outcomes):,} seeds, {events:,} events, {seconds:.0f} s: every invariant held"
    yield f"{messages:,} messages delivered, {severed:,} severed by crashes"
    yield f"{collisions:,} collisions"
    yield f"{faults.total():,} faults: " + ", ".join(
        f"{count:,} {kind}" for kind, count in sorted(faults.items())
    )


def main(arguments: list[str]) -> int:
    """Run the swarm; return the exit status."""
    parser = argparse.ArgumentParser(prog="simulate")
    parser.add_argument("--seeds", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int)
    chosen = parser.parse_args(arguments)
    first, count = chosen.first, chosen.seeds
    if chosen.seed is not None:
        first, count = chosen.seed, 1
    began = time.perf_counter()
    outcomes = []
    with Pool(1 if count == 1 else chosen.jobs) as pool:
        for outcome in pool.imap(attempt, range(first, first + count), chunksize=20):
            if isinstance(outcome, FailedSeed):
                print(*story(*outcome), sep="\n")
                return 1
            outcomes.append(outcome)
    print(*summary(outcomes, time.perf_counter() - began), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
