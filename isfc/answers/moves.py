"""What became of guests that were moved: the answer of `relocate` and `evacuate`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.limit import limits_of
from isfc.answers.limit_record import LimitedBy
from isfc.layout.in_words import listed
from isfc.layout.note import Note, NoteKind
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.reported import Reported
from isfc.search.workers import check_jobs, each_by
from scenarios.figures.figure import Figure
from scenarios.figures.limit import find_limit
from scenarios.figures.ranges import links_rate
from scenarios.moves.by_rate import MovedFigures, moves_figures, moving_load
from scenarios.moves.compared import BestTogether, best_together, evacuate
from scenarios.moves.evacuation import (
    DeviceSeen,
    Evacuated,
    Evacuation,
    EvacuationOutcome,
    OtherTraffic,
    WouldMove,
)
from scenarios.moves.guest import KNOWN_GUESTS, GuestMemory, GuestPlan, Pass
from scenarios.moves.guest import Limits as RelocationLimits
from scenarios.moves.orders import Response
from scenarios.runs.experiment import NS_PER_S

Progress = Callable[[float], None] | None
"""Is told what share is done, from 0 to 1."""

_MOVING: Final = 0.9
"""Of all that is done, moving itself (chosen: the rest takes seconds)."""


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
    limits: RelocationLimits
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

    reported_by = "isfc.answers.relocate.relocate_report"

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
        from isfc.answers.moves_report import passes_table  # which is of this record
        from isfc.reports.delimited import records

        return records(passes_table(self))

    def __repr__(self) -> str:
        moved = len(self.guests) - len(self.stayed)
        return (
            f"<Moves {listed(self.sources)} - {listed(self.destinations)}, "
            f"{moved} of {len(self.guests)} guests: {self.seconds} s>"
        )


def moves(evacuation: Evacuation, *, best: bool, jobs: int, progress: Progress) -> Moves:
    """Move everything, or search how many together are ``best``; it takes short runs as well."""
    check_jobs(jobs)
    if best:
        tried = best_together(evacuation, each_by(jobs))
        return _moves(tried.outcome, tried)
    found = _moves(evacuate(evacuation, told_in_shares(progress, evacuation.plans)), None)
    if progress is not None:
        progress(1.0)
    return found


def told_in_shares(
    progress: Progress, plans: Sequence[GuestPlan], times: int = 1
) -> Callable[[int], None] | None:
    """What is told bytes that were moved, and tells the share of all that was touched.

    That is moved so many ``times``; more is moved, as it changes. What is run beside it is the
    rest.
    """
    if progress is None:
        return None
    total = times * sum(plan.memory.touched for plan in plans)
    return lambda length: progress(_MOVING * min(1.0, length / total))


def _moves(outcome: EvacuationOutcome, best: BestTogether | None) -> Moves:
    evacuation, figures = outcome.evacuation, moves_figures(outcome)
    limit = find_limit(moving_load(evacuation))
    load = f"{evacuation.window} messages of each guest under way"
    longest = max(outcome.guests, key=lambda guest: guest.quiesced_seconds)
    return Moves(
        sources=evacuation.sources,
        destinations=tuple(dict.fromkeys(tenant.to for tenant in evacuation.tenants)),
        together=evacuation.together,
        all_moved=outcome.all_moved,
        seconds=figures.seconds,
        longest_stop=figures.longest_stop,
        longest_stopped=longest.plan.name,
        tried=() if best is None else tuple(_tried(best)),
        guests=tuple(map(_guest, outcome.guests, figures.guests, outcome.advice)),
        traffic=tuple(_traffic(outcome)),
        devices=outcome.devices,
        responses=outcome.responses,
        limits=limits_of(limit, outcome.mb_per_s, load),
        notes=(*_like_known(outcome.guests), *outcome.notes),
        profile=evacuation.collection.links[0].site or UNSET,
    )


def _like_known(guests: Sequence[Evacuated]) -> Iterator[Note]:
    """What is known of guests that are as IBM measured."""
    memories = {guest.plan.memory for guest in guests}
    for kind, known in KNOWN_GUESTS.items():
        if known.memory in memories:
            yield Note(NoteKind.NO_RANGE, f"{kind}: {known.basis}")


def _guest(guest: Evacuated, known: MovedFigures, would: WouldMove | None) -> MovedGuest:
    plan, end = guest.plan, guest.end
    return MovedGuest(
        plan.name,
        *(guest.source, guest.to, guest.meant),
        *(plan.memory, plan.limits),
        moved=guest.moved,
        end=end,
        reason=end.code,
        begin_s=guest.begin_s,
        seconds=known.seconds,
        stopped=known.quiesced,
        other_end=known.other_end,
        length=guest.length,
        would_move=would,
        passes=guest.passes,
    )


def _traffic(outcome: EvacuationOutcome) -> Iterator[OthersMeanwhile]:
    evacuation = outcome.evacuation
    for alone, meanwhile in zip(outcome.alone, outcome.meanwhile, strict=True):
        link = [evacuation.collection.link(alone.link)]
        before, now = (links_rate(each.rate.mb_per_s, link) for each in (alone, meanwhile))
        yield OthersMeanwhile(
            alone.link,
            tuple(map(str, evacuation.loads_of(alone.link))),
            *(before.of_run(alone.rate), now),
            _left([alone], [meanwhile]),
            *(alone.exchanges_per_s, meanwhile.exchanges_per_s),
        )


def _left(alone: Sequence[OtherTraffic], meanwhile: Sequence[OtherTraffic]) -> float:
    """What other traffic has of what it has alone."""
    before, now = (sum(each.exchanges_per_s for each in some) for some in (alone, meanwhile))
    return now / max(1e-9, before)


def _tried(best: BestTogether) -> Iterator[TriedTogether]:
    for together, outcome in best.tried.items():
        figures = moves_figures(outcome)
        share = _left(outcome.alone, outcome.meanwhile) if outcome.alone else None
        known = figures.seconds, figures.longest_stop
        yield TriedTogether(together, *known, outcome.moved_count, share)


class PassRow(Struct, frozen=True):
    """A pass of a guest, flat."""

    guest: str
    number: int
    begin_s: float
    seconds: float
    bytes: int
    """of memory and of state"""
    mb_per_s: float
    changed_bytes: int
    """meanwhile"""
    state: str
    """of the guest: `runs` or `stopped`"""


def pass_rows(guest: MovedGuest) -> Iterator[PassRow]:
    """A row for each of its passes."""
    for number, each in enumerate(guest.passes, start=1):
        length = each.length + each.state_length
        yield PassRow(
            *(guest.name, number, each.begin_ns / NS_PER_S, each.seconds, length),
            length / max(1e-9, each.seconds) / 2**20,
            *(each.changed_length, "stopped" if each.quiesced else "runs"),
        )
