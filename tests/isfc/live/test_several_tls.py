"""Mutual TLS where a system has several partners: one port, and each partner shows who it is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.engine import LiveEngine
from isfc.live.events import ConnectionRefused
from isfc.live.session import Conversation, OpenNode, open_node
from tests.installed import need
from tests.live.certificates import context
from tests.live.cluster_member import LAYOUT, NAMES
from tests.live.forwarded import free_port
from tests.live.pair import Run, run_live
from tests.waiting import wait_until
from tools.benchmarks.tcp_services import make_certificates

__all__ = ["run_live"]

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


def refusals(engine: LiveEngine) -> list[str]:
    """Why connections of a link are refused from now on."""
    told: list[str] = []

    def listen(_end: object, event: object, _now_ns: int) -> None:
        if isinstance(event, ConnectionRefused):
            told.append(event.reason)

    engine.listeners.append(listen)
    return told


async def echo(conversation: Conversation) -> None:
    async for data in conversation:
        await conversation.send(data)


def test_each_two_of_three_talk_over_mutual_tls(run_live: Run, folder: Path) -> None:
    async def main() -> None:
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

    run_live(main())


def test_certificate_of_one_partner_does_not_let_in_another(run_live: Run, folder: Path) -> None:
    async def main() -> None:
        async with open_three(folder, third_shows=B) as (first, second, third):
            told = refusals(engine(first, C))
            await wait_until(lambda: engine(first, B).end.link.state is LinkState.UP)
            await wait_until(lambda: engine(second, C).counters.refused_count > 0 < len(told))
            assert {*told} == {"the certificate is of BETA, not of GAMMA"}
            for node, partner in ((first, C), (second, C), (third, A), (third, B)):
                assert engine(node, partner).end.link.state is not LinkState.UP
            assert engine(second, A).counters.refused_count == 0

    run_live(main())


def test_who_is_where_a_system_goes_to_has_to_be_that_partner(run_live: Run, folder: Path) -> None:
    async def main() -> None:
        a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
        exchanged: dict[str, str] = {A: b, B: a}
        async with (
            open_node(LAYOUT, A, listen=a, tls=context(folder, A, server=True)),
            open_node(LAYOUT, B, listen=b, connect={A: a}, **contexts(folder, B)),
            open_node(LAYOUT, C, connect=exchanged, tls=context(folder, C, server=False)) as third,
        ):
            told = {name: refusals(engine(third, name)) for name in (A, B)}
            await wait_until(lambda: all(told.values()))
            assert told[A][0] == "the certificate is of BETA, not of ALPHA"
            assert told[B][0] == "the certificate is of ALPHA, not of BETA"
            for name in (A, B):
                assert engine(third, name).end.link.state is not LinkState.UP

    run_live(main())


def test_unix_socket_takes_no_tls_beside_partners_that_do(
    run_live: Run, folder: Path, tmp_path: Path
) -> None:
    """BETA is met by GAMMA on this machine, and goes to ALPHA with TLS."""

    async def main() -> None:
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

    run_live(main())


def test_certificate_is_looked_at_where_only_the_connecting_side_has_tls(
    run_live: Run, folder: Path, tmp_path: Path
) -> None:
    """BETA listens at a Unix socket; GAMMA's certificate is not ALPHA's, to which it goes."""

    async def main() -> None:
        a, b = f"127.0.0.1:{free_port()}", f"unix:{tmp_path / B}"
        mine = context(folder, B, server=False)
        async with (
            open_node(LAYOUT, A, listen=a, tls=context(folder, C, server=True)),
            open_node(LAYOUT, B, listen=b, connect={A: a}, connect_tls=mine) as second,
        ):
            told = refusals(engine(second, A))
            await wait_until(lambda: bool(told))
            assert told[0] == "the certificate is of GAMMA, not of ALPHA"
            assert engine(second, A).end.link.state is not LinkState.UP

    run_live(main())


def test_context_of_the_other_side_is_refused_with_the_argument(
    run_live: Run, folder: Path
) -> None:
    async def main() -> None:
        a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
        server, client = (context(folder, B, server=server) for server in (True, False))
        with pytest.raises(ConfigurationError, match="expected one of a client, as connect_tls"):
            async with open_node(LAYOUT, B, listen=b, connect={A: a}, tls=server):
                pass
        with pytest.raises(ConfigurationError, match="this node listens: expected one of a server"):
            async with open_node(LAYOUT, A, listen=a, tls=client):
                pass

    run_live(main())
