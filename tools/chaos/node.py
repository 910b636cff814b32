"""One life of one node, as a process of its own: ``python -m tools.chaos.node`` and `Life` in JSON.

It sends until it is told to be quiet (SIGUSR1) and runs until it is told to end (SIGTERM), or until
its standard input ends, as that of one does whose supervisor has died.
"""

import asyncio
import signal
import sys
from pathlib import Path
from random import Random

import msgspec

from isfc.cli.live.loops import run_live
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.live.endpoint import UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.events import Attached, LiveEvent
from isfc.live.memory import keep_memory
from isfc.live.opening import Opening
from isfc.programs.verification import Verifying
from isfc.system.link_end import LinkEnd
from tools.chaos.book import Book, Entry
from tools.chaos.conversing import converse
from tools.chaos.traffic import ROOM, Correspondence


class Life(msgspec.Struct, frozen=True):
    """What one life is to be."""

    number: int
    """Every life of either node has another one."""
    layout: str
    name: str
    listen: str
    """The Unix socket where it listens, or nothing."""
    connect: dict[str, str]
    """Those to which it connects, by partner."""
    messages_per_s: float
    reconnect_s: float
    by_conversations: bool = False
    """Whether messages go by conversations of `isfc.live.session`; else its one link has them."""
    books: dict[str, str] = {}
    """The files of its books, which are there already, by partner."""


async def live(life: Life, stop: asyncio.Event) -> int:
    """Live until told to end; raise what is wrong."""
    quiet = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, quiet.set)
    loop.add_reader(sys.stdin.fileno(), stop.set)
    books = {partner: Book(Path(path)) for partner, path in life.books.items()}
    if life.by_conversations:
        keep_memory()
        await converse(life, stop, quiet, books)
        return 0
    (book,) = books.values()
    correspondence = Correspondence(life.number, book, Random(life.number))
    verifying = Verifying(correspondence)
    opening = Opening(
        listen=UnixEndpoint(life.listen) if life.listen else None,
        connect={NodeName(each): UnixEndpoint(path) for each, path in life.connect.items()},
        verify=True,
        reconnect_s=life.reconnect_s,
    )
    layout = load_layout(life.layout)
    definition = opening.pace(define_link_end(layout, NodeName(life.name), LinkParameters()))
    system = opening.start([(definition, verifying, "chaos")])
    (engine,) = system.engines

    def hear(_end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        if isinstance(event, Attached):
            book[Entry.ATTACHED] += 1

    engine.listeners.append(hear)
    await opening.meet(system)
    keep_memory()
    sending = asyncio.create_task(_send(engine, verifying, correspondence, quiet, life, book))
    ended = {asyncio.create_task(each) for each in (stop.wait(), engine.wait_closed())}
    try:
        done, _ = await asyncio.wait({sending, *ended}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (sending, *ended):
            task.cancel()
        await asyncio.gather(sending, *ended, return_exceptions=True)
        await system.close()
    verifying.expect_intact()
    return 0


async def _send(
    engine: LiveEngine,
    verifying: Verifying,
    correspondence: Correspondence,
    quiet: asyncio.Event,
    life: Life,
    book: Book,
) -> None:
    """Send what is due, again and again, in uneven steps."""
    random = Random(life.number)
    while True:
        await asyncio.sleep(random.expovariate(life.messages_per_s))
        book[Entry.DOUBLED] = verifying.doubled_count
        if engine.end.link.room > ROOM:
            messages = correspondence.due(quiet=quiet.is_set())
            if messages:
                engine.send(verifying.seal(messages))


def main(arguments: list[str]) -> int:
    """Live one life; the exit status."""
    life = msgspec.json.decode(arguments[0], type=Life)
    return run_live(lambda stop: live(life, stop))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
