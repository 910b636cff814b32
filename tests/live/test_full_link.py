"""More conversations than the link holds bytes of."""

import asyncio
from pathlib import Path

import pytest

from isfc.live.session import OpenNode
from isfc.programs.protocol import LINK_LENGTH, ConversationLimits
from tests.lengthy import few_in_every_run
from tests.live.nodes import open_pair
from tests.waiting import PATIENCE_S, wait_until
from tools.chaos.uploads import LENGTH, answer

ROUNDS = 4


async def upload(node: OpenNode) -> None:
    for _ in range(ROUNDS):
        conversation = await node.connect("UPLOAD")
        await conversation.send(bytes(LENGTH))
        assert await conversation.receive() == b"read"
        await conversation.close()


@pytest.mark.parametrize(
    ("link_length", "programs"), few_in_every_run([(LINK_LENGTH, 60), (300, 16)])
)
async def test_programs_that_fill_the_link_all_get_their_answers(
    tmp_path: Path, link_length: int, programs: int
) -> None:
    limits = ConversationLimits(link_length=link_length)

    async with open_pair(tmp_path, limits=limits) as (first, second):
        first.serve("UPLOAD", answer)
        second.serve("UPLOAD", answer)
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(
                *(upload(node) for _ in range(programs // 2) for node in (first, second))
            )
        boards = (first.exchange().board, second.exchange().board)
        await wait_until(lambda: not any(b.conversations or b.in_link_length for b in boards))
