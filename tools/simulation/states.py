"""All states of the nodes of a small world, and what each does with an input.

A node is a pure function. So it is run once for each of its states and inputs, and looked up after
that; states and frames are known by numbers.
"""

import marshal
import pickle
import zlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeVar

from ctc.address import Rdev
from ctc.frame import Frame
from isfc.link.events import Delivered
from isfc.link.message import Message
from isfc.link.state import LinkState
from isfc.system.system import DEADLINE, Arrive, Send, System
from isfc.testing.pair import MS
from tools.simulation.canonical import Timer, TimerKind, canonical, forget_times, run_out, timers
from tools.simulation.small_world import SmallWorld

Input = tuple[Any, ...]
"""What a node is given: ("timer", timer), ("frame", index, number), ("send", length, traffic,
number of the link), or a class of inputs of a device, such as `Connect`, and the index of a CTC.
CTCs are counted over all links of the node."""


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


class NodeStates:
    """All states of the nodes, and what each does with an input; frames by their numbers.

    ``timed`` nodes have a clock, and their timers run out in one order. Of others, any timer may
    run out next (`tools.simulation.canonical`).
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
            pending = [*timers(node)]
            late = tuple([each for each in pending if each.kind is TimerKind.MISSING])
            self.soon.append(tuple([each for each in pending if each not in late]))
            self.late.append(late)

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
                node.apply(Arrive(_rdevs(node)[index], self.frames[number]), now_ns)
            case ("send", length, traffic, *end):
                node.apply(Send([Message(0, length, traffic)], *end), now_ns)
            case (of_device, index):
                node.apply(of_device(_rdevs(node)[index]), now_ns)
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


def _collisions(node: System) -> int:
    return sum(end.link.counters.collision_count for end in node.ends)


_T = TypeVar("_T")

Frames = tuple[tuple[int, int], ...]
"""Frames: the index of the CTC, and the number of the frame."""


class WorldMember(NamedTuple):
    """One system: the state of its node, what is on its way there, what was sent and has arrived.

    What is on its way is by CTC, what was sent and has arrived by link.
    """

    here: int
    node: int
    fibres: tuple[tuple[int, ...], ...]
    sent: tuple[int, ...]
    arrived: tuple[int, ...]


class MemberStep(NamedTuple):
    """What a system can do next: the state it is in then, and the frames that go to each partner.

    The frames are those of a partner and of its CTCs.
    """

    given: Input
    member: int
    frames: tuple[tuple[int, Frames], ...]
    collisions: int


MEMBER_BITS: Final = 24
MEMBER_MASK: Final = (1 << MEMBER_BITS) - 1


class Members:
    """All states of all systems, by number."""

    def __init__(self, world: SmallWorld, *, timed: bool = False) -> None:
        self.nodes: Final = NodeStates(timed=timed)
        self._world = world
        self._links = [world.links_of(here) for here in range(world.system_count)]
        self._mates = [list(self._mates_of(here)) for here in range(world.system_count)]
        self.numbers: dict[WorldMember, int] = {}
        self._members: list[WorldMember] = []
        self._steps: dict[int, list[MemberStep]] = {}
        self._received: dict[tuple[int, Frames], int] = {}
        self._sends_alone: dict[int, int] = {}
        self.idle_ctcs: list[int] = []
        """The CTCs on which nothing is on its way to the system, as bits."""
        self.done: list[bool] = []
        """Whether the system has sent and received everything, and waits for nothing."""

    def _mates_of(self, here: int) -> Iterator[tuple[int, int]]:
        """Of each CTC of a system, the system at its other end, and which of its CTCs that is."""
        for link in self._links[here]:
            partner = link[1 - link.index(here)]
            first = self._links[partner].index(link) * self._world.ctc_count
            yield from ((partner, first + index) for index in range(self._world.ctc_count))

    def __getitem__(self, number: int) -> WorldMember:
        return self._members[number]

    def begin(self) -> tuple[int, ...]:
        """All systems before anything has happened."""
        return tuple([self._begin(here) for here in range(self._world.system_count)])

    def _begin(self, here: int) -> int:
        node = self.nodes.add(here, System(self._world.definitions(here)), 0)
        none = (0,) * len(self._links[here])
        return self._add(WorldMember(here, node, ((),) * len(self._mates[here]), none, none))

    def _add(self, member: WorldMember) -> int:
        number = self.numbers.get(member)
        if number is None:
            number = self.numbers[member] = len(self._members)
            if number > MEMBER_MASK:
                raise OverflowError(f"more than {MEMBER_MASK + 1:,} states of the systems")
            self._members.append(member)
            self.idle_ctcs.append(
                sum(1 << index for index, frames in enumerate(member.fibres) if not frames)
            )
            self.done.append(self._is_done(member))
        return number

    def feed(self, number: int, given: Input) -> MemberStep:
        """What a system does with an input; raises `AssertionError` for a message out of turn."""
        here, node, fibres, sent, arrived = self._members[number]
        match given:
            case ("frame", index, _):
                fibres = changed(fibres, index, fibres[index][1:])
            case ("send", _, _, end):
                sent = changed(sent, end, sent[end] + 1)
        did = self.nodes.feed(here, node, given)
        for end, length in did.arrived:
            link = self._links[here][end]
            arrived = changed(arrived, end, arrived[end] + 1)
            assert length == arrived[end], f"message {length} arrives at {here}, not {arrived[end]}"
            most = self._world.messages[1 - link.index(here)]
            assert length <= most, f"message {length} was not sent to {here}"
        member = self._add(WorldMember(here, did.state, fibres, sent, arrived))
        return MemberStep(given, member, self._by_partner(here, did.frames), did.collisions)

    def _by_partner(self, here: int, frames: Frames) -> tuple[tuple[int, Frames], ...]:
        found: dict[int, Frames] = {}
        for index, frame in frames:
            partner, mate = self._mates[here][index]
            found[partner] = (*found.get(partner, ()), (mate, frame))
        return tuple(found.items())

    def receive(self, number: int, frames: Frames) -> int:
        """The system with further frames on their way to it."""
        key = (number, frames)
        found = self._received.get(key)
        if found is None:
            member = self._members[number]
            fibres = member.fibres
            for index, frame in frames:
                fibres = changed(fibres, index, (*fibres[index], frame))
            found = self._received[key] = self._add(member._replace(fibres=fibres))
        return found

    def put(self, number: int, index: int, frames: tuple[int, ...]) -> int:
        """The system with other frames on their way to it on one CTC."""
        member = self._members[number]
        return self._add(member._replace(fibres=changed(member.fibres, index, frames)))

    def steps(self, number: int) -> list[MemberStep]:
        """Everything a system can do by itself; but for missing interrupts, see `late`."""
        steps = self._steps.get(number)
        if steps is None:
            member, world = self._members[number], self._world
            given: list[Input] = [("timer", timer) for timer in self.nodes.soon[member.node]]
            for end, link in enumerate(self._links[member.here]):
                if member.sent[end] < world.messages[link.index(member.here)]:
                    given.append(("send", member.sent[end] + 1, world.traffic, end))
            for index, frames in enumerate(member.fibres):
                if frames:
                    given.append(("frame", index, frames[0]))
            steps = self._steps[number] = [self.feed(number, each) for each in given]
        return steps

    def late(self, number: int) -> list[MemberStep]:
        """The missing interrupts that the system waits for."""
        late = self.nodes.late[self._members[number].node]
        return [self.feed(number, ("timer", timer)) for timer in late]

    def sends_alone(self, number: int) -> int:
        """The CTCs on which one of two systems may send while the other does nothing, as bits."""
        found = self._sends_alone.get(number)
        if found is None:
            found, seen, waiting = 0, {number}, [number]
            while waiting:
                for step in self.steps(waiting.pop()):
                    for _, frames in step.frames:
                        for index, _ in frames:
                            found |= 1 << index
                    known = self._sends_alone.get(step.member)
                    if known is not None:
                        found |= known
                    elif step.member not in seen:
                        seen.add(step.member)
                        waiting.append(step.member)
            self._sends_alone[number] = found
        return found

    def say(self, number: int, given: Input) -> str:
        """What happens when a system is given an input, in words."""
        here = self._members[number].here
        match given:
            case ("timer", timer):
                return f"{timer.kind.value} at {here}, CTC {timer.place}"
            case ("frame", index, frame):
                return f"{self.nodes.frames[frame]!r} arrives at {here} on CTC {index}"
        return f"{here} sends" if len(self._links) == 2 else f"{here} sends on link {given[-1]}"

    def _is_done(self, member: WorldMember) -> bool:
        nodes, messages = self.nodes, self._world.messages
        return (
            all(
                member.sent[end] == messages[link.index(member.here)]
                and member.arrived[end] == messages[1 - link.index(member.here)]
                for end, link in enumerate(self._links[member.here])
            )
            and not any(member.fibres)
            and nodes.settled[member.node]
            and not nodes.soon[member.node]
            and not nodes.late[member.node]
        )


def changed(values: Sequence[_T], place: int, value: _T) -> tuple[_T, ...]:
    """The same values, with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])
