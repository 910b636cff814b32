"""Services over the simulated link, with a fault (no Linux needed)."""

import isfc
from isfc.testing import Fault, FaultKind, run_programs


async def shout(conversation: isfc.Conversation) -> None:
    async for data in conversation:
        await conversation.send(data.upper())


async def main(first: isfc.OpenNode, second: isfc.OpenNode) -> bytes:
    second.serve("SHOUT", shout)
    async with first.connect("SHOUT") as conversation:
        await conversation.send(b"aloud")
        conversation.finish()
        return await conversation.receive()


cut = Fault(FaultKind.PARTITION, 1_000, isfc.NodeName("ATLANTA"), 10_000_000)
done = run_programs(main, "atlanta-boston", faults=[cut], seed=3)
print(done.outcome, done.now_ns, done.trace)
