"""Conversations of two open nodes: one process each, eight CTCs, one conversation.

Each message has a `send` of its own, also the seven that make a package; what arrives is counted in
bytes, for a conversation is a stream.
"""

import asyncio
import time
from typing import Final

import uvloop

from isfc.layout.catalogue import load_layout
from isfc.live.session import Conversation, OpenNode, open_node
from tools.benchmarks.live_peer import PING_LENGTH, PeerPart, Stopwatch, await_path, read_part

LAYOUT: Final = "published-8"
SERVICE: Final = "BENCH"


async def send(conversation: Conversation, part: PeerPart, meter: Stopwatch) -> None:
    """Messages, all of which must have arrived in the end."""
    message = bytes(part.message_length)
    for _ in range(part.warmup * part.of.messages):
        await conversation.send(message)
    meter.start()
    for _ in range(part.count * part.of.messages):
        await conversation.send(message)
    await conversation.close()
    meter.stop()


async def receive(conversation: Conversation, part: PeerPart, meter: Stopwatch) -> None:
    """Receive everything."""
    start_length = part.warmup * part.of.length
    length = 0
    async for data in conversation:
        if length < start_length <= length + len(data):
            meter.start()
        length += len(data)
    meter.stop()


async def ping(conversation: Conversation, part: PeerPart, meter: Stopwatch) -> None:
    """One message under way at a time; times the round trip."""
    message = bytes(PING_LENGTH)
    for _ in meter.counted(part):
        sent_ns = time.perf_counter_ns()
        await conversation.send(message)
        await conversation.receive()
        meter.trips_ns.append(time.perf_counter_ns() - sent_ns)
    await conversation.close()


async def pong(conversation: Conversation, _: PeerPart, meter: Stopwatch) -> None:
    """Send back what has come."""
    meter.start()
    async for data in conversation:
        await conversation.send(data)
    meter.stop()


async def serve(node: OpenNode, part: PeerPart, meter: Stopwatch) -> None:
    """The far node, until its partner has had enough."""
    done = asyncio.Event()

    async def take(conversation: Conversation) -> None:
        await (pong if part.of.replies else receive)(conversation, part, meter)
        await conversation.close()
        done.set()

    node.serve(SERVICE, take)
    await done.wait()


async def play(part: PeerPart, meter: Stopwatch) -> None:
    """One node, until all is counted."""
    layout = load_layout(LAYOUT)
    path = part.folder / "link"
    address = f"unix:{path}"
    if part.far:
        async with open_node(layout, layout.nodes[0], listen=address) as node:
            await serve(node, part, meter)
        return
    await_path(path)
    async with open_node(layout, layout.nodes[1], connect=address) as node:
        conversation = await node.connect(SERVICE)
        await (ping if part.of.replies else send)(conversation, part, meter)


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_api"), Stopwatch()
    uvloop.run(play(part, meter))
    meter.report()


if __name__ == "__main__":
    main()
