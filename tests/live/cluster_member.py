"""One system of a cluster, as a process: ``python -m tests.live.cluster_member NAME FOLDER``.

It asks every partner for an echo of random bytes, over and over, and answers its partners likewise.
What came of it stands in FOLDER/NAME.json, by partner: how many echoes were right, and how many
conversations were severed with a reason. It fails when an echo is wrong, or none comes in time.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path
from random import Random
from typing import Final

from isfc import ConversationSevered, OpenNode, open_node
from tests.live.nodes import echo, expect_echo

LAYOUT: Final = str(Path(__file__).parents[2] / "docs" / "cluster" / "third-member.toml")
NAMES: Final = ("ALPHA", "BETA", "GAMMA")
LENGTH_MAX: Final = 60_000
STUCK_S: Final = 30.0
"""An echo that takes longer has been lost without a word."""
NOTE_S: Final = 0.05


async def talk(node: OpenNode, partner: str, tally: list[int]) -> None:
    """Ask one partner for echoes, for ever."""
    random = Random(f"{node.name} {partner}")
    while True:
        try:
            async with asyncio.timeout(STUCK_S):
                conversation = await node.connect("ECHO", partner=partner)
            async with conversation:
                while True:
                    data = random.randbytes(random.randrange(1, LENGTH_MAX))
                    async with asyncio.timeout(STUCK_S):
                        await expect_echo(conversation, data)
                    tally[0] += 1
        except ConversationSevered:
            tally[1] += 1
            await asyncio.sleep(NOTE_S)


async def live(name: str, folder: Path) -> None:
    """Live until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    place = NAMES.index(name)
    async with open_node(
        LAYOUT,
        name,
        listen=f"unix:{folder / name}" if name != NAMES[-1] else None,
        connect={other: f"unix:{folder / other}" for other in NAMES[:place]},
        verify=True,
    ) as node:
        node.serve("ECHO", echo)
        tallies: dict[str, list[int]] = {partner: [0, 0] for partner in node.partners}
        work = [asyncio.create_task(talk(node, each, tally)) for each, tally in tallies.items()]
        work.append(asyncio.create_task(note(folder / f"{name}.json", tallies)))
        work.append(asyncio.create_task(stop.wait()))  # type: ignore[arg-type]  # ends with True
        done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        for task in done:
            task.result()
    for exchange in node.exchanges.values():
        assert exchange.verifying is not None
        exchange.verifying.expect_intact()


async def note(path: Path, tallies: dict[str, list[int]]) -> None:
    """Write down what came of it, again and again."""
    while True:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(tallies))
        fresh.replace(path)
        await asyncio.sleep(NOTE_S)


if __name__ == "__main__":
    asyncio.run(live(sys.argv[1], Path(sys.argv[2])))
