"""Virtual time: two nodes and an agenda.

Ties are specified. At equal times arrivals come first, in the order of their departure, then
one node after the other, deadlines before what its program offers. A run is therefore the same
on every machine.

While a node is busy, a message of ISFC Transport can only wait. So it is handed over when the
node is next called for something else, which saves most calls and changes nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ctc.address import Rdev
from ctc.agenda import NEVER_NS, Agenda
from ctc.frame import Departure, Frame
from isfc.engine.program import Offer, Program
from isfc.engine.pump import pump
from isfc.engine.wire import decode, encode
from isfc.link.events import LinkEvent
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.system.node import Node

PROPAGATION_NS: Final = 1_000
"""One way through the fibre: 200 m at 5 ns/m. Derived from a machine room's size."""

Transit = Callable[[NodeName, Departure], Iterable[Departure]]
"""What becomes of a frame that a node sends: what leaves in its place, nothing if it is lost."""

_TRANSPORT: Final = Traffic.TRANSPORT


class _End:
    """One node in the engine with its program: what it offers, and when it is to be called."""

    __slots__ = (
        "carry", "deliver", "due_ns", "exact", "mate", "mates", "node", "offers", "program",
        "timer_ns",
    )  # fmt: skip

    def __init__(self, node: Node, program: Program) -> None:
        self.node = node
        self.program = program
        self.mate = self
        self.mates = {rdev: ctc.device.partner_rdev for rdev, ctc in node.link.ctcs.items()}
        self.carry: Callable[[Departure], None]
        self.deliver: Callable[[LinkEvent], None]
        self.offers: Agenda[Sequence[Message]] = Agenda()
        self.exact = False
        """Whether every offer is handed over at its own time, whatever the node is doing."""
        self.timer_ns = NEVER_NS
        self.due_ns = NEVER_NS
        """When the node is next to be called, if no frame comes before."""

    def set_due(self, now_ns: int) -> None:
        """Find when the node is next to be called, from ``now_ns`` on."""
        due_ns = self.timer_ns
        if self.offers.due_ns < due_ns and (self.exact or not self.node.busy):
            due_ns = self.offers.due_ns
        self.due_ns = max(due_ns, now_ns)

    def hand_over(self, before_ns: int, now_ns: int) -> None:
        """Give the node the messages of before ``before_ns``, for which it was too busy."""
        if self.offers.due_ns < before_ns:
            messages: list[Message] = []
            for offered in self.offers.pop_before(before_ns):
                messages += offered
            self.node.send(messages, now_ns)


class VirtualEngine:
    """Runs two nodes and their programs in virtual time, from 0 ns on.

    All CTCs are plugged in at the start; `unplug` and `plug` change that between runs.
    ``roundtrip`` passes every frame through the wire's codec, to prove that nothing is lost
    there. ``transit`` is asked about every frame: it may lose, delay or double it.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        programs: Sequence[Program],
        propagation_ns: int = PROPAGATION_NS,
        *,
        roundtrip: bool = False,
        transit: Transit | None = None,
    ) -> None:
        first, second = (_End(node, program) for node, program in zip(nodes, programs, strict=True))
        first.mate, second.mate = second, first
        self.now_ns = 0
        self.event_count = 0
        self._propagation_ns = propagation_ns
        self._roundtrip = roundtrip
        self._transit = transit
        self._ends = (first, second)
        self._frames: Agenda[tuple[_End, Rdev, Frame]] = Agenda()
        for end in self._ends:
            end.carry, end.deliver = self._carrier(end), self._deliverer(end)
        for rdev in first.mates:
            self.plug(rdev)
        for end in self._ends:
            self._offer(end, end.program.start(0))
            self._drain(end)

    @property
    def due_ns(self) -> int:
        """When something happens next, in ns; `NEVER_NS` if nothing does."""
        return min(self._frames.due_ns, *(end.due_ns for end in self._ends))

    def run(self, until_ns: int) -> None:
        """Let everything happen that happens up to and including ``until_ns``."""
        frames = self._frames
        first, second = self._ends
        while True:
            end = first if first.due_ns <= second.due_ns else second
            now_ns = end.due_ns
            if frames.due_ns <= now_ns:
                now_ns = frames.due_ns
                if now_ns > until_ns:
                    break
                end, rdev, frame = frames.pop()
                self.now_ns = now_ns
                end.hand_over(now_ns, now_ns)
                end.node.receive_frame(rdev, frame, now_ns)
            elif now_ns > until_ns:
                break
            elif end.timer_ns <= now_ns:
                self.now_ns = now_ns
                end.hand_over(now_ns, now_ns)
                end.node.handle_deadline(now_ns)
            else:
                self.now_ns = now_ns
                end.node.send(end.offers.pop(), now_ns)
                if not end.exact and not end.node.busy:  # it only waits: nothing to drain
                    end.set_due(now_ns)
                    continue
            self.event_count += 1
            self._drain(end)
        self.now_ns = max(self.now_ns, until_ns)
        for end in self._ends:
            end.hand_over(until_ns + 1, self.now_ns)

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
        self._frames.drop(lambda arrival: arrival[:2] in lost)
        first.node.disconnect(rdev, self.now_ns)
        second.node.disconnect(mate_rdev, self.now_ns)
        self.drain()

    def _drain(self, end: _End) -> None:
        """Carry what the node has for its mate, tell its program, find when it is due."""
        deadline_ns = pump(end.node, end.carry, end.deliver)
        end.timer_ns = NEVER_NS if deadline_ns is None else deadline_ns
        end.set_due(self.now_ns)

    def _carrier(self, end: _End) -> Callable[[Departure], None]:
        """What takes a frame of ``end`` to its mate."""

        def carry(departure: Departure) -> None:
            departure_ns, rdev, frame = departure
            if self._roundtrip:
                frame = decode(encode(frame))
            arrival = (end.mate, end.mates[rdev], frame)
            self._frames.add(departure_ns + self._propagation_ns, arrival)

        transit = self._transit
        if transit is None:
            return carry

        def carry_through(departure: Departure) -> None:
            for each in transit(end.node.name, departure):
                carry(each)

        return carry_through

    def _deliverer(self, end: _End) -> Callable[[LinkEvent], None]:
        """What tells the program of ``end`` what has happened."""

        def deliver(event: LinkEvent) -> None:
            self._offer(end, end.program.receive(event, self.now_ns))

        return deliver

    def _offer(self, end: _End, offers: Iterable[Offer]) -> None:
        for at_ns, messages in offers:
            end.offers.add(at_ns, messages)
            if messages[0].traffic is not _TRANSPORT:
                end.exact = True
