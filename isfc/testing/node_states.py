"""All states of the two nodes of a small pair, and what each does with an input.

A node is a pure function. So it is run once for each of its states and inputs, and looked up after
that; states and frames are known by numbers.
"""

import pickle
import zlib
from enum import Enum
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

Input = tuple[Any, ...]
"""What a node is given: ("timer",), ("frame", index, number), ("send", length, traffic), or one of
`_DEVICE_INPUTS` and the index of a CTC."""

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


class Timer(Enum):
    """Whether a node waits for a timer: for one of its own steps, or for a missing interrupt."""

    NONE = 0
    SOON = 1
    LATE = 2


class Nodes:
    """All states of both nodes, and what each does with an input; frames by their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._images: list[tuple[bytes, int]] = []
        self._frame_numbers: dict[Any, int] = {}
        self._did: dict[tuple[int, Input], Did] = {}
        self.frames: list[Frame] = []
        self.timers: list[Timer] = []
        self.settled: list[bool] = []
        """Whether the node's link is up, with nothing to be sent, in each state."""

    def __len__(self) -> int:
        return len(self._images)

    def add(self, here: int, node: System, now_ns: int) -> int:
        """The number of the state that a node is in."""
        form = (here, canonical(node, now_ns))
        number = self._numbers.get(form)
        if number is None:
            number = self._numbers[form] = len(self._images)
            image = zlib.compress(pickle.dumps(node, pickle.HIGHEST_PROTOCOL), 1)
            self._images.append((image, now_ns))
            due_ns = node.next_deadline()
            late = due_ns is not None and due_ns - now_ns > MS
            self.timers.append(Timer.NONE if due_ns is None else Timer.LATE if late else Timer.SOON)
            self.settled.append(
                node.ends[0].link.state is LinkState.UP and not node.ends[0].link.packager
            )
        return number

    def feed(self, here: int, number: int, given: Input) -> Did:
        """What the node does with an input in one of its states."""
        did = self._did.get((number, given))
        if did is None:
            image, now_ns = self._images[number]
            did = self._did[number, given] = self._run(here, _node(image), now_ns, given)
        return did

    def _run(self, here: int, node: System, now_ns: int, given: Input) -> Did:
        before = node.ends[0].link.counters.collision_count
        match given:
            case ("timer",):
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
        number = self._frame_numbers.get(form)
        if number is None:
            number = self._frame_numbers[form] = len(self.frames)
            self.frames.append(frame)
        return number


def _node(image: bytes) -> System:
    node = pickle.loads(zlib.decompress(image))
    assert isinstance(node, System)
    return node


def _rdev(node: System, index: int) -> Rdev:
    return list(node.ends[0].link.ctcs)[index]
