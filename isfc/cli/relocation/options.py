"""The options of ``isfc relocate`` and ``isfc evacuate`` but for those that describe a guest."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.options.experiment import read_load
from isfc.cli.options.guest import GuestOptions
from isfc.cli.options.guest_file import read_guests
from isfc.cli.options.layout import JsonOption, expect_one
from isfc.cli.options.number import bounded
from isfc.cli.output.file import ForceOption
from isfc.cli.output.picture import check_picture
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from scenarios.moves.evacuation import GUESTS_MAX, TOGETHER_MAX, WINDOW_MAX
from scenarios.moves.guest import GuestPlan
from scenarios.moves.orders import UNNAMED, Order, read_orders
from scenarios.moves.vmrelocate import QUIESCE_GOAL_S, SECONDS_MAX, Limits, make_limits
from scenarios.runs.workload import Workload, find_workload

BackgroundOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME:PAIRS", help="Other traffic meanwhile: a workload and its pairs, as HS:20."
    ),
]
AtOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'S COMMAND'",
        help="VMRELOCATE MODIFY, CANCEL or STATUS after S seconds, such as "
        "'5 MODIFY LINUX1 MAXQUIESCE 20', or what happens to CTCs, such as "
        "'5 VARY OFFLINE CHPID 40', or '5 LOSE director:1' of hardware. May be repeated.",
    ),
]
WindowOption = Annotated[int, bounded("N", 1, WINDOW_MAX, "Messages of a guest outstanding.")]

PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the passes over time; FILE ends with .svg or .png."),
]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the passes as CSV.")]


class LeavingOptions(Struct, frozen=True):
    """Which guests leave which node, and how many at the same time."""

    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NODE", help="The node that the guests leave; the first if not given."
        ),
    ] = None
    guests: Annotated[
        str,
        typer.Option(
            metavar="N|FILE.csv",
            help="How many such guests are relocated, or a file with a line for each: "
            "name,memory,change_rate and others of these options as columns.",
        ),
    ] = "1"
    at_once: Annotated[
        bool, typer.Option("--at-once", help="All guests together, instead of one after the other.")
    ] = False
    together: Annotated[
        int | None, bounded("N", 1, TOGETHER_MAX, "Or N of them at the same time.")
    ] = None

    def __post_init__(self) -> None:
        expect_one(at_once=self.at_once, together=self.together)

    def plans(self, options: GuestOptions, limits: Limits) -> tuple[GuestPlan, ...]:
        """The guests: so many alike, or those of a file, with ``limits`` where it gives none."""
        text = self.guests
        if text.lstrip("-").isdigit():
            count = int(text[:9])
            if not 1 <= count <= GUESTS_MAX:
                raise ConfigurationError(
                    f"--guests {text[:40]}: expected 1 to {GUESTS_MAX}, or a CSV file"
                )
            memory = options.read()
            names = [UNNAMED] if count == 1 else [f"{UNNAMED}{n + 1}" for n in range(count)]
            return tuple(GuestPlan(name, memory, limits) for name in names)
        if options != GuestOptions():
            raise ConfigurationError(
                "--guests FILE.csv: expected no --memory or other option that describes a guest; "
                "its columns do"
            )
        lines = read_guests(Path(text), has_destination=False, defaults=limits)
        return tuple(line.plan for line in lines)

    def count_together(self, count: int) -> int:
        """How many of ``count`` guests are on their way at the same time."""
        return count if self.at_once else self.together or 1


class LimitOptions(Struct, frozen=True):
    """When a guest is stopped, and when it is given up."""

    quiesce: Annotated[
        float | None,
        bounded(
            "S",
            0,
            3600,
            f"Stop the guest when what is left takes so long to move; {QUIESCE_GOAL_S:g} s.",
        ),
    ] = None
    max_quiesce: Annotated[
        float | None,
        bounded(
            "S",
            0,
            SECONDS_MAX,
            "Give up a guest that is stopped for longer; 10 s, and no limit with --immediate.",
        ),
    ] = None
    max_total: Annotated[
        float | None,
        bounded(
            "S",
            0,
            SECONDS_MAX,
            "Give up a guest that is not there after so long; no limit if not given.",
        ),
    ] = None
    immediate: Annotated[
        bool, typer.Option("--immediate", help="Stop the guest after the first pass.")
    ] = False

    def __post_init__(self) -> None:
        for option, value in (("--max-quiesce", self.max_quiesce), ("--max-total", self.max_total)):
            if value == 0:
                raise ConfigurationError(f"{option} 0: expected more than 0 s")
        most_s = self.limits.max_quiesce
        if self.quiesce is not None and self.quiesce > most_s:
            raise ConfigurationError(
                f"--quiesce {self.quiesce:g}: expected at most --max-quiesce, {most_s:g} s"
            )

    @property
    def limits(self) -> Limits:
        """VMRELOCATE's limits."""
        goal = QUIESCE_GOAL_S if self.quiesce is None else self.quiesce
        return make_limits(
            max_total=self.max_total,
            max_quiesce=self.max_quiesce,
            immediate=self.immediate,
            quiesce=goal,
        )


class ShownOptions(Struct, frozen=True):
    """How moves are shown."""

    best: Annotated[
        bool, typer.Option("--best", help="Search how many together are best, and show that.")
    ] = False
    plot: PlotOption = None
    force: ForceOption = False
    csv: CsvOption = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        check_picture(self.plot, force=self.force)


def read_orders_given(
    texts: Sequence[str] | None, guests: Sequence[GuestPlan]
) -> tuple[Order, ...]:
    """The commands that are given meanwhile."""
    found: list[Order] = []
    for text in texts or ():
        with within(f"--at {text[:60]!r}"):
            found += read_orders([text], guests)
    return tuple(found)


def read_background(text: str) -> tuple[Workload, int]:
    """A workload and how many pairs of guests run it, from ``HS:20``."""
    name, pairs = read_load("--background", text)
    return find_workload(name), pairs
