"""Accepting connections: nobody is lost, and no file descriptor is needed to go on."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isfc.link.state import LinkState
from isfc.live import accepting
from isfc.live.accepting import PAUSE_S, Service, accept
from isfc.live.control import ControlServer
from isfc.live.endpoint import TcpEndpoint
from isfc.live.metrics import MetricsServer
from tests.isfc.live.tcp import echo, no_descriptor_left, tcp_server
from tests.live.nodes import Nodes, engine_of
from tests.waiting import PATIENCE_S, wait_until

SILENT_COUNT = 12
"""Names that are not answered: more than a loop has threads for lookups."""


class NameServer:
    """Answers for localhost, and for nobody else until it is released."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._released = threading.Event()
        self._real = socket.getaddrinfo

    def getaddrinfo(self, host: str, port: int, **options: Any) -> Any:
        """As the system's."""
        self.asked.append(host)
        if host != "localhost":
            self._released.wait(PATIENCE_S)
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return self._real(host, port, **options)

    def release(self) -> None:
        """Let the lookups that wait fail."""
        self._released.set()


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    """In place of the system's."""
    server = NameServer()
    monkeypatch.setattr(socket, "getaddrinfo", server.getaddrinfo)
    yield server
    server.release()


def ignore(_: socket.socket) -> None:
    """Prepare nothing."""


async def test_a_silent_name_server_delays_its_own_service_only(
    name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "CONNECT_S", PATIENCE_S)

    async with tcp_server(echo) as port:
        silent = [
            asyncio.create_task(Service(f"silent-{number}", 1).connect(ignore))
            for number in range(SILENT_COUNT)
        ]
        await wait_until(lambda: len(name_server.asked) == SILENT_COUNT)
        connection = await Service("localhost", port).connect(ignore)
        connection.close()
        for task in silent:
            assert not task.done()
            task.cancel()
        await asyncio.gather(*silent, return_exceptions=True)


async def test_all_who_ask_at_the_same_time_share_one_lookup(name_server: NameServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asked = Service("localhost", listener.getsockname()[1])
        connections = await asyncio.gather(*(asked.connect(ignore) for _ in range(20)))
        for connection in connections:
            connection.close()
    assert name_server.asked == ["localhost"]


async def test_a_name_is_looked_up_once_while_nobody_answers(
    name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "CONNECT_S", 0.05)

    silent = Service("silent", 1)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await silent.connect(ignore)
    assert name_server.asked == ["silent"]
    name_server.release()
    monkeypatch.setattr(accepting, "CONNECT_S", PATIENCE_S)
    with pytest.raises(socket.gaierror):
        await silent.connect(ignore)


@pytest.mark.usefixtures("patient")
async def test_who_comes_when_no_descriptor_is_left_waits_and_is_served_later(
    nodes: Nodes, tmp_path: Path
) -> None:
    """At the control, at the metrics and at the link; `run_live` hears if the loop complains."""
    engine = engine_of(nodes[0])
    await wait_until(lambda: engine.end.link.state is LinkState.UP)
    control = ControlServer(tmp_path / "A.control", lambda kind, _operand: {"kind": kind})
    await control.start()
    metrics = MetricsServer(list)
    place = await metrics.listen(TcpEndpoint("127.0.0.1", 0))
    visits: list[tuple[str | tuple[str, int], bytes, bytes]] = [
        (str(control.path), b'{"say": true}\n', b'{"reply": {"kind": "say"}}\n'),
        ((place.host, place.port), b"GET /metrics HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK"),
        (str(tmp_path / "isfc"), b"garbage" * 10, b""),
    ] * 3
    kinds = [socket.AF_UNIX if isinstance(at, str) else socket.AF_INET for at, *_ in visits]
    clients = [socket.socket(kind) for kind in kinds]
    with no_descriptor_left():
        for client, (at, said, _) in zip(clients, visits, strict=True):
            client.connect(at)
            client.sendall(said)
        await asyncio.sleep(3 * PAUSE_S)
    for client, (_, _, answer) in zip(clients, visits, strict=True):
        client.setblocking(False)
        with client:
            first = await asyncio.get_running_loop().sock_recv(client, 65_536)
        assert first.startswith(answer) if answer else not first
    assert engine.counters.refused_count == 3
    await metrics.close()
    await control.close()


@pytest.mark.parametrize("passes", range(6))
async def test_who_comes_as_nobody_waits_any_more_is_not_left_open(passes: int) -> None:
    """A socket that is lost open is a warning, and so an error, when it is collected."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        listener.setblocking(False)
        waiting = asyncio.create_task(accept(listener))
        await asyncio.sleep(0.01)
        client.connect(listener.getsockname())
        for _ in range(passes):
            await asyncio.sleep(0)
        waiting.cancel()
        (found,) = await asyncio.gather(waiting, return_exceptions=True)
        if isinstance(found, tuple):
            found[0].close()
