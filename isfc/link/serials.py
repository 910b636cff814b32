"""The serials of conversations: each counts its messages from 0."""

from typing import Final, final

from mypy_extensions import i64, mypyc_attr

_LISTED_MAX: Final = 16_384
"""Conversations that a list has room for. Programs number theirs from 0, so that it has nearly all;
but a partner may use any number."""


@final
@mypyc_attr(acyclic=True)
class Serial:
    """How far one conversation has counted."""

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
        if 0 <= conversation < len(listed):
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
