"""The options that let a live node be seen: its log and its metrics."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from isfc.live.endpoint import PORT_MAX, TcpEndpoint, parse_endpoint


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
        words = ["--log-format", self.log_format.value, "--log-level", self.log_level.value]
        endpoint = self.endpoint()
        if endpoint is None:
            return words
        if endpoint.port:
            endpoint = replace(endpoint, port=endpoint.port + index)
        return [*words, "--metrics", str(endpoint)]
