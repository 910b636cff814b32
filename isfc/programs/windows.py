"""The windows of a node's conversations: how much may arrive of each before it is taken.

They share one bound. Whoever begins takes a part of what is left of it, and comes to an even share
as it takes what arrives; a window that has been granted cannot be taken back.
"""

from typing import Final

from isfc.programs.protocol import ConversationLimits

PART: Final = 8
"""That part of what is left one window takes at a time: so there is always something for the next,
also where those before do not use theirs."""


class Windows:
    """What the windows of all conversations have together."""

    def __init__(self, limits: ConversationLimits) -> None:
        self._limits = limits
        self._raised_length = 0
        """Bytes of all windows beyond the least that each has."""

    def open(self, count: int) -> int:
        """The window, in bytes, of one that begins, as one of ``count`` conversations."""
        return self.arrange(self._limits.window_min, 0, count)

    def arrange(self, length: int, held_length: int, count: int) -> int:
        """The next window, in bytes, of one that had ``length``.

        It is never less than ``held_length``: what may still arrive, and what has not been taken.
        """
        limits = self._limits
        left = max(0, limits.raised_length_max - self._raised_length)
        share = limits.window_min + limits.raised_length_max // max(1, count)
        wanted = min(share, limits.window_share(count), length + left // PART)
        arranged = max(limits.window_min, held_length, wanted)
        self._raised_length += arranged - length
        return arranged

    def close(self, length: int) -> None:
        """A conversation whose window had ``length`` is over."""
        self._raised_length -= length - self._limits.window_min
