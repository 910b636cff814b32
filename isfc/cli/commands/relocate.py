"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

from math import inf
from typing import Annotated, Any

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.options.experiment import SeedOption, choose_node
from isfc.cli.options.guest import (
    ChangeRateOption,
    GuestOptions,
    HotSetOption,
    LikeOption,
    MemoryOption,
    TouchedOption,
    WriteRateOption,
)
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.number import within
from isfc.cli.options.profile import ProfileOption, open_profile, profile_lines, profile_record
from isfc.cli.progress import progress_bar
from isfc.cli.render.output import show, show_error, show_json
from isfc.cli.render.relocate import relocation_page
from isfc.errors import ConfigurationError
from isfc.layout.site_file import with_site
from scenarios.relocation import (
    GUESTS_MAX,
    QUIESCE_GOAL_S,
    QUIESCE_MAX_S,
    TOTAL_MAX_S,
    WINDOW,
    WINDOW_MAX,
    Moved,
    Outcome,
    Relocation,
    relocate,
)
from scenarios.run import PAIRS_MAX, Experiment, run
from scenarios.workload import Workload, find_workload

GIB = 2**30

FromOption = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="NODE", help="The node that the guests leave; the first if not given."
    ),
]
GuestsOption = Annotated[
    int,
    typer.Option(
        metavar="N", callback=within(1, GUESTS_MAX), help="How many such guests are relocated."
    ),
]
AtOnceOption = Annotated[
    bool, typer.Option("--at-once", help="All guests together, instead of one after the other.")
]
BackgroundOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME:PAIRS", help="Other traffic meanwhile: a workload and its pairs, as HS:20."
    ),
]
QuiesceOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(0, 3600, "s"),
        help="Stop the guest when what is left takes so long to move.",
    ),
]
QuiesceMaxOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        callback=within(0, 3600, "s"),
        help="Do not relocate a guest that would be stopped for longer; 10 s, and no limit with "
        "--immediate.",
    ),
]
TotalMaxOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        callback=within(0, TOTAL_MAX_S, "s"),
        help="Give up a guest that is not there after so long; no limit if not given.",
    ),
]
ImmediateOption = Annotated[
    bool, typer.Option("--immediate", help="Stop the guest after the first pass.")
]
WindowOption = Annotated[
    int,
    typer.Option(
        metavar="N", callback=within(1, WINDOW_MAX), help="Messages of a guest outstanding."
    ),
]


def relocate_guests(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    profile: ProfileOption = None,
    memory: MemoryOption = None,
    change_rate: ChangeRateOption = None,
    touched: TouchedOption = None,
    hot_set: HotSetOption = None,
    write_rate: WriteRateOption = None,
    like: LikeOption = None,
    source: FromOption = None,
    guests: GuestsOption = 1,
    at_once: AtOnceOption = False,
    background: BackgroundOption = None,
    quiesce: QuiesceOption = QUIESCE_GOAL_S,
    max_quiesce: QuiesceMaxOption = None,
    max_total: TotalMaxOption = None,
    immediate: ImmediateOption = False,
    window: WindowOption = WINDOW,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.
    """
    site = open_profile(profile)
    link = with_site(open_layout(layout, link_name), site)
    guest = GuestOptions(like, memory, touched, change_rate, hot_set, write_rate).read()
    relocation = Relocation(
        link,
        guest.size,
        guest.change_rate,
        touched=guest.touched,
        hot_set=guest.hot_set,
        write_rate=guest.write_rate,
        guests=guests,
        at_once=at_once,
        source=choose_node(link, "--from", source),
        background=None if background is None else read_background(background),
        window=window,
        quiesce_goal=quiesce,
        quiesce_max=choose_quiesce_max(quiesce, max_quiesce, immediate),
        total_max=max_total,
        immediate=immediate,
        seed=seed,
    )
    outcome = _watch(relocation)
    alone = background_alone(relocation)
    if json:
        show_json({**relocation_record(relocation, outcome, alone), **profile_record(site)})
    else:
        show(relocation_page(relocation, outcome, alone), *profile_lines(site))
    if not all(guest.moved for guest in outcome.guests):
        raise typer.Exit(ExitCode.FAILED)


def choose_quiesce_max(goal: float, most: float | None, immediate: bool) -> float:
    """How long a guest may be stopped, in seconds: as given, or VMRELOCATE's default."""
    if most is None:
        most = inf if immediate else QUIESCE_MAX_S
    if goal > most:
        raise ConfigurationError(f"--quiesce {goal:g}: expected at most --max-quiesce, {most:g} s")
    return most


def read_background(text: str) -> tuple[Workload, int]:
    """A workload and how many pairs of guests run it, from ``HS:20``."""
    name, _, pairs = text.rpartition(":")
    if not (pairs.isascii() and pairs.isdigit() and 1 <= int(pairs[:9]) <= PAIRS_MAX and name):
        raise ConfigurationError(
            f"--background {text[:40]}: expected NAME:PAIRS with 1 to {PAIRS_MAX} pairs, "
            "such as HS:20"
        )
    return find_workload(name), int(pairs)


def background_alone(relocation: Relocation) -> float | None:
    """The exchanges/s of the background traffic without a relocation, if there is any."""
    if relocation.background is None:
        return None
    workload, pairs = relocation.background
    experiment = Experiment(
        relocation.layout, workload, pairs, 1.0, 0.2, relocation.seed, relocation.source
    )
    return run(experiment).messages_per_s_in


def relocation_record(
    relocation: Relocation, outcome: Outcome, alone: float | None
) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    background = relocation.background
    return {
        "source": relocation.source or relocation.layout.nodes[0],
        "memory_bytes": relocation.memory,
        "touched_bytes": relocation.guest_memory.touched,
        "change_bytes_per_s": relocation.change_rate,
        "hot_set_bytes": relocation.hot_set,
        "write_bytes_per_s": relocation.write_rate,
        "at_once": relocation.at_once,
        "seconds": outcome.seconds,
        "guests": [_guest_record(guest) for guest in outcome.guests],
        "background": background
        and {
            "workload": background[0].name,
            "pairs": background[1],
            "exchanges_per_s": outcome.background_per_s,
            "exchanges_per_s_alone": alone,
        },
    }


def _guest_record(guest: Moved) -> dict[str, Any]:
    return {
        "moved": guest.moved,
        "end": guest.end,
        "reason": guest.end.code,
        "seconds": guest.seconds,
        "quiesced_seconds": guest.quiesced_seconds,
        "bytes": guest.length,
        "passes": [
            {
                "begin_s": each.begin_ns / 1e9,
                "seconds": each.seconds,
                "bytes": each.length,
                "changed_bytes": each.changed_length,
                "quiesced": each.quiesced,
            }
            for each in guest.passes
        ],
    }


def _watch(relocation: Relocation) -> Outcome:
    """Relocate, and show how many GiB have been moved: more than all memory, as it changes."""
    done = 0.0
    total = relocation.guest_memory.touched * relocation.guests / GIB

    def advance(length: float) -> None:
        nonlocal done
        done = length / GIB
        show_progress(min(done, total))

    try:
        with progress_bar(total, "GiB, and then what changes") as show_progress:
            return relocate(relocation, advance)
    except KeyboardInterrupt:
        show_error(f"interrupted after {done:.1f} GiB")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
