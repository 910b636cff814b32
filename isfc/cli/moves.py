"""``isfc relocate``, ``isfc evacuate`` and ``isfc loads``: who goes.

Which guests, and when each is stopped or given up; one that stays ends the first two with a
failure.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from isfc.answers.evacuate import RollingMaintenance, evacuate_report, rolling_maintenance
from isfc.answers.evacuate import evacuate as evacuated
from isfc.answers.guest import DESCRIBED, guest_memory, read_guests
from isfc.answers.loads import loads as loads_of
from isfc.answers.loads_report import loads_failure
from isfc.answers.moves import Moves
from isfc.answers.relocate import relocate as relocated
from isfc.cli.capability import Instead, command_of
from isfc.cli.options.option import Made, bounded, flag, valued
from isfc.cli.output.streams import ExitCode
from isfc.errors import ConfigurationError
from isfc.errors.arguments import read_size, spelt
from isfc.layout.checked_toml import within
from scenarios.moves import guest
from scenarios.moves.evacuation import GUESTS_MAX
from scenarios.moves.leaving import Tenant
from scenarios.moves.orders import UNNAMED


class GuestOptions(Made, frozen=True):
    """What was given of guests; sizes as text, None is not given."""

    guests: Annotated[
        str,
        valued(
            "N|FILE.csv",
            "How many such guests are relocated, or a file with a line for each: "
            "name,memory,change_rate and others of these options as columns.",
        ),
    ] = "1"
    memory: Annotated[str | None, valued("SIZE", "Memory of a guest, such as 64G.")] = None
    change_rate: Annotated[
        str | None,
        valued("SIZE", "How much of it changes in a second, spread evenly, such as 400M."),
    ] = None
    touched: Annotated[
        str | None,
        valued(
            "SIZE",
            "What the guest has ever touched: the first pass moves it; all memory if not given.",
        ),
    ] = None
    hot_set: Annotated[
        str | None,
        valued("SIZE", "A set of memory that is written at random, such as a heap of 3G."),
    ] = None
    write_rate: Annotated[
        str | None, valued("SIZE", "How much is written to it in a second, as 1G.")
    ] = None
    like: Annotated[
        str | None,
        valued(
            "KIND",
            f"A guest as IBM measured: {', '.join(guest.KNOWN_GUESTS)}. Options that describe the "
            "guest go before.",
        ),
    ] = None
    quiesce: Annotated[
        float | None,
        bounded(
            "S",
            *(0, 3600),
            f"Stop the guest when what is left takes so long to move; {guest.QUIESCE_GOAL_S:g} s.",
        ),
    ] = None
    max_quiesce: Annotated[
        float | None,
        bounded(
            "S",
            *(0, guest.SECONDS_MAX),
            "Give up a guest that is stopped for longer; 10 s, and no limit with --immediate.",
        ),
    ] = None
    max_total: Annotated[
        float | None,
        bounded(
            "S",
            *(0, guest.SECONDS_MAX),
            "Give up a guest that is not there after so long; no limit if not given.",
        ),
    ] = None
    immediate: Annotated[bool, flag("--immediate", "Stop the guest after the first pass.")] = False

    def made(self) -> Sequence[guest.GuestPlan | Tenant]:
        """So many alike, or those of a file, with these limits where it gives none."""
        text, limits = self.guests, self._limits()
        given = {name: getattr(self, name) for name in DESCRIBED}
        if text.lstrip("-").isdigit():
            count = int(text[:9])
            if not 1 <= count <= GUESTS_MAX:
                raise ConfigurationError(
                    f"{spelt('guests')} {text[:40]}: expected 1 to {GUESTS_MAX}, or a CSV file"
                )
            memory = guest_memory(given, self.like)
            names = [UNNAMED] if count == 1 else [f"{UNNAMED}{n + 1}" for n in range(count)]
            return [guest.GuestPlan(name, memory, limits) for name in names]
        if self.like is not None or any(each is not None for each in given.values()):
            raise ConfigurationError(
                f"{spelt('guests')} FILE.csv: expected no {spelt('memory')} or other option that "
                "describes a guest; its columns do"
            )
        return read_guests(Path(text), limits)

    def _limits(self) -> guest.Limits:
        found = guest.make_limits(
            max_total=self.max_total,
            max_quiesce=self.max_quiesce,
            immediate=self.immediate,
            quiesce=guest.QUIESCE_GOAL_S if self.quiesce is None else self.quiesce,
        )
        if self.quiesce is not None and self.quiesce > found.max_quiesce:
            raise ConfigurationError(
                f"{spelt('quiesce')} {self.quiesce:g}: expected at most {spelt('max_quiesce')}, "
                f"{found.max_quiesce:g} s"
            )
        return found


def _code(found: Moves | RollingMaintenance) -> ExitCode:
    return ExitCode.GOOD if found.all_moved else ExitCode.FAILED


relocate = command_of(relocated, _code, made={"guests": GuestOptions})
evacuate = command_of(
    evacuated,
    _code,
    report=evacuate_report,
    instead=[
        Instead(
            "rolling",
            "Rolling maintenance: the systems in turn, or all that have guests; each is left, and "
            "gets its guests back.",
            rolling_maintenance,
        )
    ],
)


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

    def made(self) -> guest.GuestMemory | Path | None:
        """The memory of one that changes nothing, or a file."""
        if self.move is None:
            return self.guests
        if self.guests is not None:
            raise ConfigurationError(f"{spelt('move')} and {spelt('guests')}: expected one of them")
        size = read_size(spelt("move"), self.move)
        with within(spelt("move")):
            return guest.GuestMemory(size=size, touched=size)


loads = command_of(loads_of, loads_failure, made={"guests": LeavingOptions})
