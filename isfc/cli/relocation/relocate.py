"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

from functools import partial
from typing import Annotated

import typer

from isfc.cli.options.experiment import SeedOption, choose_node
from isfc.cli.options.flattened import flattened
from isfc.cli.options.guest import GuestOptions
from isfc.cli.options.layout import open_with_disks
from isfc.cli.options.number import JobsOption
from isfc.cli.options.profile import LinkOptions
from isfc.cli.output.progress import run_all
from isfc.cli.relocation.options import (
    AtOption,
    BackgroundOption,
    LeavingOptions,
    LimitOptions,
    ShownOptions,
    WindowOption,
    read_background,
    read_orders_given,
)
from isfc.cli.relocation.shown import show_moves, show_sweep, watch
from isfc.errors import ConfigurationError
from scenarios.moves.evacuation import WINDOW, Evacuation
from scenarios.moves.study import Varied, advise


class RelocationShown(ShownOptions, frozen=True):
    """What is shown of a relocation, and how."""

    sweep: Annotated[
        Varied | None,
        typer.Option(
            help="A table instead: over 1, 2, 3 ... channels, or with 1, 2, 4 ... guests together."
        ),
    ] = None
    shorter: Annotated[
        bool, typer.Option("--shorter", help="Try what would make the stop shorter as well.")
    ] = False

    def __post_init__(self) -> None:
        if self.sweep and (self.shorter or self.plot):
            raise ConfigurationError("--sweep: expected neither --shorter nor --plot with it")
        if self.csv and self.shorter:
            raise ConfigurationError("--shorter and --csv: expected --json, which has both")
        super().__post_init__()


@flattened
def relocate_guests(
    chosen: LinkOptions,
    *,
    guest: GuestOptions,
    leaving: LeavingOptions,
    background: BackgroundOption = None,
    limited: LimitOptions,
    at: AtOption = None,
    window: WindowOption = WINDOW,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    shown: RelocationShown,
) -> None:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.
    """
    file = chosen.open_file()
    link, _ = open_with_disks(file, chosen.link_name)
    source = choose_node(link, "--from", leaving.source)
    plans = leaving.plans(guest, limited.limits)
    evacuation = Evacuation.over(
        link,
        plans,
        source=source,
        background=None if background is None else read_background(background),
        file=file.collection,
        together=leaving.count_together(len(plans)),
        orders=read_orders_given(at, plans),
        window=window,
        seed=seed,
    )
    if shown.sweep is not None:
        show_sweep(evacuation, shown.sweep, shown, jobs)
        return
    outcome = watch(evacuation)
    advice = None
    if shown.shorter:
        advice = advise(outcome, partial(run_all, jobs=jobs, is_said=True))
    show_moves(outcome, shown, like=guest.like, advice=advice)
