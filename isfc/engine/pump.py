"""What both engines do after each input: drain link ends, tell listeners, let programs send."""

from collections.abc import Callable, Iterable
from typing import TypeVar, final

from mypy_extensions import i64

from ctc.frame import Departure
from ctc.queues import NEVER_NS, Agenda
from isfc.link.events import LinkEvent, Offer
from isfc.link.message import Message
from isfc.system.link_end import LinkEnd


class Outlet:
    """Where what a link end has for others goes."""

    def carry(self, departure: Departure) -> None:
        """A frame, with its RDEV and when it leaves."""
        raise NotImplementedError

    def deliver(self, event: LinkEvent) -> None:
        """Something to tell the program."""
        raise NotImplementedError


def pump(end: LinkEnd, outlet: Outlet) -> None:
    """Drain a link end after an input to its system: frames first, then events."""
    frames, events = end.frames, end.link.events
    while frames:
        outlet.carry(frames.pop())
    while events:
        outlet.deliver(events.pop())


_Event = TypeVar("_Event", contravariant=True)

Listener = Callable[[LinkEnd, _Event, int], None]
"""Told at which link end something has happened, what, and when (ns); before the program is.

A listener looks, and changes nothing.
"""


@final
class Offers:
    """The offers of one program at one link end, which takes them while its backlog has room.

    Where there is no room for the next message, it waits and so does all that comes after it,
    until something has happened on the link: `resume`.
    """

    __slots__ = ("_agenda", "_blocked", "due_ns")

    def __init__(self) -> None:
        self._agenda: Agenda[list[Message]] = Agenda()
        self._blocked = False
        self.due_ns: i64 = NEVER_NS
        """When the first is to be handed over, in ns; `NEVER_NS` while none is, or none can be."""

    def add(self, at_ns: i64, messages: list[Message]) -> None:
        """Offer messages at ``at_ns``."""
        self._agenda.add(at_ns, messages)
        self._set_due()

    def extend(self, offers: Iterable[Offer]) -> None:
        """Offer messages, each at its time."""
        for at_ns, messages in offers:
            self.add(at_ns, messages if isinstance(messages, list) else list(messages))

    def take(self, room: i64) -> list[Message]:
        """The first offer, or as much of it as has room: ``room`` bytes. There must be one."""
        at_ns = self._agenda.due_ns
        messages = self._agenda.pop()
        count = _fitting(messages, room)
        if count < len(messages):
            self._put_back(at_ns, messages[count:])
            messages = messages[:count]
        self._set_due()
        return messages

    def take_before(self, before_ns: i64, room: i64) -> list[Message]:
        """All messages that are due before ``before_ns``, as far as they have room.

        There must be one.
        """
        messages = self._agenda.pop()
        if self._agenda.due_ns < before_ns:
            messages = messages.copy()
            while self._agenda.due_ns < before_ns:
                messages.extend(self._agenda.pop())
        count = _fitting(messages, room)
        if count < len(messages):
            self._put_back(before_ns - 1, messages[count:])
            messages = messages[:count]
        self._set_due()
        return messages

    def resume(self) -> None:
        """There may be room again."""
        if self._blocked:
            self._blocked = False
            self._set_due()

    def _put_back(self, at_ns: int, messages: list[Message]) -> None:
        """Let messages wait for room, before all others."""
        self._agenda.put_first(at_ns, messages)
        self._blocked = True

    def _set_due(self) -> None:
        if self._blocked:
            self.due_ns = NEVER_NS
        else:
            self.due_ns = self._agenda.due_ns


def _fitting(messages: list[Message], room: i64) -> int:
    """How many of them fit into ``room`` bytes."""
    if len(messages) == 1:  # nearly always, so first
        return 1 if messages[0].length <= room else 0
    count = 0
    for message in messages:
        room -= message.length
        if room < 0:
            break
        count += 1
    return count
