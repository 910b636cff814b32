"""Programs on two open nodes, over real sockets, on both kinds of loop."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ctc.address import Rdev
from isfc.errors import Backpressure, ConfigurationError, LocalProtocolError
from isfc.link.message import Message
from isfc.link.state import LinkState
from isfc.live.connection import Detached, LiveEvent
from isfc.live.endpoint import TcpEndpoint, connect_to, listen_at
from isfc.live.engine import LiveEngine
from isfc.live.session import Conversation, ConversationSevered, OpenNode, open_node
from isfc.programs.protocol import ConversationLimits
from isfc.system.link_end import LinkEnd
from isfc.system.system import Deactivate
from tests.live.nodes import (
    FIRST,
    LAYOUT,
    SECOND,
    Nodes,
    cut_for_good,
    echo,
    engine_of,
    expect_echo,
    open_pair,
    received,
    verifying_of,
)
from tests.waiting import PATIENCE_S, wait_until


async def test_many_conversations_at_once_keep_apart(tmp_path: Path) -> None:
    async def talk(node: OpenNode, number: int) -> None:
        async with node.connect("ECHO") as conversation:
            for step in range(10):
                await expect_echo(conversation, f"{number}:{step} ".encode() * (1 + 50 * number))

    async with open_pair(tmp_path, verify=True) as both:
        for node in both:
            node.serve("ECHO", echo)
        await asyncio.gather(*(talk(node, n) for n in range(20) for node in both))
        for node in both:
            verifying_of(node).expect_intact()
            assert verifying_of(node).verified_count > 400


@pytest.mark.parametrize("kept", [4, 2, 1])
async def test_no_piece_of_a_conversation_waits_for_an_answer_to_be_confirmed_with(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """What says that a piece was read may wait for an answer, but nobody waits for that.

    So it is however many CTCs there are.
    """
    monkeypatch.setattr("isfc.live.pace.KEPT_S", 1_000.0)

    async def answer_the_last(conversation: Conversation) -> None:
        come = b""
        async for data in conversation:
            come += data
            if come.endswith(b"."):
                await conversation.send(come)
                come = b""

    async def talk(node: OpenNode, pieces: int) -> None:
        async with node.connect("LAST") as conversation:
            for _ in range(5):
                for _ in range(pieces - 1):
                    await conversation.send(b"piece ")
                    await asyncio.sleep(0)
                await conversation.send(b"last.")
                wanted = b"piece " * (pieces - 1) + b"last."
                assert await received(conversation, len(wanted)) == wanted

    async with asyncio.timeout(PATIENCE_S):
        for node in nodes:
            node.serve("LAST", answer_the_last)
            for ctc in engine_of(node).definition.ctcs[kept:]:
                engine_of(node).apply(Deactivate(ctc.device.rdev))
        for pieces in (1, 2, 3, 7):
            for node in nodes:
                await talk(node, pieces)
        await asyncio.gather(*(talk(node, pieces) for node in nodes for pieces in range(1, 9)))


async def test_refusals_say_why(nodes: Nodes) -> None:
    async def refuse(conversation: Conversation) -> None:
        conversation.refuse("come back tomorrow")

    first, second = nodes
    second.serve("PICKY", refuse)
    with pytest.raises(ConversationSevered, match="REFUSED: come back tomorrow"):
        await first.connect("PICKY")
    with pytest.raises(ConversationSevered, match="NO_SERVICE: BOSTON has no service X"):
        await first.connect("X")
    second.serve("X", echo)
    async with first.connect("X"):
        pass
    second.withdraw("X")
    with pytest.raises(ConversationSevered, match="NO_SERVICE"):
        await first.connect("X")
    with pytest.raises(LocalProtocolError, match="not a service's name"):
        second.serve("not a name", echo)
    await wait_until(lambda: not first.exchange().board.conversations)


async def test_what_a_program_sends_before_it_waits_goes_together(nodes: Nodes) -> None:
    first, second = nodes
    second.serve("ECHO", echo)
    engine = engine_of(first)

    def written() -> int:
        return engine.end.snapshot(engine.now_ns()).write_package_count

    async with first.connect("ECHO") as conversation:
        before = written()
        for _ in range(7):
            await conversation.send(bytes(100_000))
        assert written() == before
        await received(conversation, 700_000)
        assert written() - before == 1


async def test_too_many_conversations_are_back_pressure(tmp_path: Path) -> None:
    async with open_pair(tmp_path, limits=ConversationLimits(conversations_max=2)) as pair:
        first, second = pair
        second.serve("ECHO", echo)
        conversations = [await first.connect("ECHO") for _ in range(2)]
        with pytest.raises(Backpressure, match="conversations is full: 2 of 2"):
            await first.connect("ECHO")
        await conversations[0].close()
        async with first.connect("ECHO"):
            pass


def test_handler_that_fails_severs_and_is_reported(tmp_path: Path) -> None:
    async def fail(conversation: Conversation) -> None:
        conversation.accept()
        raise ZeroDivisionError

    async def main() -> None:
        told: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with open_pair(tmp_path) as (first, second):
            second.serve("FAIL", fail)
            conversation = await first.connect("FAIL")
            with pytest.raises(ConversationSevered, match="FAILED: ZeroDivisionError"):
                await conversation.receive()
        assert [context["message"] for context in told] == ["service FAIL failed"]

    asyncio.run(main())


async def test_connect_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'link'}"
    async with open_node(LAYOUT, FIRST, listen=address) as alone:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await alone.connect("ECHO")
        async with open_node(LAYOUT, SECOND, connect=address) as late:
            late.serve("ECHO", echo)
            await wait_until(lambda: not alone.exchange().board.conversations)
            async with alone.connect("ECHO"):
                pass


async def test_what_several_conversations_send_in_one_turn_goes_together(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = nodes
    second.serve("ECHO", echo)
    conversations = [await first.connect("ECHO") for _ in range(3)]
    engine = engine_of(first)
    assert engine is not None
    await wait_until(lambda: engine.end.link.state is LinkState.UP)  # on all its CTCs
    sent: list[int] = []
    send = engine.send

    def count(messages: Sequence[Message]) -> None:
        sent.append(len(messages))
        send(messages)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "send", count)
        for conversation in conversations:
            conversation.end.send(b"ping")
            conversation.carry_soon()
        assert sent == []
        for conversation in conversations:
            assert await conversation.receive() == b"ping"
    assert sent == [3]
    for conversation in conversations:
        await conversation.close()


async def test_node_that_ends_says_so_to_its_partner(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'link'}"
    async with open_node(LAYOUT, FIRST, listen=address) as first:
        async with open_node(LAYOUT, SECOND, connect=address) as second:
            second.serve("ECHO", echo)
            conversation = await first.connect("ECHO")
        with pytest.raises(ConversationSevered, match="CLOSED: BOSTON has ended"):
            await conversation.receive()
        with pytest.raises(ConversationSevered, match="LINK: BOSTON has ended"):
            await second.connect("ECHO")


async def test_what_was_sent_before_a_node_ends_arrives(tmp_path: Path) -> None:
    come = bytearray()

    async def note(conversation: Conversation) -> None:
        async for data in conversation:
            come.extend(data)

    address = f"unix:{tmp_path / 'link'}"
    async with open_node(LAYOUT, FIRST, listen=address) as first:
        first.serve("NOTE", note)
        async with (
            open_node(LAYOUT, SECOND, connect=address) as second,
            second.connect("NOTE") as conversation,
        ):
            await conversation.send(bytes(500_000))
        await wait_until(lambda: len(come) == 500_000)


async def connect_again(node: OpenNode) -> Conversation:
    """A conversation with a partner that restarts: what the one before was asked is severed."""
    while True:
        with suppress(ConversationSevered):
            return await node.connect("ECHO")


async def test_close_raises_when_the_link_is_given_up_before_all_is_confirmed(
    tmp_path: Path,
) -> None:
    async def sleep(conversation: Conversation) -> None:
        conversation.accept()
        await asyncio.Event().wait()

    limits = ConversationLimits(window_length=1_000, send_length=6_000)
    async with open_pair(tmp_path, reconnect_s=0.3, limits=limits) as (first, second):
        second.serve("SLEEP", sleep)
        conversation = await first.connect("SLEEP")
        await conversation.send(bytes(6_000))
        await wait_until(lambda: conversation.end.room_length == 1_000)
        conversation.end.sever()  # as the last part of a close does
        cut_for_good(second)
        with pytest.raises(ConversationSevered, match=r"LINK: the link was down for 0\.3"):
            await conversation.close()
        assert not first.exchange().board.conversations


async def test_bytes_arrive_whichever_connections_are_cut(tmp_path: Path) -> None:
    sent = Random(5).randbytes(8_000_000)
    come = bytearray()
    cuts: set[Rdev] = set()

    async def cut(engine: LiveEngine, random: Random) -> None:
        rdevs = list(engine.end.ctcs)
        engine.listeners.append(note)
        while len(come) < len(sent):
            kept = random.choice(rdevs)
            for rdev in rdevs:
                if rdev != kept and random.random() < 0.7:
                    engine.detach(rdev, "cut")
            await asyncio.sleep(0.01)

    def note(_end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        if isinstance(event, Detached):
            cuts.add(event.rdev)

    async def take(conversation: Conversation) -> None:
        while len(come) < len(sent):
            come.extend(await conversation.receive())
            await asyncio.sleep(0.001)

    async with open_pair(tmp_path, verify=True) as (first, second):
        second.serve("TAKE", take)
        async with first.connect("TAKE") as conversation:
            cutting = asyncio.create_task(cut(engine_of(first), Random(6)))
            await conversation.send(sent)
            await cutting
        assert come == sent
        assert len(cuts) == 8
        for node in (first, second):
            verifying_of(node).expect_intact()


async def test_partner_that_restarts_severs_conversations_and_can_be_reached_again(
    tmp_path: Path,
) -> None:
    address = f"unix:{tmp_path / 'link'}"
    async with open_node(LAYOUT, FIRST, listen=address) as first:
        for _ in range(3):
            async with open_node(LAYOUT, SECOND, connect=address) as second:
                second.serve("ECHO", echo)
                conversation = await connect_again(first)
                await expect_echo(conversation, b"hello")
                conversation.sever()


async def test_node_that_ends_leaves_the_socket_of_another_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "link"

    async with open_node(LAYOUT, FIRST, listen=f"unix:{path}"):
        path.unlink()
        listener = listen_at(path)
    with listener, connect_to(path):
        pass


async def test_nodes_meet_on_a_tcp_port() -> None:
    async with open_node(LAYOUT, FIRST, listen="127.0.0.1:0") as first:
        assert isinstance(first.address, TcpEndpoint)
        assert first.address.port
        first.serve("ECHO", echo)
        async with (
            open_node(LAYOUT, SECOND, connect=str(first.address)) as second,
            second.connect("ECHO") as conversation,
        ):
            await expect_echo(conversation, b"over TCP")


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("CHICAGO", {"listen": "unix:x"}, "'CHICAGO' is no system .* ATLANTA or BOSTON"),
        (FIRST, {}, "either an address"),
        (FIRST, {"listen": "unix:x", "connect": "unix:x"}, "either an address"),
        (FIRST, {"connect": "nowhere"}, "is no address"),
        (FIRST, {"connect": "192.0.2.1:1"}, "other machines"),
        (FIRST, {"listen": "unix:x", "dilation": -1}, "dilation -1: expected a whole number"),
        (FIRST, {"listen": "unix:x", "dilation": 0.5}, r"dilation=0.5\): expected a whole number"),
        (FIRST, {"listen": "unix:x", "reconnect_s": -1}, "reconnect_s -1: expected 0 s at least"),
        (FIRST, {"listen": "unix:x", "reconnect_s": math.nan}, "reconnect_s=nan"),
    ],
)
def test_what_does_not_fit_is_a_configuration_error(
    name: str, options: dict[str, Any], why: str
) -> None:
    async def main() -> None:
        async with open_node(LAYOUT, name, **options):
            pass

    with pytest.raises(ConfigurationError, match=why):
        asyncio.run(main())
