"""Every interleaving of a small pair: deliveries, timers, sends and at most one fault.

Each node has a clock of its own, which only its own timers advance, and a frame takes as long as it
likes: so whatever order of events there can be between the two is tried. Of one CTC and direction,
frames arrive in their order. The timer of a missing interrupt is the exception: it runs out only
when nothing else can happen, for it is longer than anything else takes.

A node is a pure function, so that it is run once for each of its states and inputs; what the pair
does is then looked up. Two states are one if the nodes will behave alike from them on.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, NamedTuple

from ctc.device import Arbitration
from ctc.profiles import find_profile
from isfc.errors import RemoteProtocolError
from isfc.link.message import Traffic
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System
from isfc.testing.node_states import Input, Nodes, Timer
from isfc.testing.pair import BOTH_FAIL, Setup

STATES_MAX: Final = 5_000_000
"""More states than that are no small world."""


class Fault(Enum):
    """What may go wrong once, at any moment."""

    NONE = "none"
    CTC_LOST = "a CTC is lost, and restored at any moment after that"
    FRAME_LOST = "a frame is lost"
    FRAME_DOUBLED = "a frame arrives twice"
    RESTARTED = "a device is deactivated at one end, and activated at any moment after that"


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """What is explored: a pair of so many CTCs, each side with so many messages to send.

    A side may send its next message at any moment, or, ``at_once``, each side has sent all of them
    before anything else happens. Message n has n bytes, and each has a package of its own.
    """

    ctc_count: int = 1
    messages: tuple[int, int] = (1, 1)
    fault: Fault = Fault.NONE
    arbitrations: tuple[Arbitration, Arbitration] = BOTH_FAIL
    traffic: Traffic = Traffic.TRANSPORT
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Explored:
    """How much there was."""

    state_count: int
    transition_count: int
    node_state_count: int
    """States of one node, in which it was run with every input that occurs."""
    end_count: int
    """States in which everything has arrived and nothing is left to happen."""
    collision_count: int
    """Transitions in which an end noticed a collision."""
    depth: int
    """Transitions from the beginning to the farthest state, by the shortest way."""


class Counterexample(AssertionError):
    """A way to a state that must not be; ``path`` is what happened, in its order."""

    def __init__(self, reason: str, path: list[str]) -> None:
        self.reason = reason
        self.path = path
        super().__init__(f"{reason}, after:\n  " + "\n  ".join(path))


class _State(NamedTuple):
    """The pair: states of both nodes, frames on their way to each CTC's ends, messages sent."""

    nodes: tuple[int, int]
    fibres: tuple[tuple[int, ...], ...]
    """First the CTCs of the first node, then those of the second: what is to arrive there."""
    sent: tuple[int, int]
    arrived: tuple[int, int]
    faults_left: int
    broken: int
    """The CTC that is lost, counted over both sides for a fault at one end; -1: none."""


def explore(world: SmallWorld, states_max: int = STATES_MAX) -> Explored:
    """Visit every state of a small world.

    Raises `Counterexample` when a message is lost, doubled or out of turn, when nothing can happen
    any more and not everything has arrived, and when there is a state from which no way leads to
    the end: from all others, a schedule that neglects nothing for ever delivers everything.
    """
    return _Exploration(world, states_max).run()


class _Exploration:
    def __init__(self, world: SmallWorld, states_max: int) -> None:
        self._world = world
        self._states_max = states_max
        self._nodes = Nodes()
        self._numbers: dict[_State, int] = {}
        self._states: list[_State] = []
        self._origins: list[tuple[int, str]] = []
        self._depths: list[int] = []
        self._edges: list[tuple[int, int]] = []
        self._collision_count = 0

    def run(self) -> Explored:
        """Breadth first, so that a counterexample is as short as can be."""
        self._note(self._begin(), 0, "begin")
        waiting = deque([0])
        ends = []
        while waiting:
            number = waiting.popleft()
            state = self._states[number]
            count = len(self._edges)
            for said, following in self._following(state, number):
                known = len(self._states)
                self._edges.append((number, self._note(following, number, said)))
                if len(self._states) > known:
                    waiting.append(known)
            if len(self._states) > self._states_max:
                self._fail(f"more than {self._states_max:,} states", number)
            if self._is_end(state):
                ends.append(number)
            elif len(self._edges) == count:
                self._fail("deadlock: nothing can happen any more", number)
        self._expect_ways_to(ends)
        return Explored(
            len(self._states),
            len(self._edges),
            len(self._nodes),
            len(ends),
            self._collision_count,
            max(self._depths),
        )

    def _begin(self) -> _State:
        """Both nodes, ready, with nothing to send yet."""
        count = self._world.ctc_count
        nodes = [self._nodes.add(here, System([_define(self._world, here)]), 0) for here in (0, 1)]
        state = _State(
            (nodes[0], nodes[1]),
            ((),) * (2 * count),
            (0, 0),
            (0, 0),
            self._world.fault is not Fault.NONE,
            -1,
        )
        for here in (0, 1):
            for index in range(count):
                state = self._feed(state, here, ("connect", index))
        while any(state.fibres):  # they become ready one after the other: that is no race yet
            place = next(place for place, frames in enumerate(state.fibres) if frames)
            state = self._deliver(state, place)
        if self._world.at_once:
            for here in (0, 1):
                while state.sent[here] < self._world.messages[here]:
                    state = self._send(state, here)
        return state

    def _following(self, state: _State, number: int) -> Iterator[tuple[str, _State]]:
        """Everything that can happen in a state, and the states it leads to."""
        try:
            before = len(self._edges)
            yield from self._soon(state)
            if len(self._edges) == before:
                for here in (0, 1):
                    if self._nodes.timers[state.nodes[here]] is Timer.LATE:
                        yield f"missing interrupt at {here}", self._feed(state, here, ("timer",))
        except (AssertionError, RemoteProtocolError) as error:
            self._fail(str(error) or repr(error), number)

    def _soon(self, state: _State) -> Iterator[tuple[str, _State]]:
        world, count = self._world, self._world.ctc_count
        for here in (0, 1):
            if self._nodes.timers[state.nodes[here]] is Timer.SOON:
                yield f"timer of {here}", self._feed(state, here, ("timer",))
            if state.sent[here] < world.messages[here]:
                yield f"{here} sends", self._send(state, here)
        for place, frames in enumerate(state.fibres):
            if frames:
                here, index = divmod(place, count)
                said = f"{self._nodes.frames[frames[0]]!r} arrives at {here} on CTC {index}"
                yield said, self._deliver(state, place)
        yield from self._faults(state)

    def _faults(self, state: _State) -> Iterator[tuple[str, _State]]:
        count, fault = self._world.ctc_count, self._world.fault
        if state.broken >= 0:
            yield "it is restored", self._restored(state)
        if not state.faults_left:
            return
        spent = state._replace(faults_left=0)
        if fault is Fault.CTC_LOST:
            for index in range(count):
                fibres = _changed(_changed(spent.fibres, index, ()), count + index, ())
                lost = spent._replace(fibres=fibres, broken=index)
                for here in (0, 1):
                    lost = self._feed(lost, here, ("disconnect", index))
                yield f"CTC {index} is lost", lost
        elif fault is Fault.RESTARTED:
            for place in range(2 * count):
                here, index = divmod(place, count)
                inactive = self._feed(spent._replace(broken=place), here, ("deactivate", index))
                yield f"CTC {index} is deactivated at {here}", inactive
        else:
            for place, frames in enumerate(state.fibres):
                if frames and fault is Fault.FRAME_LOST:
                    fibres = _changed(state.fibres, place, frames[1:])
                    yield f"a frame is lost on {place}", spent._replace(fibres=fibres)
                elif frames:
                    fibres = _changed(state.fibres, place, (frames[0], *frames))
                    yield f"a frame is doubled on {place}", spent._replace(fibres=fibres)

    def _restored(self, state: _State) -> _State:
        here, index = divmod(state.broken, self._world.ctc_count)
        state = state._replace(broken=-1)
        if self._world.fault is Fault.RESTARTED:
            return self._feed(state, here, ("activate", index))
        for end in (0, 1):
            state = self._feed(state, end, ("connect", index))
        return state

    def _send(self, state: _State, here: int) -> _State:
        sent = _changed(state.sent, here, state.sent[here] + 1)
        given = ("send", sent[here], self._world.traffic)
        return self._feed(state._replace(sent=sent), here, given)

    def _deliver(self, state: _State, place: int) -> _State:
        frame, *rest = state.fibres[place]
        here, index = divmod(place, self._world.ctc_count)
        fibres = _changed(state.fibres, place, tuple(rest))
        return self._feed(state._replace(fibres=fibres), here, ("frame", index, frame))

    def _feed(self, state: _State, here: int, given: Input) -> _State:
        """Let a node have an input; its frames are on their way, and what arrived is checked."""
        did = self._nodes.feed(here, state.nodes[here], given)
        self._collision_count += did.collisions
        fibres = state.fibres
        for index, frame in did.frames:
            place = (1 - here) * self._world.ctc_count + index
            fibres = _changed(fibres, place, (*fibres[place], frame))
        arrived = state.arrived[here]
        for length in did.arrived:
            arrived += 1
            assert length == arrived, f"message {length} arrives at {here}, not {arrived}"
            assert length <= state.sent[1 - here], f"message {length} was not sent"
        return state._replace(
            nodes=_changed(state.nodes, here, did.state),
            fibres=fibres,
            arrived=_changed(state.arrived, here, arrived),
        )

    def _is_end(self, state: _State) -> bool:
        """Whether everything has arrived, is known to have, and the link is as good as new."""
        nodes = self._nodes
        return (
            state.arrived == self._world.messages[::-1]
            and state.broken < 0
            and not any(state.fibres)
            and all(nodes.settled[node] for node in state.nodes)
            and all(nodes.timers[node] is Timer.NONE for node in state.nodes)
        )

    def _note(self, state: _State, origin: int, said: str) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._origins.append((origin, said))
            self._depths.append(self._depths[origin] + 1 if number else 0)
        return number

    def _expect_ways_to(self, ends: list[int]) -> None:
        """From every state there is a way to an end."""
        before: list[list[int]] = [[] for _ in self._states]
        for origin, following in self._edges:
            before[following].append(origin)
        reaches = bytearray(len(self._states))
        waiting = list(ends)
        for end in ends:
            reaches[end] = True
        while waiting:
            for origin in before[waiting.pop()]:
                if not reaches[origin]:
                    reaches[origin] = True
                    waiting.append(origin)
        stuck = reaches.find(0)
        if stuck >= 0:
            self._fail("livelock: from here on, no schedule delivers everything", stuck)

    def _fail(self, reason: str, number: int) -> None:
        path = []
        while number:
            number, said = self._origins[number]
            path.append(said)
        raise Counterexample(reason, path[::-1])


def _changed(values: tuple[Any, ...], place: int, value: Any) -> Any:
    """The same values, with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])


def _define(world: SmallWorld, here: int) -> LinkEndDefinition:
    """One end, whose every step takes its own short time, so that timers run out one by one."""
    setup = Setup(world.ctc_count, arbitrations=world.arbitrations, parameters=_PARAMETERS)
    definition = setup.definition(here)
    ctcs = tuple(replace(ctc, profile=_PROFILE) for ctc in definition.ctcs)
    return replace(definition, ctcs=ctcs)


_PARAMETERS: Final = replace(
    LinkParameters(),
    build_package_ns=700,
    receive_ns_per_byte=1.0,
    single_ctc_release_ns_per_byte=1.5,
    dispatch_ns=40,
    recovery_ns=5_000,
    package_limit=PackageLimit(1),
    single_ctc_length=1,
    single_ctc_appc_length=1,
    open_backlog_length=1,
    open_backlog_count=1,
    appc_ns_per_byte_built=0.0,
    appc_ns_per_byte_taken=1.0,
)
_PROFILE: Final = replace(
    find_profile("FICON Express2"),
    line_ns_per_byte=0.1,
    processor_ns_per_byte=0.0,
    processor_bits_per_ccw=0.0,
    latency_ns_per_ccw=0.0,
    io_ns=0,
    io_contention_ns=0,
    interrupt_ns=300,
    interrupt_contention_ns=0,
)
