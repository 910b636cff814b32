"""TCP connections through two open nodes, on both kinds of loop; real programs: tests/live."""

import asyncio
import socket
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from isfc.errors import ConfigurationError
from isfc.live import forward
from isfc.live.accepting import PAUSE_S
from isfc.live.endpoint import parse_forwards
from isfc.live.forward import forward_limits, forwarding
from isfc.live.session import ConversationSevered
from isfc.programs.protocol import ConversationLimits
from tests.isfc.live.tcp import (
    NODES,
    answer_at_end,
    answer_to,
    carried,
    echo,
    end,
    forwarded,
    greet,
    no_descriptor_left,
    tcp_server,
    to,
)
from tests.live.forwarded import free_port
from tests.live.nodes import Nodes, engine_of, open_pair, verifying_of
from tests.waiting import PATIENCE_S, wait_until


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("ATLANTA:15432=BOSTON:127.0.0.1:5432", ("ATLANTA", "127.0.0.1", 15432, "127.0.0.1", 5432)),
        ("BOSTON:1=ATLANTA:db.example:65535", ("BOSTON", "127.0.0.1", 1, "db.example", 65535)),
        ("ATLANTA:0.0.0.0:80=BOSTON:[::1]:8080", ("ATLANTA", "0.0.0.0", 80, "::1", 8080)),
        ("ATLANTA:[::1]:80=BOSTON:localhost:80", ("ATLANTA", "::1", 80, "localhost", 80)),
    ],
)
def test_a_forward_is_read(text: str, fields: tuple[object, ...]) -> None:
    (parsed,) = parse_forwards([text], [NODES])
    assert (parsed.node, parsed.listen_host, parsed.listen_port, parsed.host, parsed.port) == fields
    assert {parsed.node, parsed.partner} == set(NODES)
    assert parsed.service == f"TCP{parsed.listen_port}"
    (again,) = parse_forwards([str(parsed)], [NODES])
    assert again == parsed


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["ATLANTA:15432"], "expected NODE:PORT=NODE:HOST:PORT"),
        (["ATLANTA:x=BOSTON:h:1"], "expected NODE:PORT=NODE:HOST:PORT"),
        (["ATLANTA:1=BOSTON:1"], "expected NODE:PORT=NODE:HOST:PORT"),
        (["ATLANTA:1=BOSTON:::1:80"], "expected NODE:PORT=NODE:HOST:PORT"),
        (["ATLANTA:1=ATLANTA:h:1"], "expected one of ATLANTA and BOSTON on each side"),
        (["ATLANTA:1=CHICAGO:h:1"], "expected one of ATLANTA and BOSTON on each side"),
        (["ATLANTA:0=BOSTON:h:1"], "expected ports from 1 to 65535"),
        (["ATLANTA:1=BOSTON:h:65536"], "expected ports from 1 to 65535"),
        (["ATLANTA:1=BOSTON:a..b:80"], "'a..b' is no host"),
        (["ATLANTA:1=BOSTON:h:1", "ATLANTA:1=BOSTON:h:2"], "ATLANTA:1 is there twice"),
    ],
)
def test_what_is_no_forward_is_a_configuration_error(texts: list[str], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        parse_forwards(texts, [NODES])


async def test_bytes_go_both_ways_and_halves_end_by_themselves(tmp_path: Path) -> None:
    async with carried(tmp_path, answer_at_end) as (first, _, port, forwarder, complaints):
        assert await answer_to(port, Random(3).randbytes(2_000_000)) == b"2000000"
        await wait_until(lambda: not first.exchange().board.conversations)
        assert (forwarder.connection_count, forwarder.failed_count) == (1, 0)
    assert complaints == []


async def test_many_connections_keep_apart(tmp_path: Path) -> None:
    async def talk(port: int, number: int) -> None:
        sent = Random(number).randbytes(20_000 + 1_000 * number)
        assert await answer_to(port, sent) == sent

    async with carried(tmp_path, echo, verify=True) as at:
        await asyncio.gather(*(talk(at.port, number) for number in range(60)))
        assert at.forwarder.connection_count == 60
        for node in (at.first, at.second):
            verifying_of(node).expect_intact()
    assert at.complaints == []


async def test_a_service_that_is_not_there_resets_its_clients(nodes: Nodes) -> None:
    complaints: list[str] = []
    with socket.socket() as deaf:  # keeps the port from others, and does not listen
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        async with forwarded(*nodes, port, complaints) as (listen_port, forwarder):
            reader, writer = await asyncio.open_connection("127.0.0.1", listen_port)
            with pytest.raises(ConnectionResetError):
                await reader.read()
            await end(writer)
            assert forwarder.failed_count == 1
    assert len(complaints) == 2  # each end says it
    assert all(c.endswith(f"127.0.0.1:{port}: Connection refused") for c in complaints)


async def test_a_host_that_has_no_address_is_said(nodes: Nodes) -> None:
    first, second = nodes
    complaints: list[str] = []
    async with forwarding(second, [to("no host", 80, 1)], complaints.append):
        with pytest.raises(ConversationSevered, match="REFUSED: no host:80: "):
            await first.connect("TCP1")
    (complaint,) = complaints
    assert complaint.startswith("--forward ATLANTA:127.0.0.1:1=BOSTON:no host:80: no host:80: ")


async def test_a_reset_on_one_side_is_a_reset_on_the_other(tmp_path: Path) -> None:
    ends: list[BaseException | bytes] = []

    async def note_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        try:
            ends.append(await reader.read())
        except ConnectionError as error:
            ends.append(error)

    async with carried(tmp_path, note_end) as (first, _, port, _, complaints):
        _, writer = await greet(port)
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await wait_until(lambda: bool(ends))
        assert isinstance(ends[0], ConnectionResetError)
        await wait_until(lambda: not first.exchange().board.conversations)
    assert [c.partition(": ")[2] for c in complaints] == [
        "Connection reset by peer",
        "FAILED: Connection reset by peer",
    ]


async def test_running_out_of_file_descriptors_delays_a_connection(tmp_path: Path) -> None:
    async with carried(tmp_path, echo) as at:
        client = socket.create_connection(("127.0.0.1", at.port), PATIENCE_S)
        with no_descriptor_left():
            await wait_until(lambda: bool(at.complaints))
            await asyncio.sleep(3 * PAUSE_S)  # it is tried again, and said once
        reader, writer = await asyncio.open_connection(sock=client)
        writer.write(b"hello")
        writer.write_eof()
        assert await reader.read() == b"hello"
        writer.close()
    assert [c.partition(": ")[2] for c in at.complaints] == ["cannot accept: Too many open files"]


async def test_a_lost_link_resets_both_ends(tmp_path: Path) -> None:
    async with carried(tmp_path, echo) as at:
        reader, writer = await greet(at.port)
        engine_of(at.second).sever("for a test")
        with pytest.raises(ConnectionResetError):
            await reader.read()
        await end(writer)
        assert at.forwarder.failed_count == 1


async def test_a_client_is_not_read_faster_than_the_service_reads(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await go.wait()
        await answer_at_end(reader, writer)

    size = 40_000_000
    async with carried(tmp_path, slow) as (first, second, port, _, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(bytes(size))
        sending = asyncio.create_task(writer.drain())
        await asyncio.sleep(0.3)
        assert not sending.done()
        held = sum(
            end.arrived_length + node.exchange().board.limits.send_length - end.room_length
            for node in (first, second)
            for end in node.exchange().board.conversations.values()
        )
        limits = first.exchange().board.limits
        assert held <= limits.window_length + limits.send_length < size / 4
        go.set()
        await sending
        writer.write_eof()
        assert await reader.read() == str(size).encode()
        writer.close()


async def test_a_port_that_is_taken_is_a_configuration_error(nodes: Nodes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        forwards = [to("127.0.0.1", 1, taken.getsockname()[1])]
        with pytest.raises(ConfigurationError, match=r"cannot listen: .*in use"):
            async with forwarding(nodes[0], forwards, lambda _: None):
                pass


async def test_connections_beyond_the_limit_wait_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 2)
    open_now, open_most = 0, 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, open_most
        open_now += 1
        open_most = max(open_most, open_now)
        await echo(reader, writer)
        open_now -= 1

    async def talk(port: int) -> None:
        reader, writer = await greet(port)
        await asyncio.sleep(0.01)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()

    async with carried(tmp_path, count) as at:
        await asyncio.gather(*(talk(at.port) for _ in range(8)))
    assert open_most == 2
    assert at.complaints == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_the_service_sees_connections_in_the_order_in_which_they_came(
    nodes: Nodes, host: str
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

    listen_port = free_port()
    first, second = nodes
    async with tcp_server(note) as port:
        forwards = [to(host, port, listen_port)]
        async with (
            forwarding(second, forwards, lambda _reset: None),
            forwarding(first, forwards, lambda _reset: None),
        ):
            clients = [speak(listen_port, number) for number in range(100)]
            await wait_until(lambda: len({*seen.values()} - {-1}) == 100)
            for client in clients:
                client.close()
    assert list(seen.values()) == list(range(100))


async def test_places_come_back_when_the_link_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 2)
    async with carried(tmp_path, echo) as at:
        for _ in range(5):
            clients = [await greet(at.port) for _ in range(2)]
            clients[0][1].write_eof()  # one of them is closing
            await asyncio.sleep(0.01)
            engine_of(at.second).sever("for a test")
            for reader, writer in clients:
                with suppress(ConnectionResetError):
                    await reader.read()
                writer.close()
            await wait_until(lambda: not at.first.exchange().board.conversations)


async def test_ports_and_directions_have_places_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "CONNECTIONS_MAX", 3)
    complaints: list[str] = []
    ports = [free_port() for _ in range(3)]
    async with tcp_server(echo) as port:
        forwards = [to("127.0.0.1", port, ports[n], here=n % 2) for n in range(3)]
        limits = replace(forward_limits(forwards), conversations_max=12)
        async with (
            open_pair(tmp_path, limits=limits) as (first, second),
            forwarding(second, forwards, complaints.append),
            forwarding(first, forwards, complaints.append),
        ):
            clients = [await greet(port) for port in ports for _ in range(3)]
            waiting = asyncio.create_task(greet(ports[0]))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            for _, writer in clients:
                writer.close()
            (await waiting)[1].close()
            await wait_until(lambda: not first.exchange().board.conversations)
    assert complaints == []


def test_limits_have_places_for_every_forward() -> None:
    forwards = [to("h", 1, port) for port in (1, 2, 3)]
    assert forward_limits(forwards).conversations_max >= 3 * forward.CONNECTIONS_MAX
    assert forward_limits([]) == ConversationLimits()
