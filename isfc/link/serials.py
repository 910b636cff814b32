"""The serials of conversations: each counts its messages from 0."""

from typing import Final, final

_LISTED_MAX: Final = 16_384
"""Conversations that a list has room for. Programs number theirs from 0, so that it has nearly all;
but a partner may use any number."""


@final
class Serials:
    """The next serial of each conversation; 0 for one that is not known."""

    __slots__ = ("_listed", "_others", "count")

    def __init__(self) -> None:
        self.count = 0
        """Conversations that are known."""
        self._listed: list[int] = []
        self._others: dict[int, int] = {}

    def next_of(self, conversation: int) -> int:
        """The next serial of a conversation."""
        listed = self._listed
        if 0 <= conversation < len(listed):
            return listed[conversation]
        return self._others.get(conversation, 0)

    def set_next(self, conversation: int, serial: int) -> None:
        """The next serial of a conversation is ``serial``, which is not 0."""
        listed = self._listed
        if 0 <= conversation < len(listed):
            if not listed[conversation]:
                self.count += 1
            listed[conversation] = serial
        elif 0 <= conversation < _LISTED_MAX:
            listed.extend([0] * (conversation + 1 - len(listed)))
            self.set_next(conversation, serial)
        else:
            self.count += conversation not in self._others
            self._others[conversation] = serial

    def forget(self, conversation: int) -> None:
        """The conversation is not known any more."""
        if 0 <= conversation < len(self._listed):
            self.count -= self._listed[conversation] > 0
            self._listed[conversation] = 0
        elif self._others.pop(conversation, 0):
            self.count -= 1
