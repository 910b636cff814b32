"""The swarm: pairs and clusters with misfortunes; everything arrives, once and in order."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import accumulate
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from isfc.engine.virtual import VirtualEngine
from isfc.layout.file import parse_collection
from isfc.link.events import ListSink, Program
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.package import Package, PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.segment import Resequencer
from isfc.system.system import System
from isfc.testing.invariants import Ledger
from isfc.testing.pair import MS, Links, Pair, Setup
from isfc.testing.side import Side
from isfc.testing.steps import SendMessages, Step, Wait
from isfc.testing.strategies import operations, pauses, sends, setups
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import DRAWN, Fault, FaultKind, draw_fault
from scenarios.faults.injection import Injection
from scenarios.runs.run import make_systems
from tests.drawn_clusters import draw_cluster

OF_CLUSTERS: Final = [*{*DRAWN} - {FaultKind.CRASH, FaultKind.THROTTLED}]
"""Faults that a cluster is given: a crash takes along what a pair's books alone tell."""
LOOKS: Final = 4
"""How often links are looked at while time passes between two steps."""
USUAL: Final = LinkParameters()
SOME: Final = SendMessages(0, (100_000,) * 10)
MUCH: Final = [SOME, structs.replace(SOME, here=1)] * 3 + [Wait(5 * MS)]


@st.composite
def parameters(draw: st.DrawFn) -> LinkParameters:
    """Costs from nothing to threefold, and limits from one message to the usual."""
    changes: dict[str, Any] = {
        part.name: type(value)(value * draw(st.sampled_from([1, 0, 0.3, 3])))
        for part in fields(USUAL)
        if isinstance(value := getattr(USUAL, part.name), int | float)
    }
    limits = [USUAL.package_limit, PackageLimit(1), PackageLimit(50_000, 17_000)]
    changes["package_limit"] = draw(st.sampled_from(limits))
    changes["mih_ns"] = draw(st.sampled_from([USUAL.mih_ns, 100 * MS]))
    return replace(USUAL, **changes)


@st.composite
def plans(draw: st.DrawFn, side_count: int) -> list[Step]:
    """Traffic and what operators do, at any side."""
    steps = draw(st.lists(st.one_of(sends, pauses, sends, pauses, operations), max_size=24))
    here = st.integers(0, side_count - 1)
    return [
        step if isinstance(step, Wait) else structs.replace(step, here=draw(here)) for step in steps
    ]


@st.composite
def misfortunes(
    draw: st.DrawFn, kinds: Sequence[FaultKind], plan: Sequence[Step], links: Links
) -> list[Fault]:
    """Up to five faults, at any time or just before a step of the plan."""
    waits_ns = (step.duration_ns if isinstance(step, Wait) else 0 for step in plan)
    *begins_ns, end_ns = accumulate(waits_ns, initial=links.engine.now_ns)
    times_ns = st.integers(0, end_ns) | st.sampled_from([max(0, at - 1) for at in begins_ns] or [0])
    random = draw(st.randoms(use_true_random=False))
    places = [(side.system.name, rdev) for side in links.sides for rdev in side.rdevs]
    return [draw_fault(random, kinds, at, places) for at in draw(st.lists(times_ns, max_size=5))]


class SwarmPair(Pair):
    """A pair each of whose sides sends through a `Throttled`, which a fault sets a limit.

    What is held back counts as sent: by P1 it must arrive, and by P2 it waits.
    """

    def __init__(self, setup: Setup, *, answers: bool = False) -> None:
        self.throttles: dict[NodeName, list[Throttled]] = {}
        """By the name of the system."""
        self.disturbance = Disturbance(Random(1))
        super().__init__(setup, transit=self.disturbance)
        self._stopped_ns = 0
        if answers:
            self.second.answer = lambda message: [
                Message(message.conversation, 1_000, message.traffic)
            ]

    def begin(self, faults: Sequence[Fault]) -> None:
        """Keep books, which say how long systems stand still."""
        stops = [fault for fault in faults if fault.kind is FaultKind.STOPPED]
        self._stopped_ns = sum(fault.for_ns for fault in stops)
        self._ledger = Ledger(self, self._stopped_ns)

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
        self.sides[here].restart(self.make_traced(here))
        if here == 1:
            self._ledger = Ledger(self, self._stopped_ns)
        return self.sides[here].system


class SwarmCluster(Links):
    """The links of a layout file, whose systems share channels, each with a side at both ends."""

    throttles: Final[dict[NodeName, list[Throttled]]] = {}

    def __init__(self, layout: str) -> None:
        collection = parse_collection(layout)
        systems = make_systems(collection, collection.systems, lambda _: USUAL)
        self.sides = tuple(
            Side(system, ListSink(), number)
            for system in systems
            for number in range(len(system.ends))
        )
        self.disturbance = Disturbance(Random(1))
        self.engine = VirtualEngine(systems, self.sides, transit=self.disturbance)

    def begin(self, faults: Sequence[Fault]) -> None:
        """There are no books."""

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


def run(links: SwarmPair | SwarmCluster, plan: Sequence[Step], faults: Sequence[Fault]) -> None:
    """Let it happen; invariants are checked at every step, and in the end everything arrives."""
    engine = links.engine
    links.begin(faults)
    injection = Injection(engine, links.disturbance, links.throttles, links.renew, faults)
    for step in plan:
        if isinstance(step, Wait):
            end_ns = engine.now_ns + step.duration_ns
            for look in range(1, LOOKS + 1):
                injection.run(end_ns - step.duration_ns * (LOOKS - look) // LOOKS)
                links.check()
        else:
            links.do(step)
            links.check()
    injection.finish()
    links.disturbance.calm()
    links.restore()
    links.check_end()


@pytest.mark.at_length
@given(setups(), parameters(), st.booleans(), st.data())
def test_everything_arrives_once_and_in_order(
    setup: Setup, costs: LinkParameters, answers: bool, data: st.DataObject
) -> None:
    pair = SwarmPair(structs.replace(setup, parameters=costs), answers=answers)
    plan = data.draw(plans(2))
    run(pair, plan, data.draw(misfortunes(DRAWN, plan, pair)))


@pytest.mark.at_length
@given(st.integers(0, 10_000), st.data())
def test_everything_arrives_over_every_link_of_a_cluster(seed: int, data: st.DataObject) -> None:
    cluster = SwarmCluster(draw_cluster(seed).text())
    plan = data.draw(plans(len(cluster.sides)))
    run(cluster, plan, data.draw(misfortunes(OF_CLUSTERS, plan, cluster)))


@pytest.mark.parametrize("kind", DRAWN, ids=lambda kind: kind.value)
def test_a_pair_survives_each_kind_of_fault(kind: FaultKind) -> None:
    pair = SwarmPair(Setup(ctc_count=2))
    places = [(side.system.name, rdev) for side in pair.sides for rdev in side.rdevs]
    faults = [draw_fault(Random(seed), [kind], seed * MS, places) for seed in range(5)]
    run(pair, MUCH, faults)


def test_messages_that_are_held_back_for_ever_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Throttled, "_has_room", lambda throttle: throttle.limit is None)
    pair = SwarmPair(Setup(ctc_count=2))
    fault = Fault(FaultKind.THROTTLED, 0, pair.first.system.name, 10 * MS, amount=0)
    with pytest.raises(AssertionError):
        run(pair, [Wait(MS), SOME, Wait(MS)], [fault])


def test_packages_that_overtake_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept_all(_: Resequencer, package: Package) -> list[Message]:
        return list(package.messages)

    monkeypatch.setattr(Resequencer, "accept", accept_all)
    with pytest.raises(AssertionError):
        run(SwarmPair(Setup(ctc_count=8)), MUCH, [])


def test_what_is_lost_in_a_cluster_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Resequencer, "accept", lambda *_: [])
    with pytest.raises(AssertionError, match="still waiting"):
        run(SwarmCluster(draw_cluster(3).text()), [SOME], [])
