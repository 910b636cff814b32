"""The guests: client and server programs of a workload, one of each for each pair.

ISFC Transport does not serialise: the exchanges of a pair do not wait for each other, whichever
CTC they ride. So each place in a pair's window is a conversation of the link, in which order is
kept; the guest itself takes one message at a time.

A client has room for so many bytes of replies. Where that is less than its window of them, it
acknowledges every reply, and the server keeps the next one back until then. Acknowledgements
have a conversation of their own in each pair: nothing else tells them from short messages.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from isfc.engine.program import Offer
from isfc.events import Delivered, LinkEvent, Severed
from isfc.message import Message, Traffic
from scenarios.workload import ACKNOWLEDGEMENT_LENGTH, Workload

START_SPREAD_NS: Final = 20_000
"""Clients start within so many nanoseconds of each other, as when one orchestrator starts them all.
Chosen: HS with 10 pairs on 4 CTCs keeps the pace it begins with, and IBM's is the one in step."""


@dataclass(frozen=True, slots=True)
class GuestCosts:
    """How long a guest takes from a message to having its answer ready to be sent.

    Nanoseconds, whatever the message's length. All calibrated, but for ``server_ns``: a little,
    as nothing that is published feels it.
    """

    server_ns: int = 2_400
    client_ns: int = 51_520
    appc_server_ns: int = 35_000
    appc_client_ns: int = 89_090
    """CDU/CDR, the APPC/VM programs."""


class _Guests:
    """One side's guests: each takes one message at a time."""

    def __init__(self, workload: Workload, pairs: int, service_ns: int) -> None:
        self._traffic = workload.traffic
        self._service_ns = service_ns
        self._free_ns = [0] * pairs
        self._acknowledges = workload.replies_max < workload.window
        self._acknowledgements = workload.window * pairs
        """The first conversation of acknowledgements: that of pair 0."""

    def _guest(self, conversation: int) -> int:
        return conversation % len(self._free_ns)

    def _answer(self, conversation: int, length: int, now_ns: int) -> Offer:
        """A guest's next message: ready when it is done with those before, and this one."""
        guest = self._guest(conversation)
        ready_ns = max(now_ns, self._free_ns[guest]) + self._service_ns
        self._free_ns[guest] = ready_ns
        return ready_ns, (Message(conversation, length, self._traffic),)


class Clients(_Guests):
    """The client guests: each turns every reply into a new message."""

    def __init__(self, workload: Workload, pairs: int, costs: GuestCosts, random: Random) -> None:
        is_transport = workload.traffic is Traffic.TRANSPORT
        super().__init__(workload, pairs, costs.client_ns if is_transport else costs.appc_client_ns)
        self._window = workload.window
        self._min_length, self._max_length = workload.min_length, workload.max_length
        self._min_percent = workload.min_percent
        self._random = random

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Fill every conversation's window, at slightly different times."""
        pairs = len(self._free_ns)
        for pair in range(pairs):
            at_ns = now_ns + self._random.randrange(START_SPREAD_NS)
            for place in range(self._window):
                yield self._send(place * pairs + pair, at_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply releases the next message of its conversation; a new link begins anew."""
        if isinstance(event, Severed):
            return self.start(now_ns)
        if not isinstance(event, Delivered):
            return ()
        offers = [self._send(m.conversation, now_ns) for m in event.messages]
        if self._acknowledges:
            offers += [self._acknowledge(m.conversation, now_ns) for m in event.messages]
        return offers

    def _acknowledge(self, conversation: int, now_ns: int) -> Offer:
        """What makes room for the next reply; the guest's next message does not wait for it."""
        own = self._acknowledgements + self._guest(conversation)
        return now_ns, (Message(own, ACKNOWLEDGEMENT_LENGTH, self._traffic),)

    def _send(self, conversation: int, now_ns: int) -> Offer:
        small = self._random.random() * 100 < self._min_percent
        return self._answer(conversation, self._min_length if small else self._max_length, now_ns)


class Servers(_Guests):
    """The server guests: each answers every message with one reply."""

    def __init__(self, workload: Workload, pairs: int, costs: GuestCosts) -> None:
        is_transport = workload.traffic is Traffic.TRANSPORT
        super().__init__(workload, pairs, costs.server_ns if is_transport else costs.appc_server_ns)
        self._reply_length = workload.reply_length
        self._replies_max = workload.replies_max
        self._room = [self._replies_max] * pairs
        self._kept: list[deque[Offer]] = [deque() for _ in range(pairs)]

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Servers wait to be asked."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Every message gets its reply, once the client has room for it."""
        if isinstance(event, Severed):
            self._room = [self._replies_max] * len(self._room)
            self._kept = [deque() for _ in self._kept]
            return ()
        if not isinstance(event, Delivered):
            return ()
        if not self._acknowledges:
            return [self._reply(m.conversation, now_ns) for m in event.messages]
        return [offer for m in event.messages for offer in self._take_in(m, now_ns)]

    def _take_in(self, message: Message, now_ns: int) -> Iterable[Offer]:
        """What a message or an acknowledgement leads to at once."""
        guest = self._guest(message.conversation)
        kept = self._kept[guest]
        if message.conversation >= self._acknowledgements:
            self._room[guest] += 1
        else:
            kept.append(self._reply(message.conversation, now_ns))
        while kept and self._room[guest]:
            self._room[guest] -= 1
            ready_ns, reply = kept.popleft()
            yield max(ready_ns, now_ns), reply

    def _reply(self, conversation: int, now_ns: int) -> Offer:
        return self._answer(conversation, self._reply_length, now_ns)
