"""Scrapes: what a client gets, and how little one that misbehaves costs."""

import asyncio
import contextlib
import subprocess
from collections.abc import Callable, Iterable

import pytest
from prometheus_client import ProcessCollector
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as parse_text

from isfc.errors import ConfigurationError
from isfc.live import metrics
from isfc.live.endpoint import TcpEndpoint
from isfc.live.metrics import CLIENTS_MAX, REQUEST_LENGTH_MAX, MetricsServer, families
from tests.installed import need
from tests.isfc.live.snapshots import sight
from tests.waiting import wait_until

parse: Callable[[str], Iterable[Metric]] = text_string_to_metric_families
ANY_PORT = TcpEndpoint("127.0.0.1", 0)


class Scraped:
    """A server whose node has done something, and how often it was looked at."""

    def __init__(self, metrics: Iterable[Metric] = ()) -> None:
        self.count = 0
        self._metrics = metrics
        self.port = 0
        self._server = MetricsServer(self._read)

    def _read(self) -> Iterable[Metric]:
        self.count += 1
        return self._metrics or families([sight(scale=self.count)])

    async def __aenter__(self) -> "Scraped":
        self.port = (await self._server.listen(ANY_PORT)).port
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    async def ask(self, request: bytes) -> tuple[bytes, bytes]:
        """The answer's head and body."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return head, body


@pytest.fixture
def scraped() -> Scraped:
    return Scraped()


ASK = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
GET = ASK + b"\r\n"
PROMETHEUS = (
    b"accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3\r\n"
)


async def test_a_scrape_is_openmetrics_of_that_moment(scraped: Scraped) -> None:
    for scale in (1, 2):
        head, body = await scraped.ask(ASK + PROMETHEUS + b"\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"Content-Type: application/openmetrics-text; version=1.0.0;" in head
        assert f"Content-Length: {len(body)}".encode() in head
        found = {m.name: m for m in parse(body.decode())}
        (written,) = found["isfc_link_written_packages"].samples
        assert written.value == 4 * scale
        assert found["isfc_ctc_write_serv_seconds"].type == "histogram"
        assert found["process_resident_memory_bytes"].samples[0].value > 1e6


@pytest.mark.parametrize("accepts", [b"", b"Accept: */*\r\n", b"Accept: text/plain\r\n"])
async def test_who_does_not_ask_for_openmetrics_gets_text(scraped: Scraped, accepts: bytes) -> None:
    head, body = await scraped.ask(ASK + accepts + b"\r\n")
    assert b"Content-Type: text/plain; version=" in head
    assert b"# EOF" not in body
    found = {m.name: m for m in parse_text(body.decode())}
    assert found["isfc_link_written_packages"].type == "counter"
    assert found["isfc_link_state"].type == "gauge"
    assert len(found) == len([*families([sight()])]) + len(
        [*ProcessCollector(registry=None).collect()]
    )


async def test_prometheus_own_check_finds_nothing_wrong(scraped: Scraped) -> None:
    promtool = need("promtool", "prometheus")
    _, body = await scraped.ask(GET)

    def check() -> subprocess.CompletedProcess[bytes]:
        words = [promtool, "check", "metrics"]
        return subprocess.run(words, input=body, capture_output=True, check=False, timeout=60)

    checked = await asyncio.to_thread(check)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /metrics?name=up HTTP/1.0", b"200 OK"),
        (b"HEAD /metrics HTTP/1.1", b"200 OK"),
        (b"GET / HTTP/1.1", b"404 Not Found"),
        (b"GET /metrics/../etc/passwd HTTP/1.1", b"404 Not Found"),
        (b"POST /metrics HTTP/1.1", b"405 Method Not Allowed"),
        (b"nonsense", b"405 Method Not Allowed"),
        (b"\xff\x00", b"405 Method Not Allowed"),
    ],
)
async def test_only_metrics_are_to_be_had(
    scraped: Scraped, request_line: bytes, status: bytes
) -> None:
    head, body = await scraped.ask(request_line + b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status)
    assert not request_line.startswith(b"HEAD") or body == b""


@pytest.mark.parametrize("request_", [b"", b"GET /metrics", b"x" * (2 * REQUEST_LENGTH_MAX)])
async def test_who_does_not_ask_properly_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, request_: bytes
) -> None:
    monkeypatch.setattr(metrics, "ANSWER_S", 0.05)

    async with Scraped() as scraped:
        with contextlib.suppress(ConnectionError):
            assert await scraped.ask(request_) == (b"", b"")
        assert scraped.count == 0
        monkeypatch.undo()  # who asks properly may take longer where the machine is busy
        head, _ = await scraped.ask(GET)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")


async def test_who_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "ANSWER_S", 0.2)
    huge = Metric("isfc_huge", "x" * 16_000_000, "gauge")

    async with Scraped([huge]) as scraped:
        reader, writer = await asyncio.open_connection("127.0.0.1", scraped.port, limit=1_000)
        writer.write(GET)
        await wait_until(lambda: scraped.count > 0)
        await asyncio.sleep(0.4)
        got = 0
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(2**20):
                got += len(data)
        assert got < len(huge.documentation)
        writer.close()


async def test_clients_that_say_nothing_keep_no_scrape_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics, "ANSWER_S", 1_000.0)  # longer than the test may take

    clients: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    async with Scraped() as scraped, contextlib.AsyncExitStack() as stack:
        for _ in range(CLIENTS_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", scraped.port)
            clients.append((reader, writer))
            stack.callback(writer.close)
            writer.write(b"GET")
        await asyncio.sleep(0.05)
        oldest, _ = clients[0]
        head, _ = await scraped.ask(GET)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        with contextlib.suppress(ConnectionError):
            assert await oldest.read() == b""


async def test_it_listens_on_this_machine_only_unless_told_otherwise() -> None:
    server = MetricsServer(lambda: ())
    with pytest.raises(ConfigurationError, match="everybody could read there"):
        await server.listen(TcpEndpoint("0.0.0.0", 0))
    assert (await server.listen(TcpEndpoint("0.0.0.0", 0), insecure=True)).port > 0
    await server.close()
