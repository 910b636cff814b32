"""Bytes for messages of which only the length matters, so that a live link carries them."""

from collections.abc import Iterable
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.link.events import LinkEvent

_PATTERN: Final = bytes(range(251))
"""251 is prime: what starts at another place begins with another byte."""

_block = memoryview(_PATTERN * 4)


def filler(length: int, start: int = 0) -> memoryview:
    """So many bytes of a fixed pattern, from a place in it; nothing is copied."""
    global _block  # grows to the longest message there is
    first = start % len(_PATTERN)
    if first + length > len(_block):
        _block = memoryview(_PATTERN * ((first + length) // len(_PATTERN) * 2))
    return _block[first : first + length]


class Filling:
    """A `Program` around another one: its messages without data get bytes of their length."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The program's first offers, filled."""
        return self._filled(self.program.start(now_ns))

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to, filled."""
        return self._filled(self.program.receive(event, now_ns))

    def _filled(self, offers: Iterable[Offer]) -> list[Offer]:
        filled = list(offers)
        for _, messages in filled:
            for message in messages:
                if message.data is None:
                    message.data = filler(message.length)
        return filled
