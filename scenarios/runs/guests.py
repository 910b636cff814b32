"""The guests: client and server programs of a workload, one of each for each pair.

ISFC Transport does not serialise: the exchanges of a pair do not wait for each other, whichever
CTC they use. So each place in a pair's window is a conversation of the link, in which order is
kept; the guest itself takes one message at a time.

A client has room for so many bytes of replies. Where that is less than its window of them, it
acknowledges every reply, and the server keeps the next one back until then. Acknowledgements
have a conversation of their own in each pair: nothing else tells them from short messages.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Final, final

from mypy_extensions import i64

from ctc.address import Record
from isfc.layout.machines import on_machine
from isfc.layout.processors import Processors
from isfc.link.events import Delivered, LinkEvent, Offer, Severed
from isfc.link.message import Message, Traffic
from scenarios.runs.workload import ACKNOWLEDGEMENT_LENGTH, Workload

START_SPREAD_NS: Final = 20_000
"""Clients start within so many nanoseconds of each other, as when one orchestrator starts them all.
Chosen: HS with 10 pairs on 4 CTCs keeps the pace it begins with, and IBM's is the one in step."""


CLIENT_PROCESSORS: Final = 3
"""Processors of the clients' system (published: one partition was a 3-way, the other a 12-way,
where servers hardly wait for one)."""


Sizes = tuple[tuple[float, ...], tuple[int, ...]]
"""Percents of the messages up to each length, and the lengths; none: the two of the workload."""


@dataclass(frozen=True, slots=True)
class GuestCosts(Record):
    """How long a guest takes from a message to having its answer ready to be sent, in ns."""

    server_ns: int = 2_400
    client_ns: int = 2_400
    """Assumed: a little, as nothing that is published is sensitive to it."""

    client_ns_per_byte: float = 0.082
    """Calibrated: and for each byte of its next message, a client."""

    client_latency_ns: int = 44_700
    """Calibrated: until CP has the client's message then, as a guest waits to be dispatched. No
    processor is held meanwhile, and the guest may take its next message."""

    appc_server_ns: int = 43_900
    appc_client_ns: int = 146_000
    """Calibrated: CDU/CDR, the APPC/VM programs, whatever the message's length."""

    client_processors: int = CLIENT_PROCESSORS


def guests_on(
    costs: GuestCosts, client: Processors | None, server: Processors | None
) -> GuestCosts:
    """The costs of guests on the machines of the clients' and the servers' systems."""
    here, there = on_machine(costs, client), on_machine(costs, server)
    own = client.processors * (1 + client.smt) if client and client.processors else None
    of_server = {"server_ns": there.server_ns, "appc_server_ns": there.appc_server_ns}
    return replace(here, client_processors=own or costs.client_processors, **of_server)


@final
class _Processor:
    """A processor of the clients' system: when it is free again."""

    __slots__ = ("free_ns",)

    def __init__(self) -> None:
        self.free_ns: i64 = 0


@final
class _Guest:
    """One guest: when it is free again and, of a server, what its client has room for."""

    __slots__ = ("free_ns", "kept", "processor", "room")

    def __init__(self, room: int) -> None:
        self.free_ns: i64 = 0
        self.processor = _NO_PROCESSOR
        """Of a client: which one it runs on, or ran on last."""
        self.room = room
        """Replies that its client can take."""
        self.kept: deque[tuple[int, Message]] = deque()
        """Replies that wait for room, each with when it is ready."""


_NO_PROCESSOR: Final = _Processor()
"""Where a guest runs that never ran."""


class _Guests:
    """One side's guests: each takes one message at a time."""

    def __init__(self, workload: Workload, pairs: int, service_ns: int) -> None:
        self._traffic = workload.traffic
        self._service_ns: i64 = service_ns
        self._guests = [_Guest(workload.replies_max) for _ in range(pairs)]
        self._pairs: i64 = pairs
        self._acknowledges = workload.replies_max < workload.window
        self._acknowledgements = workload.window * pairs
        """The first conversation of acknowledgements: that of pair 0."""

    def waiting_count(self, now_ns: i64) -> float:
        """How many messages guests have yet to take: each that is not done with others."""
        taken_ns = float(self._service_ns)
        return sum([_behind(guest.free_ns, now_ns, taken_ns) for guest in self._guests])

    def _take(self, conversation: i64, now_ns: i64, length: i64) -> i64:
        """When a guest has its next message ready: done with those before, and with this one."""
        guest = self._guests[conversation % self._pairs]
        free_ns = guest.free_ns
        ready_ns = (free_ns if free_ns > now_ns else now_ns) + self._service_ns
        guest.free_ns = ready_ns
        return ready_ns


class Clients(_Guests):
    """The client guests: each turns every reply into a new message."""

    def __init__(
        self,
        workload: Workload,
        pairs: int,
        costs: GuestCosts,
        random: Random,
        sizes: Sizes = ((), ()),
        think_ns: float = 0.0,
        thinks_alike: bool = False,
    ) -> None:
        is_transport = workload.traffic is Traffic.TRANSPORT
        super().__init__(workload, pairs, costs.client_ns if is_transport else costs.appc_client_ns)
        self._processors = [_Processor() for _ in range(costs.client_processors * is_transport)]
        """Programs of APPC/VM need hardly any."""
        self._ns_per_byte = float(costs.client_ns_per_byte)
        self._latency_ns: i64 = costs.client_latency_ns
        self._window = workload.window
        self._min_length, self._max_length = workload.min_length, workload.max_length
        self._min_percent = float(workload.min_percent)
        self._random = random
        self._draw = random.random
        self._ends, self._lengths = sizes
        """Of sizes of one's own: percents up to each, and lengths."""
        self._think_ns = float(think_ns)
        self._thinks_alike = thinks_alike

    def _take(self, conversation: i64, now_ns: i64, length: i64) -> i64:
        """The same, on the processor that is free first; a guest that runs goes on where it is."""
        processors = self._processors
        if not processors:
            return super()._take(conversation, now_ns, length)
        guest = self._guests[conversation % self._pairs]
        free_ns: i64 = guest.free_ns
        if free_ns <= now_ns:
            first = processors[0]
            for other in processors:
                if other.free_ns < first.free_ns:
                    first = other
            guest.processor = first
            free_ns = now_ns
        processor = guest.processor
        if processor.free_ns > free_ns:
            free_ns = processor.free_ns
        whole: int = length
        free_ns += self._service_ns + int(self._ns_per_byte * whole)
        guest.free_ns = free_ns
        processor.free_ns = free_ns
        return free_ns + self._latency_ns

    def waiting_count(self, now_ns: i64) -> float:
        """How many messages, of the mean length, wait for a processor; 0 where none is modelled."""
        small = self._min_percent / 100
        length = small * self._min_length + (1 - small) * self._max_length
        taken_ns = float(self._service_ns) + self._ns_per_byte * length
        return sum([_behind(each.free_ns, now_ns, taken_ns) for each in self._processors])

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Fill every conversation's window, at slightly different times."""
        offers: list[Offer] = []
        pairs = self._pairs
        for pair in range(pairs):
            at_ns = now_ns + self._random.randrange(START_SPREAD_NS)
            for place in range(self._window):
                self._send(place * pairs + pair, at_ns, offers)
        return offers

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply releases the next message of its conversation; the link restarts."""
        if isinstance(event, Severed):
            return self.start(now_ns)
        if not isinstance(event, Delivered):
            return ()
        offers: list[Offer] = []
        for message in event.messages:
            self._send(message.conversation, now_ns, offers)
            if self._acknowledges:
                offers.append((now_ns, [self._acknowledgement(message.conversation)]))
        return offers

    def _acknowledgement(self, conversation: int) -> Message:
        """What makes room for the next reply; the guest's next message does not wait for it."""
        own = self._acknowledgements + conversation % self._pairs
        return Message(own, ACKNOWLEDGEMENT_LENGTH, self._traffic)

    def _send(self, conversation: i64, now_ns: i64, offers: list[Offer]) -> None:
        drawn = self._draw() * 100
        length = self._min_length if drawn < self._min_percent else self._max_length
        if self._ends:
            place = 0
            while place < len(self._ends) - 1 and drawn >= self._ends[place]:
                place += 1
            length = self._lengths[place]
        message = Message(conversation, length, self._traffic)
        ready_ns = self._take(conversation, now_ns, length)
        if self._think_ns:
            thought = 1.0 if self._thinks_alike else self._random.expovariate(1.0)
            ready_ns += int(thought * self._think_ns)
        offers.append((ready_ns, [message]))


class Servers(_Guests):
    """The server guests: each answers every message with one reply.

    Replies of ISFC Transport that one package leads to are offered together, when the last of them
    is ready: CP runs the guests that it has interrupted before it looks for what they send.
    """

    def __init__(
        self,
        workload: Workload,
        pairs: int,
        costs: GuestCosts,
        replies: dict[int, int] | None = None,
    ) -> None:
        is_transport = workload.traffic is Traffic.TRANSPORT
        super().__init__(workload, pairs, costs.server_ns if is_transport else costs.appc_server_ns)
        self._reply_length = workload.reply_length
        self._by_length = replies or None
        """The replies to messages of some lengths, where they are others."""
        self._replies_max = workload.replies_max
        self._gathers = is_transport
        self._ready_ns: i64 = 0
        """When the last of the replies is ready that are offered together."""
        self._replies: list[Message] = []

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Servers wait to be asked."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Every message gets its reply, once the client has room for it."""
        if isinstance(event, Severed):
            for guest in self._guests:
                guest.room = self._replies_max
                guest.kept.clear()
            return ()
        if not isinstance(event, Delivered):
            return ()
        offers: list[Offer] = []
        self._ready_ns, self._replies = now_ns, []
        length: i64 = self._reply_length
        for message in event.messages:
            conversation = message.conversation
            if self._acknowledges:
                self._handle(conversation, message.length, now_ns, offers)
            else:
                ready_ns = self._take(conversation, now_ns, length)
                self._offer(ready_ns, self._reply(conversation, message.length), offers)
        if self._replies:
            offers.append((self._ready_ns, self._replies))
        return offers

    def _offer(self, ready_ns: i64, reply: Message, offers: list[Offer]) -> None:
        if self._gathers:
            self._replies.append(reply)
            if ready_ns > self._ready_ns:
                self._ready_ns = ready_ns
        else:
            offers.append((ready_ns, [reply]))

    def _handle(self, conversation: int, asked: int, now_ns: int, offers: list[Offer]) -> None:
        """What a message or an acknowledgement leads to immediately."""
        guest = self._guests[conversation % self._pairs]
        kept = guest.kept
        if conversation >= self._acknowledgements:
            guest.room += 1
        else:
            ready_ns = self._take(conversation, now_ns, self._reply_length)
            kept.append((ready_ns, self._reply(conversation, asked)))
        while kept and guest.room:
            guest.room -= 1
            ready_ns, reply = kept.popleft()
            self._offer(max(ready_ns, now_ns), reply, offers)

    def _reply(self, conversation: int, asked: int) -> Message:
        length = self._reply_length
        if self._by_length is not None:
            length = self._by_length.get(asked, length)
        return Message(conversation, length, self._traffic)


def _behind(free_ns: i64, now_ns: i64, taken_ns: float) -> float:
    """How many are to come before something is free that takes so long for each, but for one."""
    busy_ns: int = free_ns - now_ns
    return max(0.0, busy_ns / taken_ns - 1.0) if taken_ns else 0.0
