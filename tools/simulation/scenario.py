"""Scenarios of the swarm: links, what is done to them and their faults, drawn from one seed.

A scenario is data. So a seed and a commit repeat any failure, and a scenario that fails can be made
smaller for as long as it still fails: `shrink`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any, Final

from msgspec import Struct, structs

from ctc.address import Rdev
from ctc.features import FEATURES
from isfc.layout.file import parse_collection
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.testing.pair import (
    BOTH_FAIL,
    FIRST_WINS,
    MS,
    SECOND_WINS,
    US,
    ActivateCtc,
    DeactivateCtc,
    SendMessages,
    Setup,
    Step,
    VaryCtcChpid,
    VaryRdev,
    Wait,
)
from scenarios.faults.fault import DRAWN, Fault, FaultKind, draw_fault
from tests import drawn_clusters

KINDS: Final = tuple(kind for kind in DRAWN if kind is not FaultKind.THROTTLED)
"""Faults that a pair must survive: no gaps, which nothing survives. Throttling is drawn apart."""

CLUSTER_KINDS: Final = tuple(kind for kind in KINDS if kind is not FaultKind.CRASH)
"""Those that a cluster must survive; a crash takes along what a pair's books alone tell."""

THROTTLED_SHARE: Final = 0.2
"""Of how many seeds a system is short of storage for a while. Chosen."""

SHRINKS_MAX: Final = 300
"""Scenarios that are tried to find a smaller one."""

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_"


class Scenario(Struct, frozen=True):
    """One run: what the links are, what is done to them, and what goes wrong."""

    seed: int
    links: Setup | str
    """The make of a pair, or the layout file of a cluster."""
    plan: tuple[Step, ...]
    faults: tuple[Fault, ...]
    answers: bool = False
    """Whether the second side answers every message."""


def draw(seed: int) -> Scenario:
    """The scenario of a seed, of a pair."""
    random = Random(seed)
    setup = _draw_setup(random)
    places = [
        [(NodeName(setup.names[here]), setup.rdev(here, index)) for index in range(setup.ctc_count)]
        for here in (0, 1)
    ]
    plan = _draw_plan(random, places)
    faults = [*_draw_faults(random, KINDS, plan, places), *_draw_throttles(seed, setup, plan)]
    return Scenario(seed, setup, plan, _by_time(faults), random.random() < 0.4)


def draw_cluster(seed: int) -> Scenario:
    """The scenario of a seed, of two to six systems that share channels."""
    random = Random(f"swarm of clusters {seed}")
    text = drawn_clusters.draw_cluster(seed).text()
    collection = parse_collection(text)
    places = [
        [(system, ctc.rdevs[link.nodes.index(system)]) for ctc in link.ctcs]
        for system in collection.systems
        for link in collection.links
        if system in link.nodes
    ]
    plan = _draw_plan(random, places)
    return Scenario(seed, text, plan, _by_time(_draw_faults(random, CLUSTER_KINDS, plan, places)))


def shrink(scenario: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    """A smaller scenario that ``fails`` as well, as far as `SHRINKS_MAX` tries lead."""
    tries = iter(range(SHRINKS_MAX))
    while True:
        tried = (each for each, _ in zip(_smaller(scenario), tries, strict=False))
        smaller = next(filter(fails, tried), None)
        if smaller is None:
            return scenario
        scenario = smaller


_Places = Sequence[Sequence[tuple[NodeName, Rdev]]]
"""The CTCs at each link end, in the order of the sides."""


def _draw_plan(random: Random, places: _Places) -> tuple[Step, ...]:
    return tuple(_draw_step(random, places) for _ in range(random.randint(4, 24)))


def _draw_faults(
    random: Random, kinds: Sequence[FaultKind], plan: Iterable[Step], places: _Places
) -> list[Fault]:
    """None to five, of all kinds or of two, while the plan is carried out."""
    end_ns = sum(step.duration_ns for step in plan if isinstance(step, Wait)) + MS
    every = [place for side in places for place in side]
    count = random.choice([0, 1, 1, 2, 3, 5])
    some = random.choice([kinds, random.sample(kinds, 2)])
    return [draw_fault(random, some, random.randrange(end_ns), every) for _ in range(count)]


def _by_time(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    return tuple(sorted(faults, key=lambda fault: fault.at_ns))


def _draw_throttles(seed: int, setup: Setup, plan: Iterable[Step]) -> Iterator[Fault]:
    """Storage throttling, just before the side concerned sends something.

    It comes from a stream of its own: all else of a seed is as it was without.
    """
    random = Random(f"throttled {seed}")
    if random.random() >= THROTTLED_SHARE:
        return
    now_ns = 4 * setup.propagation_ns  # a pair is that old when its plan begins
    sends = []
    for step in plan:
        if isinstance(step, Wait):
            now_ns += step.duration_ns
        elif isinstance(step, SendMessages):
            sends.append((now_ns - 1, (NodeName(setup.names[step.here]), setup.rdev(step.here, 0))))
    if sends:
        at_ns, place = random.choice(sends)
        yield draw_fault(random, [FaultKind.THROTTLED], at_ns, [place])


def _draw_setup(random: Random) -> Setup:
    ctc_count = random.choice([1, 1, 2, 3, 4, random.randint(5, CTCS_MAX)])
    names = {"".join(random.choices(_LETTERS, k=random.randint(1, 8))) for _ in range(9)}
    first, second = random.sample(sorted(names), 2)
    return Setup(
        ctc_count=ctc_count,
        fibre_count=random.randint(1, min(4, ctc_count)),
        feature=random.choice(sorted(FEATURES)),
        arbitrations=random.choice([BOTH_FAIL, BOTH_FAIL, FIRST_WINS, SECOND_WINS]),
        parameters=_draw_parameters(random),
        propagation_ns=random.choice([1, US, 50 * US, MS // 2]),
        roundtrip=random.random() < 0.3,
        names=(first, second),
        rdevs=(
            tuple(random.sample(range(0x10000), ctc_count)),
            tuple(random.sample(range(0x10000), ctc_count)),
        ),
    )


def _draw_parameters(random: Random) -> LinkParameters:
    """Costs from nothing to threefold, and limits from one message to the usual."""
    usual = LinkParameters()
    changes: dict[str, Any] = {
        part.name: type(value)(value * random.choice([0, 0.3, 1, 1, 3]))
        for part in fields(usual)
        if isinstance(value := getattr(usual, part.name), int | float)
    }
    limits = [PackageLimit(1), PackageLimit(50_000, 17_000), usual.package_limit]
    changes["package_limit"] = random.choice(limits)
    changes["mih_ns"] = random.choice([100 * MS, usual.mih_ns])
    return replace(usual, **changes)


def _draw_step(random: Random, places: _Places) -> Step:
    what = random.random()
    here = random.randrange(len(places))
    index = random.randrange(len(places[here]))
    if what < 0.45:
        return Wait(int(10 ** random.uniform(3, 7.5)))
    if what < 0.9:
        top = random.choice([1_000, 30_000, 120_000, 500_000])
        count = random.choice([1, 1, 3, 10])
        lengths = tuple(random.randint(1, top) for _ in range(count))
        return SendMessages(here, lengths, random.randrange(4), random.choice([*Traffic]))
    operations: list[Step] = [
        DeactivateCtc(here, index),
        ActivateCtc(here, index),
        VaryCtcChpid(here, index, random.random() < 0.5),
        VaryRdev(here, index, random.random() < 0.5),
    ]
    return random.choice(operations)


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Scenarios with less in them, the much smaller ones first."""
    for size in (8, 4, 2, 1):
        for name in ("faults", "plan"):
            parts = getattr(scenario, name)
            for first in range(0, len(parts), size):
                left = parts[:first] + parts[first + size :]
                if len(parts) >= size:
                    yield structs.replace(scenario, **{name: left})
    if scenario.answers:
        yield structs.replace(scenario, answers=False)
    setup = scenario.links
    if isinstance(setup, str):
        return
    usual: dict[str, Any] = {
        "parameters": LinkParameters(),
        "feature": Setup().feature,
        "roundtrip": False,
        "propagation_ns": US,
    }
    for name, value in usual.items():
        if getattr(setup, name) != value:
            yield structs.replace(scenario, links=structs.replace(setup, **{name: value}))
