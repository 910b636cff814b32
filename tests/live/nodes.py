"""Two open nodes on one event loop, for programs to talk over."""

from isfc.live.session import Conversation
from isfc.testing.programs import open_pair as open_pair

LAYOUT = "atlanta-boston"
FIRST, SECOND = "ATLANTA", "BOSTON"


async def echo(conversation: Conversation) -> None:
    """Send back what comes."""
    async for data in conversation:
        await conversation.send(data)
