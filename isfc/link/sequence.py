"""Delivery in order and without duplicates: what a receiver does with packages."""

from typing import Final

from isfc.errors import RemoteProtocolError
from isfc.link.message import VIEWS_MAX, Message, Serial, Serials
from isfc.link.package import Package

HELD_MESSAGES_MAX: Final = 65_536
HELD_LENGTH_MAX: Final = 256 * 2**20
"""Messages held back for an earlier one, and their bytes: far more than sixteen CTCs overtake,
and a second of what they carry while one of them stands still."""

AHEAD_PACKAGES_MAX: Final = 131_072
"""Packages that have overtaken an earlier one."""

CONVERSATIONS_MAX: Final = 65_536
"""Conversations that a partner can have; it uses the numbers of those that are over again."""


class Resequencer:
    """Delivers every message exactly once, in the order of its conversation.

    Packages travel on several CTCs and overtake each other, and a package whose sender never
    heard that it arrived is sent again. A package number seen before is dropped whole; a
    message that arrives before an earlier one of its conversation is held until that one is
    there. Conversations do not wait for each other.
    """

    def __init__(self) -> None:
        self.duplicate_count = 0
        """Packages, and messages of other packages, that had been there before."""
        self.held_count = 0
        """Messages that wait for an earlier one."""
        self._held_length = 0
        self._next_number = 0
        self._seen_ahead: set[int] = set()
        self._serials = Serials()
        self._held: dict[int, dict[int, Message]] = {}

    def accept(self, package: Package) -> list[Message]:
        """The messages that ``package`` makes deliverable.

        Raises `RemoteProtocolError` when more would have to be kept than the bounds allow.
        """
        if not self._is_new(package.number):
            self.duplicate_count += 1
            return []
        messages = package.messages
        if self.held_count:
            return self._arrange(messages)
        due = self._count_due(messages)
        if due == len(messages):  # nearly always
            return messages
        return messages[:due] + self._arrange(messages[due:])

    def forget(self, conversation: int) -> None:
        """Drop what is known of a conversation that is over."""
        self._serials.forget(conversation)
        for message in self._held.pop(conversation, {}).values():
            self._unhold(message)

    def _count_due(self, messages: list[Message]) -> int:
        """How many of ``messages``, from the first on, are the next ones of conversations known."""
        due = 0
        serials = self._serials
        for message in messages:
            serial = serials.find(message.conversation)
            if serial is None or serial.next != message.serial:
                break
            serial.next += 1
            due += 1
        return due

    def _arrange(self, messages: list[Message]) -> list[Message]:
        """What can be delivered of ``messages``, and of those held back for one of them."""
        ready: list[Message] = []
        for message in messages:
            conversation = message.conversation
            serial = self._serials.find(conversation)
            due = 0 if serial is None else serial.next
            if message.serial > due:
                self._hold(message)
            elif message.serial < due:
                self.duplicate_count += 1
            else:
                if serial is None:
                    serial = self._begin(conversation)
                serial.next += 1
                ready.append(message)
                if self.held_count and conversation in self._held:
                    self._release(conversation, serial, ready)
        return ready

    def _begin(self, conversation: int) -> Serial:
        """The first message of a conversation is there."""
        if self._serials.count >= CONVERSATIONS_MAX:
            raise RemoteProtocolError(f"more than {CONVERSATIONS_MAX:,} conversations")
        return self._serials.begin(conversation)

    def _is_new(self, number: int) -> bool:
        if number == self._next_number:
            self._next_number += 1
            while self._seen_ahead and self._next_number in self._seen_ahead:
                self._seen_ahead.remove(self._next_number)
                self._next_number += 1
            return True
        if number < self._next_number or number in self._seen_ahead:
            return False
        if len(self._seen_ahead) >= AHEAD_PACKAGES_MAX:
            raise RemoteProtocolError(f"more than {AHEAD_PACKAGES_MAX:,} packages wait for one")
        self._seen_ahead.add(number)
        return True

    def _hold(self, message: Message) -> None:
        if message.serial in self._held.get(message.conversation, ()):
            self.duplicate_count += 1
            return
        if self.held_count >= HELD_MESSAGES_MAX:
            raise RemoteProtocolError(f"more than {HELD_MESSAGES_MAX:,} messages wait for others")
        if self._held_length + message.length > HELD_LENGTH_MAX:
            raise RemoteProtocolError(
                f"messages of more than {HELD_LENGTH_MAX:,} bytes wait for others"
            )
        if self.held_count >= VIEWS_MAX:
            message.keep()
        self._held.setdefault(message.conversation, {})[message.serial] = message
        self.held_count += 1
        self._held_length += message.length

    def _unhold(self, message: Message) -> None:
        self.held_count -= 1
        self._held_length -= message.length

    def _release(self, conversation: int, serial: Serial, ready: list[Message]) -> None:
        held = self._held[conversation]
        while serial.next in held:
            message = held.pop(serial.next)
            self._unhold(message)
            ready.append(message)
            serial.next += 1
        if not held:
            del self._held[conversation]
