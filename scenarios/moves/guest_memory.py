"""The memory of a guest that is relocated: what is moved first, and what changes meanwhile."""

from dataclasses import dataclass
from math import exp
from typing import Final

from isfc.arguments import checked, given_size
from isfc.errors import ConfigurationError
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB


@dataclass(frozen=True, slots=True, init=False)
class GuestMemory:
    """Lengths in bytes, rates in bytes/s; or given as texts such as ``16G``.

    ``touched`` is what the guest has ever touched: the first pass moves it, and no more
    (published: IBM's pages on relocations of Linux, "(pages) transferred"). ``change_rate``
    is change that is spread evenly and meets no page twice in a pass. ``hot_set`` bytes are
    written at random with ``write_rate``, and so many pages are met more than once.
    """

    size: int
    touched: int
    change_rate: int
    hot_set: int
    write_rate: int

    @checked
    def __init__(
        self,
        *,
        size: int | str,
        touched: int | str | None = None,
        change_rate: int | str = 0,
        hot_set: int | str = 0,
        write_rate: int | str = 0,
    ) -> None:
        """Check them; all of it is touched if nothing is said of that."""
        for name, value in (
            ("size", size),
            ("touched", size if touched is None else touched),
            ("change_rate", change_rate),
            ("hot_set", hot_set),
            ("write_rate", write_rate),
        ):
            object.__setattr__(self, name, given_size("GuestMemory", name, value))
        if not 1 <= self.touched <= self.size:
            raise ConfigurationError(
                f"touched {self.touched}: expected 1 to the memory, {self.size} bytes"
            )
        if not 0 <= self.hot_set <= self.touched:
            raise ConfigurationError(
                f"hot set {self.hot_set}: expected 0 to what is touched, {self.touched} bytes"
            )
        if self.change_rate < 0:
            raise ConfigurationError(f"change rate {self.change_rate}: expected 0 bytes/s or more")
        if self.write_rate < 0 or bool(self.write_rate) != bool(self.hot_set):
            raise ConfigurationError(
                f"write rate {self.write_rate}: expected more than 0 with a hot set, "
                f"and 0 without; the hot set is {self.hot_set} bytes"
            )

    @property
    def writes(self) -> bool:
        """Whether anything changes while it is moved."""
        return bool(self.change_rate or self.hot_set)

    def changed(self, taken_ns: int) -> int:
        """Bytes that have changed after ``taken_ns``: each page counts once.

        Random writes at w leave H (1 - e^(-wT/H)) of a hot set H changed after T (derived).
        """
        evenly = self.change_rate * taken_ns // NS_PER_S
        hot = 0
        if self.hot_set:
            written = self.write_rate * taken_ns / NS_PER_S
            hot = round(self.hot_set * (1 - exp(-written / self.hot_set)))
        return min(self.touched, evenly + hot)


@dataclass(frozen=True, slots=True)
class KnownGuest:
    """A guest of a kind that IBM measured, and what of its figures is published or assumed."""

    memory: GuestMemory
    basis: str


KNOWN_GUESTS: Final = {
    "java": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=3584 * MIB, hot_set=3200 * MIB, write_rate=1125 * MIB),
        "memory inferred; heap published; touched assumed; write rate calibrated",
    ),
    "page-cache": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=4096 * MIB, change_rate=100 * MIB),
        "all of it assumed; its published figures are not at hand",
    ),
    "direct-io": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=296 * MIB, change_rate=10 * MIB),
        "touched published; memory inferred; change assumed",
    ),
    "oltp": KnownGuest(
        GuestMemory(size=16384 * MIB, touched=2884 * MIB, hot_set=1616 * MIB, write_rate=100 * MIB),
        "touched published; hot set is its published memory target; write rate assumed",
    ),
}
"""Guests of `isfc relocate --like`. Touched: IBM's pages on relocations of Linux, "(pages)
transferred" (direct-io, oltp). Java's heap: the same; its write rate was chosen so that the passes
between the first and the stop are by the average 86 % of the first, as published, on one FICON
Express4 channel."""
