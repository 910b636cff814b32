"""Far paths: fibre of some length, and inter-switch links on it that several channels share."""

from dataclasses import dataclass

from ctc.distance import NS_PER_KM


@dataclass(frozen=True, slots=True)
class Isl:
    """Inter-switch links side by side: each with ``gbps`` and ``credits`` each way."""

    count: int
    gbps: float
    credits: int


@dataclass(frozen=True, slots=True)
class FarPath:
    """A way between channels, or to storage: ``km`` of fibre, over inter-switch links or not."""

    name: str
    km: float
    isl: Isl | None = None

    @property
    def way_ns(self) -> int:
        """How long light takes, one way, in ns."""
        return round(self.km * NS_PER_KM)
