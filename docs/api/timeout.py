"""A live node that does not wait for ever."""

import asyncio
import tempfile

import isfc


async def main() -> None:
    address = f"unix:{tempfile.mkdtemp()}/link"
    async with isfc.open_node("published-1", "CLIENT", listen=address, reconnect_s=0.2) as node:
        try:
            async with asyncio.timeout(0.5):
                await node.connect("NOBODY")
        except (TimeoutError, isfc.ConversationSevered) as error:
            print(repr(error))


asyncio.run(main())
