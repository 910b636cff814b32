"""All states of the two ends of a small pair, and the steps each can take by itself.

An end is a node, the frames that are on their way to it, and what it has sent and received. A step
of one end changes nothing of the other but what is on its way there. So the steps of an end are
found once for each of its states, and a state of the pair is two numbers.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

from isfc.system.system import System
from isfc.testing.node_states import Input, Nodes
from isfc.testing.small_world import SmallWorld

_T = TypeVar("_T")

Frames = tuple[tuple[int, int], ...]
"""Frames that an end sends: the index of the CTC, and the number of the frame."""


class End(NamedTuple):
    """One end of the pair: the state of its node and what is on its way there, by CTC."""

    here: int
    node: int
    fibres: tuple[tuple[int, ...], ...]
    sent: int
    arrived: int


class Step(NamedTuple):
    """What an end can do next: the state it is in then, and the frames it sends."""

    given: Input
    end: int
    frames: Frames
    collisions: int


class Ends:
    """All states of both ends, by number."""

    def __init__(self, world: SmallWorld, *, timed: bool = False) -> None:
        self.nodes: Final = Nodes(timed=timed)
        self._world = world
        self.numbers: dict[End, int] = {}
        self._ends: list[End] = []
        self._steps: dict[int, list[Step]] = {}
        self._received: dict[tuple[int, Frames], int] = {}
        self._sends_alone: dict[int, int] = {}
        self.idle_ctcs: list[int] = []
        """The CTCs on which nothing is on its way to the end, as bits."""
        self.done: list[bool] = []
        """Whether the end has sent and received everything, and waits for nothing."""
        self.sent = array("B")
        self.arrived = array("B")
        """Messages that the end has sent, and that have arrived there."""

    def __getitem__(self, number: int) -> End:
        return self._ends[number]

    def begin(self) -> tuple[int, int]:
        """Both ends before anything has happened."""
        first, second = (self._begin(here) for here in (0, 1))
        return first, second

    def _begin(self, here: int) -> int:
        node = self.nodes.add(here, System([self._world.definition(here)]), 0)
        return self._add(End(here, node, ((),) * self._world.ctc_count, 0, 0))

    def _add(self, end: End) -> int:
        number = self.numbers.get(end)
        if number is None:
            number = self.numbers[end] = len(self._ends)
            self._ends.append(end)
            self.idle_ctcs.append(
                sum(1 << index for index, frames in enumerate(end.fibres) if not frames)
            )
            self.done.append(self._is_done(end))
            self.sent.append(end.sent)
            self.arrived.append(end.arrived)
        return number

    def feed(self, number: int, given: Input) -> Step:
        """What an end does with an input; raises `AssertionError` for a message out of turn."""
        here, node, fibres, sent, arrived = self._ends[number]
        match given:
            case ("frame", index, _):
                fibres = _changed(fibres, index, fibres[index][1:])
            case ("send", _, _):
                sent += 1
        did = self.nodes.feed(here, node, given)
        for length in did.arrived:
            arrived += 1
            assert length == arrived, f"message {length} arrives at {here}, not {arrived}"
            assert length <= self._world.messages[1 - here], f"message {length} was not sent"
        end = self._add(End(here, did.state, fibres, sent, arrived))
        return Step(given, end, did.frames, did.collisions)

    def receive(self, number: int, frames: Frames) -> int:
        """The end with further frames on their way to it."""
        key = (number, frames)
        found = self._received.get(key)
        if found is None:
            end = self._ends[number]
            fibres = end.fibres
            for index, frame in frames:
                fibres = _changed(fibres, index, (*fibres[index], frame))
            found = self._received[key] = self._add(end._replace(fibres=fibres))
        return found

    def put(self, number: int, index: int, frames: tuple[int, ...]) -> int:
        """The end with other frames on their way to it on one CTC."""
        end = self._ends[number]
        return self._add(end._replace(fibres=_changed(end.fibres, index, frames)))

    def steps(self, number: int) -> list[Step]:
        """Everything an end can do by itself; but for missing interrupts, see `late`."""
        steps = self._steps.get(number)
        if steps is None:
            end = self._ends[number]
            given: list[Input] = [("timer", timer) for timer in self.nodes.soon[end.node]]
            if end.sent < self._world.messages[end.here]:
                given.append(("send", end.sent + 1, self._world.traffic))
            for index, frames in enumerate(end.fibres):
                if frames:
                    given.append(("frame", index, frames[0]))
            steps = self._steps[number] = [self.feed(number, each) for each in given]
        return steps

    def late(self, number: int) -> list[Step]:
        """The missing interrupts that the end waits for."""
        late = self.nodes.late[self._ends[number].node]
        return [self.feed(number, ("timer", timer)) for timer in late]

    def sends_alone(self, number: int) -> int:
        """The CTCs on which an end may send while the other end does nothing, as bits."""
        found = self._sends_alone.get(number)
        if found is None:
            found, seen, waiting = 0, {number}, [number]
            while waiting:
                for step in self.steps(waiting.pop()):
                    for index, _ in step.frames:
                        found |= 1 << index
                    known = self._sends_alone.get(step.end)
                    if known is not None:
                        found |= known
                    elif step.end not in seen:
                        seen.add(step.end)
                        waiting.append(step.end)
            self._sends_alone[number] = found
        return found

    def say(self, number: int, given: Input) -> str:
        """What happens when an end is given an input, in words."""
        here = self._ends[number].here
        match given:
            case ("timer", timer):
                return f"{timer.kind.value} at {here}, CTC {timer.place}"
            case ("frame", index, frame):
                return f"{self.nodes.frames[frame]!r} arrives at {here} on CTC {index}"
        return f"{here} sends"

    def _is_done(self, end: End) -> bool:
        nodes = self.nodes
        return (
            end.arrived == self._world.messages[1 - end.here]
            and end.sent == self._world.messages[end.here]
            and not any(end.fibres)
            and nodes.settled[end.node]
            and not nodes.soon[end.node]
            and not nodes.late[end.node]
        )


def _changed(values: Sequence[_T], place: int, value: _T) -> tuple[_T, ...]:
    """The same values, with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])
