"""``isfc loads``: the load of a link by time, and who leaves."""

from pathlib import Path
from typing import Annotated

from isfc.answers.loads import loads as loads_of
from isfc.answers.loads_report import loads_failure
from isfc.cli.capability import command_of
from isfc.cli.options.option import Made, valued
from isfc.errors import ConfigurationError
from isfc.errors.arguments import read_size, spelt
from isfc.layout.checked_toml import within
from scenarios.moves.guest import GuestMemory


class LeavingOptions(Made, frozen=True):
    """Who is to leave a system, whose soonest time is looked for."""

    move: Annotated[
        str | None, valued("SIZE", "Find when a guest of that memory, as 512G, leaves soonest.")
    ] = None
    guests: Annotated[
        Path | None,
        valued(
            "FILE.csv",
            "Find when these leave soonest: name,memory,change_rate, as for 'isfc evacuate'.",
        ),
    ] = None

    def made(self) -> GuestMemory | Path | None:
        """The memory of one that changes nothing, or a file."""
        if self.move is None:
            return self.guests
        if self.guests is not None:
            raise ConfigurationError(f"{spelt('move')} and {spelt('guests')}: expected one of them")
        size = read_size(spelt("move"), self.move)
        with within(spelt("move")):
            return GuestMemory(size=size, touched=size)


loads = command_of(
    loads_of,
    loads_failure,
    made={"guests": LeavingOptions},
)
