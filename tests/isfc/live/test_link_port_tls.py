"""Who is let in with mutual TLS."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from isfc.cli.live.node import PartnerOptions
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.connection import ConnectionRefused
from isfc.live.endpoint import TcpEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.pending import UNGREETED_MAX
from isfc.live.session import OpenNode, open_node
from isfc.testing.pair import Setup
from tests.installed import need
from tests.live.certificates import context, make_expired
from tests.live.cluster_member import LAYOUT, NAMES
from tests.live.forwarded import free_port
from tests.live.nodes import echo
from tests.live.pair import LivePair, LiveSide, pair_up
from tests.waiting import wait_until
from tools.benchmarks.tcp_services import make_certificates

CLIENT_HELLO_BEGINS = bytes.fromhex("1603010200010001fc0303")
"""The first bytes of a TLS handshake, of which no more come."""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA, and certificates of it for two nodes, for a stranger, and for BOSTON till yesterday."""
    need("openssl", "openssl")
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder, ("ATLANTA", "BOSTON", "CHICAGO"))
    make_expired(folder, "BOSTON")
    return folder


@pytest.mark.usefixtures("patient")
async def test_mutual_tls_carries_messages(tmp_path: Path, certificates: Path) -> None:
    options = [
        {"tls": context(certificates, "ATLANTA", server=True)},
        {"tls": context(certificates, "BOSTON", server=False)},
    ]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with pair_up(tmp_path, endpoint=endpoint, options=options) as pair:
        pair.second.send(bytes(2_000_000), b"x")
        await wait_until(lambda: pair.first.received() == [bytes(2_000_000), b"x"])


@pytest.mark.usefixtures("patient")
async def test_a_certificate_of_somebody_else_is_refused(
    tmp_path: Path, certificates: Path
) -> None:
    options = [
        {"tls": context(certificates, "ATLANTA", server=True)},
        {"tls": context(certificates, "CHICAGO", server=False)},
    ]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        await wait_until(lambda: len(pair.first.refusals()) > 3)
        assert set(pair.first.refusals()) == {"the certificate is of CHICAGO, not of BOSTON"}
        assert not pair.first.up


@pytest.mark.usefixtures("patient")
async def test_a_certificate_that_was_renewed_is_shown_on_the_next_connection(
    tmp_path: Path, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("pem", "key"):
        shutil.copy(certificates / f"EXPIRED.{kind}", tmp_path / f"mine.{kind}")
    complaints: list[str] = []
    monkeypatch.setattr("isfc.cli.live.options.show_error", complaints.append)
    cert, key = tmp_path / "mine.pem", tmp_path / "mine.key"
    mine = PartnerOptions(cert=cert, key=key, ca=certificates / "ca.pem").tls(server=False)

    theirs = context(certificates, "ATLANTA", server=True)
    options: list[dict[str, Any]] = [{"tls": theirs}, {"tls": mine}]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        await wait_until(lambda: bool(pair.first.refusals()))
        (tmp_path / "mine.pem").write_text("half of it")
        await wait_until(lambda: bool(complaints))
        assert not pair.first.up
        shutil.copy(certificates / "BOSTON.pem", tmp_path / "mine.pem")
        await pair.come_up()
    (complaint,) = complaints
    assert complaint.endswith("; the certificate that was read before stays in use")


async def test_who_does_not_begin_tls_in_time_is_sent_away(
    certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.05)

    tls = context(certificates, "ATLANTA", server=True)
    side = LiveSide(Setup().definition(0), 1, tls=tls)
    place = await side.attachments.listen(TcpEndpoint("127.0.0.1", 0))
    assert isinstance(place, TcpEndpoint)
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    with suppress(ConnectionResetError):
        assert await reader.read() == b""
    assert side.refusals() == ["no greeting within 0.05 s"]
    writer.close()
    await side.close()


@pytest.mark.parametrize("says", [b"", CLIENT_HELLO_BEGINS], ids=["silent", "handshaking"])
async def test_a_flood_of_strangers_keeps_no_partner_out_and_is_bounded(
    certificates: Path, monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 60.0)

    crowd: list[asyncio.StreamWriter] = []
    most = 0

    async def keep_coming(port: int) -> None:
        nonlocal most
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(says)
            crowd.append(writer)
            most = max(most, len(first.attachments.node_port.ungreeted), len(asyncio.all_tasks()))
            await asyncio.sleep(0.002)

    setup = Setup()
    contexts = (
        context(certificates, "ATLANTA", server=True),
        context(certificates, "BOSTON", server=False),
    )
    first, second = (
        LiveSide(setup.definition(here), here + 1, tls=tls) for here, tls in enumerate(contexts)
    )
    place = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0))
    assert isinstance(place, TcpEndpoint)
    coming = asyncio.create_task(keep_coming(place.port))
    await wait_until(lambda: first.engine.counters.refused_count > UNGREETED_MAX)
    second.attachments.connect(place)
    await wait_until(lambda: all(s.engine.end.link.state is LinkState.UP for s in (first, second)))
    coming.cancel()
    await asyncio.gather(coming, return_exceptions=True)
    assert most < 2 * UNGREETED_MAX  # they, and the handful of tasks of this test and the nodes
    for writer in crowd:
        writer.close()
    await wait_until(lambda: not first.attachments.node_port.ungreeted)
    for side in (first, second):
        await side.close()


async def test_a_partner_without_tls_is_kept_out(tmp_path: Path, certificates: Path) -> None:
    options = [{"tls": context(certificates, "ATLANTA", server=True)}, {}]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        await wait_until(lambda: len(pair.first.refusals()) > 3)
        assert set(pair.first.refusals()) == {"TLS: wrong version number"}
        assert pair.first.engine.counters.attached_count == 0


A, B, C = (NodeName(name) for name in NAMES)
DATA = bytes(range(256)) * 1_000

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA, and certificates of it for the three systems."""
    need("openssl", "openssl")
    made = tmp_path_factory.mktemp("tls")
    make_certificates(made, NAMES)
    return made


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


def engine(node: OpenNode, partner: NodeName) -> LiveEngine:
    found = node.exchanges[partner].engine
    assert found is not None
    return found


def refusals_of(engine: LiveEngine) -> list[str]:
    """Why connections of a link are refused from now on."""
    told: list[str] = []

    def listen(_end: object, event: object, _now_ns: int) -> None:
        if isinstance(event, ConnectionRefused):
            told.append(event.reason)

    engine.listeners.append(listen)
    return told


async def test_each_two_of_three_talk_over_mutual_tls(folder: Path) -> None:
    async with open_three(folder) as nodes:
        for node in nodes:
            node.serve("ECHO", echo)
        for node in nodes:
            for partner in node.partners:
                async with await node.connect("ECHO", partner=partner) as conversation:
                    await conversation.send(DATA)
                    come = bytearray()
                    while len(come) < len(DATA):
                        come += await conversation.receive()
                    assert come == DATA


async def test_certificate_of_one_partner_does_not_let_in_another(folder: Path) -> None:
    async with open_three(folder, third_shows=B) as (first, second, third):
        told = refusals_of(engine(first, C))
        await wait_until(lambda: engine(first, B).end.link.state is LinkState.UP)
        await wait_until(lambda: engine(second, C).counters.refused_count > 0 < len(told))
        assert {*told} == {"the certificate is of BETA, not of GAMMA"}
        for node, partner in ((first, C), (second, C), (third, A), (third, B)):
            assert engine(node, partner).end.link.state is not LinkState.UP
        assert engine(second, A).counters.refused_count == 0


async def test_who_is_where_a_system_goes_to_has_to_be_that_partner(folder: Path) -> None:
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    exchanged: dict[str, str] = {A: b, B: a}
    async with (
        open_node(LAYOUT, A, listen=a, tls=context(folder, A, server=True)),
        open_node(LAYOUT, B, listen=b, connect={A: a}, **contexts(folder, B)),
        open_node(LAYOUT, C, connect=exchanged, tls=context(folder, C, server=False)) as third,
    ):
        told = {name: refusals_of(engine(third, name)) for name in (A, B)}
        await wait_until(lambda: all(told.values()))
        assert told[A][0] == "the certificate is of BETA, not of ALPHA"
        assert told[B][0] == "the certificate is of ALPHA, not of BETA"
        for name in (A, B):
            assert engine(third, name).end.link.state is not LinkState.UP


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
        links = [engine(node, partner) for node in nodes for partner in node.partners]
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
        told = refusals_of(engine(second, A))
        await wait_until(lambda: bool(told))
        assert told[0] == "the certificate is of GAMMA, not of ALPHA"
        assert engine(second, A).end.link.state is not LinkState.UP


async def test_context_of_the_other_side_is_refused_with_the_argument(folder: Path) -> None:
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    server, client = (context(folder, B, server=server) for server in (True, False))
    with pytest.raises(ConfigurationError, match="expected one of a client, as connect_tls"):
        async with open_node(LAYOUT, B, listen=b, connect={A: a}, tls=server):
            pass
    with pytest.raises(ConfigurationError, match="this node listens: expected one of a server"):
        async with open_node(LAYOUT, A, listen=a, tls=client):
            pass
