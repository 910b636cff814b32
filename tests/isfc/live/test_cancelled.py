"""Verbs and nodes that are cancelled at any turn of the loop: nothing is lost, nothing stays."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from isfc.live.session import Conversation, ConversationSevered, OpenNode, Traffic, open_node
from isfc.programs.protocol import ConversationLimits
from tests.live.nodes import FIRST, LAYOUT, SECOND, open_pair
from tests.live.pair import Run
from tests.waiting import wait_until

TURNS = (*range(8), 12, 20, 40)
"""How many turns of the loop what is cancelled has had."""


async def echo(conversation: Conversation) -> None:
    async for data in conversation:
        await conversation.send(data)


async def hold(conversation: Conversation) -> None:
    """Accept, and read nothing."""
    conversation.accept()
    await asyncio.Event().wait()


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def receive_impatiently(conversation: Conversation, patience: int) -> bytes:
    """What `receive` returns in the end, however often it was given up before."""
    while True:
        receiving = asyncio.create_task(conversation.receive())
        await turns(1 + patience)
        receiving.cancel()
        try:
            return await receiving
        except asyncio.CancelledError:
            await asyncio.sleep(0.001)


def test_record_is_whole_however_often_its_receive_was_cancelled(
    run_live: Run, tmp_path: Path
) -> None:
    sent = Random(5).randbytes(1_500_001)

    async def main() -> None:
        limits = ConversationLimits(window_length=100_000)  # so that it comes bit by bit
        async with open_pair(tmp_path, limits=limits) as (first, second):
            second.serve("ECHO", echo)
            async with await first.connect("ECHO", Traffic.LEGACY) as conversation:
                for patience in TURNS[:4]:
                    await conversation.send(sent)
                    assert await receive_impatiently(conversation, patience) == sent
                    assert await conversation.request(b"next") == b"next"

    run_live(main())


def test_block_that_is_cancelled_while_it_closes_is_severed(run_live: Run, tmp_path: Path) -> None:
    async def main() -> None:
        limits = ConversationLimits(window_length=1_000)
        async with open_pair(tmp_path, limits=limits) as (first, second):
            second.serve("HOLD", hold)
            for patience in TURNS:
                closing = asyncio.create_task(close_what_is_not_read(first))
                await wait_until(
                    lambda: any(c.finished for c in first.board.conversations.values())
                )
                await turns(patience)
                closing.cancel()
                await asyncio.wait([closing])
                assert closing.cancelled()
                await wait_until(lambda: not first.board.conversations)
                assert not second.board.conversations

    async def close_what_is_not_read(node: OpenNode) -> None:
        async with await node.connect("HOLD") as conversation:
            await conversation.send(bytes(2_000))

    run_live(main())


@pytest.mark.parametrize("patience", TURNS)
def test_node_ends_although_it_is_cancelled_again(
    run_live: Run, tmp_path: Path, patience: int
) -> None:
    address = f"unix:{tmp_path / 'link'}"
    held: list[Conversation] = []

    async def node() -> None:
        async with (
            open_node(LAYOUT, FIRST, listen=address) as first,
            open_node(LAYOUT, SECOND, connect=address) as second,
        ):
            second.serve("HOLD", hold)
            async with await first.connect("HOLD") as conversation:
                held.append(conversation)
                await asyncio.Event().wait()

    async def main() -> None:
        running = asyncio.create_task(node())
        await wait_until(lambda: bool(held))
        running.cancel()
        await turns(patience)
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()
        assert not (tmp_path / "link").exists()  # and `run_live` looks for tasks

    run_live(main())


def test_group_of_tasks_whose_conversation_is_severed_is_no_failure(
    run_live: Run, tmp_path: Path
) -> None:
    begun: list[Conversation] = []

    async def read_in_a_group(conversation: Conversation) -> None:
        begun.append(conversation)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(hold(conversation))
            tasks.create_task(conversation.receive())

    async def main() -> None:
        async with open_pair(tmp_path) as (first, second):
            second.serve("GROUP", read_in_a_group)
            conversation = await first.connect("GROUP")
            conversation.sever("that will do")
            with pytest.raises(ConversationSevered, match="that will do"):
                await conversation.receive()
            await wait_until(lambda: begun[0].end.over)  # `run_live` looks for complaints

    run_live(main())
