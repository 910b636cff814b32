"""Every interleaving of a small world: deliveries, timers, sends and at most one fault.

A frame takes as long as it likes, and of the timers that a node waits for any may run out next
(`tools.simulation.canonical`); of one CTC and direction, frames arrive in their order. The timer
of a missing interrupt is the exception: it runs out only when nothing else can happen, for it is
longer than anything else takes. Two states are one if the nodes will behave alike from them on. A
node is a pure function, so that it is run once for each of its states and inputs; what they all do
is then looked up. Of more than two systems every order is tried: that links of one system leave
each other alone is what is to be seen.

``python -m tools.simulation.exploration [quick]``, as `make explore`, prints a line for each world
and ends with 1 when one of them has a counterexample, which is shown. With ``quick`` only those of
a few seconds are visited.
"""

# Why nothing is overlooked.
#
# *Times.* A node reads times only to decide which of its timers runs out next, and how long it
# waits for the one that it starts. So a state is: what the node knows, and which timers are
# pending. From it, every pending timer is a step of its own. Whatever the costs of the model are,
# and whenever frames arrive, the timers of a real node run out in some order; that order is one of
# those tried, and leads through the same states. So the exploration visits all that any clock leads
# to, and more: orders that no fixed costs bring about. A rule that holds in all of them holds in
# the real ones. With two exceptions: two timers that run out in the very same nanosecond, which a
# node handles in one go, are taken one after the other, and missing interrupts are late, see above.
# That holds of livelocks too where no steps lead round in a circle (``endless_count`` is 0): then
# every schedule, and so that of any clock, comes to an end, and it ends where everything has
# arrived. Where some do, a way to the end may use an order that no fixed costs allow: that there is
# no livelock is then said of links whose costs vary, and of schedules that neglect no timer and no
# frame for ever. ``timed`` keeps the clocks: each node's own clock, which only its own timers
# advance. The tests compare: of every state that the clocks lead to, what is left without its times
# is visited.
#
# *Orders.* Two steps of different ends lead to the same state in either order, for a step takes
# frames from the front of what is on its way to its own end, and adds to the back of what is on its
# way to the other. ``reduced`` leaves out orders that differ in nothing else. Where nothing that
# the other end can do by itself brings this end a further choice (on each CTC something is on its
# way here already, or the other end sends nothing on it without hearing from here), only this end's
# steps are followed: a persistent set. One of them has to lead to a state that is yet to be
# followed, so that no step is put off for ever. And while a fault may still happen, or a CTC is yet
# to be restored, every order is tried, as a fault is a step of both ends. By the theory (P.
# Godefroid, "Partial-order methods for the verification of concurrent systems", 1996) every state
# in which nothing can happen, and every step that either end can ever take, is found all the same;
# so is every message lost, doubled or out of turn, every deadlock, and every livelock. And if no
# steps that are followed lead round in a circle, none do: a step that is followed either stands
# somewhere in an endless schedule, and can be taken first, or it can be taken before all of it; an
# endless schedule is left either way, so that those that are followed would never end either.

import itertools
import multiprocessing
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Final, NoReturn

from msgspec import Struct

from isfc.errors import RemoteProtocolError
from isfc.system.system import Activate, Connect, Deactivate, Disconnect, System
from tools.simulation.small_world import Link, OneFault, SmallWorld, worlds
from tools.simulation.states import MEMBER_BITS, MEMBER_MASK, Input, Members, MemberStep, changed

STATES_MAX: Final = 20_000_000
"""What two processes have memory for: the largest pair here has 6.6 million, in 6.8 GB, the three
systems 11.2 million, in more than 2 GB."""

_NOTHING: Final = 0
_FAULT_LEFT: Final = 1
_BROKEN: Final = 2
"""What is wrong: nothing any more; a fault may still happen; or, from 2 on, which CTC is broken,
counted over both sides for a fault at one end."""

_TROUBLE_BITS: Final = 8
_TROUBLE_MASK: Final = (1 << _TROUBLE_BITS) - 1

_Now = tuple[int, ...]
"""The state of each system, by number."""


class Explored(Struct, frozen=True):
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
    endless_count: int = 0
    """States from which some schedule never ends, fair or not: with 0, every one delivers."""


class Counterexample(AssertionError):
    """A way to a state that must not be; ``path`` is what happened, in its order."""

    def __init__(self, reason: str, path: list[str]) -> None:
        self.reason = reason
        self.path = path
        super().__init__(f"{reason}, after:\n  " + "\n  ".join(path))


def explore(world: SmallWorld, *, reduced: bool = False, timed: bool = False) -> Explored:
    """Visit every state of a small world, or, ``reduced``, of a pair one of several orders alike.

    ``timed`` keeps the clocks of all systems: their timers run out in one order only.

    Raises `Counterexample` when a message is lost, doubled or out of turn, when nothing can happen
    any more and not everything has arrived, and when there is a state from which no way leads to
    the end: from all others, a schedule that neglects nothing for ever delivers everything.
    Raises `RuntimeError` where isfc is compiled: what a node knows is then not to be seen.
    """
    if not isinstance(System.apply, FunctionType):
        raise RuntimeError(
            "isfc is compiled, and only its source can be explored: install it with ISFC_COMPILE=0"
        )
    return Exploration(world, reduced=reduced, timed=timed).run()


class Exploration:
    """A graph of states, in the order in which they are found: breadth first.

    A state of the world is one number, made of those of its systems and of what is wrong.
    """

    def __init__(self, world: SmallWorld, *, reduced: bool = False, timed: bool = False) -> None:
        self.members = Members(world, timed=timed)
        self.numbers: dict[int, int] = {}
        self.states: list[int] = []
        self._origins = array("I")
        self._edges = array("I")
        """Where the steps of each state lead to, one state after the other."""
        self._edge_counts = array("B")
        self._collision_count = 0
        self._world = world
        self._reduced = reduced and world.system_count == 2

    def run(self) -> Explored:
        """Breadth first, so that a counterexample is as short as can be."""
        self._note(self._begin(), 0)
        states, edges = self.states, self._edges
        number = 0
        while number < len(states):
            following = self._follow(states[number], number)
            edges.extend(following)
            self._edge_counts.append(len(following))
            if len(states) > STATES_MAX:
                self._fail(f"more than {STATES_MAX:,} states", number)
            if not following and not self._is_end(states[number]):
                self._fail("deadlock: nothing can happen any more", number)
            number += 1
        ends = [number for number, state in enumerate(states) if self._is_end(state)]
        return Explored(
            len(states),
            len(edges),
            len(self.members.nodes),
            len(ends),
            self._collision_count,
            len(self._way_to(len(states) - 1)) - 1,
            self._count_endless(ends),
        )

    def _note(self, state: int, origin: int) -> int:
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            self.states.append(state)
            self._origins.append(origin)
            self._check(state)
        return number

    def _reaching(self, ends: list[int], some: Callable[[Iterable[int]], bool]) -> bytearray:
        """From which states all steps, or any, lead on to an end: found backwards, step by step."""
        reaches = bytearray(len(self.states))
        for end in ends:
            reaches[end] = True
        grows = True
        while grows:
            grows = False
            edge = len(self._edges)
            for number in range(len(self.states) - 1, -1, -1):
                edge -= self._edge_counts[number]
                if not reaches[number]:
                    following = self._edges[edge : edge + self._edge_counts[number]]
                    if some([reaches[after] for after in following]):
                        reaches[number] = grows = True
        return reaches

    def _count_endless(self, ends: list[int]) -> int:
        """States from which steps lead round in a circle; from each, a way has to lead to an end.

        What has no step left has been found to be an end, so that `all` is true of it.
        """
        endless_count = self._reaching([], all).count(0)
        if endless_count:
            stuck = self._reaching(ends, any).find(0)
            if stuck >= 0:
                self._fail("livelock: from here on, no schedule delivers everything", stuck)
        return endless_count

    def _way_to(self, number: int) -> list[int]:
        """The states from the beginning to this one."""
        way = [number]
        while number:
            number = self._origins[number]
            way.append(number)
        return way[::-1]

    def _fail(self, reason: str, number: int) -> NoReturn:
        way = self._way_to(number)
        path = [self._say(before, after) for before, after in itertools.pairwise(way)]
        raise Counterexample(reason, path)

    def _begin(self) -> int:
        """All systems, ready, with nothing to send yet, or with all of it."""
        world, members = self._world, self.members
        now = members.begin()
        for here in range(world.system_count):
            for index in range(world.ctc_count * len(world.links_of(here))):
                now = self._give(now, here, (Connect, index))
        while waiting := [here for here, each in enumerate(now) if any(members[each].fibres)]:
            # they become ready one after the other: that is no race yet
            fibres = members[now[waiting[0]]].fibres
            index = next(index for index, frames in enumerate(fibres) if frames)
            now = self._give(now, waiting[0], ("frame", index, fibres[index][0]))
        for here in range(world.system_count if world.at_once else 0):
            for end, link in enumerate(world.links_of(here)):
                for length in range(1, world.messages[link.index(here)] + 1):
                    now = self._give(now, here, ("send", length, world.traffic, end))
        return pack(now, _NOTHING if world.fault is OneFault.NONE else _FAULT_LEFT)

    def _follow(self, state: int, number: int) -> list[int]:
        """The numbers of the states that are to be visited after this one."""
        now, trouble = unpack(state, self._world.system_count)
        members = self.members
        try:
            steps = [members.steps(each) for each in now]
            if self._reduced and not trouble and all(steps):
                for here in sorted((0, 1), key=lambda here: len(steps[here])):
                    if not members.sends_alone(now[1 - here]) & members.idle_ctcs[now[here]]:
                        found = self._take(now, trouble, {here: steps[here]}, number)
                        if max(found) > number:
                            return found
            found = self._take(now, trouble, dict(enumerate(steps)), number)
            if trouble:
                found += [self._note(after, number) for _, after in self._faults(now, trouble)]
            if not found:
                steps = [members.late(each) for each in now]
                found = self._take(now, trouble, dict(enumerate(steps)), number)
            return found
        except (AssertionError, RemoteProtocolError) as error:
            self._fail(str(error) or repr(error), number)

    def _take(
        self, now: _Now, trouble: int, steps: dict[int, list[MemberStep]], number: int
    ) -> list[int]:
        """The numbers of the states after each of the steps of some systems."""
        found = []
        for here, each in steps.items():
            for step in each:
                self._collision_count += step.collisions
                found.append(self._note(pack(self._after(now, here, step), trouble), number))
        return found

    def _after(self, now: _Now, here: int, step: MemberStep) -> _Now:
        """All systems after a step of one, whose frames are on their way to the others."""
        after = [*now]
        after[here] = step.member
        for partner, frames in step.frames:
            after[partner] = self.members.receive(after[partner], frames)
        return tuple(after)

    def _give(self, now: _Now, here: int, given: Input) -> _Now:
        return self._after(now, here, self.members.feed(now[here], given))

    def _faults(self, now: _Now, trouble: int) -> Iterator[tuple[str, int]]:
        """What can go wrong with a pair or be put right, in words, and the state after that."""
        count, fault = self._world.ctc_count, self._world.fault
        if trouble != _FAULT_LEFT:
            here, index = divmod(trouble - _BROKEN, count)
            if fault is OneFault.RESTARTED:
                now = self._give(now, here, (Activate, index))
            else:
                for here in (0, 1):
                    now = self._give(now, here, (Connect, index))
            yield "it is restored", pack(now, _NOTHING)
        elif fault is OneFault.CTC_LOST:
            for index in range(count):
                lost: _Now = tuple([self.members.put(each, index, ()) for each in now])
                for here in (0, 1):
                    lost = self._give(lost, here, (Disconnect, index))
                yield f"CTC {index} is lost", pack(lost, _BROKEN + index)
        elif fault is OneFault.RESTARTED:
            for place in range(2 * count):
                here, index = divmod(place, count)
                inactive = self._give(now, here, (Deactivate, index))
                yield f"CTC {index} is deactivated at {here}", pack(inactive, _BROKEN + place)
        else:
            for here in (0, 1):
                for index, frames in enumerate(self.members[now[here]].fibres):
                    if not frames:
                        continue
                    first, *rest = frames
                    left = tuple(rest) if fault is OneFault.FRAME_LOST else (first, first, *rest)
                    verb = "lost" if fault is OneFault.FRAME_LOST else "doubled"
                    said = f"a frame to {here} is {verb} on CTC {index}"
                    hit = self.members.put(now[here], index, left)
                    yield said, pack(changed(now, here, hit), _NOTHING)

    def _is_end(self, state: int) -> bool:
        """Whether everything has arrived, is known to have, and the links are as good as new."""
        now, trouble = unpack(state, self._world.system_count)
        return trouble < _BROKEN and all(self.members.done[each] for each in now)

    def _check(self, state: int) -> None:
        if self._world.at_once:
            return  # everything has been sent
        now, _ = unpack(state, self._world.system_count)
        sent: dict[tuple[Link, int], int] = {}
        arrived: dict[tuple[Link, int], int] = {}
        for here, each in enumerate(now):
            member = self.members[each]
            for end, link in enumerate(self._world.links_of(here)):
                sent[link, here] = member.sent[end]
                arrived[link, sum(link) - here] = member.arrived[end]
        assert all(arrived[way] <= count for way, count in sent.items()), "a message was not sent"

    def _say(self, before: int, after: int) -> str:
        """What leads from one state to the next, in words."""
        now, trouble = unpack(self.states[before], self._world.system_count)
        for here, each in enumerate(now):
            for step in (*self.members.steps(each), *self.members.late(each)):
                if pack(self._after(now, here, step), trouble) == self.states[after]:
                    return self.members.say(each, step.given)
        faults = {state: said for said, state in self._faults(now, trouble)} if trouble else {}
        return faults[self.states[after]]


def pack(now: _Now, trouble: int) -> int:
    """A state of the world as one number."""
    state = 0
    for number in now:
        state = state << MEMBER_BITS | number
    return state << _TROUBLE_BITS | trouble


def unpack(state: int, system_count: int = 2) -> tuple[_Now, int]:
    """The numbers of all systems, and what is wrong."""
    members = state >> _TROUBLE_BITS
    shifts = range(MEMBER_BITS * (system_count - 1), -1, -MEMBER_BITS)
    return tuple([members >> shift & MEMBER_MASK for shift in shifts]), state & _TROUBLE_MASK


def visit(world: SmallWorld) -> tuple[SmallWorld, Explored | str, float]:
    """What was found in a world, or the counterexample, and the processor time in s."""
    began = time.process_time()
    try:
        found: Explored | str = explore(world, reduced=True)
    except Counterexample as error:
        found = str(error)
    return world, found, time.process_time() - began


def main(arguments: list[str]) -> int:
    """Explore, as many worlds at a time as there are processors; return the exit status."""
    chosen, every = [*worlds(quick="quick" in arguments)], list[Explored]()
    processor_seconds, began = 0.0, time.perf_counter()
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for world, found, seconds in pool.imap_unordered(visit, reversed(chosen)):
            if isinstance(found, str):
                print(f"{world}: {found}")
                return 1
            every.append(found)
            processor_seconds += seconds
            print(
                f"{seconds:5.0f} s {found.state_count:9,} states {found.transition_count:10,} "
                f"transitions {found.depth:3} deep: {world}",
                flush=True,
            )
    counts = ((each.state_count, each.transition_count, each.endless_count) for each in every)
    states, transitions, endless = map(sum, zip(*counts, strict=True))
    print(f"{len(chosen)} worlds, {states:,} states, {transitions:,} transitions,")
    print(f"{time.perf_counter() - began:.0f} s, {processor_seconds:.0f} s of processors:")
    print("nothing was lost, doubled or out of turn; from every state a way leads to the end;")
    print(f"{endless:,} states from which a schedule that neglects something could go on for ever.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
