"""Two open nodes on one event loop, for programs to talk over."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from isfc.live.session import Conversation, OpenNode, open_node

LAYOUT = "atlanta-boston"
FIRST, SECOND = "ATLANTA", "BOSTON"


@asynccontextmanager
async def open_pair(folder: Path, **options: Any) -> AsyncIterator[tuple[OpenNode, OpenNode]]:
    """Both systems of `LAYOUT`; the second connects to the first."""
    address = f"unix:{folder / 'link'}"
    async with (
        open_node(LAYOUT, FIRST, listen=address, **options) as first,
        open_node(LAYOUT, SECOND, connect=address, **options) as second,
    ):
        yield first, second


async def echo(conversation: Conversation) -> None:
    """Send back what comes."""
    async for data in conversation:
        await conversation.send(data)
