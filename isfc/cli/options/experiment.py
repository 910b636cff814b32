"""The options that say what is run over a link: workload, pairs, time, seed and nodes."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from isfc.cli.options.number import SEED_MAX, within
from isfc.cli.render.workloads import workload_lines
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.repeat import SEEDS_MAX
from scenarios.run import INTERVAL_MIN, PAIRS_MAX, SECONDS_MAX, Experiment, check_node
from scenarios.workload import (
    MESSAGE_LENGTH_MAX,
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    WORKLOADS,
    Workload,
    find_workload,
    free_workload,
    workload_usage,
)


def complete_workload(incomplete: str) -> list[str]:
    """The workloads that begin so."""
    names = (kind.name + ":" * bool(kind.operand) for kind in WORKLOADS.values())
    return [name for name in names if name.startswith(incomplete)]


PairsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default=False,
        callback=within(1, PAIRS_MAX),
        help="Pairs of guests, one conversation each.",
    ),
]
WorkloadOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"A published workload: {workload_usage()} (APPC/VM).",
        autocompletion=complete_workload,
    ),
]
MessageOption = Annotated[
    str | None,
    typer.Option(
        metavar="MIN:MAX:PERCENT",
        help="Or one of your own: MIN bytes in PERCENT of the messages, MAX in the others.",
    ),
]
ReplyOption = Annotated[
    int | None,
    typer.Option(
        metavar="BYTES",
        callback=within(1, MESSAGE_LENGTH_MAX, "bytes"),
        help="The replies to your own messages.",
    ),
]
WindowOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, WINDOW_MAX),
        help="Your own messages outstanding in a conversation; 2 if not given.",
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(INTERVAL_MIN, SECONDS_MAX, "s"),
        help="Virtual time that is measured.",
    ),
]
WarmupOption = Annotated[
    float,
    typer.Option(
        metavar="S", callback=within(0, SECONDS_MAX, "s"), help="Virtual time before that."
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        callback=within(0, SEED_MAX),
        help="Seed of the message sizes and of who begins when.",
    ),
]
SeedsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, SEEDS_MAX),
        help="Repeat with N seeds; show the mean and the spread.",
    ),
]
ClientOption = Annotated[
    str | None,
    typer.Option("--from", metavar="NODE", help="The node of the clients; the first if not given."),
]
SideOption = Annotated[
    str | None,
    typer.Option(metavar="NODE", help="The node to measure at; the clients' if not given."),
]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What runs over one link: a published workload or one of the user's own, and how many."""

    pairs: PairsOption = None
    workload: WorkloadOption = None
    message: MessageOption = None
    reply: ReplyOption = None
    window: WindowOption = None

    def choose_workload(self) -> Workload:
        """The workload that is meant; `ConfigurationError` for options that contradict."""
        own = {"--message": self.message, "--reply": self.reply, "--window": self.window}
        given = [option for option, value in own.items() if value is not None]
        if self.workload is not None:
            if given:
                raise ConfigurationError(
                    f"--workload {self.workload[:40]} and {given[0]}: expected a published "
                    "workload or one of your own, not both"
                )
            return find_workload(self.workload)
        if self.message is None or self.reply is None:
            refusal = "no workload: expected --workload, or --message and --reply"
            raise ConfigurationError("\n".join((refusal, "", *workload_lines())))
        window = TRANSPORT_WINDOW if self.window is None else self.window
        try:
            return free_workload(self.message, self.reply, window)
        except ConfigurationError as error:
            reason = str(error).removeprefix("message ")
            raise ConfigurationError(f"{', '.join(given)}: {reason}") from None


@dataclass(frozen=True, slots=True)
class ExtentOptions:
    """How long a run lasts, and from which seeds."""

    seconds: SecondsOption = 10.0
    warmup: WarmupOption = 1.0
    seed: SeedOption = 1
    seeds: SeedsOption = None


@dataclass(frozen=True, slots=True)
class EndOptions:
    """Which end of a link has the clients, and at which it is measured."""

    client: ClientOption = None
    side: SideOption = None


def make_experiment(*arguments: Any, **settings: Any) -> Experiment:
    """An `Experiment`. What it refuses is told in the words of the command.

    Its settings are called as the options are.
    """
    try:
        return Experiment(*arguments, **settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"--{error}") from None


def choose_node(layout: Layout, option: str, name: str | None) -> NodeName | None:
    """The node of the layout that an option names."""
    if name is None:
        return None
    check_node(layout, option, name.upper())
    return NodeName(name.upper())
