"""Workloads: what the guests on the two systems send each other.

Each pair of guests is one conversation: a client on one system, a server on the other. The
client keeps ``window`` messages outstanding; the server answers each with one reply.
"""

import math
from dataclasses import dataclass
from typing import Final

from isfc.errors import ConfigurationError
from isfc.link.message import Traffic

TRANSPORT_WINDOW: Final = 2
"""Messages a transport conversation keeps outstanding. Derived: Little's law on H001709C,
50 conversations with about 100 messages in the system."""

ANSWER_AREA_LENGTH: Final = 65_535
"""Bytes of replies that a transport client has room for at a time; for one reply always. Derived:
two replies of 8,192 bytes of HL are on their way at once, but of the 32,768 bytes of HY only one:
its exchanges take twice as long as those of HM, 0.68 ms each with one pair, which is what a
segment of APPC/VM and its acknowledgement take."""

ACKNOWLEDGEMENT_LENGTH: Final = 20
"""Bytes with which a client says that it has taken a reply out of its answer area. Assumed."""

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

    @property
    def replies_max(self) -> int:
        """How many of its replies a server may have on their way to one client."""
        if self.traffic is not Traffic.TRANSPORT:
            return self.window
        return min(self.window, max(1, ANSWER_AREA_LENGTH // self.reply_length))


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
    """The workload called ``HS``, ``HM``, ``HL``, ``HY`` or ``CDU:<reply bytes>``, in any case.

    Raises `ConfigurationError` for any other name.
    """
    upper = name.upper()
    if upper in SUITES:
        return SUITES[upper]
    kind, _, length = upper.partition(":")
    if kind == "CDU" and length.isascii() and length.isdigit() and len(length) <= 9:
        return Workload(upper, REQUEST_LENGTH, REQUEST_LENGTH, 0, int(length), 1, Traffic.LEGACY)
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
            f"message {message[:40]!r}: expected MIN:MAX:PERCENT, such as 512:8192:20"
        )
    name = f"{minimum}:{maximum}:{percent:g}/{reply_length}"
    return Workload(name, minimum, maximum, percent, reply_length, window)
