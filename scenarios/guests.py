"""The guests: client and server programs of a workload, one of each for each pair.

ISFC Transport does not serialise: the exchanges of a pair do not wait for each other, whichever
CTC they ride. So each place in a pair's window is a conversation of the link, in which order is
kept; the guest itself takes one message at a time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from isfc.engine.program import Offer
from isfc.events import Delivered, LinkEvent, Severed
from isfc.message import Message, Traffic
from scenarios.workload import Workload

START_SPREAD_NS: Final = 200_000
"""Clients start within so many nanoseconds of each other, as an orchestrator's would."""


@dataclass(frozen=True, slots=True)
class GuestCosts:
    """How long a guest takes, on average, from a message to having its answer ready to be sent.

    Nanoseconds, and for a server nanoseconds per byte of its reply ("out"). ``jitter`` is the
    share of that time which varies, evenly around its mean, from message to message: guests that
    answer in step would send in step. All calibrated.
    """

    server_ns: int = 43_610
    server_ns_per_byte_out: float = 15.77
    client_ns: int = 109_300
    appc_server_ns: int = 84_270
    appc_client_ns: int = 60_030
    """CDU/CDR, the APPC/VM programs: whatever the message's length, for CP copies it."""
    jitter: float = 0.251

    def vary(self, service_ns: float, random: Random) -> int:
        """One guest's time, drawn around the mean ``service_ns``."""
        drawn = 2.0 * random.random()  # of mean 1
        return int(service_ns * (1.0 - self.jitter + self.jitter * drawn))


class _Guests:
    """One side's guests: each takes one message at a time."""

    def __init__(self, workload: Workload, pairs: int, costs: GuestCosts, random: Random) -> None:
        self._workload = workload
        self._costs = costs
        self._random = random
        self._free_ns = [0] * pairs

    def _answer(self, conversation: int, length: int, service_ns: float, now_ns: int) -> Offer:
        """A guest's next message: ready when it is done with those before, and this one."""
        guest = conversation % len(self._free_ns)
        ready_ns = max(now_ns, self._free_ns[guest]) + self._costs.vary(service_ns, self._random)
        self._free_ns[guest] = ready_ns
        return ready_ns, (Message(conversation, length, self._workload.traffic),)


class Clients(_Guests):
    """The client guests: each turns every reply into a new message."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Fill every conversation's window, at slightly different times."""
        pairs = len(self._free_ns)
        for pair in range(pairs):
            at_ns = now_ns + self._random.randrange(START_SPREAD_NS)
            for place in range(self._workload.window):
                yield self._send(place * pairs + pair, at_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply releases the next message of its conversation; a new link begins anew."""
        if isinstance(event, Severed):
            return self.start(now_ns)
        if not isinstance(event, Delivered):
            return ()
        return [self._send(m.conversation, now_ns) for m in event.messages]

    def _send(self, conversation: int, now_ns: int) -> Offer:
        workload, costs = self._workload, self._costs
        small = self._random.random() * 100 < workload.min_percent
        length = workload.min_length if small else workload.max_length
        is_transport = workload.traffic is Traffic.TRANSPORT
        service_ns = float(costs.client_ns if is_transport else costs.appc_client_ns)
        return self._answer(conversation, length, service_ns, now_ns)


class Servers(_Guests):
    """The server guests: each answers every message with one reply."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Servers wait to be asked."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Every message gets its reply."""
        if not isinstance(event, Delivered):
            return ()
        return [self._reply(m.conversation, now_ns) for m in event.messages]

    def _reply(self, conversation: int, now_ns: int) -> Offer:
        costs, length = self._costs, self._workload.reply_length
        service_ns = float(costs.appc_server_ns)
        if self._workload.traffic is Traffic.TRANSPORT:
            service_ns = costs.server_ns + costs.server_ns_per_byte_out * length
        return self._answer(conversation, length, service_ns, now_ns)
