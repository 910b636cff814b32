"""What is asked of the ``isfc up`` that runs: a system started again, hardware lost or restored."""

import time
from typing import Annotated, Final

import typer
from msgspec import Struct
from rich.console import RenderableType

from isfc.cli.live.lose import (
    change_lost,
    ends_of_pieces,
    pieces_lost,
    running_group,
    running_of,
    vary,
    wait_settled,
)
from isfc.cli.output.table import plain_table
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.in_words import find_node, listed
from isfc.link.name import NodeName
from isfc.live.run_directory import again_path, control_path

COME_S: Final = 60.0
"""How long its links may take to come up, in seconds (chosen)."""

LOOK_S: Final = 0.1


class AskedOptions(Struct, frozen=True):
    """What is asked of the systems that run, instead of starting them."""

    only: Annotated[
        str | None,
        typer.Option(
            metavar="NODE",
            help="Start this one again, which was killed, in the 'isfc up' of the layout that "
            "runs, with its options.",
        ),
    ] = None
    lose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PIECE",
            help="Take hardware from the 'isfc up' of the layout that runs, named as for 'isfc "
            "plan --without': ALPHA:40, director:1, cec:EAST. May be given again.",
        ),
    ] = None
    restore: Annotated[
        list[str] | None,
        typer.Option(metavar="PIECE", help="Give lost hardware back. May be given again."),
    ] = None

    def __post_init__(self) -> None:
        if self.only and (self.lose or self.restore):
            raise ConfigurationError("--only: expected neither --lose nor --restore with it")

    @property
    def option(self) -> str | None:
        """The option that asks for something; None if nothing is asked."""
        asked = {"--only": self.only, "--lose": self.lose, "--restore": self.restore}
        return next((option for option, value in asked.items() if value), None)

    def answer(self, collection: Collection, named: str) -> list[RenderableType]:
        """Do it, and say what came of it; ``named`` is how the command line names the layout."""
        if self.only:
            name = find_node("--only", self.only, collection.systems)
            start_again(name, collection)
            return [f"{name} is up again."]
        lost, counts = change_lost(collection, self.lose or (), self.restore or ())
        table = plain_table("link", ">CTCs up")
        for row in counts:
            table.add_row(*row)
        back = f"; 'isfc up {named} --restore {lost[-1]}' gives it back" if lost else ""
        return [f"Lost: {listed(lost) if lost else 'nothing'}{back}.", "", table]


def start_again(name: NodeName, collection: Collection) -> None:
    """Return when its CTCs to systems that run are up again, as far as both have them online.

    Raises `ConfigurationError` where no ``isfc up`` of these systems runs, or the system does.
    """
    group = running_group(f"--only {name}", collection.systems)
    if name in running_of(group):
        raise ConfigurationError(f"--only {name}: runs already; expected one that was killed")
    path = control_path(group.directory, name)
    again_path(group.directory, name).touch()
    gone = ends_of_pieces(collection, pieces_lost(group))
    end_s = time.monotonic() + COME_S
    while name not in running_of(group) and time.monotonic() < end_s:
        time.sleep(LOOK_S)
    if name in running_of(group):
        vary(path, [rdev for node, rdev in gone if node == name], "OFFLINE")
        if wait_settled(collection, group, end_s - time.monotonic()) and name in running_of(group):
            return
    raise OSError(f"{name} has not come up within {COME_S:g} s")
