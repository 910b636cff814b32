"""Order restored, and nothing taken twice: what a receiver does with packages."""

from collections.abc import Sequence
from typing import Final

from isfc.errors import Backpressure
from isfc.message import Message
from isfc.package import Package

HELD_MESSAGES_MAX: Final = 65_536
"""Messages held back for an earlier one: far more than sixteen CTCs can overtake."""


class Resequencer:
    """Delivers every message exactly once, in the order of its conversation.

    Packages travel on several CTCs and overtake each other, and a package whose sender never
    heard that it arrived is sent again. A package number seen before is dropped whole; a
    message that arrives before an earlier one of its conversation is held until that one is
    there. Conversations do not wait for each other.
    """

    def __init__(self, held_messages_max: int = HELD_MESSAGES_MAX) -> None:
        self.duplicate_count = 0
        self._held_max = held_messages_max
        self._held_count = 0
        self._next_number = 0
        self._seen_ahead: set[int] = set()
        self._next_serial: dict[int, int] = {}
        self._held: dict[int, dict[int, Message]] = {}

    @property
    def held_count(self) -> int:
        """Messages that wait for an earlier one."""
        return self._held_count

    def accept(self, package: Package) -> Sequence[Message]:
        """The messages that ``package`` makes deliverable.

        Raises `Backpressure` when more messages would be held than the bound allows.
        """
        if not self._is_new(package.number):
            self.duplicate_count += 1
            return ()
        ready: list[Message] = []
        next_serial = self._next_serial
        for message in package.messages:
            conversation = message.conversation
            serial = message.serial
            if next_serial.get(conversation, 0) != serial:
                self._hold(message)
                continue
            next_serial[conversation] = serial + 1
            ready.append(message)
            if self._held_count and conversation in self._held:
                self._release(conversation, ready)
        return ready

    def forget(self, conversation: int) -> None:
        """Drop what is known of a conversation that is over."""
        self._next_serial.pop(conversation, None)
        self._held_count -= len(self._held.pop(conversation, ()))

    def _is_new(self, number: int) -> bool:
        if number == self._next_number:
            self._next_number += 1
            while self._seen_ahead and self._next_number in self._seen_ahead:
                self._seen_ahead.remove(self._next_number)
                self._next_number += 1
            return True
        if number < self._next_number or number in self._seen_ahead:
            return False
        self._seen_ahead.add(number)
        return True

    def _hold(self, message: Message) -> None:
        if self._held_count >= self._held_max:
            raise Backpressure("resequencer", self._held_count, self._held_max)
        self._held.setdefault(message.conversation, {})[message.serial] = message
        self._held_count += 1

    def _release(self, conversation: int, ready: list[Message]) -> None:
        held = self._held[conversation]
        serial = self._next_serial[conversation]
        while serial in held:
            ready.append(held.pop(serial))
            self._held_count -= 1
            serial += 1
        self._next_serial[conversation] = serial
        if not held:
            del self._held[conversation]
