"""Guests that were moved: what became of them."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.limit import LimitedBy
from isfc.errors.loading import named
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Note, Reported
from isfc.reports.text import records
from scenarios.moves.evacuation import DeviceSeen
from scenarios.moves.guest import GuestMemory, Limits
from scenarios.moves.orders import Response
from scenarios.moves.relocation import Pass, WouldMove


class MovedGuest(Struct, frozen=True, rename={"source": "from"}):
    """What became of a guest that was to be moved."""

    name: str
    source: NodeName
    to: NodeName
    meant_for: NodeName
    """another system than `to` if the link there died"""
    memory: GuestMemory
    """`size`, what was `touched`, which the first pass moves, and a `hot_set` in bytes; rates in
    bytes/s: `change_rate` is spread evenly, `write_rate` goes into the hot set"""
    limits: Limits
    """in seconds, null is NOLIMIT: `max_total`, `max_quiesce` and `quiesce_goal`; `immediate`"""
    moved: bool
    end: str
    """`moved`, `cancelled`, `link-lost`, `max-total` or `max-quiesce`"""
    reason: str
    """CP's code of it: `00`, `01`, `03`, `04`, `05`"""
    begin_s: float
    """since the first command"""
    seconds: Figure
    """until it ran at its destination, or was given up"""
    stopped: Figure
    """seconds for which it was stopped"""
    other_end: bool
    """whether it is moved at one end of the range and not at the other"""
    length: int
    """bytes moved in all passes"""
    would_move: WouldMove | None
    """what would let it be moved, of one that a limit ended"""
    passes: tuple[Pass, ...]
    """over its memory: ns since the first command, bytes of memory and of state that it moved, and
    bytes that changed meanwhile"""

    @property
    def instead_of(self) -> str | None:
        """Where it was to go, of one that went elsewhere."""
        return None if self.to == self.meant_for else self.meant_for

    @property
    def stays(self) -> str | None:
        """Why it was not moved."""
        return None if self.moved else f"stays: {self.end}"

    @property
    def size(self) -> int:
        """Bytes of its memory."""
        return self.memory.size


class OthersMeanwhile(Struct, frozen=True):
    """Other traffic of a link: MB/s both ways, and exchanges/s that clients ended."""

    link: str
    loads: tuple[str, ...]
    """as of `--traffic`: from whom to whom, which workload, and how many pairs"""
    alone: Figure
    """without the guests"""
    meanwhile: Figure
    left: float
    """the share of its exchanges that it makes meanwhile: of a guest that is given up, bytes under
    way are in MB/s"""
    alone_exchanges_per_s: float
    """this and the next: within the ranges of MB/s, in proportion"""
    meanwhile_exchanges_per_s: float

    @property
    def load(self) -> str:
        """All that is run over it."""
        return " ".join(self.loads)


class TriedTogether(Struct, frozen=True):
    """What came of so many guests together."""

    together: int
    seconds: Figure
    longest_stop: Figure
    moved: int
    """how many guests"""
    left: float | None
    """what other traffic has of what it has alone, as a share; null without"""


class AllMoves(Struct, frozen=True, kw_only=True):
    """What all moves of guests come to."""

    together: int
    """how many leave a system at the same time"""
    all_moved: bool
    """whether every guest was moved; in rolling maintenance away, and back"""
    seconds: Figure
    """until the last guest ran at its destination, or was given up; in rolling maintenance of all
    moves, without the maintenance itself"""
    longest_stop: Figure
    """seconds for which the guest that was stopped longest was stopped"""
    longest_stopped: str
    """its name"""
    responses: tuple[Response, ...]
    """to each `--at`"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""


class Moves(Reported, AllMoves, frozen=True, kw_only=True):
    """What became of guests that were to be moved, and of what was beside them."""

    reported_by = "isfc.answers.moves_report.relocate_report"

    sources: tuple[NodeName, ...]
    """the systems that the guests leave"""
    destinations: tuple[NodeName, ...]
    """those that they were to go to"""
    tried: tuple[TriedTogether, ...]
    """with `--best`: each number of guests together that was tried; `together` is the best"""
    guests: tuple[MovedGuest, ...]
    """in the order in which they began"""
    traffic: tuple[OthersMeanwhile, ...]
    """of each link with other traffic"""
    devices: tuple[DeviceSeen, ...]
    """each CTC as the system saw it that guests leave"""
    limits: LimitedBy
    """the links meanwhile, by runs of HL with as many messages under way"""
    profile: SiteProfile | UnsetType = UNSET
    """as of `isfc plan --json`"""

    @property
    def stayed(self) -> list[MovedGuest]:
        """The guests that were not moved."""
        return [guest for guest in self.guests if not guest.moved]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each pass of each guest, as a data frame takes them."""
        rows: list[dict[str, Any]] = records(named("isfc.answers.moves_report.passes_table")(self))
        return rows
