"""How long live guest relocations take over a link, and for how long guests are stopped."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from msgspec.structs import replace

from isfc.answers import guest as of_guest
from isfc.answers.guest import Size, guest_memory
from isfc.answers.guest_file import read_guests
from isfc.answers.moves import Moves, Progress, moves
from isfc.answers.moves_report import moves_report
from isfc.arguments import SEED_MAX, Argument, checked, spelt
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.in_words import find_node
from isfc.layout.note import Note, NoteKind
from isfc.reports.report import Report
from scenarios.moves.evacuation import GUESTS_MAX, TOGETHER_MAX, WINDOW, WINDOW_MAX, Evacuation
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import KNOWN_GUESTS, GuestMemory
from scenarios.moves.orders import UNNAMED, Order, read_orders
from scenarios.moves.vmrelocate import QUIESCE_GOAL_S, SECONDS_MAX, Limits, make_limits
from scenarios.runs.at_site import GivenSite, named_link_in
from scenarios.runs.load import read_load
from scenarios.runs.workload import Workload, find_workload

AT: Final = Argument(
    "'S COMMAND'",
    "VMRELOCATE MODIFY, CANCEL or STATUS after S seconds, such as '5 MODIFY LINUX1 MAXQUIESCE 20', "
    "or what happens to CTCs, such as '5 VARY OFFLINE CHPID 40', or '5 LOSE director:1' of "
    "hardware. May be repeated.",
)
SEED: Final = Argument("N", "Seed of the message sizes and of who begins when.", 0, SEED_MAX)
BEST: Final = Argument("", "Search how many together are best, and show that.")


@checked
def relocate(
    layout: AnyLayout,
    guests: Annotated[
        GuestPlan | GuestMemory | Sequence[GuestPlan] | Path | str | int,
        Argument(
            "N|FILE.csv",
            "How many such guests are relocated, or a file with a line for each: "
            "name,memory,change_rate and others of these options as columns.",
        ),
    ] = 1,
    *,
    link: str | None = None,
    memory: Annotated[Size, of_guest.MEMORY] = None,
    change_rate: Annotated[Size, of_guest.CHANGE_RATE] = None,
    touched: Annotated[Size, of_guest.TOUCHED] = None,
    hot_set: Annotated[Size, of_guest.HOT_SET] = None,
    write_rate: Annotated[Size, of_guest.WRITE_RATE] = None,
    like: Annotated[str | None, of_guest.LIKE] = None,
    from_: Annotated[
        str | None, Argument("NODE", "The node that the guests leave; the first if not given.")
    ] = None,
    together: Annotated[
        int, Argument("N", "How many guests at the same time.", 1, TOGETHER_MAX)
    ] = 1,
    at_once: Annotated[
        bool, Argument("", "All guests together, instead of one after the other.")
    ] = False,
    best: Annotated[bool, BEST] = False,
    background: Annotated[
        str | tuple[Workload | str, int] | None,
        Argument("NAME:PAIRS", "Other traffic meanwhile: a workload and its pairs, as HS:20."),
    ] = None,
    quiesce: Annotated[
        float | None,
        Argument(
            "S",
            f"Stop the guest when what is left takes so long to move; {QUIESCE_GOAL_S:g} s.",
            *(0, 3600),
        ),
    ] = None,
    max_quiesce: Annotated[
        float | None,
        Argument(
            "S",
            "Give up a guest that is stopped for longer; 10 s, and no limit with --immediate.",
            *(0, SECONDS_MAX),
        ),
    ] = None,
    max_total: Annotated[
        float | None,
        Argument(
            "S",
            "Give up a guest that is not there after so long; no limit if not given.",
            *(0, SECONDS_MAX),
        ),
    ] = None,
    immediate: Annotated[bool, Argument("", "Stop the guest after the first pass.")] = False,
    at: Annotated[Sequence[str], AT] = (),
    window: Annotated[
        int, Argument("N", "Messages of a guest outstanding.", 1, WINDOW_MAX)
    ] = WINDOW,
    seed: Annotated[int, SEED] = 1,
    jobs: int = 1,
    progress: Progress = None,
    profile: GivenSite = None,
) -> Moves:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.

    Raises `ConfigurationError` for what cannot be run. A `GuestPlan` has limits of its own, a
    `GuestMemory` has those of the arguments, in seconds. ``progress`` is told what share of the
    memory has been moved, ``jobs`` runs are made at a time to find the ``best``.
    """
    one, file = named_link_in(layout, link, profile)
    source = None if from_ is None else find_node(spelt("from_"), from_, one.nodes)
    given = {
        "memory": memory,
        "change_rate": change_rate,
        "touched": touched,
        "hot_set": hot_set,
        "write_rate": write_rate,
    }
    limits = _limits(max_total, max_quiesce, quiesce, immediate=immediate)
    plans = _plans(guests, limits, given, like)
    if at_once and together > 1:
        raise ConfigurationError(
            f"{spelt('at_once')} and {spelt('together')}: expected one of them"
        )
    evacuation = Evacuation.over(
        one,
        plans,
        source=source,
        background=_background(background),
        file=file,
        together=len(plans) if at_once else together,
        orders=orders_given(at, plans),
        window=window,
        seed=seed,
    )
    found = moves(evacuation, best=best, jobs=jobs, progress=progress)
    if like is None:
        return found
    known = Note(NoteKind.NO_RANGE, f"{like}: {KNOWN_GUESTS[like].basis}")
    return replace(found, notes=(known, *found.notes))


def orders_given(texts: Sequence[str], guests: Sequence[GuestPlan]) -> tuple[Order, ...]:
    """The commands that are given meanwhile."""
    found: list[Order] = []
    for text in texts:
        with within(f"{spelt('at')} {text[:60]!r}"):
            found += read_orders([text], guests)
    return tuple(found)


def _limits(
    max_total: float | None, max_quiesce: float | None, quiesce: float | None, *, immediate: bool
) -> Limits:
    found = make_limits(
        max_total=max_total,
        max_quiesce=max_quiesce,
        immediate=immediate,
        quiesce=QUIESCE_GOAL_S if quiesce is None else quiesce,
    )
    if quiesce is not None and quiesce > found.max_quiesce:
        raise ConfigurationError(
            f"{spelt('quiesce')} {quiesce:g}: expected at most {spelt('max_quiesce')}, "
            f"{found.max_quiesce:g} s"
        )
    return found


def _plans(
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan] | Path | str | int,
    limits: Limits,
    given: Mapping[str, Size],
    like: str | None,
) -> Sequence[GuestPlan]:
    """The guests: so many alike, those of a file, with ``limits`` where it gives none, or these."""
    if isinstance(guests, str) and guests.lstrip("-").isdigit():
        guests = int(guests[:9])
    if isinstance(guests, int):
        if not 1 <= guests <= GUESTS_MAX:
            raise ConfigurationError(
                f"{spelt('guests')} {guests}: expected 1 to {GUESTS_MAX}, or a CSV file"
            )
        memory = guest_memory(given, like)
        names = [UNNAMED] if guests == 1 else [f"{UNNAMED}{n + 1}" for n in range(guests)]
        return [GuestPlan(name, memory, limits) for name in names]
    if like is not None or any(each is not None for each in given.values()):
        raise ConfigurationError(
            f"{spelt('guests')} FILE.csv: expected no {spelt('memory')} or other option that "
            "describes a guest; its columns do"
        )
    if isinstance(guests, str | Path):
        lines = read_guests(Path(guests), has_destination=False, defaults=limits)
        return [line.plan for line in lines]
    if isinstance(guests, GuestMemory):
        return [GuestPlan(UNNAMED, guests, limits)]
    if limits != Limits():
        raise ConfigurationError(
            f"{spelt('max_total')} and others: expected none, as each GuestPlan has its own limits"
        )
    return [guests] if isinstance(guests, GuestPlan) else guests


def _background(given: str | tuple[Workload | str, int] | None) -> tuple[Workload, int] | None:
    """A workload and how many pairs of guests run it, also from ``HS:20``."""
    if given is None:
        return None
    name, pairs = read_load(spelt("background"), given) if isinstance(given, str) else given
    return find_workload(name), pairs


def relocate_report(found: Moves) -> Report:
    """When all guests run elsewhere, how long one stops, what limits; then each pass or guest."""
    return moves_report(found, "Moved", "Not moved")
