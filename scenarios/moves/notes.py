"""What belongs to figures of moves: what they were never held against, and what IBM advises."""

from collections.abc import Sequence
from typing import Final

from isfc.errors.in_words import first_listed
from isfc.layout.collection import Collection
from isfc.reports.figure import Note, NoteKind
from scenarios.moves.guest import GuestPlan
from scenarios.runs.notes import BUSY, cluster_notes, unranged
from scenarios.runs.published_range import beyond_measured_run, beyond_rate_one_way
from scenarios.runs.workload import LinkLoad

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
