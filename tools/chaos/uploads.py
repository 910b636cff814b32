"""Programs that fill the link while it fails.

Two open nodes in one process, joined by real connections, and more conversations than the link
holds bytes of. Each sends a megabyte, reads an answer and closes, over and over, while CTCs are cut
and taken out of use, and now and then the link restarts. Every upload must be answered or severed
with a reason, and in the end nothing is left: `Tally.wrong`.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.live.engine import LiveEngine
from isfc.live.session import Conversation, ConversationSevered, OpenNode
from isfc.system.system import Activate, Deactivate
from isfc.testing.programs import open_pair

LAYOUT: Final = "published-8"
LENGTH: Final = 10**6
PROGRAMS: Final = 60
"""Seven times as many bytes as all conversations together may have in the link."""
GAP_S: Final = 0.1
"""Between two faults, on the average."""
RESTARTS_SHARE: Final = 0.05
CUTS_SHARE: Final = 0.5
"""Of faults: restarts of the link; these and cuts. The others take a CTC out of use."""
OUT_OF_USE_MAX: Final = 2
SETTLE_S: Final = 60.0
"""How long all may take to end, once nothing goes wrong any more."""


class Tally(Struct):
    """What became of the uploads."""

    answered: int = 0
    severed: int = 0
    faults: int = 0
    wrong: list[str] = []

    def __str__(self) -> str:
        return (
            f"{PROGRAMS} programs, {self.faults:,} faults: {self.answered:,} uploads answered and "
            f"{self.severed:,} severed"
        )


async def answer(conversation: Conversation) -> None:
    """Read one upload, and say that it has come."""
    length = 0
    while length < LENGTH:
        length += len(await conversation.receive())
    await conversation.send(b"read")


async def upload(node: OpenNode, tally: Tally, stop: asyncio.Event) -> None:
    """One program: uploads, until it is to stop."""
    data = bytes(LENGTH)
    while not stop.is_set():
        try:
            async with node.connect("UPLOAD") as conversation:
                await conversation.send(data)
                said = await conversation.receive()
            tally.answered += 1
            if said != b"read":
                tally.wrong.append(f"the answer was {said!r}")
        except ConversationSevered:
            tally.severed += 1
            await asyncio.sleep(GAP_S)


async def disturb(nodes: Sequence[OpenNode], random: Random, tally: Tally) -> None:
    """Let parts of the link fail, for ever."""
    out_of_use: list[tuple[LiveEngine, Rdev]] = []
    while True:
        await asyncio.sleep(random.uniform(0, 2 * GAP_S))
        node = random.choice(nodes)
        engine = node.exchange().engine
        assert engine is not None
        rdevs = list(engine.end.ctcs)
        drawn = random.random()
        tally.faults += 1
        if drawn < RESTARTS_SHARE:
            engine.sever("a fault of a test")
        elif drawn < CUTS_SHARE:
            for rdev in random.sample(rdevs, random.randint(1, len(rdevs))):
                engine.detach(rdev, "cut")
        else:
            rdev = random.choice([each for each in rdevs if (engine, each) not in out_of_use])
            out_of_use.append((engine, rdev))
            engine.apply(Deactivate(rdev))
        while len(out_of_use) > OUT_OF_USE_MAX:
            engine, rdev = out_of_use.pop(0)
            engine.apply(Activate(rdev))


async def run(seconds: float, seed: int, folder: str) -> Tally:
    """Run for so long; what came of it."""
    tally, stop = Tally(), asyncio.Event()
    async with open_pair(folder, LAYOUT) as nodes:
        for node in nodes:
            node.serve("UPLOAD", answer)
        programs = [
            asyncio.create_task(upload(nodes[number % 2], tally, stop))
            for number in range(PROGRAMS)
        ]
        disturbing = asyncio.create_task(disturb(nodes, Random(seed), tally))
        await asyncio.sleep(seconds)
        disturbing.cancel()
        with suppress(asyncio.CancelledError):
            await disturbing
        stop.set()
        _, waiting = await asyncio.wait(programs, timeout=SETTLE_S)
        if waiting:
            tally.wrong.append(f"{len(waiting)} programs wait for ever")
        for task in programs:
            task.cancel()
        await asyncio.gather(*programs, return_exceptions=True)
        await _settle(nodes, tally)
    return tally


async def _settle(nodes: Sequence[OpenNode], tally: Tally) -> None:
    """Nothing may be left of conversations that have ended."""
    boards = {node.name: node.exchange().board for node in nodes}
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_S):
            while any(b.conversations or b.in_link_length for b in boards.values()):  # noqa: ASYNC110
                await asyncio.sleep(GAP_S)  # there is no event for it
    for name, board in boards.items():
        left = len(board.conversations), board.in_link_length
        if left != (0, 0):
            tally.wrong.append(f"{name}: {left[0]} conversations and {left[1]} bytes are left")
