"""Connections to services by name, beside services whose name server says nothing."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from isfc.live import accepting
from isfc.live.accepting import Service
from tests.isfc.live.tcp import echo, tcp_server
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

    name_server.asked.clear()


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

    name_server.asked.clear()
