"""The processor's cache: a conversation's data are still there if little has passed since its last.

A byte that is received costs more the more bytes have passed at this end since the last message of
its conversation: the guest's buffers, and CP's, have been displaced by then. So %CPU/msg of long
messages doubles under load, and so does what the receive lock is held for.
"""

from typing import final

from mypy_extensions import i64

from isfc.link.message import Serials
from isfc.link.package import CHAINED_LENGTH_MIN, Package


@final
class Cache:
    """What has passed at one end of a link, and where each conversation was last heard of.

    The parameters are those of `isfc.link.parameters.LinkParameters`.
    """

    def __init__(self, recent_share: float, reuse_length: int) -> None:
        self._recent_share = recent_share
        self._rise_per_byte = (1.0 - recent_share) / max(1, reuse_length)
        self._reuse_length: i64 = reuse_length
        self._passed_length: i64 = 0
        self._last = Serials()
        """By conversation: the bytes that had passed when its last message came."""

    def send(self, package: Package) -> None:
        """A package is built."""
        self._passed_length += package.length

    def receive(self, package: Package) -> float:
        """A package is taken apart; the share that its mean byte costs, up to 1.

        It is told by its longer messages, if it has any.
        """
        passed: i64 = self._passed_length + package.length
        self._passed_length = passed
        last, recent, rise = self._last, self._recent_share, self._rise_per_byte
        cost = 0.0
        total: i64 = 0
        for message in package.messages:
            length = message.length
            if length < CHAINED_LENGTH_MIN:
                continue
            before = last.find(message.conversation)
            if before is None:
                before = last.begin(message.conversation)
                before.next = passed - self._reuse_length
            reuse_length: int = passed - before.next
            before.next = passed
            share = recent + rise * reuse_length
            size: int = length
            cost += size * (share if share < 1.0 else 1.0)
            total += length
        total_length: int = total
        return cost / total_length if total_length else recent
