"""All states of the two nodes of a small pair, and what each does with an input.

A node is a pure function. So it is run once for each of its states and inputs, and looked up after
that; states and frames are known by numbers.
"""

import marshal
import pickle
import zlib
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeVar

from ctc.address import Rdev
from ctc.frame import Frame
from isfc.link.events import Delivered
from isfc.link.message import Message
from isfc.link.state import LinkState
from isfc.system.inputs import (
    DEADLINE,
    Activate,
    Arrive,
    Connect,
    Deactivate,
    Disconnect,
    Send,
)
from isfc.system.system import System
from isfc.testing.pair import MS
from tools.simulation.canonical import canonical
from tools.simulation.small_world import SmallWorld
from tools.simulation.timers import Timer, TimerKind, forget_times, run_out, timers

Input = tuple[Any, ...]
"""What a node is given: ("timer", timer), ("frame", index, number), ("send", length, traffic), with
the number of the link if that is not the first, or one of `_DEVICE_INPUTS` and the index of a CTC.
CTCs are counted over all links of the node."""

_DEVICE_INPUTS: Final = {
    "connect": Connect,
    "disconnect": Disconnect,
    "activate": Activate,
    "deactivate": Deactivate,
}


class Did(NamedTuple):
    """What a node did with an input: the state it is in, the frames it sent, what arrived.

    Of each message that arrived, the number of its link and its length.
    """

    state: int
    frames: tuple[tuple[int, int], ...]
    arrived: tuple[tuple[int, int], ...]
    collisions: int


_CLOCK: Final = Timer(TimerKind.RX_LOCK, -1)
"""Whichever timer is next by the node's clock, in a world with time."""


class Nodes:
    """All states of the nodes, and what each does with an input; frames by their numbers.

    ``timed`` nodes have a clock, and their timers run out in one order. Of others, any timer may
    run out next (`tools.simulation.timers`).
    """

    def __init__(self, *, timed: bool = False) -> None:
        self._timed = timed
        self.numbers: dict[bytes, int] = {}
        """The number of each state, by the digest of its form."""
        self.images: list[tuple[bytes, int]] = []
        self.frame_numbers: dict[Any, int] = {}
        self._did: dict[tuple[int, Input], Did] = {}
        self.frames: list[Frame] = []
        self.soon: list[tuple[Timer, ...]] = []
        """The timers of each state that may run out at any moment."""
        self.late: list[tuple[Timer, ...]] = []
        """Its timers of missing interrupts."""
        self.settled: list[bool] = []
        """Whether all links of the node are up, with nothing to be sent, in each state."""

    def __len__(self) -> int:
        return len(self.images)

    def add(self, here: int, node: System, now_ns: int) -> int:
        """The number of the state that a node is in."""
        if not self._timed:
            forget_times(node)
            now_ns = 0
        form = digest((here, canonical(node, now_ns)))
        number = self.numbers.get(form)
        if number is None:
            number = self.numbers[form] = len(self.images)
            image = zlib.compress(pickle.dumps(node, pickle.HIGHEST_PROTOCOL), 1)
            self.images.append((image, now_ns))
            self._note_timers(node, now_ns)
            self.settled.append(
                all(end.link.state is LinkState.UP and not end.link.packager for end in node.ends)
            )
        return number

    def _note_timers(self, node: System, now_ns: int) -> None:
        if self._timed:
            due_ns = node.next_deadline()
            is_late = due_ns is not None and due_ns - now_ns > MS
            self.soon.append((_CLOCK,) if due_ns is not None and not is_late else ())
            self.late.append((_CLOCK,) if is_late else ())
        else:
            pending = timers(node)
            self.soon.append(
                tuple([each for each in pending if each.kind is not TimerKind.MISSING])
            )
            self.late.append(tuple([each for each in pending if each.kind is TimerKind.MISSING]))

    def feed(self, here: int, number: int, given: Input) -> Did:
        """What the node does with an input in one of its states."""
        did = self._did.get((number, given))
        if did is None:
            image, now_ns = self.images[number]
            did = self._did[number, given] = self._run(here, unpacked(image), now_ns, given)
        return did

    def _run(self, here: int, node: System, now_ns: int, given: Input) -> Did:
        before = _collisions(node)
        match given:
            case ("timer", timer):
                if not self._timed:
                    run_out(node, timer)
                due_ns = node.next_deadline()
                assert due_ns is not None
                now_ns = max(now_ns, due_ns)
                node.apply(DEADLINE, now_ns)
            case ("frame", index, number):
                node.apply(Arrive(_rdev(node, index), self.frames[number]), now_ns)
            case ("send", length, traffic, *end):
                node.apply(Send([Message(0, length, traffic)], *end), now_ns)
            case (verb, index):
                node.apply(_DEVICE_INPUTS[verb](_rdev(node, index)), now_ns)
        return self._drain(here, node, now_ns, before)

    def _drain(self, here: int, node: System, now_ns: int, before: int) -> Did:
        frames = []
        rdevs = _rdevs(node)
        arrived: list[tuple[int, int]] = []
        for number, end in enumerate(node.ends):
            while (departure := end.poll_frame()) is not None:
                frames.append((rdevs.index(departure.rdev), self._frame(departure.frame, now_ns)))
            while (event := end.poll_event()) is not None:
                if isinstance(event, Delivered):
                    arrived += [(number, message.length) for message in event.messages]
        collisions = _collisions(node) - before
        return Did(self.add(here, node, now_ns), tuple(frames), tuple(arrived), collisions)

    def _frame(self, frame: Frame, now_ns: int) -> int:
        form = canonical(frame, now_ns)
        number = self.frame_numbers.get(form)
        if number is None:
            number = self.frame_numbers[form] = len(self.frames)
            self.frames.append(frame)
        return number


def digest(form: Any) -> bytes:
    """A form in 16 bytes: of ten million states, two get the same once in 10^24 explorations.

    Version 2 of `marshal` writes what is equal alike: later ones write what is the same object only
    once. A number that is an integer here and a float there would make two states of one.
    """
    return blake2b(marshal.dumps(form, 2), digest_size=16).digest()


def unpacked(image: bytes) -> System:
    """A node as it was."""
    node = pickle.loads(zlib.decompress(image))
    assert isinstance(node, System)
    return node


def _rdevs(node: System) -> list[Rdev]:
    return [rdev for end in node.ends for rdev in end.link.ctcs]


def _rdev(node: System, index: int) -> Rdev:
    return _rdevs(node)[index]


def _collisions(node: System) -> int:
    return sum(end.link.counters.collision_count for end in node.ends)


_T = TypeVar("_T")

Frames = tuple[tuple[int, int], ...]
"""Frames that an end sends: the index of the CTC, and the number of the frame."""


class EndState(NamedTuple):
    """One end of the pair: the state of its node and what is on its way there, by CTC."""

    here: int
    node: int
    fibres: tuple[tuple[int, ...], ...]
    sent: int
    arrived: int


class EndStep(NamedTuple):
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
        self.numbers: dict[EndState, int] = {}
        self._ends: list[EndState] = []
        self._steps: dict[int, list[EndStep]] = {}
        self._received: dict[tuple[int, Frames], int] = {}
        self._sends_alone: dict[int, int] = {}
        self.idle_ctcs: list[int] = []
        """The CTCs on which nothing is on its way to the end, as bits."""
        self.done: list[bool] = []
        """Whether the end has sent and received everything, and waits for nothing."""
        self.sent = array("B")
        self.arrived = array("B")
        """Messages that the end has sent, and that have arrived there."""

    def __getitem__(self, number: int) -> EndState:
        return self._ends[number]

    def begin(self) -> tuple[int, int]:
        """Both ends before anything has happened."""
        first, second = (self._begin(here) for here in (0, 1))
        return first, second

    def _begin(self, here: int) -> int:
        node = self.nodes.add(here, System([self._world.definition(here)]), 0)
        return self._add(EndState(here, node, ((),) * self._world.ctc_count, 0, 0))

    def _add(self, end: EndState) -> int:
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

    def feed(self, number: int, given: Input) -> EndStep:
        """What an end does with an input; raises `AssertionError` for a message out of turn."""
        here, node, fibres, sent, arrived = self._ends[number]
        match given:
            case ("frame", index, _):
                fibres = changed(fibres, index, fibres[index][1:])
            case ("send", _, _):
                sent += 1
        did = self.nodes.feed(here, node, given)
        for _, length in did.arrived:
            arrived += 1
            assert length == arrived, f"message {length} arrives at {here}, not {arrived}"
            assert length <= self._world.messages[1 - here], f"message {length} was not sent"
        end = self._add(EndState(here, did.state, fibres, sent, arrived))
        return EndStep(given, end, did.frames, did.collisions)

    def receive(self, number: int, frames: Frames) -> int:
        """The end with further frames on their way to it."""
        key = (number, frames)
        found = self._received.get(key)
        if found is None:
            end = self._ends[number]
            fibres = end.fibres
            for index, frame in frames:
                fibres = changed(fibres, index, (*fibres[index], frame))
            found = self._received[key] = self._add(end._replace(fibres=fibres))
        return found

    def put(self, number: int, index: int, frames: tuple[int, ...]) -> int:
        """The end with other frames on their way to it on one CTC."""
        end = self._ends[number]
        return self._add(end._replace(fibres=changed(end.fibres, index, frames)))

    def steps(self, number: int) -> list[EndStep]:
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

    def late(self, number: int) -> list[EndStep]:
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

    def _is_done(self, end: EndState) -> bool:
        nodes = self.nodes
        return (
            end.arrived == self._world.messages[1 - end.here]
            and end.sent == self._world.messages[end.here]
            and not any(end.fibres)
            and nodes.settled[end.node]
            and not nodes.soon[end.node]
            and not nodes.late[end.node]
        )


def changed(values: Sequence[_T], place: int, value: _T) -> tuple[_T, ...]:
    """The same values, with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])
