"""The swarm: pairs whose make, traffic, operators and faults are drawn from one seed.

A scenario is data. So a seed and a commit repeat any failure, and a scenario that fails can be made
smaller for as long as it still fails: `shrink`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any, Final

from ctc.profiles import FEATURES
from isfc.engine.program import Program
from isfc.engine.virtual import Transit
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.system.system import System
from isfc.testing.invariants import Ledger
from isfc.testing.pair import (
    BOTH_FAIL,
    FIRST_WINS,
    MS,
    SECOND_WINS,
    US,
    ActivateCtc,
    DeactivateCtc,
    Pair,
    SendMessages,
    Setup,
    Step,
    VaryCtcChpid,
    VaryRdev,
    Wait,
)
from isfc.testing.side import Side
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import NEVER_DRAWN, Fault, FaultKind, draw_fault
from scenarios.faults.injection import Injection


class ThrottledPair(Pair):
    """A pair each of whose sides sends through a `Throttled`, which a fault sets a limit.

    What is held back counts as sent: by P1 it must arrive, and by P2 it waits.
    """

    def __init__(self, setup: Setup, transit: Transit | None = None) -> None:
        self.throttles: dict[NodeName, Throttled] = {}
        """By the name of the system."""
        super().__init__(setup, transit=transit)

    def make_program(self, side: Side) -> Program:
        """The side, and between it and the link what holds messages back."""
        throttle = self.throttles[side.system.name] = Throttled(side)
        return throttle

    def let_through(self, side: Side, messages: list[Message]) -> list[Message]:
        """As many as the limit allows; the others follow when something was sent."""
        now_ns = self.engine.now_ns
        let = self.throttles[side.system.name].let_through([(now_ns, messages)], now_ns)
        return [message for _, some in let for message in some]

    def held_length(self, side: Side) -> int:
        """Bytes that are held back."""
        return self.throttles[side.system.name].held_length


KINDS: Final = tuple(kind for kind in FaultKind if kind not in {*NEVER_DRAWN, FaultKind.THROTTLED})
"""Faults that a pair must survive: no gaps, which nothing survives. Throttling is drawn apart."""

THROTTLED_SHARE: Final = 0.2
"""Of how many seeds a system is short of storage for a while. Chosen."""

LOOKS: Final = 4
"""How often a pair is looked at while time passes between two steps."""

SHRINKS_MAX: Final = 300
"""Scenarios that are tried to find a smaller one."""

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run: what the pair is, what is done to it, and what goes wrong."""

    seed: int
    setup: Setup
    plan: tuple[Step, ...]
    faults: tuple[Fault, ...]
    answers: bool
    """Whether the second side answers every message."""


@dataclass(frozen=True, slots=True)
class Survived:
    """What came of a scenario in which everything held."""

    event_count: int
    message_count: int
    """Messages that have arrived."""
    severed_count: int
    """Messages that a crash took along, which their senders were told."""
    collision_count: int
    faults: Counter[str]
    """Those that have begun, by kind."""


def draw(seed: int) -> Scenario:
    """The scenario of a seed."""
    random = Random(seed)
    setup = _draw_setup(random)
    plan = tuple(_draw_step(random, setup) for _ in range(random.randint(4, 24)))
    end_ns = sum(step.duration_ns for step in plan if isinstance(step, Wait)) + MS
    places = [
        (NodeName(setup.names[here]), setup.rdev(here, index))
        for here in (0, 1)
        for index in range(setup.ctc_count)
    ]
    count = random.choice([0, 1, 1, 2, 3, 5])
    kinds = random.choice([KINDS, random.sample(KINDS, 2)])
    faults = [draw_fault(random, kinds, random.randrange(end_ns), places) for _ in range(count)]
    faults += _draw_throttles(seed, setup, plan)
    return Scenario(
        seed,
        setup,
        plan,
        tuple(sorted(faults, key=lambda fault: fault.at_ns)),
        random.random() < 0.4,
    )


def run(scenario: Scenario) -> Survived:
    """Let it happen; invariants are checked at every step, and in the end everything arrives.

    Raises ``AssertionError``, or whatever was broken.
    """
    return _Run(scenario).run()


def shrink(scenario: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    """A smaller scenario that ``fails`` as well, as far as `SHRINKS_MAX` tries lead."""
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(scenario):
            tries += 1
            if tries > SHRINKS_MAX:
                return scenario
            if fails(candidate):
                scenario, smaller = candidate, True
                break
    return scenario


class _Run:
    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._disturbance = Disturbance(Random(scenario.seed + 1))
        self._pair = ThrottledPair(scenario.setup, self._disturbance)
        self._severed_count = 0
        self._message_count = 0
        self._collision_count = 0
        stops = [fault for fault in scenario.faults if fault.kind is FaultKind.STOPPED]
        self._stopped_ns = sum(fault.for_ns for fault in stops)
        self._ledger = Ledger(self._pair, self._stopped_ns)
        throttles = {name: [throttle] for name, throttle in self._pair.throttles.items()}
        self._injection = Injection(
            self._pair.engine, self._disturbance, throttles, self._renew, scenario.faults
        )
        if scenario.answers:
            self._answer()

    def run(self) -> Survived:
        pair, injection = self._pair, self._injection
        for step in self._scenario.plan:
            if isinstance(step, Wait):
                self._wait(step.duration_ns)
            else:
                pair.do(step)
                self._check()
        injection.finish()
        self._disturbance.calm()
        pair.restore()
        self._ledger.check_end()
        self._count()
        kinds = (fault.kind.value for _, fault in injection.begun)
        return Survived(
            pair.engine.event_count,
            self._message_count,
            self._severed_count,
            self._collision_count,
            Counter(kinds),
        )

    def _wait(self, duration_ns: int) -> None:
        end_ns = self._pair.engine.now_ns + duration_ns
        for look in range(1, LOOKS + 1):
            self._injection.run(end_ns - duration_ns * (LOOKS - look) // LOOKS)
            self._check()

    def _check(self) -> None:
        """Check the ledger, once what a throttle lets through at this moment is with the link.

        The first run tells the throttle that there is room, the second hands over what it lets.
        """
        engine = self._pair.engine
        for _ in range(2):
            engine.run(engine.now_ns)
        self._ledger.check()

    def _count(self) -> None:
        for side in self._pair.sides:
            self._message_count += len(side.arrived)
            self._collision_count += side.end.link.counters.collision_count

    def _renew(self, name: NodeName) -> System:
        """A fresh system, and fresh books: what was not delivered is lost, and known to be."""
        pair = self._pair
        here = self._scenario.setup.names.index(name)
        if here == 0:  # both are renewed, this one first
            for side in pair.sides:
                pair.expect_in_order(side)
                self._severed_count += len(side.sent) - len(pair.partner(side).arrived)
            self._count()
        pair.sides[here].restart(pair.make_traced(here))
        if here == 1:
            self._ledger = Ledger(pair, self._stopped_ns)
        return pair.sides[here].system

    def _answer(self) -> None:
        self._pair.second.answer = lambda message: [
            Message(message.conversation, 1_000, message.traffic)
        ]


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


def _draw_step(random: Random, setup: Setup) -> Step:
    what = random.random()
    here, index = random.randrange(2), random.randrange(setup.ctc_count)
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
                    yield replace(scenario, **{name: left})
    setup = scenario.setup
    usual: dict[str, Any] = {
        "parameters": LinkParameters(),
        "feature": Setup().feature,
        "roundtrip": False,
        "propagation_ns": US,
    }
    for name, value in usual.items():
        if getattr(setup, name) != value:
            yield replace(scenario, setup=replace(setup, **{name: value}))
    if scenario.answers:
        yield replace(scenario, answers=False)
