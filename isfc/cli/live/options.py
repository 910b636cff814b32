"""The options of ``isfc node`` and ``isfc up`` that say what the nodes do."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption, make_experiment
from isfc.cli.options.layout import open_collection
from isfc.cli.options.number import bounded
from isfc.cli.options.option import flag, valued
from isfc.cli.output.streams import show_log
from isfc.errors import ConfigurationError
from isfc.layout.in_words import find_node
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.live.forward import Forward, parse_forwards
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, Experiment
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import find_workload

ForwardOption = Annotated[
    list[str] | None,
    valued(
        "NODE:PORT=NODE:HOST:PORT",
        "Listen on a TCP port at one system, and carry each connection over the link to a "
        "TCP service at the other. May be given again.",
        "--forward",
    ),
]

DILATION_MAX = 1_000_000
RECONNECT_MIN = 0.1
LAG_PERCENT = 1.0
"""More lateness than this fails with ``--strict``: in a closed loop it costs as much MB/s."""


class Pace(StrEnum):
    """How fast a live node goes."""

    NONE = "none"
    MODELLED = "modelled"


DILATION_DEFAULT = 100
RECONNECT_S = 30.0


class LiveOptions(Struct, frozen=True):
    """What a live node is to do, whoever starts it."""

    pace: Annotated[
        Pace,
        typer.Option(help="As fast as the machine goes, or as the model says (see --dilation)."),
    ] = Pace.NONE
    dilation: Annotated[
        int | None,
        bounded(
            "K",
            1,
            DILATION_MAX,
            "With --pace modelled: every time of the model takes K times as long. 100 if not "
            "given.",
        ),
    ] = None
    strict: Annotated[
        bool, flag("--strict", f"Fail when more than {LAG_PERCENT:g} % of the time was lateness.")
    ] = False
    workload: WorkloadOption = None
    pairs: Annotated[int | None, bounded("N", 1, PAIRS_MAX, "Pairs of guests of the workload.")] = (
        None
    )
    seconds: Annotated[
        float | None,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            "Measure for so long, in the model's time, report, and end; else go on until Ctrl-C.",
        ),
    ] = None
    warmup: Annotated[
        float, bounded("S", 0, SECONDS_MAX, "Model time before that, once the link is up.")
    ] = 1.0
    seed: SeedOption = 1
    client: ClientOption = None
    verify: Annotated[
        bool, flag("--verify", "Send a checksum with every message, and check it.")
    ] = False
    reconnect_s: Annotated[
        float,
        bounded(
            "S",
            RECONNECT_MIN,
            SECONDS_MAX,
            "Sever all conversations when the link was down for so long.",
            name="--reconnect",
        ),
    ] = RECONNECT_S
    forward: ForwardOption = None

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
        if self.forward and self.workload is not None:
            raise ConfigurationError("--forward: expected no --workload beside it")

    @property
    def factor(self) -> int:
        """The dilation; 0 where the model's times are ignored."""
        if self.pace is Pace.NONE:
            return 0
        return self.dilation or DILATION_DEFAULT

    def open_links(
        self, argument: str, link: str | None, *, quiet: bool = False
    ) -> tuple[Layout, ...]:
        """The links of a layout that run live: the one that is named, or all.

        Says on stderr, unless ``quiet``, that links whose paths share anything go as if they did
        not. Raises `ConfigurationError` if there is no such layout or link, or it is not a good
        one, or these options do not fit it.
        """
        collection = open_collection(argument).collection
        links = collection.links if link is None else (collection.link(link, "--link"),)
        if self.client is not None:
            find_node("--from", self.client, dict.fromkeys(n for each in links for n in each.nodes))
        self.parse_forwards(links)
        for each in links:
            self.experiment(each)
        shares = any(fibre.channels for each in links for fibre in each.fibres)
        if self.factor and not quiet and shares:
            show_log(
                "isfc: note: live, each end of a link goes as if it had its channels for itself, "
                "and nothing of inter-switch links but their length counts: processes know nothing "
                "of each other's transfers; 'isfc run' in virtual time does"
            )
        return links

    def parse_forwards(self, links: Sequence[Layout]) -> tuple[Forward, ...]:
        """What is forwarded over the links; raise `ConfigurationError` for what cannot be."""
        return parse_forwards(self.forward or (), [link.nodes for link in links])

    def experiment(self, link: Layout) -> Experiment | None:
        """The workload to drive over a link; None if there is none.

        Its clients are at the system that was named, or at the first if that is none of the link's.
        """
        if self.workload is None or self.pairs is None:
            return None
        client = NodeName(self.client.upper()) if self.client is not None else None
        return make_experiment(
            link,
            find_workload(self.workload),
            pairs=self.pairs,
            seconds=self.seconds or 1.0,
            warmup=self.warmup,
            seed=self.seed,
            client=client if client in link.nodes else None,
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
        words += [w for text in self.forward or () for w in ("--forward", text)]
        words += ["--strict"] if self.strict else []
        return words + (["--verify"] if self.verify else [])
