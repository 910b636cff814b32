"""One side of a pair: its system, what its program did and was told, what was written and read."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ctc.address import Rdev
from ctc.subchannel import Command, Ended, Interrupt, UnitStatus
from isfc.link.events import Delivered, LinkEvent, ListSink, Offer, Sent
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import LinkState
from isfc.system.system import System


class PackageBook:
    """A `isfc.link.events.InterruptListener` that notes the number and the bytes of every package.

    Bytes are those of the package, headers too, as the link's counters count them.
    """

    def __init__(self) -> None:
        self.written: Final[dict[int, int]] = {}
        """The bytes of each package whose write has ended well, by the package's number."""
        self.read: Final[dict[int, int]] = {}
        """The bytes of each package that was read, by its number."""
        self.written_length = 0
        """Bytes of all writes that have ended well."""
        self.read_length = 0
        """Bytes of all packages read; one that was sent again counts again."""
        self._last_written: dict[Rdev, int] = {}

    def __call__(self, now_ns: int, node: str, interrupt: Interrupt) -> None:
        """Note the package of an I/O that has ended well."""
        if not isinstance(interrupt, Ended) or interrupt.status is not UnitStatus.ENDED:
            return
        package = interrupt.load
        if not isinstance(package, Package):
            return
        if interrupt.command is Command.READ:
            self.read[package.number] = package.length
            self.read_length += package.length
        else:
            assert package.number not in self.written, f"{package} was written well twice"
            self.written[package.number] = package.length
            self.written_length += package.length
            self._last_written[interrupt.rdev] = package.number

    def unread_length(self, partner: "PackageBook") -> int:
        """Bytes written that the partner has not been told of yet.

        The writer's interrupt may come before the reader's, so that each CTC's latest package may
        be one of them; no other may, and none has another length at the other end.
        """
        unread = dict(self.written.items() - partner.read.items())
        latest = set(self._last_written.values())
        assert unread.keys() <= latest, (
            f"packages {sorted(unread.keys() - latest)} were written, and not read as such"
        )
        return sum(unread.values())


Answer = Callable[[Message], Sequence[Message]]
"""What a program sends because a message has arrived."""


class Side:
    """One system and a link end of it, the program there, and what they did and were told."""

    def __init__(self, system: System, trace: ListSink, number: int = 0) -> None:
        self.answer: Answer = lambda _: ()
        self.number = number
        self.restart((system, trace))

    def restart(self, traced: tuple[System, ListSink]) -> None:
        """Another system takes the place of this side's, and nothing has been sent yet."""
        self.system, self.trace = traced
        self.end = self.system.ends[self.number]
        self.events: list[LinkEvent] = []
        self.sent: list[tuple[int, int]] = []
        self.written_length = 0
        self.arrived: list[Message] = []

    def __repr__(self) -> str:
        """Show the system, and how many bytes were sent and have arrived."""
        return f"{self.system.name}(sent {self.sent_length} B, received {self.arrived_length} B)"

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Send nothing yet: a test says when."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Note the event; answer the messages it brings."""
        self.events.append(event)
        if isinstance(event, Sent):
            self.written_length += sum(message.length for message in event.messages)
        if isinstance(event, Delivered):
            for message in event.messages:
                self.arrived.append(message)
                if answers := self.answer(message):
                    self.note(answers)
                    yield now_ns, answers

    def note(self, messages: Iterable[Message]) -> None:
        """Remember what is sent: the link renumbers and cuts the messages themselves."""
        self.sent.extend((message.conversation, message.length) for message in messages)

    @property
    def rdevs(self) -> tuple[Rdev, ...]:
        """This side's devices, in the order of definition."""
        return tuple(self.end.link.ctcs)

    @property
    def state(self) -> LinkState:
        """How this side sees the logical link."""
        return self.end.link.state

    @property
    def sent_length(self) -> int:
        """Bytes sent so far."""
        return sum(length for _, length in self.sent)

    @property
    def arrived_length(self) -> int:
        """Bytes that have arrived so far."""
        return sum(message.length for message in self.arrived)

    def verbs(self, verb: str) -> list[tuple[int, int]]:
        """When (ns), and on which RDEV, the trace says ``verb``."""
        return [(now_ns, rdev) for now_ns, _, rdev, what, _ in self.trace.records if what == verb]

    def written_rdevs(self) -> set[int]:
        """The devices this side has written on."""
        return {rdev for _, rdev in self.verbs("WRITE")}

    def told(self, kind: type[LinkEvent]) -> int:
        """How many events of one kind the program was told."""
        return sum(isinstance(event, kind) for event in self.events)
