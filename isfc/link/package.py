"""Packages: what one write carries, and how it is filled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ctc.address import Record
from ctc.queues import Fifo
from ctc.subchannel import Payload
from isfc.errors import Backpressure
from isfc.link.message import Message, Traffic

BLOCK_LENGTH: Final = 32_768
BLOCK_HEADER_LENGTH: Final = 85
MESSAGE_HEADER_LENGTH: Final = 27
"""Header bytes of each message, and of each block that it begins. Derived from both directions of
H001709C: messages of 3.8 blocks have 351.2 bytes more than the guests gave them, replies of one
block 112.3; two equations, two unknowns. The block is assumed to be that of APPC/VM. A header of
each package would explain that run as well, but is ruled out: it would be a third of what HS moves
with one pair."""

CHAINED_LENGTH_MIN: Final = 400
"""Shorter messages, and acknowledgements, share the first CCW; others have one of their own.
Assumed: a chpid carries 45,900 exchanges/s of one byte, but not so many of 1,000."""

_LEGACY: Final = Traffic.LEGACY
_TRANSPORT: Final = Traffic.TRANSPORT

MESSAGES_MAX: Final = 8_192
"""Most messages of one package, however short: a bound for who receives it. Published packages
have a few hundred."""

BACKLOG_LENGTH_MAX: Final = 256 * 2**20
"""Bytes that may wait for a CTC before a sender is told to wait."""


@dataclass(frozen=True, slots=True)
class PackageLimit(Record):
    """How much one package may hold: ``length`` bytes of messages.

    Each message counts for ``message_length`` bytes more than it has. With a ``share_length`` it
    holds no more than that, but where its share of what waits is more: as much as each of the CTCs
    that are free would have.
    """

    length: int
    message_length: int = 0
    share_length: int = 0


@final
@mypyc_attr(acyclic=True)
class Package(Payload):
    """Messages that travel in one write. ``number`` counts one direction's packages from 0."""

    __slots__ = (
        "appc_count", "appc_length", "chained_count", "message_count", "messages", "number"
    )  # fmt: skip

    def __init__(self, number: int, messages: list[Message], payload_length: int) -> None:
        self.number = number
        self.messages = messages
        self.chained_count: i64 = len(messages)
        """Segments that have a CCW of their own: all but the short ones."""
        self.message_count: i64 = len(messages)
        """Messages that end in this package; other segments and acknowledgements do not count."""
        self.appc_count: i64 = 0
        """Segments and acknowledgements of APPC/VM, which CP copies."""
        self.appc_length = 0
        header_length: i64 = 0
        for message in messages:
            length = message.length
            if length < CHAINED_LENGTH_MIN:
                self.chained_count -= 1
            header_length += _header_length(length)
            if message.more or message.acknowledges:
                self.message_count -= 1
            if message.traffic is _LEGACY:
                self.appc_count += 1
                self.appc_length += message.length
        super().__init__(header_length + payload_length, max(1, self.chained_count))

    def __repr__(self) -> str:
        return f"Package(#{self.number}, {len(self.messages)} messages, {self.length} B)"


class Packager:
    """The backlog of one direction, and the rule that makes packages of it.

    A package is whatever was waiting when a device came free, oldest first, up to the payload
    cap. A package that has to be sent again goes before everything else, unchanged.

    For experiments ``take`` says in place of the limit how many of the messages that wait, oldest
    first, the next package holds; `waiting_length` tells it how long they are.
    """

    def __init__(
        self,
        limit: PackageLimit,
        take: "Callable[[Packager], int] | None" = None,
    ) -> None:
        self.limit = limit
        """How much the next package may hold."""
        self.appc_limit = limit
        """The same if the oldest message is of APPC/VM."""
        self._waiting: Fifo[Message] = Fifo()
        self.backlog_count: i64 = 0
        """Messages that wait."""
        self.backlog_length: i64 = 0
        """Bytes of messages that wait, without those of packages to be sent again."""
        self.ccw_count: i64 = 0
        """Pieces that wait, in the same way."""
        self._again: list[Package] = []
        self._number = 0
        self._take = take

    def __bool__(self) -> bool:
        return self.waits

    @property
    def waits(self) -> bool:
        """Whether something waits. Compiled code asks a property sooner than ``bool()``."""
        return len(self._waiting) > 0 or len(self._again) > 0

    @property
    def redrives(self) -> bool:
        """Whether a package waits to be sent again."""
        return bool(self._again)

    @property
    def head_length(self) -> i64:
        """Bytes of the oldest waiting message; 0 when none waits."""
        if not self._waiting:
            return 0
        return self._waiting.peek().length

    @property
    def begins_with_appc(self) -> bool:
        """Whether the next package begins with APPC/VM. Something must wait."""
        message = self._again[0].messages[0] if self._again else self._waiting.peek()
        return message.traffic is _LEGACY

    @property
    def room(self) -> i64:
        """Bytes that may be added."""
        return BACKLOG_LENGTH_MAX - self.backlog_length

    @property
    def waiting_count(self) -> int:
        """Messages that wait, without those of packages to be sent again."""
        return len(self._waiting)

    def waiting_length(self, place: int) -> int:
        """Bytes of one of them; the oldest is at place 0."""
        return self._waiting.look(place).length

    def reserve(self, length: int) -> None:
        """Raise `Backpressure` unless the backlog has room for ``length`` more bytes."""
        if length > self.room:
            raise Backpressure("backlog", self.backlog_length, BACKLOG_LENGTH_MAX)

    def add(self, message: Message) -> None:
        """Let ``message`` wait."""
        self.backlog_count += 1
        length = message.length
        self.backlog_length += length
        if length >= CHAINED_LENGTH_MIN:
            self.ccw_count += 1
        self._waiting.add(message)

    def add_again(self, package: Package) -> None:
        """Let a package whose write failed go next."""
        self._again.append(package)
        self.backlog_count += len(package.messages)

    def add_first(self, package: Package) -> None:
        """Let a package go before all others, those that are to be sent again too."""
        self._again.insert(0, package)
        self.backlog_count += len(package.messages)

    def pack(self, free_count: i64 = 0) -> Package:
        """The next package. Something must wait; then it is never empty, whatever the cap.

        ``free_count`` CTCs are free beside the one that it goes on.
        """
        if self._again:
            package = self._again.pop(0)
            self.backlog_count -= len(package.messages)
            return package
        waiting = self._waiting
        message = waiting.peek()
        length = message.length
        limit = self.limit if message.traffic is _TRANSPORT else self.appc_limit
        message_length: i64 = limit.message_length
        room: i64 = limit.length - length - 2 * message_length  # for the next one's own bytes
        share: i64 = limit.share_length
        if share:
            backlog = self.backlog_length
            if free_count > 1:
                backlog //= free_count
            room = min(room, max(share, backlog) - length)
        count: i64 = 1
        count_max: i64 = min(len(waiting), MESSAGES_MAX)
        if self._take is not None:
            count_max = max(1, min(self._take(self), count_max))
            room = BACKLOG_LENGTH_MAX
            message_length = 0
        while count < count_max:
            further = waiting.look(count).length
            if further > room:
                break
            count += 1
            length += further
            room -= further + message_length
        messages = waiting.take(count)
        self.backlog_count -= count
        self.backlog_length -= length
        package = Package(self._number, messages, length)
        self.ccw_count -= package.chained_count
        self._number += 1
        return package


def _header_length(length: i64) -> i64:
    """Header bytes of a message of ``length`` bytes."""
    blocks: i64 = 1
    if length > BLOCK_LENGTH:
        blocks = (length + BLOCK_LENGTH - 1) // BLOCK_LENGTH
    return blocks * BLOCK_HEADER_LENGTH + MESSAGE_HEADER_LENGTH
