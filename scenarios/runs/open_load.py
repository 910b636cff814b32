"""An open load: messages come at a rate, whether or not the link has carried those before.

So is what a link does that is hardly used: a pair of guests that always has something under way
would do several times as much.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.link.events import Delivered, LinkEvent, Severed
from isfc.link.message import Message
from scenarios.runs.guests import GuestCosts, Servers
from scenarios.runs.workload import Workload

CONVERSATIONS: Final = 32
"""Messages that may be under way at the same time: beyond that the load is not open any more.
Chosen: a link that is hardly used has one or two."""


def open_load(workload: Workload, messages_per_s: float) -> Workload:
    """The workload as an open load of so many messages a second, each with its reply.

    It is run with `CONVERSATIONS` pairs.
    """
    return replace(workload, window=1, programs=_programs(messages_per_s))


def _programs(messages_per_s: float) -> Callable[..., tuple[Program, Program]]:
    def make(
        workload: Workload, pairs: int, costs: GuestCosts, random: Random
    ) -> tuple[Program, Program]:
        senders = _Senders(workload, pairs, messages_per_s, random)
        return senders, Servers(workload, pairs, costs)

    return make


class _Senders:
    """Each conversation whose reply is there takes the next message that comes."""

    def __init__(
        self, workload: Workload, pairs: int, messages_per_s: float, random: Random
    ) -> None:
        self._workload, self._pairs, self._random = workload, pairs, random
        self._per_ns = messages_per_s / 1e9
        self._next_ns = 0.0

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

    def _message(self, conversation: int, now_ns: int) -> Offer:
        """The next that comes: gaps are independent of each other (exponential)."""
        load, draw = self._workload, self._random
        self._next_ns += draw.expovariate(self._per_ns)
        small = draw.random() * 100 < load.min_percent
        length = load.min_length if small else load.max_length
        return max(now_ns, int(self._next_ns)), [Message(conversation, length, load.traffic)]
