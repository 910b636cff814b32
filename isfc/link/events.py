"""What a logical link tells its client, a program, and a trace of what it did."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol, final

from mypy_extensions import mypyc_attr

from ctc.address import Rdev, format_rdev
from ctc.subchannel import Interrupt
from isfc.link.message import Message


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Delivered:
    """Messages have arrived, each conversation's in order; the list is only to be read."""

    __slots__ = ("messages",)

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages

    def __repr__(self) -> str:
        return f"Delivered(messages={self.messages!r})"


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Sent:
    """Messages (or segments of them) have been read by the partner; their senders may go on."""

    __slots__ = ("messages",)

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages

    def __repr__(self) -> str:
        return f"Sent(messages={self.messages!r})"


@final
class LinkUp:
    """The first CTC is ready: the logical link came up."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LinkUp()"


@final
class LinkDown:
    """The last CTC is gone. Nothing is lost: what was not read waits for a CTC."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LinkDown()"


@final
class DeviceChanged:
    """A CTC of the link has become usable, or unusable."""

    __slots__ = ("rdev", "usable")

    def __init__(self, rdev: Rdev, usable: bool) -> None:
        self.rdev = rdev
        self.usable = usable

    def __repr__(self) -> str:
        return f"DeviceChanged(rdev={format_rdev(self.rdev)}, usable={self.usable})"


@final
class Severed:
    """The link restarted: every conversation is over.

    What was handed to the link and is not yet `Sent` may not have arrived. It happens when the
    partner has restarted, and when the link was down for longer than it may be. An engine says
    so, never a node: the node itself is replaced by a fresh one.
    """

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Severed(reason={self.reason!r})"


LinkEvent = Delivered | Sent | LinkUp | LinkDown | DeviceChanged | Severed


TraceRecord = tuple[int, str, int, str, int]
"""(now_ns, node, rdev, verb, detail): detail is a serial, a package number or 0."""


class Sink(Protocol):
    """Where trace records go."""

    def __call__(self, record: TraceRecord) -> None:
        """Take one record."""


class InterruptListener(Protocol):
    """Who is shown every interrupt before the link is: where an I/O's time went, and its load."""

    def __call__(self, now_ns: int, node: str, interrupt: Interrupt) -> None:
        """Look at one interrupt; change nothing."""


class ListSink:
    """Keeps every record."""

    def __init__(self) -> None:
        self.records: list[TraceRecord] = []

    def __call__(self, record: TraceRecord) -> None:
        """Keep the record."""
        self.records.append(record)


class DigestSink:
    """Keeps a SHA-256 of all records: two runs with the same digest did the same."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def __call__(self, record: TraceRecord) -> None:
        """Add the record to the digest."""
        self._hash.update(repr(record).encode())

    def hexdigest(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()


Offer = tuple[int, Sequence[Message]]
"""Messages a program will send, all of one kind of traffic, and when, in ns.

Those of one offer all wait before the link makes a package; of two at the same time the first may
leave alone.
"""


class Program(Protocol):
    """Receives the events of a link end, and returns what it will send."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first offers."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Receive an event; the offers it leads to."""
