"""One live system: an engine for each of its links, and where its partners come in."""

import asyncio
from collections.abc import Sequence

from isfc.live.link_port import LinkPort
from isfc.live.node_port import NodePort


class LiveSystem:
    """The links of one live system, from their start to their end.

    Each link has an engine and a node of its own: what happens to one, a restart too, leaves the
    others as they are.
    """

    def __init__(self, node_port: NodePort, attachments: Sequence[LinkPort]) -> None:
        self.node_port = node_port
        self.attachments = tuple(attachments)
        self.engines = tuple(each.engine for each in attachments)

    async def wait_closed(self) -> None:
        """Wait until one link is closed, and so all; raise what broke it, if something did."""
        waiting = [asyncio.create_task(engine.wait_closed()) for engine in self.engines]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        for task in done:
            task.result()

    async def close(self) -> None:
        """Let nobody in any more, and end all connections of all links."""
        await asyncio.gather(*(each.close() for each in self.attachments))
