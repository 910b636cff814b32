"""Which connections are carried when, and in which order, on both kinds of loop."""

import asyncio
import socket
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.live import forward
from isfc.live.forward import Forward, forward_limits, forwarding
from isfc.programs.protocol import ConversationLimits
from tests.isfc.live.tcp import NODES, echo, forwarded, tcp_server
from tests.live.forwarded import free_port
from tests.live.nodes import open_pair
from tests.live.pair import Run
from tests.waiting import PATIENCE_S, wait_until


def test_connections_beyond_the_limit_wait_their_turn(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 2)
    open_count: list[int] = [0, 0]

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_count[0] += 1
        open_count[1] = max(open_count)
        await echo(reader, writer)
        open_count[0] -= 1

    async def talk(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        await asyncio.sleep(0.01)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()

    async def main() -> None:
        open_count[:] = [0, 0]
        complaints: list[str] = []
        async with (
            open_pair(tmp_path) as (first, second),
            tcp_server(count) as port,
            forwarded(first, second, port, complaints) as (listen_port, _),
        ):
            await asyncio.gather(*(talk(listen_port) for _ in range(8)))
        assert open_count[1] == 2
        assert complaints == []

    run_live(main())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_service_sees_connections_in_the_order_in_which_they_came(
    run_live: Run, tmp_path: Path, host: str
) -> None:
    seen: dict[int, int] = {}

    async def note(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        accepted = len(seen)
        seen[accepted] = -1  # what it is will show when it says so
        seen[accepted] = int(await reader.readexactly(4))

    def speak(port: int, number: int) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        client.sendall(b"%04d" % number)
        return client

    async def main() -> None:
        complaints: list[str] = []
        listen_port = free_port()
        async with open_pair(tmp_path) as (first, second), tcp_server(note) as port:
            forwards = [Forward(NODES[0], "127.0.0.1", listen_port, NODES[1], host, port)]
            async with (
                forwarding(second, forwards, complaints.append),
                forwarding(first, forwards, complaints.append),
            ):
                clients = [speak(listen_port, number) for number in range(100)]
                await wait_until(lambda: len({*seen.values()} - {-1}) == 100)
                for client in clients:
                    client.close()
        assert list(seen.values()) == list(range(100))

    run_live(main())


def test_places_come_back_when_the_link_restarts(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 2)

    async def main() -> None:
        complaints: list[str] = []
        async with (
            open_pair(tmp_path) as (first, second),
            tcp_server(echo) as port,
            forwarded(first, second, port, complaints) as (listen_port, _),
        ):
            for _ in range(5):
                clients = []
                for _ in range(2):
                    reader, writer = await asyncio.open_connection("127.0.0.1", listen_port)
                    clients.append((reader, writer))
                    writer.write(b"hello")
                    assert await reader.readexactly(5) == b"hello"
                clients[0][1].write_eof()  # one of them is closing
                await asyncio.sleep(0.01)
                assert second.engine is not None
                second.engine.sever("for a test")
                for reader, writer in clients:
                    with suppress(ConnectionResetError):
                        await reader.read()
                    writer.close()
                await wait_until(lambda: not first.board.conversations)

    run_live(main())


def test_ports_and_directions_have_places_of_their_own(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 3)

    async def say_hello(port: int) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        return writer

    async def main() -> None:
        complaints: list[str] = []
        ports = [free_port() for _ in range(3)]
        async with tcp_server(echo) as port:
            forwards = [
                Forward(NODES[number % 2], "127.0.0.1", listen_port, NODES[1 - number % 2],
                        "127.0.0.1", port)
                for number, listen_port in enumerate(ports)
            ]  # fmt: skip
            limits = replace(forward_limits(forwards), conversations_max=12)
            async with (
                open_pair(tmp_path, limits=limits) as (first, second),
                forwarding(second, forwards, complaints.append),
                forwarding(first, forwards, complaints.append),
            ):
                writers = [await say_hello(port) for port in ports for _ in range(3)]
                waiting = asyncio.create_task(say_hello(ports[0]))
                await asyncio.sleep(0.05)
                assert not waiting.done()
                for writer in writers:
                    writer.close()
                (await waiting).close()
                await wait_until(lambda: not first.board.conversations)
        assert complaints == []

    run_live(main())


def test_limits_have_places_for_every_forward() -> None:
    forwards = [Forward(NODES[0], "127.0.0.1", port, NODES[1], "h", 1) for port in (1, 2, 3)]
    assert forward_limits(forwards).conversations_max >= 3 * forward.CONNECTIONS_MAX
    assert forward_limits([]) == ConversationLimits()
