"""How much the conversations of a node may take."""

from dataclasses import dataclass
from typing import Final

WINDOWS_LENGTH: Final = 64 * 2**20
SENDS_LENGTH: Final = 32 * 2**20
"""Bytes for all conversations of a node together, which share them evenly: what may arrive before
it is taken, and what may wait to be sent."""

LINK_LENGTH: Final = 8 * 2**20
"""Bytes of all conversations in the link: enough for nine full packages, and far below what the
backlog holds, so that it is never full."""

SHARE_LENGTH_MIN: Final = 131_072
"""A conversation's share is never less than so many bytes, or the limit, if that is less."""

GATHERED_LENGTH: Final = 65_536
"""Fewer bytes than this wait while messages of their conversation are in the link, and go together
with what comes meanwhile: each message costs as much as tens of kilobytes. (Nagle's rule.)"""


@dataclass(frozen=True, slots=True)
class ConversationLimits:
    """What a node's conversations may take: bytes, and how many of them.

    ``window_length`` is the most that arrives before it is taken, ``send_length`` the most that
    waits to be sent; where there are many conversations, each has a share of less
    (`WINDOWS_LENGTH`, `SENDS_LENGTH`). Each end may open ``conversations_max``. ``link_length`` is
    the most of all conversations that may wait in the link's backlog or be on its way.
    """

    window_length: int = 4 * 2**20
    send_length: int = 2**20
    conversations_max: int = 256
    link_length: int = LINK_LENGTH

    def window_share(self, count: int) -> int:
        """The window of each of ``count`` conversations."""
        return min(self.window_length, max(SHARE_LENGTH_MIN, WINDOWS_LENGTH // max(1, count)))

    def send_share(self, count: int) -> int:
        """What may wait to be sent of each of ``count`` conversations."""
        return min(self.send_length, max(SHARE_LENGTH_MIN, SENDS_LENGTH // max(1, count)))
