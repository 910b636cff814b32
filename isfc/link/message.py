"""What programs hand to ISFC: messages, and the serials that conversations count them with."""

from enum import IntEnum
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

VIEWS_MAX: Final = 64
"""Messages that may be held, or unfinished, as views of the buffers in which they came, each of
which may be a megabyte; of further ones the data are copied."""


class Traffic(IntEnum):
    """The two kinds of traffic that Monitor tells apart (record D9 R4)."""

    TRANSPORT = 0
    """ISFC Transport: relocation and the like; messages do not wait for each other."""
    LEGACY = 1
    """APPC/VM and IUCV: one request, then its reply."""


@final
@mypyc_attr(acyclic=True)
class Message:
    """One message, or one segment of a long one, of one conversation and direction.

    ``length`` is in bytes. ``data`` is None in virtual time, where only sizes matter, and has
    ``length`` bytes live, less those of ``head``, which go before it: so long data need not be
    copied for what is said of them. What has arrived has all in ``data``.

    The link sets ``serial``, which counts the conversation's segments from 0, and ``more``, which
    says that the next serial continues this message.
    ``acknowledges`` marks what the APPC/VM layer itself sends: it asks for the next segment.
    ``sender`` is whom it concerns that the message is sent, if anybody: the link hands it back with
    the message's segments. It must not lead back to the message.
    """

    __slots__ = (
        "acknowledges",
        "conversation",
        "data",
        "head",
        "length",
        "more",
        "sender",
        "serial",
        "traffic",
    )

    def __init__(
        self,
        conversation: int,
        length: int,
        traffic: Traffic = Traffic.TRANSPORT,
        data: bytes | memoryview | None = None,
        sender: object = None,
        head: bytes = b"",
    ) -> None:
        self.conversation: i64 = conversation
        self.length: i64 = length
        self.traffic = traffic
        self.data = data
        self.head = head
        self.sender = sender
        self.serial: i64 = 0
        self.more = False
        self.acknowledges = False

    def keep(self) -> None:
        """Copy the data, if they are a view: what is kept for long keeps no larger buffer."""
        if isinstance(self.data, memoryview):
            self.data = self.data.tobytes()

    def __repr__(self) -> str:
        more = "+" if self.more else ""
        return f"Message({self.conversation}:{self.serial} {self.length} B{more})"


_LISTED_MAX: Final = 16_384
"""Conversations that a list has room for. Programs number theirs from 0, so that it has nearly all;
but a partner may use any number."""


@final
@mypyc_attr(acyclic=True)
class Serial:
    """How far one conversation has counted: its messages, or whatever else is counted."""

    __slots__ = ("next",)

    def __init__(self) -> None:
        self.next: i64 = 0
        """The number of its next message."""


@final
class Serials:
    """The serials of the conversations that are known."""

    __slots__ = ("_listed", "_others", "count")

    def __init__(self) -> None:
        self.count = 0
        """Conversations that are known."""
        self._listed: list[Serial | None] = []
        self._others: dict[int, Serial] = {}

    def find(self, conversation: i64) -> Serial | None:
        """That of a conversation; None for one that is not known."""
        listed = self._listed
        end: i64 = len(listed)
        if 0 <= conversation < end:
            return listed[conversation]
        return self._others.get(conversation) if self._others else None

    def begin(self, conversation: int) -> Serial:
        """That of a conversation that is new, and known from now on."""
        serial = Serial()
        self.count += 1
        if 0 <= conversation < _LISTED_MAX:
            listed = self._listed
            listed.extend([None] * (conversation + 1 - len(listed)))
            listed[conversation] = serial
        else:
            self._others[conversation] = serial
        return serial

    def forget(self, conversation: int) -> None:
        """The conversation is not known any more."""
        if self.find(conversation) is None:
            return
        self.count -= 1
        if 0 <= conversation < _LISTED_MAX:
            self._listed[conversation] = None
        else:
            del self._others[conversation]
