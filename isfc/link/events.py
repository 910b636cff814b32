"""What a logical link tells its client."""

from typing import final

from mypy_extensions import mypyc_attr

from ctc.address import Rdev, format_rdev
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
