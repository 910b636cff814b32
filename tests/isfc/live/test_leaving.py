"""Leaving `open_node`: whom it waits for, and whom not."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from isfc.link.message import Traffic
from isfc.link.state import LinkState
from isfc.live import partner_conversations
from isfc.live.session import Conversation, ConversationSevered, OpenNode, open_node
from tests.isfc.live.test_session import cut_for_good, echo
from tests.live.nodes import FIRST, LAYOUT, SECOND, open_pair
from tests.live.pair import Run
from tests.waiting import PATIENCE_S, wait_until


@pytest.mark.parametrize("why", ["nobody came", "devices are deactivated", "the partner left"])
def test_leaving_open_node_waits_for_nobody_while_the_link_is_down(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
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
        assert first.engine is not None
        link = first.engine.end.link
        await wait_until(lambda: link.state is LinkState.DOWN)

    async def main() -> None:
        for bound in ("isfc.live.partner_conversations.CLOSE_S", "isfc.live.connection.PARTING_S"):
            monkeypatch.setattr(bound, 2 * PATIENCE_S)
        async with AsyncExitStack() as partner, asyncio.timeout(PATIENCE_S):
            async with open_node(LAYOUT, FIRST, listen=address) as first:
                await take_down(first, partner)
                asking = asyncio.create_task(first.connect("ECHO"))  # what nobody will read
                await asyncio.sleep(0)
            with pytest.raises(ConversationSevered, match="ATLANTA has ended"):
                await asking

    run_live(main())


def test_node_ends_while_the_link_is_down_and_a_service_closes(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing = asyncio.Event()

    async def hang_up(conversation: Conversation) -> None:
        conversation.accept()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            closing.set()  # swallowed, as a task group may do; then the conversation is closed

    async def main() -> None:
        closing.clear()
        monkeypatch.setattr(partner_conversations, "CLOSE_S", 2 * PATIENCE_S)
        async with open_pair(tmp_path, reconnect_s=60.0) as (first, second):
            second.serve("HANGUP", hang_up)
            await first.connect("HANGUP")
            cut_for_good(second)
            async with asyncio.timeout(PATIENCE_S):  # nobody is there to wait for
                await second.close()
            assert closing.is_set()

    run_live(main())


def test_node_whose_appc_messages_are_all_read_ends_at_once(run_live: Run, tmp_path: Path) -> None:
    async def main() -> None:
        async with open_pair(tmp_path) as (first, second):
            second.serve("ECHO", echo)
            async with await first.connect("ECHO", Traffic.LEGACY) as conversation:
                await conversation.request(bytes(300_000))
            await wait_until(lambda: not second.board.conversations)
            async with asyncio.timeout(partner_conversations.CLOSE_S / 2):
                await first.close()

    run_live(main())
