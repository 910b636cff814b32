"""A live system with several links: it is met, operated, seen and talked to as one."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ctc.address import ChpidId
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.endpoint import UnixEndpoint, parse_forwards
from isfc.live.engine import LiveEngine
from isfc.live.forward import forwarding
from isfc.live.metrics import families
from isfc.live.operator import OperatedSystem, look
from isfc.live.session import Conversation, ConversationSevered, Opening, OpenNode, open_node
from isfc.programs.register import BESIDE_LENGTH
from isfc.system.cp.processor import CommandProcessor
from tests.isfc.live.tcp import answer_to, tcp_server
from tests.isfc.live.tcp import echo as tcp_echo
from tests.live.cluster_member import LAYOUT, NAMES
from tests.live.forwarded import free_port
from tests.waiting import wait_until

LAYOUT_TEXT = Path(LAYOUT).read_text()
A, B, C = (NodeName(name) for name in NAMES)


@asynccontextmanager
async def open_three(folder: Path, **options: Any) -> AsyncIterator[list[OpenNode]]:
    """All three systems; each goes to those before it."""
    a, b = (f"unix:{folder / name}" for name in (A, B))
    places = {A: a, B: b}  # by NodeName: type checkers are to take that
    async with (
        open_node(LAYOUT, A, listen=a, **options) as first,
        open_node(LAYOUT, B, listen=b, connect={A: a}, **options) as second,
        open_node(LAYOUT, C, connect=places, **options) as third,
    ):
        yield [first, second, third]


@pytest.fixture
def three(tmp_path: Path) -> AbstractAsyncContextManager[list[OpenNode]]:
    return open_three(tmp_path)


def engines(node: OpenNode) -> list[LiveEngine]:
    found = [exchange.engine for exchange in node.exchanges.values()]
    assert None not in found
    return found  # type: ignore[return-value]


async def come_up(*nodes: OpenNode) -> None:
    await wait_until(
        lambda: all(
            engine.end.link.state is LinkState.UP for node in nodes for engine in engines(node)
        )
    )


async def test_each_two_of_three_systems_talk_to_each_other(three: list[OpenNode]) -> None:
    """A partner must be named, and be one; a service may be for one of them only."""

    async def name_both(conversation: Conversation) -> None:
        await conversation.send(f"you are {conversation.partner}".encode())

    for node in three:
        node.serve("WHO", name_both)
    for node in three:
        for partner in node.partners:
            async with node.connect("WHO", partner=partner) as conversation:
                assert await conversation.receive() == f"you are {node.name}".encode()
    first, second, third = three
    with pytest.raises(ConfigurationError, match="a partner is to be named"):
        await first.connect("WHO")
    with pytest.raises(ConfigurationError, match="no link to DELTA: expected BETA or GAM"):
        await first.connect("WHO", partner="DELTA")
    first.serve("FORB", name_both, B)
    async with second.connect("FORB", partner=A):
        pass
    with pytest.raises(ConversationSevered, match="ALPHA has no service FORB"):
        await third.connect("FORB", partner=A)


async def test_link_that_restarts_leaves_the_other_links_as_they_are(three: list[OpenNode]) -> None:
    first, second, third = three
    await come_up(first, second, third)
    first_engine, other = engines(first)
    first_engine.sever("a fault of a test")
    await come_up(first, second, third)
    assert first_engine.counters.severed_count >= 1
    assert other.counters.severed_count == 0
    assert [engine.counters.severed_count for engine in engines(third)] == [0, 0]


async def test_commands_reach_all_links_of_a_system(three: list[OpenNode]) -> None:
    first, second, third = three
    await come_up(first, second, third)
    system, processor = OperatedSystem(engines(first)), CommandProcessor()

    def give(command: str) -> tuple[str, ...]:
        return tuple(processor.execute(command, system, system.now_ns()).lines)

    shown = give("QUERY ISLINK")
    assert [line for line in shown if line.startswith("Node ")] == ["Node BETA", "Node GAMMA"]
    assert sum("Link device" in line for line in shown) == 16
    assert give("VARY OFFLINE CHPID 40") == ("CHPID 40 varied offline",)
    await wait_until(
        lambda: all(each.end.link.state is LinkState.DEGRADED for each in engines(first))
    )
    first_engine, _ = engines(first)
    first_engine.sever("what is varied off stays off")
    assert ChpidId(0x40) in system.channels.offline_chpids
    assert ChpidId(0x40) in first_engine.system.channels.offline_chpids
    give("VARY ONLINE CHPID 40")
    await come_up(first, second, third)
    assert len(give("DEACTIVE ISLINK NODE GAMMA")) == 8
    assert give("ACTIVATE ISLINK 6200 NODE BETA") == (
        "ISF9003E Node BETA is not at the other end; GAMMA is",
    )
    assert give("ACTIVATE ISLINK 6200 NODE GAMMA") == ("Link 6200 activated.",)
    await wait_until(lambda: engines(first)[1].end.link.state is not LinkState.DOWN)


async def test_metrics_have_samples_for_each_partner(three: list[OpenNode]) -> None:
    first, *_ = three
    seen = [look(engine, paced=False) for engine in engines(first)]
    (state,) = [each for each in families(seen) if each.name == "isfc_link_state"]
    assert {sample.labels["partner"] for sample in state.samples} == {B, C}
    (ios,) = [each for each in families(seen) if each.name == "isfc_ctc_ios"]
    pairs = {(sample.labels["partner"], sample.labels["rdev"]) for sample in ios.samples}
    assert len(pairs) == 16


async def test_download_over_one_link_makes_way_for_requests_over_another(
    three: list[OpenNode],
) -> None:
    """What is on its way to the system that asks is bounded by it: nobody else knows of both."""
    first, second, third = three
    board = third.exchange(A).board
    under_way: list[int] = []

    async def echo(conversation: Conversation) -> None:
        async for data in conversation:
            await conversation.send(data)

    async def give(conversation: Conversation) -> None:
        while True:
            await conversation.send(bytes(2**18))
            under_way.append(board.in_link_length)

    async def take(conversation: Conversation) -> None:
        async for _ in conversation:
            pass

    second.serve("ECHO", echo)
    third.serve("GIVE", give)
    asking, download = (
        await first.connect("ECHO", partner=B),
        await first.connect("GIVE", partner=C),
    )
    taking = asyncio.create_task(take(download))
    await wait_until(lambda: max(under_way, default=0) > 2 * BESIDE_LENGTH)
    begun = len(under_way)
    while len(under_way) < begun + 100:
        await asking.send(b"request")
        await asking.receive()
    assert max(under_way[begun + 50 :]) <= BESIDE_LENGTH + 2**18 + 2**10
    taking.cancel()
    for each in (asking, download):
        each.sever()


async def test_forwards_of_two_systems_to_a_third_do_not_meet(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("there is no ::1")

    async with (
        tcp_server(tcp_echo) as port,
        tcp_server(tcp_echo) as other,
        open_three(tmp_path) as (_, second, third),
    ):
        place = free_port()
        texts = [f"ALPHA:[::1]:{place}=GAMMA:127.0.0.1:{port}"]
        texts += [f"BETA:{place}=GAMMA:127.0.0.1:{other}"]
        links = [(A, B), (A, C), (B, C)]
        forwards = parse_forwards(texts, links)
        async with (
            forwarding(third, forwards, pytest.fail),
            forwarding(second, forwards, pytest.fail),
        ):
            assert await answer_to(place, b"hello") == b"hello"


@pytest.mark.parametrize(
    ("listen", "connect", "why"),
    [
        (False, (), "no way to meet BETA and GAMMA"),
        (False, (B,), "no way to meet GAMMA"),
        (True, (B, C), "nobody would come there"),
        (True, (NodeName("DELTA"),), "no link to DELTA: expected the address of BETA or GAMMA"),
    ],
)
def test_every_partner_must_be_met(listen: bool, connect: tuple[NodeName, ...], why: str) -> None:
    place = UnixEndpoint("/x")
    with pytest.raises(ConfigurationError, match=why):
        Opening(place if listen else None, dict.fromkeys(connect, place)).check([B, C])


async def test_stranger_of_no_link_is_refused_with_the_reason(tmp_path: Path) -> None:
    layout = tmp_path / "other.toml"
    layout.write_text(LAYOUT_TEXT.replace("GAMMA", "OMEGA"))

    a = f"unix:{tmp_path / A}"
    async with (
        open_node(LAYOUT, A, listen=a) as first,
        open_node(layout.as_posix(), "OMEGA", listen=f"unix:{tmp_path / 'o'}", connect={A: a}),
    ):
        told: list[Any] = []
        engines(first)[0].listeners.append(lambda _end, event, _now_ns: told.append(event))
        await wait_until(lambda: any("ALPHA has no link to OMEGA" in str(e) for e in told))
