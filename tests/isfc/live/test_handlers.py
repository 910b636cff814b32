"""A handler ends with its conversation, and counts until it has ended."""

import asyncio
from pathlib import Path

import pytest

from isfc.live import partner_conversations
from isfc.live.session import Conversation, ConversationSevered, SeverCode
from isfc.programs.protocol import ConversationLimits
from tests.live.nodes import open_pair
from tests.live.pair import Run
from tests.waiting import wait_until


def test_handlers_that_wait_for_something_else_are_bounded(run_live: Run, tmp_path: Path) -> None:
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

    async def main() -> None:
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

    run_live(main())


def test_handler_is_cancelled_some_time_after_its_conversation_is_over(
    run_live: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partner_conversations, "HANDLER_S", 0.02)
    cancelled: list[bool] = []
    told: list[SeverCode] = []

    async def wait(conversation: Conversation) -> None:
        conversation.accept()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(conversation.end.over)
            raise

    async def read(conversation: Conversation) -> None:
        try:
            await conversation.receive()
        except ConversationSevered as error:
            told.append(error.code)
            raise

    async def main() -> None:
        async with open_pair(tmp_path) as (near, far):
            far.serve("WAIT", wait)
            far.serve("READ", read)
            for service in ("WAIT", "READ"):
                conversation = await near.connect(service)
                conversation.sever()
            await wait_until(lambda: cancelled and told)
        assert cancelled == [True]
        assert told == [SeverCode.CLOSED]

    run_live(main())
