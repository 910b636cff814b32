"""Far paths: fibre of some length, and inter-switch links on it that several channels share."""

from msgspec import Struct

from ctc.fibre_channel import NS_PER_KM, full_frames_by_credits
from ctc.profiles import line_payload_bytes_per_s


class Isl(Struct, frozen=True):
    """Inter-switch links side by side: each with ``gbps`` and ``credits`` each way."""

    count: int
    gbps: float
    credits: int

    def ns_per_byte(self, km: float) -> float:
        """What a byte of CTCs' data takes of all of them together, one way.

        As long as on lines of their rate, or as their credits let frames through so far away.
        """
        by_credits = full_frames_by_credits(self.credits, km, self.gbps)
        by_line = line_payload_bytes_per_s(self.gbps)
        return 1e9 / (self.count * min(by_credits, by_line))


class FarPath(Struct, frozen=True):
    """A way between channels, or to storage: ``km`` of fibre, over inter-switch links or not."""

    name: str
    km: float
    isl: Isl | None = None

    @property
    def way_ns(self) -> int:
        """How long light takes, one way, in ns."""
        return round(self.km * NS_PER_KM)
