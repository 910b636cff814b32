"""Options of ``isfc node`` and ``isfc up``: what nodes do, how they are seen; their PEM files."""

import ssl
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, structs

from isfc.cli.options.experiment import ClientOption, SeedOption, WorkloadOption
from isfc.cli.options.layout import open_collection
from isfc.cli.options.option import bounded, flag, valued, words_of
from isfc.cli.output.streams import show_error, show_log
from isfc.errors import ConfigurationError
from isfc.errors.arguments import as_options, first_spelt
from isfc.errors.in_words import find_node
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.live.endpoint import PORT_MAX, Forward, TcpEndpoint, parse_endpoint, parse_forwards
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
        collection = open_collection(argument)
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
        with as_options(), first_spelt():
            return Experiment.of(
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
        endpoint = structs.replace(endpoint, port=endpoint.port + index)
        return words_of(structs.replace(self, metrics=str(endpoint)))


class TlsFiles:
    """Three PEM files, and the context made of them: `__call__` reads those that have changed.

    Files that do not fit are said on stderr; until they do, the context stays as it was.
    Raises `ConfigurationError` for files that are missing or not what they should be.
    """

    def __init__(self, cert: Path, key: Path, ca: Path, *, server: bool) -> None:
        self._cert, self._key, self._ca = cert, key, ca
        self._server = server
        self._seen = self._look()
        self._context = self._read()

    def __call__(self) -> ssl.SSLContext:
        """The context for the next connection."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._context = self._read()
            except ConfigurationError as error:
                show_error(f"{error}; the certificate that was read before stays in use")
        return self._context

    def _look(self) -> list[tuple[int, int, int] | None]:
        """What changes with a file when it is written or replaced; None for one that is gone."""
        return [_identity(path) for path in (self._cert, self._key, self._ca)]

    def _read(self) -> ssl.SSLContext:
        server, cert, key, ca = self._server, self._cert, self._key, self._ca
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # a system's name is not that of its host
        context.verify_mode = ssl.CERT_REQUIRED
        _load(f"--ca {ca}", lambda: context.load_verify_locations(ca))
        files = f"--cert {cert}, --key {key}"
        _load(files, lambda: context.load_cert_chain(cert, key, _no_password))
        return context


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _load(files: str, load: Callable[[], None]) -> None:
    try:
        load()
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = str(error)
        if isinstance(error, ssl.SSLError):
            what = (error.reason or reason).lower().replace("_", " ")
            reason = f"{what}; expected PEM: a certificate, its own key, and the CA's certificate"
        elif isinstance(error, OSError):
            reason = error.strerror or reason
        raise ConfigurationError(f"{files}: {reason}") from None


def _no_password() -> str:
    """A key with a password would stop a node at its start, with nobody to ask."""
    raise ValueError("the key has a password; expected one without")
