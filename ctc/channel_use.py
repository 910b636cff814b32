"""What CTCs and disks use of one channel, and what each leaves to the other.

What each does in its own model, it does on what the other leaves: two classes that share the
processor, and each direction of the line, by turns. Where both want a resource each has half; where
one wants less, the other has the rest. The I/Os of disks take microseconds and the transfers of
CTCs milliseconds, so that each sees only a share of the other.
"""

from typing import Final

from msgspec import Struct

FAIR_SHARE: Final = 0.5
"""What either has at least of a resource that both want (assumed: by turns)."""


class ChannelUse(Struct, frozen=True):
    """Shares from 0 to 1 of the processor and of the line each way, seen from the channel."""

    processor: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0

    def bounded(self) -> "ChannelUse":
        """What the other class is held up by."""
        return ChannelUse(
            min(FAIR_SHARE, self.processor),
            min(FAIR_SHARE, self.line_out),
            min(FAIR_SHARE, self.line_in),
        )

    def across(self, mate: "ChannelUse") -> "ChannelUse":
        """What holds up transfers that cross this channel and its mate's: the greater of each."""
        return self.joined(ChannelUse(mate.processor, mate.line_in, mate.line_out))

    def joined(self, other: "ChannelUse") -> "ChannelUse":
        """The greater of each."""
        return ChannelUse(
            max(self.processor, other.processor),
            max(self.line_out, other.line_out),
            max(self.line_in, other.line_in),
        )


NOTHING: Final = ChannelUse()
"""Of a channel that nothing else uses."""
