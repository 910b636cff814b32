"""What a program does with a conversation, over real sockets, on both kinds of loop."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from isfc.errors import LocalProtocolError
from isfc.live.conversation import RECORD_LENGTH_MAX
from isfc.live.session import Conversation, ConversationSevered, SeverCode, Traffic
from isfc.programs.protocol import ROOM_LENGTH_MAX, ConversationLimits
from tests.live.nodes import Nodes, echo, open_pair, received
from tests.waiting import wait_until


async def test_bytes_go_there_and_back(nodes: Nodes) -> None:
    sent = Random(1).randbytes(3_000_000)

    first, second = nodes
    second.serve("ECHO", echo)
    async with first.connect("ECHO") as conversation:
        sending = asyncio.create_task(conversation.send(sent))
        assert await received(conversation, len(sent)) == sent
        await sending
        conversation.finish()
        assert await conversation.receive() == b""
        assert conversation.at_end


async def test_requests_have_their_replies(nodes: Nodes) -> None:
    async def give_turn_away(conversation: Conversation) -> None:
        conversation.end.pass_turn()
        await conversation.send(b"out of turn")

    async def reverse(conversation: Conversation) -> None:
        assert conversation.kind is Traffic.LEGACY
        async for request in conversation:
            await conversation.send(request[::-1])

    first, second = nodes
    first.serve("REVERSE", reverse)
    async with second.connect("REVERSE", Traffic.LEGACY) as conversation:
        for request in (b"stressed", b"", bytes(range(256)) * 6_000):
            assert await conversation.request(request) == request[::-1]
        with pytest.raises(LocalProtocolError, match="partner's turn"):
            await give_turn_away(conversation)


async def test_request_that_is_too_long_severs(nodes: Nodes) -> None:
    first, second = nodes
    second.serve("ECHO", echo)
    conversation = await first.connect("ECHO", Traffic.LEGACY)
    with pytest.raises(ConversationSevered, match="PROTOCOL: more than 16777216 bytes"):
        await conversation.request(bytes(RECORD_LENGTH_MAX + 1))


async def test_sender_waits_for_a_receiver_that_does_not_read(tmp_path: Path) -> None:
    go = asyncio.Event()
    come = bytearray()

    async def slow(conversation: Conversation) -> None:
        conversation.accept()
        await go.wait()
        async for data in conversation:
            come.extend(data)

    limits = ConversationLimits(window_length=10_000, send_length=5_000)
    async with open_pair(tmp_path, limits=limits) as (first, second):
        second.serve("SLOW", slow)
        conversation = await first.connect("SLOW")
        sending = asyncio.create_task(conversation.send(bytes(100_000)))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await asyncio.shield(sending)
        (end,) = second.exchange().board.conversations.values()
        assert end.arrived_length == 10_000
        assert conversation.end.room_length == 0
        go.set()
        await sending
        await conversation.close()
        await wait_until(lambda: len(come) == 100_000)


async def test_severing_ends_the_partners_verbs_with_the_reason(nodes: Nodes) -> None:
    heard: list[str] = []

    async def listen(conversation: Conversation) -> None:
        try:
            await conversation.receive()
        except ConversationSevered as error:
            heard.append(str(error))
            raise

    first, second = nodes
    second.serve("LISTEN", listen)
    conversation = await first.connect("LISTEN")
    conversation.sever("that will do")
    with pytest.raises(ConversationSevered, match="that will do"):
        await conversation.send(b"more")
    await wait_until(lambda: bool(heard))
    assert heard == ["CLOSED: that will do"]


async def test_close_raises_when_something_did_not_arrive(tmp_path: Path) -> None:
    async def read_a_little(conversation: Conversation) -> None:
        await conversation.receive()

    limits = ConversationLimits(window_length=1_000, send_length=5_000)
    async with open_pair(tmp_path, limits=limits) as (first, second):
        second.serve("LITTLE", read_a_little)
        conversation = await first.connect("LITTLE")
        await conversation.send(bytes(4_000))
        with pytest.raises(ConversationSevered, match="CLOSED"):
            await conversation.close()
        conversation = await first.connect("LITTLE")
        await conversation.send(bytes(1))
        await conversation.close()  # all of it was read


async def test_block_that_raises_severs(nodes: Nodes) -> None:
    first, second = nodes
    second.serve("ECHO", echo)
    conversation = await first.connect("ECHO")
    with pytest.raises(KeyError):
        async with conversation:
            raise KeyError
    assert conversation.end.reason is not None
    assert conversation.end.reason.code is SeverCode.FAILED


def test_room_is_never_more_than_the_wire_can_say() -> None:
    assert ConversationLimits().window_length <= ROOM_LENGTH_MAX
