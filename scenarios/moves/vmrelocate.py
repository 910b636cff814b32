"""VMRELOCATE as far as it is known: its limits, how a relocation ends, and when pre-copy does.

``docs/relocation.md`` says of each rule whether it is published, derived or assumed.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from isfc.arguments import check_fields, spelt
from isfc.errors import ConfigurationError

QUIESCE_MAX_S: Final = 10.0
"""MAXQUIESCE if it is not given, in seconds; with IMMEDIATE there is no limit (published: the help
of SMAPI's VMRELOCATE)."""

QUIESCE_GOAL_S: Final = 0.5
"""Pre-copy ends when what has changed takes so long to move, in seconds. Assumed."""

PASSES_MAX: Final = 8
"""Passes before the guest is stopped, at most. Assumed. That CP goes on where passes do not shrink
is seen: Java's passes after the first are 86 % of it, and there are several (published)."""

SECONDS_MAX: Final = 99_999_999.0
"""The longest limit that VMRELOCATE takes (published: the same help)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What VMRELOCATE was told, times in seconds; ``inf`` is NOLIMIT.

    ``max_total`` counts from the command, ``max_quiesce`` from when the guest is stopped.
    ``immediate`` stops it after one pass. ``quiesce_goal`` is no operand of CP's: see
    `QUIESCE_GOAL_S`.
    """

    max_total: float = inf
    max_quiesce: float = QUIESCE_MAX_S
    immediate: bool = False
    quiesce_goal: float = QUIESCE_GOAL_S

    def __post_init__(self) -> None:
        check_fields(self)
        for name, value in (("max_total", self.max_total), ("max_quiesce", self.max_quiesce)):
            if not (0 < value <= SECONDS_MAX or value == inf):
                raise ConfigurationError(
                    f"{spelt(name)} {value:g}: expected more than 0 to {SECONDS_MAX:,.0f} s"
                )
        if not 0 <= self.quiesce_goal <= SECONDS_MAX:
            raise ConfigurationError(f"quiesce goal {self.quiesce_goal:g}: expected 0 s or more")

    def goes_on(self, passes: int, left_s: float) -> bool:
        """Whether there is another pass before the guest is stopped.

        So many passes are over, and what has changed takes ``left_s`` to move. How much less a
        pass moved than the one before does not matter. A rule of progress would have a cliff: a
        guest that changes a little faster would be stopped for many times as long.
        """
        goal = min(self.quiesce_goal, self.max_quiesce)
        return not self.immediate and passes < PASSES_MAX and left_s > goal


def make_limits(
    *, max_total: float | None, max_quiesce: float | None, immediate: bool, quiesce: float
) -> Limits:
    """VMRELOCATE's limits in seconds; its defaults for those that are None."""
    return Limits(
        max_total=inf if max_total is None else max_total,
        max_quiesce=(inf if immediate else QUIESCE_MAX_S) if max_quiesce is None else max_quiesce,
        immediate=immediate,
        quiesce_goal=quiesce,
    )


class RelocationEnd(StrEnum):
    """How a relocation ends."""

    MOVED = "moved"
    CANCELLED = "cancelled"
    TOTAL = "max-total"
    QUIESCE = "max-quiesce"
    LINK = "link-lost"

    @property
    def code(self) -> str:
        """CP's reason (published: Monitor record MRUSERLE)."""
        return _CODES[self]


_CODES: Final = {
    RelocationEnd.MOVED: "00",
    RelocationEnd.CANCELLED: "01",
    RelocationEnd.LINK: "03",
    RelocationEnd.TOTAL: "04",
    RelocationEnd.QUIESCE: "05",
}
