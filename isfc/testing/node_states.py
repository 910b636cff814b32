"""All states of the two nodes of a small pair, and what each does with an input.

A node is a pure function. So it is run once for each of its states and inputs, and looked up after
that; states and frames are known by numbers.
"""

import marshal
import pickle
import zlib
from hashlib import blake2b
from typing import Any, Final, NamedTuple

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
from isfc.testing.canonical import canonical
from isfc.testing.pair import MS
from isfc.testing.timers import Kind, Timer, forget_times, run_out, timers

Input = tuple[Any, ...]
"""What a node is given: ("timer", timer), ("frame", index, number), ("send", length, traffic), or
one of `_DEVICE_INPUTS` and the index of a CTC."""

_DEVICE_INPUTS: Final = {
    "connect": Connect,
    "disconnect": Disconnect,
    "activate": Activate,
    "deactivate": Deactivate,
}


class Did(NamedTuple):
    """What a node did with an input: the state it is in, the frames it sent, what arrived."""

    state: int
    frames: tuple[tuple[int, int], ...]
    arrived: tuple[int, ...]
    collisions: int


_CLOCK: Final = Timer(Kind.RX_LOCK, -1)
"""Whichever timer is next by the node's clock, in a world with time."""


class Nodes:
    """All states of both nodes, and what each does with an input; frames by their numbers.

    ``timed`` nodes have a clock, and their timers run out in one order. Of others, any timer may
    run out next (`isfc.testing.timers`).
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
        """Whether the node's link is up, with nothing to be sent, in each state."""

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
                node.ends[0].link.state is LinkState.UP and not node.ends[0].link.packager
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
            self.soon.append(tuple([each for each in pending if each.kind is not Kind.MISSING]))
            self.late.append(tuple([each for each in pending if each.kind is Kind.MISSING]))

    def feed(self, here: int, number: int, given: Input) -> Did:
        """What the node does with an input in one of its states."""
        did = self._did.get((number, given))
        if did is None:
            image, now_ns = self.images[number]
            did = self._did[number, given] = self._run(here, unpacked(image), now_ns, given)
        return did

    def _run(self, here: int, node: System, now_ns: int, given: Input) -> Did:
        before = node.ends[0].link.counters.collision_count
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
            case ("send", length, traffic):
                node.apply(Send([Message(0, length, traffic)]), now_ns)
            case (verb, index):
                node.apply(_DEVICE_INPUTS[verb](_rdev(node, index)), now_ns)
        return self._drain(here, node, now_ns, before)

    def _drain(self, here: int, node: System, now_ns: int, before: int) -> Did:
        frames = []
        rdevs = list(node.ends[0].link.ctcs)
        while (departure := node.ends[0].poll_frame()) is not None:
            frames.append((rdevs.index(departure.rdev), self._frame(departure.frame, now_ns)))
        arrived: list[int] = []
        while (event := node.ends[0].poll_event()) is not None:
            if isinstance(event, Delivered):
                arrived += [message.length for message in event.messages]
        collisions = node.ends[0].link.counters.collision_count - before
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


def _rdev(node: System, index: int) -> Rdev:
    return list(node.ends[0].link.ctcs)[index]
