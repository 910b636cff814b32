"""Two open nodes on one event loop, for programs to talk over."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from isfc.live.engine import LiveEngine
from isfc.live.session import Conversation, OpenNode
from isfc.programs.verification import Verifying
from isfc.system.system import Deactivate
from isfc.testing.programs import open_pair as open_pair

LAYOUT = "atlanta-boston"
FIRST, SECOND = "ATLANTA", "BOSTON"


Nodes = tuple[OpenNode, OpenNode]


@pytest.fixture
def nodes(tmp_path: Path) -> AbstractAsyncContextManager[Nodes]:
    """Both of them, for a test that is a coroutine."""
    return open_pair(tmp_path)


async def echo(conversation: Conversation) -> None:
    """Send back what comes."""
    async for data in conversation:
        await conversation.send(data)


async def received(conversation: Conversation, length: int) -> bytes:
    """So many bytes of the partner's, in whatever pieces they come."""
    data = bytearray()
    while len(data) < length:
        data += await conversation.receive()
    return bytes(data)


async def expect_echo(conversation: Conversation, data: bytes) -> None:
    """Have data sent back as they are."""
    await conversation.send(data)
    assert await received(conversation, len(data)) == data, "another echo than what was sent"


def cut_for_good(node: OpenNode) -> None:
    """The link goes down, and stays so."""
    engine = engine_of(node)
    for rdev in list(engine.end.ctcs):
        engine.apply(Deactivate(rdev))


def engine_of(node: OpenNode, partner: str | None = None) -> LiveEngine:
    """What drives its link, or its link to a partner."""
    engine = node.exchange(partner).engine
    assert engine is not None
    return engine


def verifying_of(node: OpenNode) -> Verifying:
    """What counts the messages of its link that do not verify."""
    verifying = node.exchange().verifying
    assert verifying is not None
    return verifying
