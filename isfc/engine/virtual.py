"""Virtual time: two nodes and a heap.

Ties are specified. At equal times arrivals come first, then deadlines, then what programs
offer; among equals, first come first served. A run is therefore the same on every machine.
"""

import heapq
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from ctc.address import Rdev
from ctc.frame import Frame
from isfc.engine.pump import pump
from isfc.events import LinkEvent
from isfc.message import Message
from isfc.node import Node
from isfc.wire import decode, encode

PROPAGATION_NS: Final = 1_000
"""One way through the fibre: 200 m at 5 ns/m. Derived from a machine room's size."""

_ARRIVE: Final = 0
_TIMER: Final = 1
_OFFER: Final = 2

_NO_RDEV: Final = Rdev(0)

Offer = tuple[int, Sequence[Message]]
"""Messages a program will send, and when, in ns."""


class Program(Protocol):
    """What runs on a node: it is told what the link says and answers with what it will send."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first offers."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Take in an event; the offers it leads to."""


class _End:
    """One node in the engine, its program, and the timer that is set for it."""

    __slots__ = ("mate", "mates", "node", "program", "timer_ns")

    def __init__(self, node: Node, program: Program) -> None:
        self.node = node
        self.program = program
        self.mate = self
        self.mates = {rdev: ctc.device.partner_rdev for rdev, ctc in node.link.ctcs.items()}
        self.timer_ns: int | None = None


class VirtualEngine:
    """Runs two nodes and their programs in virtual time, from 0 ns on.

    All CTCs are plugged in at the start; `unplug` and `plug` change that between runs.
    ``roundtrip`` passes every frame through the wire's codec, to prove that nothing is lost
    there.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        programs: Sequence[Program],
        propagation_ns: int = PROPAGATION_NS,
        *,
        roundtrip: bool = False,
    ) -> None:
        first, second = (_End(node, program) for node, program in zip(nodes, programs, strict=True))
        first.mate, second.mate = second, first
        self.now_ns = 0
        self.event_count = 0
        self._propagation_ns = propagation_ns
        self._roundtrip = roundtrip
        self._ends = (first, second)
        self._heap: list[_Entry] = []
        self._serial = 0
        for rdev in first.mates:
            self.plug(rdev)
        for end in self._ends:
            self._offer(end, end.program.start(0))

    def run(self, until_ns: int) -> None:
        """Let everything happen that happens up to and including ``until_ns``."""
        heap = self._heap
        heappop = heapq.heappop
        while heap and heap[0][0] <= until_ns:
            now_ns, rank, _, end, rdev, thing = heappop(heap)
            if rank == _TIMER:
                if end.timer_ns != now_ns:
                    continue
                end.timer_ns = None
                self.now_ns = now_ns
                end.node.handle_deadline(now_ns)
            elif rank == _ARRIVE:
                self.now_ns = now_ns
                end.node.receive_frame(rdev, thing, now_ns)
            else:
                self.now_ns = now_ns
                end.node.send(thing, now_ns)
            self.event_count += 1
            self._drain(end)
        self.now_ns = max(self.now_ns, until_ns)

    def drain(self) -> None:
        """Carry on what was asked of a node directly, between runs: a message, a command."""
        for end in self._ends:
            self._drain(end)

    def plug(self, rdev: Rdev) -> None:
        """Connect one CTC, named by the first node's number."""
        first, second = self._ends
        first.node.connect(rdev, self.now_ns)
        second.node.connect(first.mates[rdev], self.now_ns)
        self.drain()

    def unplug(self, rdev: Rdev) -> None:
        """Cut one CTC, named by the first node's number; what is in its fibre is lost."""
        first, second = self._ends
        mate_rdev = first.mates[rdev]
        lost = ((first, rdev), (second, mate_rdev))
        self._heap = [e for e in self._heap if e[1] != _ARRIVE or (e[3], e[4]) not in lost]
        heapq.heapify(self._heap)
        first.node.disconnect(rdev, self.now_ns)
        second.node.disconnect(mate_rdev, self.now_ns)
        self.drain()

    def _drain(self, end: _End) -> None:
        """Carry what the node has for its mate, tell its program, set its timer."""

        def carry(departure_ns: int, rdev: Rdev, frame: Frame) -> None:
            if self._roundtrip:
                frame = decode(encode(frame))
            self._serial += 1
            heapq.heappush(
                self._heap,
                (
                    departure_ns + self._propagation_ns,
                    _ARRIVE,
                    self._serial,
                    end.mate,
                    end.mates[rdev],
                    frame,
                ),
            )

        def deliver(event: LinkEvent) -> None:
            self._offer(end, end.program.receive(event, self.now_ns))

        deadline_ns = pump(end.node, carry, deliver)
        if deadline_ns is not None and deadline_ns != end.timer_ns:
            end.timer_ns = max(deadline_ns, self.now_ns)
            self._serial += 1
            heapq.heappush(self._heap, (end.timer_ns, _TIMER, self._serial, end, _NO_RDEV, None))

    def _offer(self, end: _End, offers: Iterable[Offer]) -> None:
        for at_ns, messages in offers:
            self._serial += 1
            heapq.heappush(self._heap, (at_ns, _OFFER, self._serial, end, _NO_RDEV, messages))


_Entry = tuple[int, int, int, _End, Rdev, Any]
"""(time ns, rank, serial, whose, RDEV of an arrival, frame or messages)."""
