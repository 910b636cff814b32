"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

from isfc.cli.options.experiment import SeedOption, choose_node
from isfc.cli.options.flattened import flattened
from isfc.cli.options.guest import GuestOptions
from isfc.cli.options.layout import open_with_disks
from isfc.cli.options.number import JobsOption
from isfc.cli.options.profile import LinkOptions
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
from isfc.cli.relocation.shown import move_and_show
from scenarios.moves.evacuation import WINDOW, Evacuation


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
    shown: ShownOptions,
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
    move_and_show(evacuation, shown, jobs, like=guest.like)
