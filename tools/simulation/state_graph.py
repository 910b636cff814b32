"""A graph of states that is visited breadth first: what is true of all of them, and of all ways.

Whoever explores says where it begins, what follows each state, and which are the ends.
"""

import itertools
from array import array
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from types import FunctionType
from typing import Final, NoReturn

from isfc.system.system import System

STATES_MAX: Final = 5_000_000
"""More states than that are no small world."""


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
    endless_count: int = 0
    """States from which some schedule never ends, fair or not: with 0, every one delivers."""


class Counterexample(AssertionError):
    """A way to a state that must not be; ``path`` is what happened, in its order."""

    def __init__(self, reason: str, path: list[str]) -> None:
        self.reason = reason
        self.path = path
        super().__init__(f"{reason}, after:\n  " + "\n  ".join(path))


def check_source() -> None:
    """Raise `RuntimeError` where isfc is compiled: what a node knows is then not to be seen."""
    if not isinstance(System.apply, FunctionType):
        raise RuntimeError(
            "isfc is compiled, and only its source can be explored: install it with ISFC_COMPILE=0"
        )


class StateGraph:
    """States as numbers, in the order in which they were found, made of states of ``nodes``."""

    def __init__(self, nodes: Sized, states_max: int) -> None:
        self._nodes = nodes
        self._states_max = states_max
        self.numbers: dict[int, int] = {}
        self.states: list[int] = []
        self._origins = array("I")
        self._edges = array("I")
        """Where the steps of each state lead to, one state after the other."""
        self._edge_counts = array("B")
        self._collision_count = 0

    def _begin(self) -> int:
        """The first state."""
        raise NotImplementedError

    def _follow(self, state: int, number: int) -> list[int]:
        """The numbers of the states that are to be visited after this one."""
        raise NotImplementedError

    def _is_end(self, state: int) -> bool:
        """Whether everything has arrived, and nothing is left to happen."""
        raise NotImplementedError

    def _check(self, state: int) -> None:
        """Raise `AssertionError` for a state that must not be."""
        raise NotImplementedError

    def _say(self, before: int, after: int) -> str:
        """What leads from one state to the next, in words."""
        raise NotImplementedError

    def run(self) -> Explored:
        """Breadth first, so that a counterexample is as short as can be."""
        self._note(self._begin(), 0)
        states, edges = self.states, self._edges
        number = 0
        while number < len(states):
            following = self._follow(states[number], number)
            edges.extend(following)
            self._edge_counts.append(len(following))
            if len(states) > self._states_max:
                self._fail(f"more than {self._states_max:,} states", number)
            if not following and not self._is_end(states[number]):
                self._fail("deadlock: nothing can happen any more", number)
            number += 1
        ends = [number for number, state in enumerate(states) if self._is_end(state)]
        endless_count = self._count_endless(ends)
        return Explored(
            len(states),
            len(edges),
            len(self._nodes),
            len(ends),
            self._collision_count,
            len(self._way_to(len(states) - 1)) - 1,
            endless_count,
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
