"""The options that say what is run over a link: workload, pairs, time, seed and nodes."""

from typing import Annotated, Any

import typer

from isfc.cli.options.number import SEED_MAX, within
from isfc.cli.render.workloads import workload_lines
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
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
ClientOption = Annotated[
    str | None,
    typer.Option("--from", metavar="NODE", help="The node of the clients; the first if not given."),
]
SideOption = Annotated[
    str | None,
    typer.Option(metavar="NODE", help="The node to measure at; the clients' if not given."),
]


def choose_workload(
    name: str | None, message: str | None, reply: int | None, window: int | None
) -> Workload:
    """The workload that the options mean; `ConfigurationError` if they contradict each other."""
    own = {"--message": message, "--reply": reply, "--window": window}
    given = [option for option, value in own.items() if value is not None]
    if name is not None:
        if given:
            raise ConfigurationError(
                f"--workload {name[:40]} and {given[0]}: expected a published workload "
                "or one of your own, not both"
            )
        return find_workload(name)
    if message is None or reply is None:
        refusal = "no workload: expected --workload, or --message and --reply"
        raise ConfigurationError("\n".join((refusal, "", *workload_lines())))
    try:
        return free_workload(message, reply, TRANSPORT_WINDOW if window is None else window)
    except ConfigurationError as error:
        reason = str(error).removeprefix("message ")
        raise ConfigurationError(f"{', '.join(given)}: {reason}") from None


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
