"""The options of ``isfc node`` and ``isfc up``: what nodes do, and how they are to be seen."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct, structs

from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption, make_experiment
from isfc.cli.options.layout import open_collection
from isfc.cli.options.option import bounded, flag, valued, words_of
from isfc.cli.output.streams import show_log
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.live.endpoint import PORT_MAX, TcpEndpoint, parse_endpoint
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
            "--reconnect",
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
            Experiment.of,
            link,
            find_workload(self.workload),
            pairs=self.pairs,
            seconds=self.seconds or 1.0,
            warmup=self.warmup,
            seed=self.seed,
            client=client if client in link.nodes else None,
        )


class LogFormat(StrEnum):
    """How a log record is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The least severe records that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


LogLevelOption = Annotated[LogLevel, typer.Option(help="The least severe ones that are written.")]


class ObserveOptions(Struct, frozen=True):
    """How a live node is to be seen; ``metrics`` is HOST:PORT, or None for no metrics."""

    metrics: Annotated[
        str | None, valued("HOST:PORT", "Answer Prometheus there, under /metrics.")
    ] = None
    log_format: Annotated[
        LogFormat, typer.Option(help="How log records are written to standard error.")
    ] = LogFormat.TEXT
    log_level: LogLevelOption = LogLevel.INFO

    def check_several(self, count: int) -> None:
        """Raise `ConfigurationError` unless so many nodes here can all answer Prometheus."""
        endpoint = self.endpoint()
        if endpoint is None:
            return
        if not endpoint.private:
            raise ConfigurationError(
                f"--metrics {endpoint}: everybody could read there; expected a loopback address, "
                "such as 127.0.0.1"
            )
        if endpoint.port > PORT_MAX + 1 - count:
            raise ConfigurationError(
                f"--metrics {endpoint}: each further node answers at the next port, and the last "
                f"is {PORT_MAX}; expected at most {PORT_MAX + 1 - count}"
            )

    def endpoint(self) -> TcpEndpoint | None:
        """Where Prometheus may ask; `ConfigurationError` if ``metrics`` is no such address."""
        if self.metrics is None:
            return None
        try:
            endpoint = parse_endpoint(self.metrics)
        except ConfigurationError as error:
            raise ConfigurationError(f"--metrics {error}") from None
        if not isinstance(endpoint, TcpEndpoint):
            raise ConfigurationError(f"--metrics {self.metrics}: expected HOST:PORT")
        return endpoint

    def arguments(self, index: int) -> list[str]:
        """The same for the node of that ``index`` among several on this machine.

        Each has a port of its own: the first the given one, the second the next.
        """
        endpoint = self.endpoint()
        if endpoint is None or not endpoint.port:
            return words_of(self)
        endpoint = replace(endpoint, port=endpoint.port + index)
        return words_of(structs.replace(self, metrics=str(endpoint)))
