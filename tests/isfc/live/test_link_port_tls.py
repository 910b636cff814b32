"""Who is let in with mutual TLS."""

import asyncio
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from isfc.cli.live.node import PartnerOptions
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.connection import ConnectionRefused
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.pending import UNGREETED_MAX
from isfc.live.session import OpenNode, open_node
from isfc.testing.pair import Setup
from tests.installed import need
from tests.live.certificates import context, make_unfit
from tests.live.cluster_member import LAYOUT, NAMES
from tests.live.forwarded import free_port
from tests.live.nodes import echo, engine_of, expect_echo
from tests.live.pair import LivePair, LiveSide
from tests.waiting import wait_until
from tools.benchmarks.tcp_services import make_certificates

pytestmark = pytest.mark.usefixtures("patient")

CLIENT_HELLO_BEGINS = bytes.fromhex("1603010200010001fc0303")
"""The first bytes of a TLS handshake, of which no more come."""

ANY_PORT = TcpEndpoint("127.0.0.1", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA, and certificates of it for all systems, for a stranger, and such as do not fit."""
    need("openssl", "openssl")
    made = tmp_path_factory.mktemp("tls")
    make_certificates(made, ("ATLANTA", "BOSTON", "CHICAGO", *NAMES))
    make_unfit(made, "BOSTON")
    return made


def tls_pair(tmp_path: Path, folder: Path, second: dict[str, Any]) -> LivePair:
    """ATLANTA listens with TLS, and BOSTON comes as it is told."""
    first = {"tls": context(folder, "ATLANTA", server=True)}
    return LivePair(tmp_path, endpoint=ANY_PORT, options=[first, second])


async def test_mutual_tls_carries_messages(tmp_path: Path, folder: Path) -> None:
    boston = {"tls": context(folder, "BOSTON", server=False)}
    async with tls_pair(tmp_path, folder, boston) as pair:
        pair.second.send(bytes(2_000_000), b"x")
        await wait_until(lambda: pair.first.received() == [bytes(2_000_000), b"x"])


ABOUT_IT = "TLS: the certificate is not accepted: certificate"


@pytest.mark.parametrize(
    ("shows", "trusts", "reason"),
    [
        ("CHICAGO", "ca", "the certificate is of CHICAGO, not of BOSTON"),
        ("FORGED", "ca", f"{ABOUT_IT} signature failure"),
        ("EXPIRED", "ca", f"{ABOUT_IT} has expired"),
        ("BOSTON", "other", "TLS: "),
        (None, "ca", "TLS: wrong version number"),
    ],
)
async def test_who_does_not_show_a_certificate_that_fits_is_refused_with_the_reason(
    tmp_path: Path, folder: Path, shows: str | None, trusts: str, reason: str
) -> None:
    """Also who does not trust the listener's own, and so goes."""
    boston = {} if shows is None else {"tls": context(folder, shows, server=False, ca=trusts)}
    async with tls_pair(tmp_path, folder, boston) as pair:
        await wait_until(lambda: len(pair.first.refusals()) > 3)
        told = set(pair.first.refusals())
        assert told == {reason} if trusts == "ca" else all(each.startswith(reason) for each in told)
        assert pair.first.engine.counters.attached_count == 0
        assert pair.second.engine.counters.attached_count == 0


async def test_a_certificate_that_was_renewed_is_shown_on_the_next_connection(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("pem", "key"):
        shutil.copy(folder / f"EXPIRED.{kind}", tmp_path / f"mine.{kind}")
    complaints: list[str] = []
    monkeypatch.setattr("isfc.cli.live.options.show_error", complaints.append)
    cert, key = tmp_path / "mine.pem", tmp_path / "mine.key"
    mine = PartnerOptions(cert=cert, key=key, ca=folder / "ca.pem").tls(server=False)
    async with tls_pair(tmp_path, folder, {"tls": mine}) as pair:
        await wait_until(lambda: bool(pair.first.refusals()))
        (tmp_path / "mine.pem").write_text("half of it")
        await wait_until(lambda: bool(complaints))
        assert not pair.first.up
        shutil.copy(folder / "BOSTON.pem", tmp_path / "mine.pem")
        await pair.come_up()
    (complaint,) = complaints
    assert complaint.endswith("; the certificate that was read before stays in use")


async def test_a_greeting_that_comes_with_the_end_of_the_handshake_is_read(
    tmp_path: Path, folder: Path
) -> None:
    async with tls_pair(tmp_path, folder, {}) as pair:
        assert isinstance(pair.endpoint, TcpEndpoint)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context(folder, "BOSTON", server=False).wrap_bio(incoming, outgoing)
        reader, writer = await asyncio.open_connection("127.0.0.1", pair.endpoint.port)
        while True:
            try:
                session.do_handshake()
                break
            except ssl.SSLWantReadError:
                writer.write(outgoing.read())
                incoming.write(await reader.read(65_536))
        session.write(b"\0\6GARBAGE")
        writer.write(outgoing.read())  # our last words of the handshake, and these
        await wait_until(lambda: "no greeting (at byte 2)" in pair.first.refusals())
        writer.close()
        await writer.wait_closed()
        await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
        await asyncio.sleep(0.1)  # uvloop closes the other end of it a little later


@asynccontextmanager
async def listening(folder: Path, path: Path) -> AsyncIterator[tuple[LiveSide, str]]:
    """A side that listens with TLS, and where: at a Unix socket, on which a crowd is quick."""
    side = LiveSide(Setup().definition(0), 1, tls=context(folder, "ATLANTA", server=True))
    endpoint = await side.attachments.listen(UnixEndpoint(str(path / "link")))
    assert isinstance(endpoint, UnixEndpoint)
    yield side, endpoint.path
    await side.close()


async def test_handshakes_that_do_not_go_on_are_few_and_end(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 2.0)
    async with listening(folder, tmp_path) as (side, path):
        crowd = [await asyncio.open_unix_connection(path) for _ in range(UNGREETED_MAX)]
        ungreeted = side.attachments.node_port.ungreeted
        await wait_until(lambda: len(ungreeted) == UNGREETED_MAX)
        crowd.append(await asyncio.open_unix_connection(path))
        too_many = "too many connections are greeting at the same time"
        await wait_until(lambda: side.refusals() == [too_many])
        await wait_until(lambda: not ungreeted)
        assert side.refusals()[1:] == ["no greeting within 2 s"] * UNGREETED_MAX
        for _, writer in crowd:
            writer.close()


async def test_a_node_that_ends_amid_handshakes_leaves_nothing(
    tmp_path: Path, folder: Path
) -> None:
    async with listening(folder, tmp_path) as (side, path):
        reader, writer = await asyncio.open_unix_connection(path)
        await wait_until(lambda: len(side.attachments.node_port.ungreeted) == 1)
    assert await reader.read() == b""
    writer.close()
    assert not side.refusals()


@pytest.mark.parametrize("says", [b"", CLIENT_HELLO_BEGINS], ids=["silent", "handshaking"])
async def test_a_flood_of_strangers_keeps_no_partner_out_and_is_bounded(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 60.0)
    crowd: list[asyncio.StreamWriter] = []
    most = 0
    boston = {"tls": context(folder, "BOSTON", server=False)}
    first, second = (pair := tls_pair(tmp_path, folder, boston)).sides
    ungreeted = first.attachments.node_port.ungreeted

    async def keep_coming(port: int) -> None:
        nonlocal most
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(says)
            crowd.append(writer)
            most = max(most, len(ungreeted), len(asyncio.all_tasks()))
            await asyncio.sleep(0.002)

    place = await first.attachments.listen(ANY_PORT)
    assert isinstance(place, TcpEndpoint)
    coming = asyncio.create_task(keep_coming(place.port))
    await wait_until(lambda: first.engine.counters.refused_count > UNGREETED_MAX)
    second.attachments.connect(place)
    await pair.come_up()
    coming.cancel()
    await asyncio.gather(coming, return_exceptions=True)
    assert most < 2 * UNGREETED_MAX  # they, and the handful of tasks of this test and the nodes
    for writer in crowd:
        writer.close()
    await wait_until(lambda: not ungreeted)
    await pair.__aexit__()


A, B, C = (NodeName(name) for name in NAMES)
DATA = bytes(range(256)) * 1_000


def contexts(folder: Path, name: str) -> dict[str, Any]:
    """What a system that listens and connects takes: a context for either."""
    return {
        "tls": context(folder, name, server=True),
        "connect_tls": context(folder, name, server=False),
    }


@asynccontextmanager
async def open_three(folder: Path, third_shows: str = C) -> AsyncIterator[list[OpenNode]]:
    """ALPHA has both others come, BETA one of them; GAMMA goes to both."""
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    third = context(folder, third_shows, server=False)
    async with (
        open_node(LAYOUT, A, listen=a, tls=context(folder, A, server=True)) as first,
        open_node(LAYOUT, B, listen=b, connect={A: a}, **contexts(folder, B)) as second,
        open_node(LAYOUT, C, connect={A: a, B: b}, tls=third) as last,
    ):
        yield [first, second, last]


@pytest.fixture
def three(folder: Path) -> AbstractAsyncContextManager[list[OpenNode]]:
    return open_three(folder)


def refusals_of(engine: LiveEngine) -> list[str]:
    """Why connections of a link are refused from now on."""
    told: list[str] = []

    def listen(_end: object, event: object, _now_ns: int) -> None:
        if isinstance(event, ConnectionRefused):
            told.append(event.reason)

    engine.listeners.append(listen)
    return told


async def test_each_two_of_three_talk_over_mutual_tls(three: list[OpenNode]) -> None:
    for node in three:
        node.serve("ECHO", echo)
    for node in three:
        for partner in node.partners:
            async with node.connect("ECHO", partner=partner) as conversation:
                await expect_echo(conversation, DATA)


async def test_certificate_of_one_partner_does_not_let_in_another(folder: Path) -> None:
    async with open_three(folder, third_shows=B) as (first, second, third):
        told = refusals_of(engine_of(first, C))
        await wait_until(lambda: engine_of(first, B).end.link.state is LinkState.UP)
        await wait_until(lambda: engine_of(second, C).counters.refused_count > 0 < len(told))
        assert {*told} == {"the certificate is of BETA, not of GAMMA"}
        for node, partner in ((first, C), (second, C), (third, A), (third, B)):
            assert engine_of(node, partner).end.link.state is not LinkState.UP
        assert engine_of(second, A).counters.refused_count == 0


async def test_who_is_where_a_system_goes_to_has_to_be_that_partner(folder: Path) -> None:
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    exchanged: dict[str, str] = {A: b, B: a}
    async with (
        open_node(LAYOUT, A, listen=a, tls=context(folder, A, server=True)),
        open_node(LAYOUT, B, listen=b, connect={A: a}, **contexts(folder, B)),
        open_node(LAYOUT, C, connect=exchanged, tls=context(folder, C, server=False)) as third,
    ):
        told = {name: refusals_of(engine_of(third, name)) for name in (A, B)}
        await wait_until(lambda: all(told.values()))
        assert told[A][0] == "the certificate is of BETA, not of ALPHA"
        assert told[B][0] == "the certificate is of ALPHA, not of BETA"
        for name in (A, B):
            assert engine_of(third, name).end.link.state is not LinkState.UP


async def test_unix_socket_takes_no_tls_beside_partners_that_do(
    folder: Path, tmp_path: Path
) -> None:
    """BETA is met by GAMMA on this machine, and goes to ALPHA with TLS."""
    a, b = f"127.0.0.1:{free_port()}", f"unix:{tmp_path / B}"
    mine = context(folder, C, server=False)
    async with (
        open_node(LAYOUT, A, listen=a, tls=context(folder, A, server=True)) as first,
        open_node(LAYOUT, B, listen=b, connect={A: a}, **contexts(folder, B)) as second,
        open_node(LAYOUT, C, connect={A: a, B: b}, connect_tls=mine) as third,
    ):
        nodes = [first, second, third]
        links = [engine_of(node, partner) for node in nodes for partner in node.partners]
        await wait_until(lambda: all(each.end.link.state is LinkState.UP for each in links))


async def test_certificate_is_looked_at_where_only_the_connecting_side_has_tls(
    folder: Path, tmp_path: Path
) -> None:
    """BETA listens at a Unix socket; GAMMA's certificate is not ALPHA's, to which it goes."""
    a, b = f"127.0.0.1:{free_port()}", f"unix:{tmp_path / B}"
    mine = context(folder, B, server=False)
    async with (
        open_node(LAYOUT, A, listen=a, tls=context(folder, C, server=True)),
        open_node(LAYOUT, B, listen=b, connect={A: a}, connect_tls=mine) as second,
    ):
        told = refusals_of(engine_of(second, A))
        await wait_until(lambda: bool(told))
        assert told[0] == "the certificate is of GAMMA, not of ALPHA"
        assert engine_of(second, A).end.link.state is not LinkState.UP


async def test_context_of_the_other_side_is_refused_with_the_argument(folder: Path) -> None:
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    server, client = (context(folder, B, server=server) for server in (True, False))
    with pytest.raises(ConfigurationError, match="expected one of a client, as connect_tls"):
        async with open_node(LAYOUT, B, listen=b, connect={A: a}, tls=server):
            pass
    with pytest.raises(ConfigurationError, match="this node listens: expected one of a server"):
        async with open_node(LAYOUT, A, listen=a, tls=client):
            pass
