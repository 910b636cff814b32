"""Workloads: what the guests on the two systems send each other.

Each pair of guests is one conversation: a client on one system, a server on the other. The
client keeps ``window`` messages outstanding; the server answers each with one reply.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from isfc.engine.virtual import Offer
from isfc.errors import ConfigurationError
from isfc.events import Delivered, LinkEvent
from isfc.message import Message, Traffic

TRANSPORT_WINDOW: Final = 2
"""Messages a transport conversation keeps outstanding. Derived: Little's law on H001709C,
50 conversations with about 100 messages in the system."""

REQUEST_LENGTH: Final = 100
"""Bytes of a CDU request. Assumed: the report gives only the reply's size."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What the clients send and the servers answer. Lengths in bytes.

    A message is ``min_length`` long in ``min_percent`` of all cases and ``max_length``
    otherwise.
    """

    name: str
    min_length: int
    max_length: int
    min_percent: float
    reply_length: int
    window: int = TRANSPORT_WINDOW
    traffic: Traffic = Traffic.TRANSPORT

    def __post_init__(self) -> None:
        if not 1 <= self.min_length <= self.max_length:
            raise ConfigurationError(
                f"workload {self.name}: message {self.min_length}:{self.max_length} bytes: "
                "expected 1 <= MIN <= MAX"
            )
        if self.reply_length < 1:
            raise ConfigurationError(f"workload {self.name}: a reply has at least 1 byte")
        if not 0 <= self.min_percent <= 100:
            raise ConfigurationError(f"workload {self.name}: PERCENT is 0 to 100")
        if not 1 <= self.window <= WINDOW_MAX:
            raise ConfigurationError(f"workload {self.name}: window is 1 to {WINDOW_MAX}")
        if max(self.max_length, self.reply_length) > MESSAGE_LENGTH_MAX:
            raise ConfigurationError(
                f"workload {self.name}: a message has at most {MESSAGE_LENGTH_MAX} bytes"
            )


WINDOW_MAX: Final = 1_000
MESSAGE_LENGTH_MAX: Final = 16 * 2**20

SUITES: Final = {
    workload.name: workload
    for workload in (
        Workload("HS", 512, 8_192, 20, 2_048),
        Workload("HM", 8_192, 32_768, 20, 4_096),
        Workload("HL", 98_304, 122_880, 20, 8_192),
        Workload("HY", 32_768, 32_768, 20, 32_768),
    )
}
"""The report's ISFC Transport suites (published); 20 % of messages have the smaller size
(derived: no other reading fits the bytes per message of H001709C)."""


def find_workload(name: str) -> Workload:
    """The workload called ``HS``, ``HM``, ``HL``, ``HY`` or ``CDU:<reply bytes>``.

    Raises `ConfigurationError` for any other name.
    """
    if name in SUITES:
        return SUITES[name]
    kind, _, length = name.partition(":")
    if kind == "CDU" and length.isascii() and length.isdigit() and len(length) <= 9:
        return Workload(name, REQUEST_LENGTH, REQUEST_LENGTH, 0, int(length), 1, Traffic.LEGACY)
    raise ConfigurationError(
        f"workload {name[:40]!r} is unknown: expected HS, HM, HL, HY or CDU:<reply bytes>"
    )


def free_workload(message: str, reply_length: int, window: int = TRANSPORT_WINDOW) -> Workload:
    """A workload of your own; ``message`` is ``MIN:MAX:PERCENT``, PERCENT of them MIN bytes."""
    parts = message.split(":")
    try:
        minimum, maximum, percent = int(parts[0]), int(parts[1]), float(parts[2])
    except (ValueError, IndexError):
        parts = []
    if len(parts) != 3 or not math.isfinite(percent):
        raise ConfigurationError(
            f"--message {message[:40]!r}: expected MIN:MAX:PERCENT, such as 512:8192:20"
        )
    name = f"{minimum}:{maximum}:{percent:g}/{reply_length}"
    return Workload(name, minimum, maximum, percent, reply_length, window)


@dataclass(frozen=True, slots=True)
class GuestCosts:
    """What a guest needs from receiving a message to having sent its answer.

    Nanoseconds, and nanoseconds per byte received and sent (calibrated).
    """

    server_ns: int = 10_640
    server_ns_per_byte_in: float = 0.01
    server_ns_per_byte_out: float = 4.301
    client_ns: int = 12_960
    client_ns_per_byte_in: float = 0.0635
    client_ns_per_byte_out: float = 0.4429


class _Guests:
    """One side's guests: each takes its messages one after the other."""

    def __init__(self, pairs: int, traffic: Traffic) -> None:
        self._free_ns = [0] * pairs
        self._traffic = traffic

    def answer(self, conversation: int, length: int, service_ns: int, now_ns: int) -> Offer:
        """The guest's next message, and when it will have it ready."""
        ready_ns = max(now_ns, self._free_ns[conversation]) + service_ns
        self._free_ns[conversation] = ready_ns
        return ready_ns, [Message(conversation, length, self._traffic)]


class Clients:
    """The client guests: each turns every reply into a new message."""

    def __init__(self, workload: Workload, pairs: int, costs: GuestCosts, random: Random) -> None:
        self._workload = workload
        self._pairs = pairs
        self._costs = costs
        self._random = random
        self._guests = _Guests(pairs, workload.traffic)

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Fill every conversation's window, at slightly different times."""
        for conversation in range(self._pairs):
            at_ns = now_ns + self._random.randrange(START_SPREAD_NS)
            for _ in range(self._workload.window):
                yield self._send(conversation, 0, at_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply releases the next message of its conversation."""
        if not isinstance(event, Delivered):
            return ()
        return gather(self._send(m.conversation, m.length, now_ns) for m in event.messages)

    def _send(self, conversation: int, received_length: int, now_ns: int) -> Offer:
        workload, costs = self._workload, self._costs
        small = self._random.random() * 100 < workload.min_percent
        length = workload.min_length if small else workload.max_length
        service_ns = costs.client_ns + int(
            costs.client_ns_per_byte_in * received_length + costs.client_ns_per_byte_out * length
        )
        return self._guests.answer(conversation, length, service_ns, now_ns)


START_SPREAD_NS: Final = 200_000


class Servers:
    """The server guests: each answers every message with one reply."""

    def __init__(self, workload: Workload, pairs: int, costs: GuestCosts) -> None:
        self._workload = workload
        self._costs = costs
        self._guests = _Guests(pairs, workload.traffic)

    def start(self, now_ns: int) -> Iterable[Offer]:  # noqa: ARG002  # the protocol's
        """Servers wait to be asked."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Every message gets its reply."""
        if not isinstance(event, Delivered):
            return ()
        return gather(self._reply(m.conversation, m.length, now_ns) for m in event.messages)

    def _reply(self, conversation: int, received_length: int, now_ns: int) -> Offer:
        costs, length = self._costs, self._workload.reply_length
        service_ns = costs.server_ns + int(
            costs.server_ns_per_byte_in * received_length + costs.server_ns_per_byte_out * length
        )
        return self._guests.answer(conversation, length, service_ns, now_ns)


def gather(offers: Iterable[Offer]) -> Iterable[Offer]:
    """Offers of the same moment made one, in the order in which they came."""
    by_time: dict[int, list[Message]] = {}
    for at_ns, messages in offers:
        by_time.setdefault(at_ns, []).extend(messages)
    return by_time.items()
