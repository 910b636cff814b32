"""How a run begins: how long it goes on before anything is measured, and how load comes.

A link starts with nothing under way, and what it does at first is not what it does later. Three
things are to be over: the clients' first messages, all of which wait at the same end at the same
time; packages that grow until they are as long as the backlog allows; and the order in which the
CTCs of a fibre write. That order takes longest. Two CTCs of one fibre may write in turn, so that
one sends while the other waits for its interrupt and its next package, and the fibre never rests;
or nearly at the same time, so that they share the line, and then both wait. They begin in turn,
and messages of two lengths push them out of it. On three Express4 with two CTCs each, saturated
with HL, that takes half a second, and costs 13 % of 870 MB/s.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.link.events import LinkEvent

WARMUP: Final = 1.0
"""Seconds of virtual time. Chosen: twice as long as that. Of 400 rates of drawn layouts the half
second after it is off by more than 3 % in two, and the half second that begins at two seconds in
one. Runs until a rate is steady leave out more while a trend is left (`scenarios.runs.trend`)."""

WARMUP_NS: Final = 1_000_000_000
"""The same in nanoseconds."""


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
