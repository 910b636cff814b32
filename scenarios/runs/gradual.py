"""A start at which load comes gradually: guests begin one after the other over an empty link.

All clients of an experiment begin at the same time otherwise: within microseconds every window is
full, and whatever may wait does. What a link keeps of the one beginning it may not take up from the
other, so that a pace is the link's own only if both lead to it.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.link.events import LinkEvent

GRADUAL_NS: Final = 500_000_000
"""Virtual time over which the first messages come. Chosen: half of the warm-up, so that it is over
when that is, and long enough for the link to be nearly empty at first with 500 pairs."""


class Gradual:
    """A program whose first messages come one after the other, else as it offers them."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def start(self, now_ns: int) -> Iterator[Offer]:
        """The program's first offers, each message later than the one before."""
        first = [
            (at_ns, message)
            for at_ns, messages in self._program.start(now_ns)
            for message in messages
        ]
        for index, (at_ns, message) in enumerate(first):
            yield at_ns + GRADUAL_NS * index // len(first), [message]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """What the program does."""
        return self._program.receive(event, now_ns)
