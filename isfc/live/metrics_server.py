"""``--metrics ADDR``: answers every scrape, on the node's own event loop.

Whoever connects gets one answer and no more time than `ANSWER_S` for it. The text is made afresh
for each scrape, one metric at a time, so that the node is kept waiting for no longer than one of
them takes; between scrapes it costs nothing.
"""

import asyncio
import io
from collections.abc import Callable, Iterable
from http.client import HTTPException, parse_headers
from itertools import chain

from prometheus_client import ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from isfc.errors import ConfigurationError
from isfc.live.accepting import Acceptor
from isfc.live.endpoint import TcpEndpoint, listening_sockets

ANSWER_S = 5.0
"""From connecting to the end of the answer, in seconds."""

CLIENTS_MAX = 32
"""Scrapes at one time; for a further one, the one that is there longest is cut off."""

BACKLOG_MAX = 100
"""Scrapes that may wait to be accepted."""

REQUEST_LENGTH_MAX = 8 * 1024
"""Bytes of a request with its headers; Prometheus sends some hundreds."""


Encode = Callable[[Collector], bytes]

_END = b"# EOF\n"


class MetricsServer:
    """Answers ``GET /metrics`` with what ``read`` says at that moment."""

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read
        self._process = ProcessCollector(registry=None)
        self._servers: list[Acceptor] = []
        self._clients: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def listen(self, endpoint: TcpEndpoint, *, insecure: bool = False) -> TcpEndpoint:
        """Begin; return where, for port 0 becomes a real one.

        Raises `ConfigurationError` for an address beyond this machine, unless ``insecure``,
        and `OSError`.
        """
        if not (endpoint.private or insecure):
            raise ConfigurationError(
                f"--metrics {endpoint}: everybody could read there; expected a loopback address, "
                "or --insecure as well"
            )
        for listener in await listening_sockets(endpoint, BACKLOG_MAX, "--metrics"):
            self._servers.append(Acceptor(listener, self._protocol))
            endpoint = TcpEndpoint(endpoint.host, listener.getsockname()[1])
        return endpoint

    async def close(self) -> None:
        """Answer nobody any more."""
        for server in self._servers:
            await server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(REQUEST_LENGTH_MAX), self._accept)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= CLIENTS_MAX:
            oldest = next(iter(self._clients))
            self._clients.pop(oldest).transport.abort()
            oldest.cancel()
        client = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._clients[client] = writer
        client.add_done_callback(lambda done: self._clients.pop(done, None))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                writer.write(await self._answer(await reader.readuntil(b"\r\n\r\n")))
                writer.close()
                await writer.wait_closed()
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            pass  # a client that does not ask properly, or does not take the answer
        finally:
            writer.transport.abort()

    async def _answer(self, request: bytes) -> bytes:
        """The whole answer to a request."""
        line, _, fields = request.partition(b"\r\n")
        method, _, rest = line.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            return _response("405 Method Not Allowed", b"", "Allow: GET, HEAD")
        if path != b"/metrics":
            return _response("404 Not Found", b"The metrics are at /metrics.\n")
        encode, kind = choose_encoder(_accepts(fields))
        body = await self._text(encode)
        answer = _response("200 OK", body, kind=kind)
        return answer[: -len(body)] if method == b"HEAD" else answer

    async def _text(self, encode: Encode) -> bytes:
        """All metrics, the node's and its process's."""
        parts = []
        for metric in chain(self._read(), self._process.collect()):
            parts.append(encode(_Registry(metric)).removesuffix(_END))
            await asyncio.sleep(0)  # others may go on
        end = encode(_Registry())  # OpenMetrics has one
        return b"".join([*parts, end])


class _Registry(Collector):
    """A registry of so many metrics, and no others."""

    def __init__(self, *metrics: Metric) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """All of them."""
        return self._metrics


def _accepts(fields: bytes) -> str:
    """Which formats the client takes, as its request says; a client that does not say takes text.

    Raises `ValueError` for what is no header of a request.
    """
    try:
        return str(parse_headers(io.BytesIO(fields)).get("Accept", ""))
    except HTTPException as error:
        raise ValueError(str(error)) from None


def _response(status: str, body: bytes, *headers: str, kind: str = "text/plain") -> bytes:
    lines = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    )
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body
