"""One guest that is to be moved: its memory, VMRELOCATE's limits, and what is to be noted of it.

``docs/relocation.md`` says of each rule whether it is published, derived or assumed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, Final

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields, checked, given_size, spelt
from isfc.errors.in_words import check_between, first_listed, number
from isfc.layout.collection import Collection
from isfc.reports.figure import Note, NoteKind
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.notes import (
    BUSY,
    beyond_measured_run,
    beyond_rate_one_way,
    cluster_notes,
    unranged,
)
from scenarios.runs.result import MIB
from scenarios.runs.workload import LinkLoad

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


class Limits(Struct, frozen=True, kw_only=True):
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
                    f"{spelt(name)} {value:g}: expected more than 0 to {number(SECONDS_MAX)} s"
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


class KnownGuest(Struct, frozen=True):
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


USERID_LENGTH_MAX: Final = 8
"""Characters of a userid (published: CP)."""
_USERID: Final = re.compile(r"[A-Z0-9$][\w$#@:.+-]*", re.ASCII | re.IGNORECASE)
"""CP takes others too, but a mark that was put in front of a line is none of a name."""

MEMORY_MIN: Final = 2**20
MEMORY_MAX: Final = 16 * 2**40


class GuestPlan(Struct, frozen=True):
    """A guest that is to be relocated: its userid, its memory, and its command's limits."""

    name: str
    memory: GuestMemory
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        check_fields(self)
        name = self.name
        if not 1 <= len(name) <= USERID_LENGTH_MAX or not _USERID.fullmatch(name):
            raise ConfigurationError(
                f"name {name[:40]!r}: expected a userid of 1 to {USERID_LENGTH_MAX} characters"
            )
        check_between("memory", self.memory.size, MEMORY_MIN, MEMORY_MAX)
        check_between("change rate", self.memory.change_rate, 0, MEMORY_MAX)


def with_limits(plan: GuestPlan, **changed: Any) -> GuestPlan:
    """The same guest with other `Limits`."""
    return structs.replace(plan, limits=structs.replace(plan.limits, **changed))


LARGE_MEMORY: Final = 2**40
"""Bytes of a guest beyond which IBM advises another way than a relocation (published: "z/VM Greater
than 1 TB Guest Support Considerations")."""

_NO_MEMORY: Final = Note(
    NoteKind.MEMORY,
    "The file has no [memory.SYSTEM]: every guest is taken to fit where it goes, whatever is free "
    "there.",
)

_UNRANGED: Final = unranged(
    f"what guests change, which is taken as told, of a device's I/O/s and Busy %, and of {BUSY}"
)


def moves_notes(
    collection: Collection,
    plans: Sequence[GuestPlan],
    loads: Sequence[LinkLoad] = (),
    mb_per_s: float = 0.0,
) -> tuple[Note, ...]:
    """Of guests that are moved beside other traffic; ``mb_per_s`` is what the fastest pass had."""
    unknown = [
        what
        for link in collection.links
        for load in loads
        if {load.client, load.server} == {*link.nodes}
        for what in beyond_measured_run(link, load.workload, load.pairs)
    ]
    notes = cluster_notes(collection, [*unknown, *beyond_rate_one_way(mb_per_s)])
    memory = () if collection.memory else (_NO_MEMORY,)
    return (*notes, *large_guests(plans), *memory, _UNRANGED)


def large_guests(plans: Sequence[GuestPlan]) -> tuple[Note, ...]:
    """What IBM advises of guests that are larger than it expects to be relocated, if any are."""
    named = [plan.name for plan in plans if plan.memory.size > LARGE_MEMORY]
    if not named:
        return ()
    text = (
        f"IBM advises against relying on relocation above 1 TB ({first_listed(named, 4)}): it may "
        "take extremely long, want FORCE STORAGE and a longer MAXQUIESCE and MAXTOTAL, and time "
        "out networks and transactions; let a second guest on another system take over the work."
    )
    return (Note(NoteKind.RULE, text),)
