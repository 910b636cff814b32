"""How long live guest relocations take, and what became of the guests: also of an evacuation."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

from msgspec import UNSET

from isfc.answers.guest import leaving, read_guests
from isfc.answers.limit import limits_of
from isfc.answers.moves import MovedGuest, Moves, OthersMeanwhile, TriedTogether
from isfc.errors.arguments import SEED_MAX, Argument, Jobs, checked, spelt
from isfc.errors.in_words import find_node
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.site import GivenSite
from isfc.reports.figure import Note, NoteKind
from scenarios.figures.limit import find_limit
from scenarios.figures.ranges import links_rate
from scenarios.moves import evacuation as evacuations
from scenarios.moves.by_rate import MovedFigures, moves_figures, moving_load
from scenarios.moves.compared import BestTogether, best_together, evacuate
from scenarios.moves.guest import KNOWN_GUESTS, GuestMemory, GuestPlan, Limits
from scenarios.moves.leaving import Tenant
from scenarios.moves.orders import UNNAMED, RelocationOrder, read_order
from scenarios.moves.relocation import Evacuated, WouldMove
from scenarios.runs.at_site import link_of, links_at
from scenarios.runs.experiment import read_load
from scenarios.runs.workload import Workload, find_workload
from scenarios.search.workers import each_by

Progress = Callable[[float], None] | None
"""Is told what share is done, from 0 to 1."""

_MOVING: Final = 0.9
"""Of all that is done, moving itself (chosen: the rest takes seconds)."""


def moves(
    evacuation: evacuations.Evacuation, *, best: bool, jobs: int, progress: Progress
) -> Moves:
    """Move everything, or search how many together are ``best``; it takes short runs as well."""
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


def _moves(outcome: evacuations.EvacuationOutcome, best: BestTogether | None) -> Moves:
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


def _traffic(outcome: evacuations.EvacuationOutcome) -> Iterator[OthersMeanwhile]:
    evacuation = outcome.evacuation
    for alone, meanwhile in zip(outcome.alone, outcome.meanwhile, strict=True):
        link = [evacuation.collection.link(alone.link)]
        before, now = (links_rate(each.rate.modelled, link) for each in (alone, meanwhile))
        yield OthersMeanwhile(
            alone.link,
            tuple(map(str, evacuation.loads_of(alone.link))),
            *(before.of_run(alone.rate), now),
            _left([alone], [meanwhile]),
            *(alone.exchanges_per_s, meanwhile.exchanges_per_s),
        )


def _left(
    alone: Sequence[evacuations.OtherTraffic], meanwhile: Sequence[evacuations.OtherTraffic]
) -> float:
    """What other traffic has of what it has alone."""
    before, now = (sum(each.exchanges_per_s for each in some) for some in (alone, meanwhile))
    return now / max(1e-9, before)


def _tried(best: BestTogether) -> Iterator[TriedTogether]:
    for together, outcome in best.tried.items():
        figures = moves_figures(outcome)
        share = _left(outcome.alone, outcome.meanwhile) if outcome.alone else None
        known = figures.seconds, figures.longest_stop
        moved = len(outcome.guests) - len(outcome.stayed)
        yield TriedTogether(together, *known, moved, share)


At = Annotated[
    Sequence[str],
    Argument(
        "'S COMMAND'",
        "VMRELOCATE MODIFY, CANCEL or STATUS after S seconds, such as "
        "'5 MODIFY LINUX1 MAXQUIESCE 20', or what happens to CTCs, such as "
        "'5 VARY OFFLINE CHPID 40', or '5 LOSE director:1' of hardware. May be repeated.",
    ),
]
Best = Annotated[bool, Argument("", "Search how many together are best, and show that.")]
Seed = Annotated[
    int, Argument("N", "Seed of the message sizes and of who begins when.", 0, SEED_MAX)
]
Together = Annotated[
    int,
    Argument("N", "How many guests leave a system at the same time.", 1, evacuations.TOGETHER_MAX),
]


@checked
def relocate(
    layout: AnyLayout,
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan | Tenant] | Path | str,
    *,
    link: str | None = None,
    from_: Annotated[
        str | None, Argument("NODE", "The node that the guests leave; the first if not given.")
    ] = None,
    together: Together = 1,
    best: Best = False,
    background: Annotated[
        str | tuple[Workload | str, int] | None,
        Argument("NAME:PAIRS", "Other traffic meanwhile: a workload and its pairs, as HS:20."),
    ] = None,
    at: At = (),
    window: Annotated[
        int, Argument("N", "Messages of a guest outstanding.", 1, evacuations.WINDOW_MAX)
    ] = evacuations.WINDOW,
    seed: Seed = 1,
    jobs: Jobs = 1,
    progress: Progress = None,
    profile: GivenSite = None,
) -> Moves:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.

    Raises `ConfigurationError` for what cannot be run. Guests may be the path of a CSV file; a
    `GuestMemory` has VMRELOCATE's own limits, as each `GuestPlan` has its own. ``progress`` is told
    what share of the memory has been moved.
    """
    file = links_at(layout, profile)
    one = link_of(file, layout, link)
    said = None if from_ is None else find_node(spelt("from_"), from_, one.nodes)
    source, plans = leaving(tenants_of(guests), one.nodes, said)
    evacuation = evacuations.Evacuation.over(
        one,
        plans,
        source=source,
        background=_background(background),
        file=file,
        together=together,
        orders=orders_given(at, plans),
        window=window,
        seed=seed,
    )
    return moves(evacuation, best=best, jobs=jobs, progress=progress)


def orders_given(texts: Sequence[str], guests: Sequence[GuestPlan]) -> tuple[RelocationOrder, ...]:
    """The commands that are given meanwhile."""
    found: list[RelocationOrder] = []
    for text in texts:
        with within(f"{spelt('at')} {text[:60]!r}"):
            found.append(read_order(text, [guest.name for guest in guests]))
    return tuple(found)


def tenants_of(
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan | Tenant] | Path | str,
) -> Sequence[Tenant]:
    """The guests, of a file too; a memory is that of one."""
    if isinstance(guests, str | Path):
        return read_guests(Path(guests), Limits())
    if isinstance(guests, GuestMemory):
        guests = GuestPlan(UNNAMED, guests)
    plans = [guests] if isinstance(guests, GuestPlan) else guests
    return [each if isinstance(each, Tenant) else Tenant(each) for each in plans]


def _background(given: str | tuple[Workload | str, int] | None) -> tuple[Workload, int] | None:
    """A workload and how many pairs of guests run it, also from ``HS:20``."""
    if given is None:
        return None
    name, pairs = read_load(spelt("background"), given) if isinstance(given, str) else given
    return find_workload(name), pairs
