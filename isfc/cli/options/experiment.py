"""The options that say what is run over a link: workload, pairs, time, seed and nodes."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from msgspec import Struct

from isfc.arguments import SEED_MAX
from isfc.cli.options.number import bounded
from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from isfc.layout.in_words import exact, find_node
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, WARMUP, Experiment
from scenarios.runs.repeat import SEEDS_MAX
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import (
    MESSAGE_LENGTH_MAX,
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    WORKLOADS,
    Workload,
    WorkloadKind,
    find_workload,
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
SeedsOption = Annotated[
    int | None, bounded("N", 1, SEEDS_MAX, "Repeat with N seeds; show the mean and the spread.")
]
ClientOption = Annotated[
    str | None, valued("NODE", "The node of the clients; the first if not given.", "--from")
]


class LoadOptions(Struct, frozen=True):
    """What runs over one link: a published workload or one of the user's own, and how many."""

    pairs: Annotated[
        int | None, bounded("N", 1, PAIRS_MAX, "Pairs of guests, one conversation each.")
    ] = None
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
            "N", 1, WINDOW_MAX, "Your own messages outstanding in a conversation; 2 if not given."
        ),
    ] = None

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


class ExtentOptions(Struct, frozen=True):
    """How long a run lasts, and from which seeds."""

    seconds: Annotated[
        float, bounded("S", INTERVAL_MIN, SECONDS_MAX, "Virtual time that is measured.")
    ] = 10.0
    warmup: Annotated[float, bounded("S", 0, SECONDS_MAX, "Virtual time before that.")] = WARMUP
    seed: SeedOption = 1
    seeds: SeedsOption = None


class EndOptions(Struct, frozen=True):
    """Which end of a link has the clients, and at which it is measured."""

    client: ClientOption = None
    side: Annotated[
        str | None, valued("NODE", "The node to measure at; the clients' if not given.")
    ] = None


def make_experiment(*arguments: Any, **settings: Any) -> Experiment:
    """An `Experiment`. What it refuses is told in the words of the command.

    Its settings are called as the options are.
    """
    try:
        return Experiment.of(*arguments, **settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"--{error}") from None


def choose_node(layout: Layout, option: str, name: str | None) -> NodeName | None:
    """The node of the layout that an option names."""
    return None if name is None else find_node(option, name, layout.nodes)


_NOTES: Final = """\
The smaller size is that of 20 % of the messages. A pair is a client and a
server that always have something under way: two messages, with CDU one.
--pairs 1 shows how long an exchange takes. On IBM's links 50 pairs of HL
carried nearly what 100 did; of shorter messages, 100 pairs carried up to three
quarters more. Guests that think between messages count for less.
'isfc relocate' moves guests itself."""
"""Published: MB/s of the ISFC Transport runs with 50 and with 100 pairs."""


def workload_lines() -> Iterator[str]:
    """A line for each workload, and how many pairs to choose."""
    yield f"{'--workload':<12} {'message bytes':<17} {'reply':>6}  like"
    for kind in WORKLOADS.values():
        name, lengths, reply = _figures(kind)
        yield f"{name:<12} {lengths:<17} {reply:>6}  {kind.help}"
    yield ""
    yield from _NOTES.splitlines()


def _figures(kind: WorkloadKind) -> tuple[str, str, str]:
    """Its name, and the lengths of its messages and of a reply; a family's with the operand."""
    workload = kind.make(1)
    reply = exact(workload.reply_length)
    if not kind.operand:
        return kind.name, _lengths(workload), reply
    operand = kind.operand.split()[-1].upper()
    is_its = kind.make(2).reply_length != workload.reply_length
    return f"{kind.name}:{operand}", _lengths(workload), operand if is_its else reply


def _lengths(workload: Workload) -> str:
    if workload.min_length == workload.max_length:
        return exact(workload.max_length)
    return f"{exact(workload.min_length)} or {exact(workload.max_length)}"
