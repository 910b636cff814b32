"""What runs at a link end: the interface between an engine and the programs that use the link."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from isfc.link.events import LinkEvent
from isfc.link.message import Message

Offer = tuple[int, Sequence[Message]]
"""Messages a program will send, all of one kind of traffic, and when, in ns.

Those of one offer all wait before the link makes a package; of two at the same time the first may
leave alone.
"""


class Program(Protocol):
    """Receives the events of a link end, and returns what it will send."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first offers."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to."""
