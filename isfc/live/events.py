"""What happens to the connections of a live node."""

from dataclasses import dataclass

from ctc.address import Rdev
from isfc.link.events import LinkEvent


@dataclass(slots=True)
class LiveCounters:
    """What has happened to the connections since the engine began."""

    attached_count: int = 0
    detached_count: int = 0
    refused_count: int = 0
    severed_count: int = 0


@dataclass(frozen=True, slots=True)
class Attached:
    """A CTC has its connection."""

    rdev: Rdev


@dataclass(frozen=True, slots=True)
class Detached:
    """A CTC has lost its connection."""

    rdev: Rdev
    reason: str


@dataclass(frozen=True, slots=True)
class ConnectionRefused:
    """A connection was not let in, by this end or by the partner's (``by_partner``)."""

    peer: str
    reason: str
    by_partner: bool = False


LiveEvent = LinkEvent | Attached | Detached | ConnectionRefused
"""What an engine's listeners are told."""
