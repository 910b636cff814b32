"""What runs at the two ends of a link, by its workload, and several programs on one end.

Guests that wait for replies are `scenarios.runs.guests`, with sizes and think times of one's own
if there are any. Messages that come at times of their own, drawn or from a trace, are an open load:
each conversation whose reply is there takes the next one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from random import Random

from isfc.link.events import Delivered, LinkEvent, Offer, Program, Sent, Severed
from isfc.link.message import Message
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.own_workload import Arrival, Gaps, OwnGuests
from scenarios.runs.workload import Workload


def make_programs(
    workload: Workload, pairs: int, costs: GuestCosts, random: Random
) -> tuple[Program, Program]:
    """The programs of a workload: at the clients' system, and at the servers'."""
    if workload.programs is None:
        return Clients(workload, pairs, costs, random), Servers(workload, pairs, costs)
    if not isinstance(workload.programs, OwnGuests):
        return workload.programs(workload, pairs, costs, random)
    back = pairs // 2 if workload.programs.both_ways else 0
    here, there = _one_way(workload.programs, workload, pairs - back, costs, random)
    if not back:
        return here, there
    far, near = _one_way(workload.programs, workload, back, costs, random)
    counts = [2 * workload.window * each for each in (pairs - back, back)]
    return (
        joined([*zip((here, near), counts, strict=True)]),
        joined([*zip((there, far), counts, strict=True)]),
    )


def _one_way(
    own: OwnGuests, workload: Workload, pairs: int, costs: GuestCosts, random: Random
) -> tuple[Program, Program]:
    servers = Servers(workload, pairs, costs, dict(own.replies))
    if own.trace or own.per_s is not None:
        return Senders(workload, pairs, _arrivals(own, workload, random)), servers
    ends = tuple(accumulate(percent for _, percent in own.sizes))
    lengths = tuple(length for length, _ in own.sizes)
    is_constant = own.gaps is Gaps.CONSTANT
    clients = Clients(workload, pairs, costs, random, (ends, lengths), own.think_ns, is_constant)
    return clients, servers


def _arrivals(own: OwnGuests, workload: Workload, random: Random) -> Iterator[Arrival]:
    while own.trace:
        yield from own.trace
    assert own.per_s is not None, "there is a trace, or a rate"
    per_ns = own.per_s / 1e9
    ends = [*accumulate(percent for _, percent in workload.sizes)]
    while True:
        is_drawn = own.gaps is Gaps.EXPONENTIAL
        gap_ns = random.expovariate(per_ns) if is_drawn else 1 / per_ns
        drawn = random.random() * 100
        place = next((n for n, end in enumerate(ends) if drawn < end), len(ends) - 1)
        yield gap_ns, workload.sizes[place][0]


class Senders:
    """Each conversation whose reply is there takes the next message that comes."""

    def __init__(self, workload: Workload, pairs: int, arrivals: Iterator[Arrival]) -> None:
        self._traffic, self._pairs, self._arrivals = workload.traffic, pairs, arrivals
        self._next_ns = 0.0
        self._gap_ns = 0.0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """A message for each conversation, as they come."""
        self._next_ns = float(now_ns)
        return [self._message(conversation, now_ns) for conversation in range(self._pairs)]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply frees its conversation; the link restarts."""
        if isinstance(event, Severed):
            return self.start(now_ns)
        if not isinstance(event, Delivered):
            return ()
        return [self._message(message.conversation, now_ns) for message in event.messages]

    def waiting_count(self, now_ns: int) -> float:
        """How many messages have come, by the last gap, and find no conversation free."""
        late_ns = now_ns - self._next_ns - self._gap_ns
        return max(0.0, late_ns / self._gap_ns) if self._gap_ns else 0.0

    def _message(self, conversation: int, now_ns: int) -> Offer:
        gap_ns, length = next(self._arrivals)
        self._gap_ns = gap_ns
        self._next_ns += gap_ns
        return max(now_ns, int(self._next_ns)), [Message(conversation, length, self._traffic)]


class SeveralPrograms:
    """Lets each program number its conversations from 0, and tells it of those alone.

    ``programs`` gives each with how many conversations it has at most. Where the partner's
    programs are given in the same order, with the same numbers, they talk to each other.
    """

    def __init__(self, programs: Sequence[tuple[Program, int]]) -> None:
        self.programs = [program for program, _ in programs]
        self._programs: list[tuple[Program, int, int]] = []
        first = 0
        for program, count in programs:
            self._programs.append((program, first, first + count))
            first += count

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What every program offers first."""
        return [
            offer
            for program, first, _ in self._programs
            for offer in _raised(program.start(now_ns), first)
        ]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Tell each program of its own messages, and of all else."""
        offers: list[Offer] = []
        for program, first, end in self._programs:
            own = event
            if isinstance(event, Delivered | Sent):
                messages = [
                    _numbered(message, -first)
                    for message in event.messages
                    if first <= message.conversation < end
                ]
                if not messages:
                    continue
                own = type(event)(messages)
            offers += _raised(program.receive(own, now_ns), first)
        return offers


def _raised(offers: Iterable[Offer], by: int) -> Iterator[Offer]:
    for at_ns, messages in offers:
        yield at_ns, [_numbered(message, by) for message in messages]


def _numbered(message: Message, by: int) -> Message:
    """The message as one of a conversation whose number is ``by`` higher."""
    if not by:
        return message
    return Message(message.conversation + by, message.length, message.traffic)


def joined(programs: Sequence[tuple[Program, int]]) -> Program:
    """All programs of a link end as one, each with how many conversations it has at most.

    Without any it sends nothing.
    """
    return programs[0][0] if len(programs) == 1 else SeveralPrograms(programs)
