"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

from functools import partial

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.experiments import run_all
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
from isfc.cli.options.jobs import JobsOption
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.profile import ProfileOption, open_profile, profile_record
from isfc.cli.options.relocation import (
    AtOnceOption,
    AtOption,
    BackgroundOption,
    CsvOption,
    FromOption,
    GuestsOption,
    ImmediateOption,
    PlotOption,
    QuiesceMaxOption,
    QuiesceOption,
    ShorterOption,
    Shown,
    SweepOption,
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
from isfc.cli.render.notes import note_lines, note_records, show_notes
from isfc.cli.render.output import show, show_csv, show_error, show_json
from isfc.cli.render.relocate import relocation_page
from isfc.cli.render.relocation_plot import write_relocation_plot
from isfc.cli.render.relocation_study import (
    shorter_page,
    shorter_rows,
    sweep_page,
    sweep_rows,
)
from isfc.layout.site import SiteProfile
from isfc.layout.site_file import with_site
from scenarios.notes import relocation_notes
from scenarios.relocated import Relocated, check_stop, watch_relocation
from scenarios.relocation import WINDOW, Relocation
from scenarios.relocation_study import Varied, advise
from scenarios.relocation_study import sweep as run_sweep

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
    jobs: JobsOption = None,
    sweep: SweepOption = None,
    shorter: ShorterOption = False,
    plot: PlotOption = None,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.
    """
    shown = Shown(sweep, shorter, plot, csv, json)
    site = open_profile(profile)
    link = with_site(open_layout(layout, link_name), site)
    described = GuestOptions(like, memory, touched, change_rate, hot_set, write_rate)
    limits = choose_limits(quiesce, max_quiesce, max_total, immediate=immediate)
    leaving = choose_node(link, "--from", source)
    plans = choose_guests(guests, described, limits, lambda plan: check_stop(plan, link, leaving))
    relocation = Relocation(
        link,
        plans,
        choose_together(at_once, together, len(plans)),
        leaving,
        None if background is None else read_background(background),
        read_orders(at, plans),
        window,
        seed,
    )
    if sweep is not None:
        _sweep(relocation, sweep, shown, site, jobs)
        return
    found = _watch(relocation)
    _show(found, shown, like, site, jobs)
    if not found.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def _sweep(
    relocation: Relocation, varied: Varied, shown: Shown, site: SiteProfile | None, jobs: int | None
) -> None:
    """A table over what is varied. Guests that cannot be moved somewhere are no failure of it."""
    tried = run_sweep(relocation, varied, partial(run_all, jobs=jobs))
    rows = sweep_rows(varied, tried)
    each = [relocation_notes(relocation, one.outcome) for one in tried]
    notes = [*dict.fromkeys(note for those in each for note in those)]
    if shown.csv:
        show_notes(notes)
        show_csv(rows)
    elif shown.json:
        record = {"varied": varied, "runs": rows, **note_records(notes)}
        show_json({**record, **profile_record(site)})
    else:
        show(sweep_page(relocation, varied, tried), *note_lines(notes))


def _show(
    found: Relocated, shown: Shown, like: str | None, site: SiteProfile | None, jobs: int | None
) -> None:
    advice = None
    if shown.shorter:
        advice = advise(found.relocation, found.outcome, partial(run_all, jobs=jobs))
    if shown.plot:
        source, to = found.relocation.way
        write_relocation_plot(shown.plot, found.guests, f"Passes from {source} to {to}")
    if shown.csv:
        show_notes(found.notes)
        show_csv(found.rows())
    elif shown.json:
        tried = {} if advice is None else {"shorter": shorter_rows(advice)}
        show_json({**found.to_dict(), **tried, **profile_record(site)})
    else:
        more = [] if advice is None else ["", shorter_page(found, advice)]
        show(relocation_page(found, like), *more, *note_lines(found.notes))


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
