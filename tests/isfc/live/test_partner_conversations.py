"""Handlers that end, nodes that are left, verbs that are cancelled: nothing is lost, none stays."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from isfc.link.message import Traffic
from isfc.link.state import LinkState
from isfc.live import partner_conversations
from isfc.live.session import Conversation, ConversationSevered, OpenNode, SeverCode, open_node
from isfc.programs.protocol import ConversationLimits
from tests.live.nodes import FIRST, LAYOUT, SECOND, Nodes, cut_for_good, echo, engine_of, open_pair
from tests.live.pair import Run
from tests.waiting import PATIENCE_S, wait_until


async def test_handlers_that_wait_for_something_else_are_bounded(tmp_path: Path) -> None:
    running, most = 0, 0

    async def wait(conversation: Conversation) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            conversation.accept()
            await asyncio.Event().wait()
        finally:
            running -= 1

    limits = ConversationLimits(conversations_max=4)
    async with open_pair(tmp_path, limits=limits) as (near, far):
        far.serve("WAIT", wait)
        codes = []
        for _ in range(20):
            try:
                conversation = await near.connect("WAIT")
            except ConversationSevered as error:
                codes.append(error.code)
            else:
                conversation.sever()
                await conversation.wait_over()
        assert most == running == 8
        assert codes == [SeverCode.BUSY] * 12
    assert running == 0


async def test_handler_is_cancelled_some_time_after_its_conversation_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partner_conversations, "HANDLER_S", 0.02)
    cancelled: list[bool] = []

    async def wait(conversation: Conversation) -> None:
        conversation.accept()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(conversation.end.over)
            raise

    async with open_pair(tmp_path) as (near, far):
        far.serve("WAIT", wait)
        (await near.connect("WAIT")).sever()
        await wait_until(lambda: cancelled)
    assert cancelled == [True]


@pytest.mark.parametrize("why", ["nobody came", "devices are deactivated", "the partner left"])
async def test_leaving_open_node_waits_for_nobody_while_the_link_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    address = f"unix:{tmp_path / 'link'}"

    async def take_down(first: OpenNode, partner: AsyncExitStack) -> None:
        if why == "nobody came":
            return
        second = await partner.enter_async_context(open_node(LAYOUT, SECOND, connect=address))
        second.serve("ECHO", echo)
        await first.connect("ECHO")
        if why == "devices are deactivated":
            cut_for_good(second)
        else:
            await partner.aclose()
        link = engine_of(first).end.link
        await wait_until(lambda: link.state is LinkState.DOWN)

    for bound in ("isfc.live.partner_conversations.CLOSE_S", "isfc.live.connection.PARTING_S"):
        monkeypatch.setattr(bound, 2 * PATIENCE_S)
    async with AsyncExitStack() as partner, asyncio.timeout(PATIENCE_S):
        async with open_node(LAYOUT, FIRST, listen=address) as first:
            await take_down(first, partner)
            asking = asyncio.create_task(first.connect("ECHO"))  # what nobody will read
            await asyncio.sleep(0)
        with pytest.raises(ConversationSevered, match="ATLANTA has ended"):
            await asking


async def test_node_ends_while_the_link_is_down_and_a_service_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing = asyncio.Event()

    async def hang_up(conversation: Conversation) -> None:
        conversation.accept()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            closing.set()  # swallowed, as a task group may do; then the conversation is closed

    closing.clear()
    monkeypatch.setattr(partner_conversations, "CLOSE_S", 2 * PATIENCE_S)
    async with open_pair(tmp_path, reconnect_s=60.0) as (first, second):
        second.serve("HANGUP", hang_up)
        await first.connect("HANGUP")
        cut_for_good(second)
        async with asyncio.timeout(PATIENCE_S):  # nobody is there to wait for
            await second.close()
        assert closing.is_set()


async def test_node_whose_appc_messages_are_all_read_ends_at_once(nodes: Nodes) -> None:
    first, second = nodes
    second.serve("ECHO", echo)
    async with first.connect("ECHO", Traffic.LEGACY) as conversation:
        await conversation.request(bytes(300_000))
    await wait_until(lambda: not second.exchange().board.conversations)
    async with asyncio.timeout(partner_conversations.CLOSE_S / 2):
        await first.close()


TURNS = (*range(8), 12, 20, 40)
"""How many turns of the loop what is cancelled has had."""


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


async def test_record_is_whole_however_often_its_receive_was_cancelled(tmp_path: Path) -> None:
    sent = Random(5).randbytes(1_500_001)

    limits = ConversationLimits(window_length=100_000)  # so that it comes bit by bit
    async with open_pair(tmp_path, limits=limits) as (first, second):
        second.serve("ECHO", echo)
        async with first.connect("ECHO", Traffic.LEGACY) as conversation:
            for patience in TURNS[:4]:
                await conversation.send(sent)
                assert await receive_impatiently(conversation, patience) == sent
                assert await conversation.request(b"next") == b"next"


async def test_block_that_is_cancelled_while_it_closes_is_severed(tmp_path: Path) -> None:
    async def close_what_is_not_read(node: OpenNode) -> None:
        async with node.connect("HOLD") as conversation:
            await conversation.send(bytes(2_000))

    limits = ConversationLimits(window_length=1_000)
    async with open_pair(tmp_path, limits=limits) as (first, second):
        second.serve("HOLD", hold)
        for patience in TURNS:
            closing = asyncio.create_task(close_what_is_not_read(first))
            await wait_until(
                lambda: any(c.finished for c in first.exchange().board.conversations.values())
            )
            await turns(patience)
            closing.cancel()
            await asyncio.wait([closing])
            assert closing.cancelled()
            await wait_until(lambda: not first.exchange().board.conversations)
            assert not second.exchange().board.conversations


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
            async with first.connect("HOLD") as conversation:
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
