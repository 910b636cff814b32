"""The swarm: scenarios let happen, with the invariants checked all along.

``make simulate SEEDS=N`` draws pairs and clusters from seeds, with faults:
``python -m tools.simulation.swarm --seeds 1000 --first 0`` runs so many seeds and sums up what
happened; it ends with 1 at the first seed that fails, after a line with the command that repeats
it, and a smaller scenario that fails in the same way. ``--seed 7`` runs one. Each seed draws a
pair, and every `CLUSTER_EVERY`-th a cluster as well.

Of a cluster, systems whose links share channels, what holds for a pair must hold for every link:
each message arrives exactly once, in the order of its conversation.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from multiprocessing import Pool
from random import Random
from typing import Final, NamedTuple

import typer

from isfc.engine.virtual import VirtualEngine
from isfc.layout.file import parse_collection
from isfc.link.events import ListSink, Program
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from isfc.testing.invariants import Ledger
from isfc.testing.pair import MS, Links, Pair, Setup, Wait
from isfc.testing.side import Side
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import FaultKind
from scenarios.faults.injection import Injection
from scenarios.runs.run import make_systems
from tools.simulation.scenario import Scenario, draw, draw_cluster, shrink

LOOKS: Final = 4
"""How often links are looked at while time passes between two steps."""


Survived = Counter[str]
"""What came of a scenario in which everything held: events, messages that have arrived, those that
a crash took along (severed), collisions, and the faults that have begun, by kind."""


def count(survived: Survived, sides: Iterable[Side]) -> None:
    """Count what has arrived at these sides, and their collisions."""
    for side in sides:
        survived["messages"] += len(side.arrived)
        survived["collisions"] += side.end.link.counters.collision_count


class SwarmPair(Pair):
    """A pair each of whose sides sends through a `Throttled`, which a fault sets a limit.

    What is held back counts as sent: by P1 it must arrive, and by P2 it waits.
    """

    def __init__(self, setup: Setup, scenario: Scenario, disturbance: Disturbance) -> None:
        self.throttles: dict[NodeName, list[Throttled]] = {}
        """By the name of the system."""
        super().__init__(setup, transit=disturbance)
        self.survived = Survived()
        stops = [fault for fault in scenario.faults if fault.kind is FaultKind.STOPPED]
        self._stopped_ns = sum(fault.for_ns for fault in stops)
        self._ledger = Ledger(self, self._stopped_ns)
        if scenario.answers:
            self.second.answer = lambda message: [
                Message(message.conversation, 1_000, message.traffic)
            ]

    def make_program(self, side: Side) -> Program:
        """The side, and between it and the link what holds messages back."""
        self.throttles[side.system.name] = [throttle := Throttled(side)]
        return throttle

    def let_through(self, side: Side, messages: list[Message]) -> list[Message]:
        """As many as the limit allows; the others follow when something was sent."""
        (throttle,), now_ns = self.throttles[side.system.name], self.engine.now_ns
        let = throttle.let_through([(now_ns, messages)], now_ns)
        return [message for _, some in let for message in some]

    def held_length(self, side: Side) -> int:
        """Bytes that are held back."""
        return sum(throttle.held_length for throttle in self.throttles[side.system.name])

    def check(self) -> None:
        """Check the ledger, once what a throttle lets through at this moment is with the link.

        The first run tells the throttle that there is room, the second hands over what it lets.
        """
        for _ in range(2):
            self.engine.run(self.engine.now_ns)
        self._ledger.check()

    def check_end(self) -> None:
        """Everything arrives, and the books are closed."""
        self._ledger.check_end()

    def renew(self, name: NodeName) -> System:
        """A fresh system, and fresh books: what was not delivered is lost, and known to be."""
        here = self.setup.names.index(name)
        if here == 0:  # both are renewed, this one first
            for side in self.sides:
                self.expect_in_order(side)
                self.survived["severed"] += len(side.sent) - len(self.partner(side).arrived)
            count(self.survived, self.sides)
        self.sides[here].restart(self.make_traced(here))
        if here == 1:
            self._ledger = Ledger(self, self._stopped_ns)
        return self.sides[here].system


class SwarmCluster(Links):
    """The links of a layout file, whose systems share channels, each with a side at both ends."""

    throttles: Final[dict[NodeName, list[Throttled]]] = {}

    def __init__(self, layout: str, disturbance: Disturbance) -> None:
        collection, parameters = parse_collection(layout), LinkParameters()
        systems = make_systems(collection, collection.systems, lambda _: parameters)
        self.sides = tuple(
            Side(system, ListSink(), number)
            for system in systems
            for number in range(len(system.ends))
        )
        self.engine = VirtualEngine(systems, self.sides, transit=disturbance)
        self.survived = Survived()

    def check(self) -> None:
        """Each conversation has brought a beginning of what was sent."""
        for side in self.sides:
            self.expect_in_order(side)

    def check_end(self) -> None:
        """Everything arrives."""
        self.expect_all_arrived(step_ns=100 * MS)

    def renew(self, name: NodeName) -> System:
        """No system restarts here."""
        raise AssertionError(f"{name} is to restart, and nothing does that")


def run(scenario: Scenario) -> Survived:
    """Let it happen; invariants are checked at every step, and in the end everything arrives.

    Raises ``AssertionError``, or whatever was broken.
    """
    disturbance, make = Disturbance(Random(scenario.seed + 1)), scenario.links
    links: SwarmPair | SwarmCluster
    if isinstance(make, str):
        links = SwarmCluster(make, disturbance)
    else:
        links = SwarmPair(make, scenario, disturbance)
    engine = links.engine
    injection = Injection(engine, disturbance, links.throttles, links.renew, scenario.faults)
    for step in scenario.plan:
        if isinstance(step, Wait):
            end_ns = engine.now_ns + step.duration_ns
            for look in range(1, LOOKS + 1):
                injection.run(end_ns - step.duration_ns * (LOOKS - look) // LOOKS)
                links.check()
        else:
            links.do(step)
            links.check()
    injection.finish()
    disturbance.calm()
    links.restore()
    links.check_end()
    count(links.survived, links.sides)
    links.survived["events"] = engine.event_count
    links.survived.update(fault.kind.value for _, fault in injection.begun)
    return links.survived


CLUSTER_EVERY: Final = 10
"""Of so many seeds one draws a cluster too, which takes as long as several pairs. Chosen."""


class FailedScenario(NamedTuple):
    """A scenario that has failed, and how."""

    scenario: Scenario
    reason: str


def attempt(seed: int) -> Survived | FailedScenario:
    """Run one seed."""
    survived = Survived()
    for scenario in [draw(seed)] + [draw_cluster(seed)] * (seed % CLUSTER_EVERY == 0):
        found = outcome(scenario)
        if isinstance(found, str):
            return FailedScenario(scenario, found)
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
    yield f"to see this again: .venv/bin/python -m tools.simulation.swarm --seed {scenario.seed}"
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
            if isinstance(found, FailedScenario):
                print(*story(*found), sep="\n")
                raise typer.Exit(1)
            survived += found
    print(*summary(count, survived, time.perf_counter() - began), sep="\n")


if __name__ == "__main__":
    typer.run(main)
