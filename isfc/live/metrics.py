"""``--metrics ADDR``: counters of a live node, and of joined CTCs, as OpenMetrics has them.

Every scrape is answered on the node's own event loop. Whoever connects gets one answer and no more
time than `ANSWER_S` for it. The text is made afresh for each scrape, one metric at a time, so that
the node is kept waiting for no longer than one of them takes; between scrapes it costs nothing.

``docs/metrics.csv`` and ``docs/ctce.md`` say what each of them means. A node's times are its own:
at ``--dilation K`` each second of them took K.
"""

import asyncio
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from http.client import HTTPException, parse_headers
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeVar

from prometheus_client import ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    StateSetMetricFamily,
)
from prometheus_client.registry import Collector

from ctc.address import format_rdev
from isfc.errors import ConfigurationError
from isfc.link.counters import SERV_BOUNDS_NS, DeviceSnapshot, LinkEndSnapshot
from isfc.link.state import DeviceState, LinkState
from isfc.live.accepting import Acceptor
from isfc.live.endpoint import TcpEndpoint, listening_sockets
from isfc.live.operator import LiveSnapshot

if TYPE_CHECKING:
    from isfc.live.ctce.ios import EndTally, IoBook
    from isfc.live.ctce_box import CtceBox
    from isfc.live.ctce_port import EndPort

NS_PER_S = 1_000_000_000

_T = TypeVar("_T")

_LINK_LABELS = ("node", "partner")
_CTC_LABELS = ("node", "partner", "rdev")
_END_LABELS = ("system", "rdev")

_LINK_COUNTERS: Sequence[tuple[str, str, Callable[[LinkEndSnapshot], float]]] = (
    ("isfc_link_written_bytes", "Bytes of packages written.", lambda n: n.write_length),
    ("isfc_link_written_messages", "Messages written.", lambda n: n.write_message_count),
    ("isfc_link_written_packages", "Packages written.", lambda n: n.write_package_count),
    ("isfc_link_read_bytes", "Bytes of packages read.", lambda n: n.read_length),
    ("isfc_link_read_messages", "Messages read.", lambda n: n.read_message_count),
    ("isfc_link_read_packages", "Packages read.", lambda n: n.read_package_count),
    ("isfc_link_collisions", "Write collisions.", lambda n: n.collision_count),
    ("isfc_link_cpu_seconds", "Processor time: modelled, or used.", lambda n: n.cpu_ns / NS_PER_S),
)

_LINK_GAUGES: Sequence[tuple[str, str, Callable[[LinkEndSnapshot], float]]] = (
    ("isfc_link_pending_messages", "TXPENDCT: messages that wait.", lambda n: n.tx_pend_count),
    ("isfc_link_pending_bytes", "Bytes of messages that wait.", lambda n: n.tx_pend_length),
)

_ENGINE_COUNTERS: Sequence[tuple[str, str, Callable[[LiveSnapshot], float]]] = (
    ("isfc_connections_attached", "Connections that CTCs got.", lambda s: s.attached_count),
    ("isfc_connections_lost", "Connections that CTCs lost.", lambda s: s.detached_count),
    ("isfc_connections_refused", "Connections not let in.", lambda s: s.refused_count),
    ("isfc_link_severed", "Times that the link restarted.", lambda s: s.severed_count),
    ("isfc_waited_seconds", "Time deadlines were waited for.", lambda s: s.waited_ns / NS_PER_S),
    ("isfc_late_seconds", "Lateness of deadlines.", lambda s: s.late_ns / NS_PER_S),
)

_CTC_COUNTERS: Sequence[tuple[str, str, Callable[[DeviceSnapshot], float]]] = (
    ("isfc_ctc_written_bytes", "Bytes of packages written.", lambda d: d.write_length),
    ("isfc_ctc_written_packages", "Packages written.", lambda d: d.write_package_count),
    ("isfc_ctc_read_bytes", "Bytes of packages read.", lambda d: d.read_length),
    ("isfc_ctc_read_packages", "Packages read.", lambda d: d.read_package_count),
    ("isfc_ctc_collisions", "Write collisions.", lambda d: d.collision_count),
    ("isfc_ctc_ios", "I/Os of all kinds.", lambda d: d.io_count),
    ("isfc_ctc_pend_seconds", "PEND: wait for the chpid.", lambda d: d.pend_ns / NS_PER_S),
    ("isfc_ctc_disc_seconds", "DISC: wait for the mate.", lambda d: d.disc_ns / NS_PER_S),
    ("isfc_ctc_conn_seconds", "CONN: moving data.", lambda d: d.conn_ns / NS_PER_S),
    ("isfc_ctc_stale_frames", "Frames that answered nothing.", lambda d: d.stale_count),
)


def families(snapshots: Sequence[LiveSnapshot]) -> Iterator[Metric]:
    """All metrics of one node, with their samples: of each of its links a snapshot."""
    ends = [snapshot.node for snapshot in snapshots]
    links = [(end.name, end.partner) for end in ends]
    devices = [device for end in ends for device in end.devices]
    ctcs = [
        (end.name, end.partner, format_rdev(device.rdev)) for end in ends for device in end.devices
    ]
    link_states = [end.state for end in ends]
    yield _states("isfc_link_state", "State of the link.", _LINK_LABELS, links, link_states)
    yield from _counters(_LINK_COUNTERS, _LINK_LABELS, links, ends)
    yield from _counters(_LINK_GAUGES, _LINK_LABELS, links, ends, GaugeMetricFamily)
    yield from _counters(_ENGINE_COUNTERS, _LINK_LABELS, links, snapshots)
    states = [device.state for device in devices]
    yield _states("isfc_ctc_state", "State of the CTC.", _CTC_LABELS, ctcs, states)
    yield from _counters(_CTC_COUNTERS, _CTC_LABELS, ctcs, devices)
    yield _serv(ctcs, devices)


def _counters(
    counters: Sequence[tuple[str, str, Callable[[_T], float]]],
    labels: Sequence[str],
    keys: Sequence[Sequence[str]],
    items: Sequence[_T],
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily] = CounterMetricFamily,
) -> Iterator[Metric]:
    """Counters, or gauges, of items, a sample for the key of each; a name ends with its unit."""
    for name, text, count in counters:
        unit = name.rpartition("_")[2]
        found = kind(name, text, labels=labels, unit=unit if unit in ("bytes", "seconds") else "")
        for key, item in zip(keys, items, strict=True):
            found.add_metric(key, count(item))
        yield found


def _states(
    name: str,
    text: str,
    labels: Sequence[str],
    keys: Iterable[Sequence[str]],
    states: Iterable[LinkState | DeviceState],
) -> Metric:
    family = StateSetMetricFamily(name, text, labels=labels)
    for key, state in zip(keys, states, strict=True):
        members: Iterable[Enum] = type(state)
        family.add_metric(key, {each.value: each is state for each in members})
    return family


def _serv(keys: Iterable[Sequence[str]], devices: Iterable[DeviceSnapshot]) -> Metric:
    """The histogram of SERV, cumulative as OpenMetrics wants it."""
    family = HistogramMetricFamily(
        "isfc_ctc_write_serv_seconds",
        "SERV of writes that ended well.",
        labels=_CTC_LABELS,
        unit="seconds",
    )
    bounds = [*(repr(bound / NS_PER_S) for bound in SERV_BOUNDS_NS), "+Inf"]
    for key, device in zip(keys, devices, strict=True):
        counts = accumulate(device.write_serv_counts)
        buckets = list(zip(bounds, counts, strict=True))
        family.add_metric(key, buckets, device.write_serv_ns / NS_PER_S)
    return family


_CTCE_COUNTERS: "Sequence[tuple[str, str, Callable[[EndTally], float]]]" = (
    ("isfc_ctce_written_bytes", "Bytes of WRITEs.", lambda t: t.written_length),
    ("isfc_ctce_ios", "I/Os that are over.", lambda t: t.io_count),
    ("isfc_ctce_pend_seconds", "PEND: wait for the channel.", lambda t: t.pend_ns / NS_PER_S),
    ("isfc_ctce_disc_seconds", "DISC: wait for the mate.", lambda t: t.disc_ns / NS_PER_S),
    ("isfc_ctce_conn_seconds", "CONN: moving data.", lambda t: t.conn_ns / NS_PER_S),
    ("isfc_ctce_collisions", "Commands that collided.", lambda t: t.collision_count),
    ("isfc_ctce_stale_commands", "Commands that answered nothing.", lambda t: t.stale_count),
    ("isfc_ctce_answered_attentions", "Attentions followed.", lambda t: t.answer_count),
    ("isfc_ctce_answer_seconds", "From those on.", lambda t: t.answer_ns / NS_PER_S),
)


_END_COUNTERS: "Sequence[tuple[str, str, Callable[[EndPort], float]]]" = (
    ("isfc_ctce_connections", "Times an end joined.", lambda port: port.attached_count),
    ("isfc_ctce_refused", "Connections not let in.", lambda port: port.refused_count),
)


def ctce_families(box: "CtceBox", book: "IoBook") -> Iterator[Metric]:
    """All metrics of joined CTCs, with a sample for each end."""
    ports = [port for pair in box.ports for port in pair]
    ends = [(port.end.system, format_rdev(port.end.rdev)) for port in ports]
    tallies = [book.tallies[port.at] for port in ports]
    commands = CounterMetricFamily(
        "isfc_ctce_commands", "Commands by kind.", labels=(*_END_LABELS, "command")
    )
    for end, tally in zip(ends, tallies, strict=True):
        for kind, count in tally.kinds.items():
            commands.add_metric((*end, kind.value), count)
    yield commands
    yield from _counters(_CTCE_COUNTERS, _END_LABELS, ends, tallies)
    yield from _counters(_END_COUNTERS, _END_LABELS, ends, ports)
    adapters, lost = box.exchange.adapters, box.exchange.lost
    conditions: Sequence[tuple[str, str, Callable[[EndPort], float]]] = (
        (
            "isfc_ctce_attached",
            "Whether an end is there.",
            lambda port: adapters[port.at.ctc].ends[port.at.end].attached,
        ),
        (
            "isfc_ctce_lost",
            "Whether its CTC carries nothing.",
            lambda port: bool(lost[port.at.ctc]),
        ),
    )
    yield from _counters(conditions, _END_LABELS, ends, ports, GaugeMetricFamily)


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
