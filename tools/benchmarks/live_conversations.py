"""Conversations of open nodes, one process each: a contender, and a ping-pong beside bulk.

Each message has a `send` of its own, also the seven that make a package. The far nodes echo, take
and give until they are told to stop; what is measured is up to the near one. Round trips are timed
alone, and then beside the transfers, in the same processes: so a ratio of the two is of one machine
at one time. The transfers are on the same link, or on another link of the node that asks.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import uvloop

from isfc.live.session import Conversation, ConversationSevered, OpenNode, open_node
from tools import PROJECT
from tools.benchmarks.contenders import (
    CASES,
    MESSAGE_LENGTH,
    PING_LENGTH,
    ContenderPart,
    LiveCase,
    Stopwatch,
    await_path,
    module_line,
    percentiles,
    reports,
)
from tools.benchmarks.judged import Sample

LAYOUT: Final = str(PROJECT / "docs" / "cluster" / "third-member.toml")
NODES: Final = {"far": "ALPHA", "other": "BETA", "near": "GAMMA"}
"""By their roles: there are eight CTCs from the near one to each of the others."""
SETTLE_S: Final = 0.3
"""Until transfers are at their pace."""


class Transfers(msgspec.Struct, frozen=True):
    """What round trips are beside."""

    senders: int = 0
    """Transfers from the node that asks."""
    receivers: int = 0
    """Transfers to it."""
    to: str = "far"


class BesidePart(ContenderPart, frozen=True):
    """What one process does of a ping-pong beside transfers."""

    transfers: Transfers
    seconds: float


def beside(transfers: Transfers, seconds: float) -> Sample:
    """Round trips alone and beside bulk transfers, once: `compared`."""
    roles = dict.fromkeys(("far", transfers.to, "near"))
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        ping_pong = CASES["pingpong"]
        parts = [BesidePart(role, folder, ping_pong, transfers, seconds) for role in roles]
        *_, near = reports([module_line("live_conversations", part) for part in parts])
    return msgspec.json.decode(near, type=dict[str, float])


def compared(
    alone_ns: Sequence[int], beside_ns: Sequence[int], rate: float, without: float
) -> dict[str, float]:
    """Round trips alone and beside transfers, and bytes a second of these, without trips too."""
    (p50, p99), (p50_beside, p99_beside) = percentiles(alone_ns), percentiles(beside_ns)
    return {
        "p50 alone, us": p50 / 1e3,
        "p50 over alone": p50_beside / p50,
        "p99 over alone": p99_beside / p99,
        "MB/s": rate / 2**20,
        "MB/s over without": rate / without,
    }


Handler = Callable[[Conversation], Coroutine[Any, Any, None]]


async def echo(conversation: Conversation) -> None:
    """Send back what comes."""
    async for data in conversation:
        await conversation.send(data)


async def sink(conversation: Conversation) -> None:
    """Receive everything."""
    async for _ in conversation:
        pass


async def source(conversation: Conversation) -> None:
    """Send until the partner has had enough."""
    message = bytes(MESSAGE_LENGTH)
    with suppress(ConversationSevered):
        while True:
            await conversation.send(message)


async def serve(node: OpenNode) -> None:
    """A far node, until it is told to stop; the last conversation is measured."""
    meter, over = Stopwatch(), asyncio.Event()

    def measured(handler: Handler) -> Handler:
        async def answer(conversation: Conversation) -> None:
            meter.start()
            await handler(conversation)
            meter.stop()

        return answer

    async def stop(conversation: Conversation) -> None:
        await sink(conversation)
        over.set()

    for service, handler in {"ECHO": echo, "SINK": sink, "SOURCE": source}.items():
        node.serve(service, measured(handler))
    node.serve("STOP", stop)
    await over.wait()
    meter.report()


async def ping(conversation: Conversation, trips_ns: list[int]) -> None:
    """One message there and back; times the round trip."""
    sent_ns = time.perf_counter_ns()
    await conversation.send(_PING)
    await conversation.receive()
    trips_ns.append(time.perf_counter_ns() - sent_ns)


_PING: Final = bytes(PING_LENGTH)


async def drive(node: OpenNode, case: LiveCase) -> None:
    """The case, in one conversation after another of which the first is the warm-up."""
    meter, message = Stopwatch(), case.message
    for count in (case.warmup, case.count):
        async with node.connect(
            "ECHO" if case.replies else "SINK", partner=NODES["far"]
        ) as conversation:
            meter.start()
            for _ in range(count * case.messages):
                if case.replies:
                    await ping(conversation, meter.trips_ns)
                else:
                    await conversation.send(message)
        meter.stop()  # all has arrived
    meter.report()


async def transfer(node: OpenNode, partner: str, moved: list[int], *, sends: bool) -> None:
    """One bulk transfer, until it is cancelled; what goes or comes is counted."""
    conversation = await node.connect("SINK" if sends else "SOURCE", partner=partner)
    if sends:
        message = bytes(MESSAGE_LENGTH)
        while True:
            await conversation.send(message)
            moved[0] += len(message)
    async for data in conversation:
        moved[0] += len(data)


async def compare(node: OpenNode, transfers: Transfers, seconds: float) -> None:
    """Alone, the transfers alone, and beside them."""
    moved = [0]

    async def rate(meanwhile: Awaitable[object]) -> float:
        before, begin_s = moved[0], time.perf_counter()
        await meanwhile
        return (moved[0] - before) / (time.perf_counter() - begin_s)

    async with node.connect("ECHO", partner=NODES["far"]) as conversation:

        async def trips(for_s: float, taken: list[int]) -> None:
            end_s = time.perf_counter() + for_s
            while time.perf_counter() < end_s:
                await ping(conversation, taken)

        alone: list[int] = []
        loaded: list[int] = []
        await trips(SETTLE_S, [])
        await trips(seconds / 2, alone)
        senders = [True] * transfers.senders + [False] * transfers.receivers
        tasks = [
            asyncio.create_task(transfer(node, NODES[transfers.to], moved, sends=sends))
            for sends in senders
        ]
        await asyncio.sleep(SETTLE_S)
        without = await rate(asyncio.sleep(seconds / 2))
        found = compared(alone, loaded, await rate(trips(seconds, loaded)), without)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(msgspec.json.encode(found).decode(), flush=True)


async def play(part: ContenderPart | BesidePart) -> None:
    """One node, until all is measured; print what was."""
    name, folder = NODES[part.role], Path(part.folder)
    if part.role != "near":
        async with open_node(LAYOUT, name, listen=f"unix:{folder / name}") as node:
            await serve(node)
        return
    transfers = part.transfers if isinstance(part, BesidePart) else Transfers()
    partners = list(dict.fromkeys((NODES["far"], NODES[transfers.to])))
    for partner in partners:
        await_path(folder / partner)
    connect = {partner: f"unix:{folder / partner}" for partner in partners}
    listen = None if len(partners) > 1 else f"unix:{folder / name}"  # for the other
    async with open_node(LAYOUT, name, connect=connect, listen=listen) as node:
        if isinstance(part, BesidePart):
            await compare(node, transfers, part.seconds)
        else:
            await drive(node, part.case)
        for partner in partners:
            async with node.connect("STOP", partner=partner):
                pass


if __name__ == "__main__":
    uvloop.run(play(msgspec.json.decode(sys.argv[1], type=ContenderPart | BesidePart)))
