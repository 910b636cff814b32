"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

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
from isfc.cli.options.profile import ProfileOption, open_profile, profile_lines, profile_record
from isfc.cli.options.relocation import (
    AtOnceOption,
    AtOption,
    BackgroundOption,
    FromOption,
    GuestsOption,
    ImmediateOption,
    QuiesceMaxOption,
    QuiesceOption,
    TogetherOption,
    TotalMaxOption,
    WindowOption,
    choose_guests,
    choose_limits,
    choose_together,
    read_background,
    read_orders,
)
from isfc.cli.progress import progress_bar
from isfc.cli.render.output import show, show_error, show_json
from isfc.cli.render.relocate import relocation_page
from isfc.layout.site_file import with_site
from scenarios.relocated import Relocated, watch_relocation
from scenarios.relocation import WINDOW, Relocation

GIB = 2**30


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
    guests: GuestsOption = "1",
    at_once: AtOnceOption = False,
    together: TogetherOption = None,
    background: BackgroundOption = None,
    quiesce: QuiesceOption = None,
    max_quiesce: QuiesceMaxOption = None,
    max_total: TotalMaxOption = None,
    immediate: ImmediateOption = False,
    at: AtOption = None,
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
    described = GuestOptions(like, memory, touched, change_rate, hot_set, write_rate)
    limits = choose_limits(quiesce, max_quiesce, max_total, immediate=immediate)
    plans = choose_guests(guests, described, limits)
    relocation = Relocation(
        link,
        plans,
        choose_together(at_once, together, len(plans)),
        choose_node(link, "--from", source),
        None if background is None else read_background(background),
        read_orders(at, plans),
        window,
        seed,
    )
    found = _watch(relocation)
    if json:
        show_json({**found.to_dict(), **profile_record(site)})
    else:
        show(relocation_page(found), *profile_lines(site))
    if not found.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def _watch(relocation: Relocation) -> Relocated:
    """Relocate, and show how many GiB have been moved: more than all memory, as it changes."""
    done = 0.0
    total = sum(plan.memory.touched for plan in relocation.guests) / GIB

    def advance(length: float) -> None:
        nonlocal done
        done = length / GIB
        show_progress(min(done, total))

    try:
        with progress_bar(total, "GiB, and then what changes") as show_progress:
            return watch_relocation(relocation, advance)
    except KeyboardInterrupt:
        show_error(f"interrupted after {done:.1f} GiB")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
