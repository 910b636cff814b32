"""The options that ``isfc node`` and ``isfc up`` share, checked and kept together."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.options.experiment import choose_node, make_experiment
from isfc.cli.options.number import within
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from scenarios.run import INTERVAL_MIN, PAIRS_MAX, SECONDS_MAX, Experiment
from scenarios.workload import find_workload

DILATION_MAX = 1_000_000
RECONNECT_MIN = 0.1
LAG_PERCENT = 1.0
"""More lateness than this fails with ``--strict``: in a closed loop it costs as much MB/s."""


class Pace(StrEnum):
    """How fast a live node goes."""

    NONE = "none"
    MODELLED = "modelled"


PaceOption = Annotated[
    Pace,
    typer.Option(help="As fast as the machine goes, or as the model says (see --dilation)."),
]
DilationOption = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        callback=within(1, DILATION_MAX),
        help="With --pace modelled: every time of the model takes K times as long. 100 if not "
        "given.",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help=f"Fail when more than {LAG_PERCENT:g} % of the time was lateness."
    ),
]
LivePairsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default=False,
        callback=within(1, PAIRS_MAX),
        help="Pairs of guests of the workload.",
    ),
]
LiveSecondsOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        callback=within(INTERVAL_MIN, SECONDS_MAX, "s"),
        show_default=False,
        help="Measure for so long, in the model's time, report, and end; else go on until Ctrl-C.",
    ),
]
LiveWarmupOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(0, SECONDS_MAX, "s"),
        help="Model time before that, once the link is up.",
    ),
]
VerifyOption = Annotated[
    bool, typer.Option("--verify", help="Send a checksum with every message, and check it.")
]
ReconnectOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(RECONNECT_MIN, SECONDS_MAX, "s"),
        help="Sever all conversations when the link was down for so long.",
    ),
]

JournalOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Record everything the node is given, for isfc journal."),
]

DILATION_DEFAULT = 100
RECONNECT_S = 30.0


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What a live node is to do, whoever starts it."""

    pace: Pace = Pace.NONE
    dilation: int | None = None
    strict: bool = False
    workload: str | None = None
    pairs: int | None = None
    seconds: float | None = None
    warmup: float = 1.0
    seed: int = 1
    client: str | None = None
    verify: bool = False
    reconnect_s: float = RECONNECT_S
    forwards: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.pace is Pace.NONE and self.dilation is not None:
            raise ConfigurationError("--dilation: expected --pace modelled with it")
        if self.pace is Pace.NONE and self.strict:
            raise ConfigurationError("--strict: expected --pace modelled with it")
        if (self.workload is None) != (self.pairs is None):
            raise ConfigurationError("expected --workload and --pairs together, or neither")
        if self.seconds is not None and self.workload is None:
            raise ConfigurationError("--seconds: expected a --workload to measure")
        if self.client is not None and self.workload is None:
            raise ConfigurationError("--from: expected a --workload, whose clients are there")
        if self.forwards and self.workload is not None:
            raise ConfigurationError("--forward: expected no --workload beside it")

    @property
    def factor(self) -> int:
        """The dilation; 0 where the model's times are ignored."""
        if self.pace is Pace.NONE:
            return 0
        return self.dilation or DILATION_DEFAULT

    def experiment(self, link: Layout) -> Experiment | None:
        """The workload to drive over a layout; None if there is none."""
        if self.workload is None or self.pairs is None:
            return None
        return make_experiment(
            link,
            find_workload(self.workload),
            pairs=self.pairs,
            seconds=self.seconds or 1.0,
            warmup=self.warmup,
            seed=self.seed,
            client=choose_node(link, "--from", self.client),
        )

    def arguments(self) -> list[str]:
        """The same options as words of a command line, for a process of its own."""
        given = {
            "--pace": self.pace.value,
            "--dilation": self.dilation,
            "--workload": self.workload,
            "--pairs": self.pairs,
            "--seconds": self.seconds,
            "--warmup": self.warmup,
            "--seed": self.seed,
            "--from": self.client,
            "--reconnect": self.reconnect_s,
        }
        words = [
            w for name, value in given.items() if value is not None for w in (name, str(value))
        ]
        words += [w for text in self.forwards for w in ("--forward", text)]
        words += ["--strict"] if self.strict else []
        return words + (["--verify"] if self.verify else [])
