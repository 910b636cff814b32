"""Several programs on one node, each with conversations of its own."""

from collections.abc import Iterable, Iterator, Sequence

from isfc.link.events import Delivered, LinkEvent, Offer, Program, Sent
from isfc.link.message import Message


class SeveralPrograms:
    """Lets each program number its conversations from 0, and tells it of those alone.

    ``programs`` gives each with how many conversations it has at most. Where the partner's
    programs are given in the same order, with the same numbers, they talk to each other.
    """

    def __init__(self, programs: Sequence[tuple[Program, int]]) -> None:
        self.programs = [program for program, _ in programs]
        self._programs: list[tuple[Program, int, int]] = []
        first = 0
        for program, count in programs:
            self._programs.append((program, first, first + count))
            first += count

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What every program offers first."""
        return [
            offer
            for program, first, _ in self._programs
            for offer in _raised(program.start(now_ns), first)
        ]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Tell each program of its own messages, and of all else."""
        offers: list[Offer] = []
        for program, first, end in self._programs:
            own = event
            if isinstance(event, Delivered | Sent):
                messages = [
                    _numbered(message, -first)
                    for message in event.messages
                    if first <= message.conversation < end
                ]
                if not messages:
                    continue
                own = type(event)(messages)
            offers += _raised(program.receive(own, now_ns), first)
        return offers


def _raised(offers: Iterable[Offer], by: int) -> Iterator[Offer]:
    for at_ns, messages in offers:
        yield at_ns, [_numbered(message, by) for message in messages]


def _numbered(message: Message, by: int) -> Message:
    """The message as one of a conversation whose number is ``by`` higher."""
    if not by:
        return message
    return Message(message.conversation + by, message.length, message.traffic)


def joined(programs: Sequence[tuple[Program, int]]) -> Program:
    """All programs of a link end as one, each with how many conversations it has at most.

    Without any it sends nothing.
    """
    return programs[0][0] if len(programs) == 1 else SeveralPrograms(programs)
