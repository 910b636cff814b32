"""The options that let a live node be seen."""

import pytest

from isfc.cli.live.observe_options import LogFormat, LogLevel, ObserveOptions
from isfc.errors import ConfigurationError
from isfc.live.endpoint import TcpEndpoint


def test_without_metrics_there_is_no_address() -> None:
    assert ObserveOptions().endpoint() is None
    assert ObserveOptions().arguments(1) == ["--log-format", "text", "--log-level", "info"]


def test_two_nodes_on_one_machine_have_ports_side_by_side() -> None:
    options = ObserveOptions("127.0.0.1:9464", LogFormat.JSON, LogLevel.ERROR)
    assert options.endpoint() == TcpEndpoint("127.0.0.1", 9464)
    words = ["--log-format", "json", "--log-level", "error", "--metrics"]
    assert options.arguments(0) == [*words, "127.0.0.1:9464"]
    assert options.arguments(1) == [*words, "127.0.0.1:9465"]


def test_any_port_stays_any_port() -> None:
    assert ObserveOptions(metrics="[::1]:0").arguments(1)[-1] == "[::1]:0"


@pytest.mark.parametrize("metrics", ["unix:/tmp/metrics", "9464", "", "localhost:99999"])
def test_metrics_need_host_and_port(metrics: str) -> None:
    with pytest.raises(ConfigurationError, match="expected"):
        ObserveOptions(metrics=metrics).endpoint()
