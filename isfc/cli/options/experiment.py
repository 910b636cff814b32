"""Options of runs, live ones too: workload, seed and the clients' node; and what workloads are."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final

import typer

from isfc.cli.options.option import bounded, valued
from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX
from isfc.errors.in_words import exact
from scenarios.runs.experiment import WARMUP as WARMUP
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import WORKLOADS, Workload, WorkloadKind, workload_usage
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


def make_experiment(
    make: Callable[..., Experiment], *arguments: Any, **settings: Any
) -> Experiment:
    """What ``make`` makes of settings that are called as the options are, as are its complaints."""
    try:
        return make(*arguments, **settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"--{error}") from None


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
