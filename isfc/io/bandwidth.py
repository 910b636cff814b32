"""The tree of bandwidth ceilings above a channel: card, PCIe interconnect, fanout card.

Each level carries the sum of what is below it, up to its own ceilings: one for a direction, one
for both together. MB are 10**6 bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

UNLIMITED: Final = float("inf")


def finite(figure: float) -> float | None:
    """A figure; None if it is infinite, for which JSON has no word."""
    return None if figure == UNLIMITED else figure


CHANNELS_OF_CARD: Final = 2
CARDS_OF_INTERCONNECT: Final = 8
INTERCONNECTS_OF_FANOUT: Final = 2
"""Published: IBM z15 FICON Express16SA Performance, figures 32 and 33."""


@dataclass(frozen=True, slots=True)
class DataRates:
    """Data in either direction, in MB/s."""

    read_mb_per_s: float
    write_mb_per_s: float

    @property
    def mb_per_s(self) -> float:
        """Both directions together."""
        return self.read_mb_per_s + self.write_mb_per_s


def total(flows: Sequence[DataRates]) -> DataRates:
    """All of them together."""
    return DataRates(
        sum(flow.read_mb_per_s for flow in flows), sum(flow.write_mb_per_s for flow in flows)
    )


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What one level carries at most: ``one_way_mb_per_s`` each direction, ``mb_per_s`` both."""

    level: str
    one_way_mb_per_s: float
    mb_per_s: float

    def use(self, wanted: DataRates) -> float:
        """The share of this ceiling that ``wanted`` needs; more than 1 is too much."""
        return max(
            wanted.read_mb_per_s / self.one_way_mb_per_s,
            wanted.write_mb_per_s / self.one_way_mb_per_s,
            wanted.mb_per_s / self.mb_per_s,
        )

    def slowness(self, wanted: DataRates) -> tuple[float, float]:
        """How many times slower reads and writes go than wanted; 1 where there is room.

        Each way by itself, and then both alike: a card moves data both ways at the same time.
        """
        reads = max(1.0, wanted.read_mb_per_s / self.one_way_mb_per_s)
        writes = max(1.0, wanted.write_mb_per_s / self.one_way_mb_per_s)
        both = wanted.read_mb_per_s / reads + wanted.write_mb_per_s / writes
        slower = max(1.0, both / self.mb_per_s)
        return reads * slower, writes * slower

    def raised(self, factor: float) -> "Ceiling":
        """One that carries so many times as much."""
        return Ceiling(self.level, factor * self.one_way_mb_per_s, factor * self.mb_per_s)


CARD: Final = Ceiling("card", UNLIMITED, UNLIMITED)
"""Published: two channels of a card get twice what one gets, 3200 MB/s one way."""

INTERCONNECT: Final = Ceiling("interconnect", UNLIMITED, 38_000.0)
"""Calibrated on the figure published for eight cards: over 38 GB/s, both directions."""

FANOUT: Final = Ceiling("fanout", 40_000.0, 50_000.0)
"""Calibrated on the figures published for sixteen cards: approximately 40 GB/s one way, over
50 GB/s both."""

LEVELS: Final = (
    (CARD, CHANNELS_OF_CARD),
    (INTERCONNECT, CARDS_OF_INTERCONNECT),
    (FANOUT, INTERCONNECTS_OF_FANOUT),
)
"""From the channel up: a level, and how many of the level below it has."""
