"""What takes a part of a channel: shares of its processor, and of its line each way.

CTCs and disks ride one channel. What each does in its own model, it does on what the other
leaves: two classes that share the processor, and each direction of the line, by turns. Where both
want a resource each has half; where one wants less, the other has the rest. So neither is held up
as by more than half, and both together never have more than there is. The I/Os of disks take
microseconds and the transfers of CTCs milliseconds, so that a share is all that one sees of the
other.
"""

from dataclasses import dataclass
from typing import Final

FAIR_SHARE: Final = 0.5
"""What either has at least of a resource that both want (assumed: by turns)."""


@dataclass(frozen=True, slots=True)
class Use:
    """Shares from 0 to 1 of the processor and of the line each way, seen from the channel."""

    processor: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0

    def bounded(self) -> "Use":
        """What the other class is held up by."""
        return Use(
            min(FAIR_SHARE, self.processor),
            min(FAIR_SHARE, self.line_out),
            min(FAIR_SHARE, self.line_in),
        )

    def across(self, mate: "Use") -> "Use":
        """What holds up transfers that cross this channel and its mate's: the greater of each."""
        return self.joined(Use(mate.processor, mate.line_in, mate.line_out))

    def joined(self, other: "Use") -> "Use":
        """The greater of each."""
        return Use(
            max(self.processor, other.processor),
            max(self.line_out, other.line_out),
            max(self.line_in, other.line_in),
        )


NOTHING: Final = Use()
"""Of a channel that nothing else rides."""
