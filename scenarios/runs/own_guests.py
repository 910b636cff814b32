"""Guests of a workload of one's own: any message sizes, replies by size, think times, arrivals.

Guests that wait for replies are `scenarios.runs.guests`, with sizes and think times. Messages that
come at times of their own, drawn or from a trace, are an open load: each conversation whose reply
is there takes the next one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from random import Random
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.link.events import Delivered, LinkEvent, Severed
from isfc.link.message import Message
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.several_programs import joined
from scenarios.runs.workload import Workload

CONVERSATIONS: Final = 32
"""Messages that may be under way at the same time: beyond that the load is not open any more.
Chosen: a link that is hardly used has one or two."""

Arrival = tuple[float, int]
"""How long after the one before a message comes, in ns, and how long it is, in bytes."""


class Gaps(StrEnum):
    """How think times, and gaps between arrivals, are spread about their mean."""

    EXPONENTIAL = "exponential"
    """Independent of each other."""
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class OwnGuests:
    """Makes the programs of a workload of one's own. Lengths in bytes, times in ns.

    ``sizes`` are (length, percent of the messages), none for the two of the workload; ``replies``
    (length of a message, of its reply) where they are not the workload's. Without ``per_s`` and
    ``trace`` guests wait for replies, and think for ``think_ns`` in the mean before each message.
    ``per_s`` messages a second come with such ``gaps``, or those of a ``trace``, over and over.
    With ``both_ways`` half of the pairs have their clients on the other system, and messages come
    at either.
    """

    sizes: tuple[tuple[int, float], ...] = ()
    replies: tuple[tuple[int, int], ...] = ()
    think_ns: float = 0.0
    per_s: float | None = None
    trace: tuple[Arrival, ...] = ()
    gaps: Gaps = Gaps.EXPONENTIAL
    both_ways: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is more than a published workload at some rate."""
        return bool(self.sizes or self.trace)

    def __call__(
        self, workload: Workload, pairs: int, costs: GuestCosts, random: Random
    ) -> tuple[Program, Program]:
        """What runs at the clients' system, and at the servers'."""
        back = pairs // 2 if self.both_ways else 0
        here, there = self._one_way(workload, pairs - back, costs, random)
        if not back:
            return here, there
        far, near = self._one_way(workload, back, costs, random)
        counts = [2 * workload.window * each for each in (pairs - back, back)]
        return (
            joined([*zip((here, near), counts, strict=True)]),
            joined([*zip((there, far), counts, strict=True)]),
        )

    def _one_way(
        self, workload: Workload, pairs: int, costs: GuestCosts, random: Random
    ) -> tuple[Program, Program]:
        servers = Servers(workload, pairs, costs, dict(self.replies))
        if self.trace or self.per_s is not None:
            return Senders(workload, pairs, self._arrivals(workload, random)), servers
        ends = tuple(accumulate(percent for _, percent in self.sizes))
        lengths = tuple(length for length, _ in self.sizes)
        is_constant = self.gaps is Gaps.CONSTANT
        return (
            Clients(workload, pairs, costs, random, (ends, lengths), self.think_ns, is_constant),
            servers,
        )

    def _arrivals(self, workload: Workload, random: Random) -> Iterator[Arrival]:
        while self.trace:
            yield from self.trace
        assert self.per_s is not None, "there is a trace, or a rate"
        per_ns = self.per_s / 1e9
        ends = [*accumulate(percent for _, percent in self.sizes)]
        while True:
            is_drawn = self.gaps is Gaps.EXPONENTIAL
            gap_ns = random.expovariate(per_ns) if is_drawn else 1 / per_ns
            drawn = random.random() * 100
            if ends:
                place = next((n for n, end in enumerate(ends) if drawn < end), len(ends) - 1)
                yield gap_ns, self.sizes[place][0]
            else:
                small = drawn < workload.min_percent
                yield gap_ns, workload.min_length if small else workload.max_length

    def hurried(self, factor: float) -> "OwnGuests":
        """The same where so many times as many messages come."""
        trace = tuple((gap_ns / factor, length) for gap_ns, length in self.trace)
        per_s = None if self.per_s is None else factor * self.per_s
        return replace(self, per_s=per_s, trace=trace)

    def offered_mb_per_s(self, workload: Workload) -> float | None:
        """MB/s (2^20) both ways that come, whatever is carried; None if guests wait for replies."""
        replies = dict(self.replies)
        if self.trace:
            seconds = sum(gap_ns for gap_ns, _ in self.trace) / 1e9
            length = sum(
                length + replies.get(length, workload.reply_length) for _, length in self.trace
            )
            return length / seconds / 2**20 * (2 if self.both_ways else 1)
        if self.per_s is None:
            return None
        small = workload.min_percent / 100
        sizes = self.sizes or (
            (workload.min_length, 100 * small),
            (workload.max_length, 100 - 100 * small),
        )
        mean = sum(
            percent / 100 * (length + replies.get(length, workload.reply_length))
            for length, percent in sizes
        )
        return self.per_s * mean / 2**20 * (2 if self.both_ways else 1)


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


def open_load(workload: Workload, messages_per_s: float) -> Workload:
    """The workload as an open load of so many messages a second, each with its reply.

    It is run with `CONVERSATIONS` pairs.
    """
    return replace(workload, window=1, programs=OwnGuests(per_s=messages_per_s))
