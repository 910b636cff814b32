"""How long live guest relocations take over a link, and for how long guests are stopped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from isfc.answers.guest_file import read_guests
from isfc.answers.moves import Moves, Progress, moves
from isfc.answers.moves_report import moves_report
from isfc.arguments import SEED_MAX, Argument, Jobs, checked, spelt
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.in_words import find_node
from isfc.reports.report import Report
from scenarios.moves.evacuation import TOGETHER_MAX, WINDOW, WINDOW_MAX, Evacuation
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits
from scenarios.moves.orders import UNNAMED, Order, read_orders
from scenarios.runs.at_site import GivenSite, link_of, links_at
from scenarios.runs.experiment import read_load
from scenarios.runs.workload import Workload, find_workload

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
    int, Argument("N", "How many guests leave a system at the same time.", 1, TOGETHER_MAX)
]


@checked
def relocate(
    layout: AnyLayout,
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan] | Path | str,
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
        int, Argument("N", "Messages of a guest outstanding.", 1, WINDOW_MAX)
    ] = WINDOW,
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
    source = None if from_ is None else find_node(spelt("from_"), from_, one.nodes)
    plans = plans_of(guests)
    evacuation = Evacuation.over(
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


def orders_given(texts: Sequence[str], guests: Sequence[GuestPlan]) -> tuple[Order, ...]:
    """The commands that are given meanwhile."""
    found: list[Order] = []
    for text in texts:
        with within(f"{spelt('at')} {text[:60]!r}"):
            found += read_orders([text], guests)
    return tuple(found)


def plans_of(
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan] | Path | str,
) -> Sequence[GuestPlan]:
    """The guests, of a file too; a memory is that of one."""
    if isinstance(guests, str | Path):
        lines = read_guests(Path(guests), has_destination=False, defaults=Limits())
        return [line.plan for line in lines]
    if isinstance(guests, GuestMemory):
        return [GuestPlan(UNNAMED, guests)]
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
