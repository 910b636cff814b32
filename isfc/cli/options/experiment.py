"""Options of runs, live ones too: workload, seed and the clients' node."""

from typing import Annotated

import typer

from isfc.cli.options.option import Made, bounded, valued
from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX
from scenarios.runs.experiment import WARMUP as WARMUP
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX
from scenarios.runs.workload import (
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    Workload,
    free_workload,
    workload_usage,
)
from scenarios.runs.workload import complete_workload as complete_workload

WorkloadOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"A published workload: {workload_usage()} (APPC/VM).",
        autocompletion=complete_workload,
    ),
]
SeedOption = Annotated[
    int, bounded("N", 0, SEED_MAX, "Seed of the message sizes and of who begins when.")
]
ClientOption = Annotated[
    str | None, valued("NODE", "The node of the clients; the first if not given.", "--from")
]


class WorkloadOptions(Made, frozen=True):
    """Options of one link's workload: a published one, or messages of one's own."""

    workload: WorkloadOption = None
    message: Annotated[
        str | None,
        valued(
            "MIN:MAX:PERCENT",
            "Or one of your own: MIN bytes in PERCENT of the messages, MAX in the others.",
        ),
    ] = None
    reply: Annotated[
        int | None, bounded("BYTES", 1, MESSAGE_LENGTH_MAX, "The replies to your own messages.")
    ] = None
    window: Annotated[
        int | None,
        bounded(
            "N",
            *(1, WINDOW_MAX),
            f"Your own messages outstanding in a conversation; {TRANSPORT_WINDOW} if not given.",
        ),
    ] = None

    def made(self) -> Workload | str | None:
        """What runs, or its name; `ConfigurationError` for options that contradict."""
        own = {"--message": self.message, "--reply": self.reply, "--window": self.window}
        given = [option for option, value in own.items() if value is not None]
        if self.workload is not None and given:
            raise ConfigurationError(
                f"--workload {self.workload[:40]} and {given[0]}: expected a published "
                "workload or one of your own, not both"
            )
        if self.workload is not None or not given:
            return self.workload
        if self.message is None or self.reply is None:
            from isfc.answers.run import no_workload  # which live commands do without

            raise no_workload()
        window = TRANSPORT_WINDOW if self.window is None else self.window
        try:
            return free_workload(self.message, self.reply, window)
        except ConfigurationError as error:
            reason = str(error).removeprefix("message ")
            raise ConfigurationError(f"{', '.join(given)}: {reason}") from None
