"""The guests of one system that are to leave it, and the programs of the links they leave by.

So many are on their way at the same time, in their order, on whichever links. A link's two ends
run `Departures` and `Arrivals`; each guest has conversations of its own there. When a link goes
down, those that wait for it go elsewhere, if there is room.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import final

from isfc.link.events import Delivered, LinkDown, LinkEvent, LinkUp, Offer, Program, Sent
from isfc.link.message import Message
from isfc.link.name import NodeName
from scenarios.moves.guest import GuestPlan
from scenarios.moves.relocation import COUNTS_LENGTH, Guest, RelocationEnd
from scenarios.moves.targets import Targets


@final
class RelocationQueue:
    """Which guests wait, are on their way, and are over. At most ``together`` are on their way."""

    def __init__(
        self,
        source: NodeName,
        plans: Sequence[tuple[GuestPlan, NodeName]],
        together: int,
        window: int,
        targets: Targets,
    ) -> None:
        self.source = source
        self._waiting = deque((Guest(plan, window), to) for plan, to in plans)
        self._together = together
        self._targets = targets
        self.begun: list[Guest] = []
        """In the order in which they began."""
        self._destinations: dict[Guest, NodeName] = {}
        self.meant = dict(self._waiting)
        """Where each was to go at first."""
        for guest, to in self._waiting:
            targets.bind(guest, to)

    @property
    def going(self) -> list[Guest]:
        """Those on their way."""
        return [guest for guest in self.begun if not guest.end]

    @property
    def over(self) -> bool:
        """Whether none waits, and none is on its way."""
        return not self._waiting and not self.going

    @property
    def next_to(self) -> NodeName | None:
        """Where the guest goes that may begin now; None if none may."""
        if not self._waiting or len(self.going) >= self._together:
            return None
        return self._waiting[0][1]

    def take(self) -> Guest:
        """That guest, which begins."""
        guest, to = self._waiting.popleft()
        self.begun.append(guest)
        self._destinations[guest] = to
        return guest

    def hear_link(self, to: NodeName, *, down: bool) -> None:
        """The link to a system is down, then those that wait go elsewhere; or it is up again."""
        self._targets.hear_link(self.source, to, down=down)
        if not down:
            return
        for guest, meant in self._destinations.items():
            if meant == to and guest.end is RelocationEnd.LINK:
                self._targets.free(guest, to)
        for _ in range(len(self._waiting)):
            guest, meant = self._waiting.popleft()
            other = self._targets.instead(guest, self.source) if meant == to else None
            if other is not None:
                self._targets.free(guest, meant)
                self._targets.bind(guest, other)
            self._waiting.append((guest, other or meant))

    def destination(self, guest: Guest) -> NodeName:
        """Where a guest goes that has begun."""
        return self._destinations[guest]


class Departures:
    """The program of one link end that guests leave by, to the system ``to``.

    While the link is down, who begins is over immediately, as who is on its way when it goes down.
    """

    def __init__(self, queue: RelocationQueue, to: NodeName) -> None:
        self._queue = queue
        self._to = to
        self._guests: list[Guest] = []
        self._down = False
        self.was_up = False
        """Whether the link has come up since it began."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nobody leaves yet."""
        return ()

    def begin_waiting(self, now_ns: int) -> list[Message]:
        """Let those begin that may, and return what they send first."""
        messages: list[Message] = []
        while self._queue.next_to == self._to:
            guest = self._queue.take()
            self._guests.append(guest)
            first = guest.begin(now_ns)
            if self._down:
                guest.lose_link(now_ns)
            else:
                messages += self._of(len(self._guests) - 1, first)
        return messages

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """What the partner has read makes room for more; its counts end a pass."""
        if isinstance(event, LinkDown | LinkUp):
            return self._hear_link(isinstance(event, LinkDown), now_ns)
        if not isinstance(event, Delivered | Sent):
            return ()
        read = isinstance(event, Sent)
        messages: list[Message] = []
        ended = False
        for message in event.messages:
            number, own = self._find(message)
            guest = self._guests[number]
            if guest.end:
                continue  # what was under way when it was given up
            following = guest.sent(own, now_ns) if read else guest.counted(now_ns)
            messages += self._of(number, following)
            ended = ended or guest.end is not None
        if ended:
            messages += self.begin_waiting(now_ns)
        return [(now_ns, messages)] if messages else ()

    def _hear_link(self, down: bool, now_ns: int) -> Iterable[Offer]:
        """The link is up again, or it is down: then all are over, on their way or not."""
        self._down = down
        if not down:
            self.was_up = True
            self._queue.hear_link(self._to, down=False)
            return ()
        for guest in self._guests:
            guest.lose_link(now_ns)
        self._queue.hear_link(self._to, down=True)
        messages = self.begin_waiting(now_ns)
        assert not messages, "nobody leaves by a link that is down"
        return ()

    def _find(self, message: Message) -> tuple[int, Message]:
        """Of which guest a message is, and which of its own conversations it has."""
        number, conversation = divmod(message.conversation, self._guests[0].conversations)
        return number, Message(conversation, message.length)

    def _of(self, number: int, messages: Sequence[Message]) -> list[Message]:
        """Messages in the conversations that this guest has here."""
        first = number * self._guests[0].conversations
        return [Message(first + each.conversation, each.length) for each in messages]


class Arrivals:
    """The program of the end that guests arrive at: it answers counts, and nothing else.

    Transport's messages overtake each other, but counts are sent once all that they count was read.
    """

    def __init__(self, window: int) -> None:
        self._conversations = window + 1

    def start(self, now_ns: int) -> Iterable[Offer]:
        """It waits."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """An answer for the counts of each pass."""
        if not isinstance(event, Delivered):
            return ()
        answers = [
            Message(each.conversation, COUNTS_LENGTH)
            for each in event.messages
            if each.conversation % self._conversations == self._conversations - 1
        ]
        return [(now_ns, answers)] if answers else ()


class CountedProgram:
    """A program, and how many messages have been delivered to it since ``begin_ns``."""

    def __init__(self, program: Program, begin_ns: int) -> None:
        self._program = program
        self._begin_ns = begin_ns
        self.count = 0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What the program offers."""
        return self._program.start(now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Count, and pass on."""
        if isinstance(event, Delivered) and now_ns >= self._begin_ns:
            self.count += len(event.messages)
        return self._program.receive(event, now_ns)
