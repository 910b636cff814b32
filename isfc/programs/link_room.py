"""How many bytes the conversations of a node may have in its links.

Whatever is in a link goes before what is sent next, on any link of the node, for one loop serves
them all. So bulk has all room as long as it is alone, and little as long as somebody sends little
beside it: who waits for an answer sends again and again.
"""

from typing import Final

from isfc.link.segment import SEGMENT_LENGTH_MAX
from isfc.programs.protocol import GATHERED_LENGTH

BESIDE_LENGTH: Final = 2**19
"""Bytes in a link while little is sent beside, at most: two long messages, of which one is read
while the other one is written."""

BESIDE_NS: Final = 300_000
BESIDE_LENGTH_MIN: Final = 163_840
"""In slower links there are fewer: as many as they carry in that time, but two messages that do not
wait for others of their conversation (`isfc.programs.protocol.GATHERED_LENGTH`)."""

MEASURED_LENGTH: Final = 2**20
"""Bytes for each of which it is measured how fast the links are."""

BULK_LENGTH: Final = 262_144
"""Bytes in the links: with fewer there, what is little may be the beginning of bulk."""

ALONE_LENGTH: Final = 64 * 2**20
"""Bytes of bulk that pass without anything little beside until it has all room again: at the speed
of sockets less than a tenth of a second."""

SPARE_SHARE: Final = 8
"""That part of what a link may hold is left to those who send little."""

_PIECE_LENGTH_MAX: Final = SEGMENT_LENGTH_MAX - 64
"""Most bytes in one message, which the link need not cut, whatever goes around them."""


def piece_length(limit: int) -> int:
    """Most bytes in one message: two have room in a link of ``limit``, and none is gathered."""
    return min(_PIECE_LENGTH_MAX, max(GATHERED_LENGTH, limit // 2))


class LinkRoom:
    """What all links of a node hold, and how much bulk each may have."""

    def __init__(self) -> None:
        self.in_link_length = 0
        """Bytes that the links hold."""
        self._beside_length = 0
        """Bytes of bulk until it has all room again."""
        self._beside_limit = BESIDE_LENGTH
        """What a link may hold until then."""
        self._passed_length = 0
        self._since_ns = 0
        """Bytes that are at the partners, and since when, for the next measurement."""

    @property
    def beside(self) -> bool:
        """Whether somebody sends little, and bulk has little room."""
        return self._beside_length > 0

    def bulk_limit(self, link_length: int) -> int:
        """What a link of at most ``link_length`` bytes may hold before more bulk has to wait."""
        limit = link_length - link_length // SPARE_SHARE
        return min(limit, self._beside_limit) if self._beside_length else limit

    def note_passed(self, length: int, now_ns: int) -> None:
        """So many bytes are at the partners."""
        self._passed_length += length
        if self._passed_length >= MEASURED_LENGTH:
            in_time_length = self._passed_length * BESIDE_NS // max(1, now_ns - self._since_ns)
            self._beside_limit = min(BESIDE_LENGTH, max(BESIDE_LENGTH_MIN, in_time_length))
            self._passed_length, self._since_ns = 0, now_ns

    def note_bulk(self, length: int) -> None:
        """So many bytes of bulk are sent."""
        self._beside_length = max(0, self._beside_length - length)

    def note_little(self) -> None:
        """Somebody who sends little has sent something."""
        if self.in_link_length > min(BULK_LENGTH, self._beside_limit // 2):
            self._beside_length = ALONE_LENGTH
