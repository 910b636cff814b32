"""``isfc evacuate``: move every guest of some systems to other members of their cluster."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from isfc.cli.options.experiment import SeedOption
from isfc.cli.options.flattened import flattened
from isfc.cli.options.guest_file import read_guests
from isfc.cli.options.layout import LayoutArgument, open_collection
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.relocation.options import AtOption, ShownOptions, read_orders_given
from isfc.cli.relocation.rolling import show_rolling
from isfc.cli.relocation.shown import move_and_show
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.in_words import find_node
from scenarios.moves.evacuated import systems_in_turn, systems_named
from scenarios.moves.evacuation import TOGETHER_MAX, Evacuation
from scenarios.moves.rolling import Rolling
from scenarios.moves.targets import Tenant, place_guests, rooms
from scenarios.moves.vmrelocate import Limits
from scenarios.runs.workload import load_of

_Found = TypeVar("_Found")


class EvacuationShown(ShownOptions, frozen=True):
    """What is shown of an evacuation, and how."""

    rolling: Annotated[
        bool,
        typer.Option(
            "--rolling",
            help="Rolling maintenance: the systems in turn, or all that have guests; each is left, "
            "and gets its guests back.",
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.rolling and (self.best or self.plot):
            raise ConfigurationError("--rolling: expected neither --best nor --plot with it")
        super().__post_init__()


GuestsOption = Annotated[
    Path,
    typer.Option(
        metavar="FILE.csv",
        help="A line for each guest: name,memory,change_rate,to, as LINUX1,64G,200M,BETA, "
        "and other options of 'isfc relocate' as columns. Without 'to' a guest goes where the "
        "file's [memory.SYSTEM] have room for it, or to the partners in turn. 'from' says where "
        "it is, if several systems are left.",
    ),
]


@flattened
def evacuate_system(
    layout: LayoutArgument,
    system: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM...", help="The systems that the guests leave, or cec:NAME for its."
        ),
    ] = None,
    *,
    guests: GuestsOption,
    together: Annotated[
        int, bounded("N", 1, TOGETHER_MAX, "How many guests leave a system at the same time.")
    ] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Without the traffic of the file's [[traffic]].")
    ] = False,
    at: AtOption = None,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    shown: EvacuationShown,
) -> None:
    """Show how long it takes to move every guest off systems.

    Guests are relocated as 'isfc relocate' does it, in the order of the file, over all links of
    the cluster and beside its [[traffic]]. When a link dies, those that wait for it go elsewhere.
    Ends with 1 if a guest could not be relocated.
    """
    collection = open_collection(layout).collection
    if quiet and not collection.traffic:
        raise ConfigurationError(f"--quiet: {layout} has no [[traffic]]; expected it without")
    loads = () if quiet else tuple(map(load_of, collection.traffic))
    tenants = read_tenants(guests, collection)
    orders = read_orders_given(at, [each.plan for each in tenants])
    run: dict[str, Any] = {"together": together, "loads": loads, "orders": orders, "seed": seed}
    if shown.rolling:
        order = _named(lambda: systems_in_turn(collection, system or (), tenants))
        show_rolling(Rolling(collection, order, tenants, **run), shown)
        return
    sources = _named(lambda: systems_named(collection, system or ()))
    room = rooms(collection)
    with within(f"--guests {guests}"):
        placed = place_guests(collection, sources, tenants, room)
    evacuation = Evacuation(collection, sources, placed, **run, room=room)
    move_and_show(evacuation, shown, jobs)


def _named(find: Callable[[], _Found]) -> _Found:
    """What is found, or an error that names the argument as the command has it."""
    try:
        return find()
    except ConfigurationError as error:
        raise ConfigurationError(f"SYSTEM{str(error).removeprefix('system')}") from None


def read_tenants(path: Path, collection: Collection) -> tuple[Tenant, ...]:
    """The guests in a CSV file. Raises `ConfigurationError`, which names file, line and column."""
    tenants = []
    for line in read_guests(path, has_destination=True, defaults=Limits()):
        with within(f"--guests {path}: line {line.number}"):
            to, source = (
                find_node(column, text, collection.systems) if text else None
                for column, text in (("to", line.to), ("from", line.source))
            )
            tenants.append(Tenant(line.plan, to=to, source=source))
    return tuple(tenants)
