"""How many bytes the conversations of a node may have in its links.

Whatever is in a link goes before what is sent next, on any link of the node, for one loop serves
them all. So bulk has all room as long as it is alone, and little as long as somebody sends little
beside it: who waits for an answer sends again and again.
"""

from typing import Final

BESIDE_LENGTH: Final = 2**19
"""Bytes in a link while little is sent beside: two long messages, of which one is read while the
other one is written."""

BESIDE_LENGTH_MIN: Final = 262_144
"""Bytes in the links: with fewer there, what is little may be the beginning of bulk."""

ALONE_LENGTH: Final = 64 * 2**20
"""Bytes of bulk that pass without anything little beside until it has all room again: at the speed
of sockets less than a tenth of a second."""

SPARE_SHARE: Final = 8
"""That part of what a link may hold is left to those who send little."""


class LinkRoom:
    """What all links of a node hold, and how much bulk each may have."""

    def __init__(self) -> None:
        self.in_link_length = 0
        """Bytes that the links hold."""
        self._beside_length = 0
        """Bytes of bulk until it has all room again."""

    def bulk_limit(self, link_length: int) -> int:
        """What a link of at most ``link_length`` bytes may hold before more bulk has to wait."""
        limit = link_length - link_length // SPARE_SHARE
        return min(limit, BESIDE_LENGTH) if self._beside_length else limit

    def note_bulk(self, length: int) -> None:
        """So many bytes of bulk are sent."""
        self._beside_length = max(0, self._beside_length - length)

    def note_little(self) -> None:
        """Somebody who sends little has sent something."""
        if self.in_link_length > BESIDE_LENGTH_MIN:
            self._beside_length = ALONE_LENGTH
