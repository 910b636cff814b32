"""Every TCP connection of a node is watched: those of CTCs, and those that are forwarded."""

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from isfc.live import connection, forward
from isfc.live.connection import IDLE_S, INTERVAL_S, PROBES_MAX, UNCONFIRMED_MS, Answers, keep_alive
from isfc.live.endpoint import TcpEndpoint
from tests.isfc.live.tcp import carried, echo
from tests.live.pair import pair_up

FLOOD_LENGTH = 40_000_000
"""Bytes: more than all buffers on the way."""

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other options")


def settings(watched: socket.socket) -> dict[str, int]:
    """What the system does about a connection that is silent."""
    options = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")
    found = {"SO_KEEPALIVE": watched.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)}
    for name in options:
        found[name] = watched.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
    return found


WATCHED = {
    "SO_KEEPALIVE": 1,
    "TCP_KEEPIDLE": IDLE_S,
    "TCP_KEEPINTVL": INTERVAL_S,
    "TCP_KEEPCNT": PROBES_MAX,
    "TCP_USER_TIMEOUT": UNCONFIRMED_MS,
}
MAY_PAUSE = {**WATCHED, "TCP_USER_TIMEOUT": 0}


@LINUX_ONLY
def test_a_tcp_connection_is_asked_and_given_up_after_the_same_silence() -> None:
    with socket.socket() as watched:
        keep_alive(watched)
        assert settings(watched) == WATCHED
    assert 1_000 * (IDLE_S + INTERVAL_S * PROBES_MAX) == UNCONFIRMED_MS


def test_a_unix_socket_needs_none() -> None:
    first, second = socket.socketpair()
    with first, second:
        keep_alive(first)
        assert first.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0


def test_where_the_system_has_no_numbers_it_still_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_OPTIONS", {"TCP_NOBODY_HAS_THIS": 1})
    with socket.socket() as watched:
        keep_alive(watched)
        assert watched.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


@LINUX_ONLY
async def test_both_ends_of_every_ctc_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch(monkeypatch, connection)

    async with pair_up(tmp_path, endpoint=TcpEndpoint("127.0.0.1", 0)) as pair:
        assert seen == [WATCHED] * (2 * len(pair.first.engine.end.ctcs))


@LINUX_ONLY
async def test_the_client_of_a_forward_and_its_service_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch(monkeypatch, forward)

    async with carried(tmp_path, echo) as (_, _, listen_port, _, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", listen_port)
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        writer.close()
    assert seen == [MAY_PAUSE] * 2


@LINUX_ONLY
async def test_a_forwarded_reader_that_pauses_is_not_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "UNCONFIRMED_MS", 300)
    monkeypatch.setattr(forward, "CHECK_S", 0.05)

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes(FLOOD_LENGTH))
        await writer.drain()

    async with carried(tmp_path, flood) as (_, _, listen_port, _, complaints):
        reader, writer = await asyncio.open_connection("127.0.0.1", listen_port)
        await asyncio.sleep(2.0)  # the window closes meanwhile, and the system asks
        assert len(await reader.read(-1)) == FLOOD_LENGTH
        assert complaints == []
        writer.close()


class Reporting:
    """A connection of which Linux would say this: retransmissions, probes, ms of silence."""

    def __init__(self) -> None:
        self.says = (0, 0, 0)

    def fileno(self) -> int:
        return 5

    def getsockopt(self, *_: object) -> bytes:
        return connection.TCP_INFO.pack(*self.says)


@LINUX_ONLY
@pytest.mark.parametrize(
    ("reports", "missing"),
    [
        ([(0, 0, 10**8)], False),  # idle: the system asks by itself
        ([(5, 0, 29_999)], False),
        ([(2, 0, 40_000)], False),
        ([(3, 0, 30_000)], True),  # retransmitted, and no answer
        ([(0, 3, 30_000)], True),  # a closed window, and no answer to what asks for it
        ([(0, 1, 100_000)], False),  # just asked, after a long time
        ([(4, 0, 900), (5, 0, 100), (6, 0, 60_000)], False),  # the closed window was confirmed at 5
        ([(4, 0, 900), (5, 0, 100), (7, 0, 60_000), (7, 0, 200), (8, 0, 90_000)], False),
        ([(4, 0, 900), (5, 0, 100), (8, 0, 60_000)], True),
    ],
)
def test_the_other_end_is_gone_when_its_system_does_not_answer(
    reports: list[tuple[int, int, int]], missing: bool
) -> None:
    connection = Reporting()
    answers = Answers(connection)  # type: ignore[arg-type]
    for connection.says in reports:
        found = answers.are_missing()
    assert found is missing


@LINUX_ONLY
def test_a_connection_that_is_closed_is_not_asked_about() -> None:
    connection = socket.socket()
    answers = Answers(connection)
    assert not answers.are_missing()
    connection.close()
    assert not answers.are_missing()


def watch(monkeypatch: pytest.MonkeyPatch, user: object) -> list[dict[str, int]]:
    """The settings of each connection that a module asks to be watched, as they are then."""
    seen: list[dict[str, int]] = []

    def note(watched: socket.socket, *, reads: bool = True) -> None:
        keep_alive(watched, reads=reads)
        seen.append(settings(watched))

    monkeypatch.setattr(user, "keep_alive", note)
    return seen
