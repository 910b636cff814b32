"""What runs on a node: the joint between an engine and the programs that use the link."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from isfc.link.events import LinkEvent
from isfc.link.message import Message

Offer = tuple[int, Sequence[Message]]
"""Messages a program will send, all of one kind of traffic, and when, in ns."""


class Program(Protocol):
    """It is told what the link says and answers with what it will send."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first offers."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to."""
