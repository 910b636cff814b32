"""Live guest relocation over a simulated link: pre-copy passes, then the guest is stopped.

The first pass moves what the guest has touched, each further one what has changed during the pass
before. What is assumed of CP's own rule stands in ``docs/relocation.md``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from random import Random
from typing import Final

from ctc.agenda import NEVER_NS
from isfc.engine.program import Offer, Program
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.definition import define_link_end, make_fabric
from isfc.layout.layout import Layout
from isfc.link.events import Delivered, LinkEvent
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.guest_memory import GuestMemory
from scenarios.guests import Clients, GuestCosts, Servers
from scenarios.run import NS_PER_S, SLICE_NS, check_node
from scenarios.together import Together
from scenarios.workload import Workload

MESSAGE_LENGTH: Final = 122_880
"""Bytes of memory in a message: the longest of IBM's HL suite, whose messages are those of a
relocation (published: z/VM 6.2 performance report, "ISFC Improvements"); 30 pages of 4 KiB."""

ACKNOWLEDGEMENT_LENGTH: Final = 100
"""Bytes with which the destination acknowledges a message. Assumed."""

WINDOW: Final = 100
"""Messages of a guest outstanding. Assumed: what 50 pairs of HL keep outstanding, with which IBM
measured what links carry. What a relocation keeps outstanding is not published."""

STATE_LENGTH: Final = 4 * 2**20
"""Bytes of a stopped guest's last pass: its state and what its I/O has changed. Assumed."""

PROGRESS: Final = 0.9
"""A pass that leaves more than this share of what it moved ends pre-copy. Assumed."""

PASSES_MAX: Final = 16
"""Pre-copy passes at most. Assumed."""

QUIESCE_GOAL_S: Final = 0.5
"""Pre-copy ends when what has changed takes so long to move. Assumed."""

QUIESCE_MAX_S: Final = 10.0
"""A guest that would be stopped for longer is not relocated: VMRELOCATE's default of MAXQUIESCE
(published: CP's help; with IMMEDIATE there is no limit)."""

WARMUP_NS: Final = 200_000_000
"""Background traffic runs for so long before the first relocation begins."""

GUESTS_MAX: Final = 16
MEMORY_MAX: Final = 16 * 2**40
MEMORY_MIN: Final = 2**20
WINDOW_MAX: Final = 1_000
TOTAL_MAX_S: Final = 1_000_000.0


@dataclass(frozen=True, slots=True)
class Relocation:
    """What is to be relocated. Lengths in bytes, ``change_rate`` in bytes/s, times in seconds.

    ``source`` is the node that the guests leave, the layout's first node if it is None.
    ``background`` is a workload and how many pairs run it meanwhile, clients on the source. A
    guest that is not there after ``total_max`` is given up (VMRELOCATE's MAXTOTAL; no limit if
    None). ``immediate`` stops it after the first pass (IMMEDIATE). ``touched`` (all memory if
    None), ``hot_set`` and ``write_rate`` are those of `GuestMemory`.
    """

    layout: Layout
    memory: int
    change_rate: int
    guests: int = 1
    at_once: bool = False
    source: NodeName | None = None
    background: tuple[Workload, int] | None = None
    window: int = WINDOW
    quiesce_goal: float = QUIESCE_GOAL_S
    quiesce_max: float = QUIESCE_MAX_S
    total_max: float | None = None
    immediate: bool = False
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    touched: int | None = None
    hot_set: int = 0
    write_rate: int = 0

    def __post_init__(self) -> None:
        check_node(self.layout, "source", self.source)
        for name, value, least, most in (
            ("memory", self.memory, MEMORY_MIN, MEMORY_MAX),
            ("change rate", self.change_rate, 0, MEMORY_MAX),
            ("guests", self.guests, 1, GUESTS_MAX),
            ("window", self.window, 1, WINDOW_MAX),
            ("quiesce goal", self.quiesce_goal, 0, self.quiesce_max),
            ("total", 0.0 if self.total_max is None else self.total_max, 0, TOTAL_MAX_S),
        ):
            if not least <= value <= most:
                raise ConfigurationError(f"{name} {value}: expected {least} to {most}")
        _ = self.guest_memory  # which refuses what cannot be

    @property
    def guest_memory(self) -> GuestMemory:
        """Each guest's memory: what the first pass moves, and what changes."""
        touched = self.memory if self.touched is None else self.touched
        return GuestMemory(self.memory, touched, self.change_rate, self.hot_set, self.write_rate)


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over a guest's memory: what it moved, and what changed meanwhile (bytes)."""

    begin_ns: int
    end_ns: int
    length: int
    changed_length: int
    quiesced: bool

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.end_ns - self.begin_ns) / NS_PER_S


class End(StrEnum):
    """How a relocation ends; CP has codes for these ends, and for a lost link."""

    MOVED = "moved"
    QUIESCE = "max-quiesce"
    TOTAL = "max-total"

    @property
    def code(self) -> str | None:
        """CP's reason of an end (published: Monitor record MRUSERLE); None of a guest moved."""
        return {End.TOTAL: "04", End.QUIESCE: "05"}.get(self)


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one guest. One that was not moved goes on where it was."""

    passes: tuple[Pass, ...]
    end: End

    @property
    def moved(self) -> bool:
        """Whether it runs at its destination."""
        return self.end is End.MOVED

    @property
    def seconds(self) -> float:
        """From the command until the guest runs at its destination, or until it was given up."""
        return (self.passes[-1].end_ns - self.passes[0].begin_ns) / NS_PER_S

    @property
    def quiesced_seconds(self) -> float:
        """How long the guest was stopped."""
        return sum(each.seconds for each in self.passes if each.quiesced)

    @property
    def length(self) -> int:
        """Bytes moved, in all passes."""
        return sum(each.length for each in self.passes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of every guest, and of the background traffic: its exchanges/s meanwhile."""

    guests: tuple[Moved, ...]
    seconds: float
    background_per_s: float | None


class Guest:
    """One guest on its way: the pass that goes on, and those that are over."""

    def __init__(self, number: int, relocation: Relocation) -> None:
        self.passes: list[Pass] = []
        self.end: End | None = None
        self._relocation = relocation
        self._memory = relocation.guest_memory
        self._quiesced = False
        self._length = self._left = self._arrived_count = 0
        self._begin_ns = 0
        self._late_ns = self._stopped_late_ns = NEVER_NS
        # Transport does not serialise: each place in the window is a conversation of the link
        places = range(number, relocation.window * relocation.guests, relocation.guests)
        self._free = list(places)

    def begin(self, length: int, now_ns: int) -> list[Message]:
        """Begin a pass over ``length`` bytes; return its first messages."""
        self._length = self._left = length
        self._arrived_count = 0
        self._begin_ns = now_ns
        if not self.passes and self._relocation.total_max is not None:
            self._late_ns = now_ns + round(self._relocation.total_max * NS_PER_S)
        return self._fill()

    def acknowledge(self, conversation: int, now_ns: int) -> list[Message]:
        """One message has arrived; return what is sent next."""
        self._arrived_count += 1
        if now_ns > self._late_ns or now_ns > self._stopped_late_ns:
            self._give_up(now_ns, End.TOTAL if now_ns > self._late_ns else End.QUIESCE)
            return []
        self._free.append(conversation)
        if self._left:
            return self._fill()
        return [] if len(self._free) < self._relocation.window else self._end(now_ns)

    def _fill(self) -> list[Message]:
        messages = []
        while self._left and self._free:
            length = min(MESSAGE_LENGTH, self._left)
            messages.append(Message(self._free.pop(), length))
            self._left -= length
        return messages

    def _give_up(self, now_ns: int, end: End) -> None:
        """A limit is passed in the middle of a pass, of which so much has arrived."""
        arrived = min(self._length, self._arrived_count * MESSAGE_LENGTH)
        self.passes.append(Pass(self._begin_ns, now_ns, arrived, 0, self._quiesced))
        self.end = end

    def _end(self, now_ns: int) -> list[Message]:
        """A pass is over: another one, or the guest is stopped, or it is where it should be."""
        plan = self._relocation
        taken_ns = now_ns - self._begin_ns
        changed = 0 if self._quiesced else self._memory.changed(taken_ns)
        self.passes.append(Pass(self._begin_ns, now_ns, self._length, changed, self._quiesced))
        if self._quiesced:
            if len(self.passes) > 1 and self.passes[-2].quiesced:
                self.end = End.MOVED
                return []
            return self.begin(STATE_LENGTH, now_ns)
        expected_s = changed / self._length * taken_ns / NS_PER_S
        if expected_s > plan.quiesce_goal and not plan.immediate and self._goes_on(changed):
            return self.begin(changed, now_ns)
        if expected_s > plan.quiesce_max:
            self.end = End.QUIESCE
            return []
        self._quiesced = True
        if plan.quiesce_max < inf:
            self._stopped_late_ns = now_ns + round(plan.quiesce_max * NS_PER_S)
        return self.begin(max(1, changed), now_ns)

    def _goes_on(self, changed: int) -> bool:
        """Whether another pass would leave less than this one."""
        return len(self.passes) < PASSES_MAX and changed <= PROGRESS * self._length


class Source:
    """The program of the node that the guests leave.

    Of G guests, guest 0 has the conversations 0, G, 2 G and so on.
    """

    def __init__(self, relocation: Relocation, begin_ns: int = 0) -> None:
        self._relocation = relocation
        self._begin_ns = begin_ns
        self.guests = [Guest(number, relocation) for number in range(relocation.guests)]

    @property
    def over(self) -> bool:
        """Whether every guest has arrived, or was given up."""
        return all(guest.end for guest in self.guests)

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first guest's first messages, or those of all."""
        at_ns = now_ns + self._begin_ns
        first = self.guests if self._relocation.at_once else self.guests[:1]
        return [
            (at_ns, guest.begin(self._relocation.guest_memory.touched, at_ns)) for guest in first
        ]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Acknowledgements let the guests' passes go on."""
        if not isinstance(event, Delivered):
            return ()
        messages = [
            following
            for message in event.messages
            for following in self._acknowledge(message.conversation, now_ns)
        ]
        return [(now_ns, messages)] if messages else ()

    def _acknowledge(self, conversation: int, now_ns: int) -> list[Message]:
        number = conversation % len(self.guests)
        guest = self.guests[number]
        if guest.end:  # what was under way when it was given up
            return []
        messages = guest.acknowledge(conversation, now_ns)
        if guest.end and not self._relocation.at_once and number + 1 < len(self.guests):
            return self.guests[number + 1].begin(self._relocation.guest_memory.touched, now_ns)
        return messages


class Destination:
    """The program of the node that the guests go to: it acknowledges every message."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """It waits."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """An acknowledgement for each message."""
        if not isinstance(event, Delivered):
            return ()
        return [(now_ns, [Message(m.conversation, ACKNOWLEDGEMENT_LENGTH) for m in event.messages])]


class _Counted:
    """A program, and how many messages have been delivered to it since `begin_ns`."""

    def __init__(self, program: Program, begin_ns: int) -> None:
        self._program = program
        self._begin_ns = begin_ns
        self.count = 0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What the program offers."""
        return self._program.start(now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Count, and pass on."""
        if isinstance(event, Delivered) and now_ns >= self._begin_ns:
            self.count += len(event.messages)
        return self._program.receive(event, now_ns)


def relocate(relocation: Relocation, progress: Callable[[float], None] | None = None) -> Outcome:
    """Relocate the guests over the simulated link, to the last byte.

    ``progress`` is told now and then how many bytes have been moved.
    """
    layout = relocation.layout
    source_name = relocation.source or layout.nodes[0]
    names = source_name, layout.nodes[1 - layout.nodes.index(source_name)]
    fabric = make_fabric([layout])
    systems = [
        System([define_link_end(layout, name, relocation.link)], fabric=fabric) for name in names
    ]
    begin_ns = WARMUP_NS if relocation.background else 0
    source, clients = Source(relocation, begin_ns), None
    programs: list[Program] = [source, Destination()]
    if relocation.background:
        workload, pairs = relocation.background
        random = Random(f"background {relocation.seed}")
        clients = _Counted(Clients(workload, pairs, GuestCosts(), random), begin_ns)
        count = 2 * workload.window * pairs  # messages, and acknowledgements of replies
        own = relocation.guests * relocation.window
        servers = Servers(workload, pairs, GuestCosts())
        programs = [
            Together([(source, own), (clients, count)]),
            Together([(Destination(), own), (servers, count)]),
        ]
    engine = VirtualEngine(systems, programs)
    while not source.over:
        engine.run(engine.now_ns + SLICE_NS)
        if progress is not None:
            progress(systems[0].ends[0].link.counters.write_length)
    guests = tuple(Moved(tuple(guest.passes), guest.end) for guest in source.guests if guest.end)
    end_ns = max(guest.passes[-1].end_ns for guest in guests)
    per_s = None if clients is None else clients.count * NS_PER_S / (engine.now_ns - begin_ns)
    return Outcome(guests, (end_ns - begin_ns) / NS_PER_S, per_s)
