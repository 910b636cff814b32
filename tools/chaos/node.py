"""One life of one node, as a process of its own: ``python -m tools.chaos.node`` and `Life` in JSON.

It sends until it is told to be quiet (SIGUSR1) and runs until it is told to end (SIGTERM), or until
its standard input ends, as that of one does whose supervisor has died. Each of its conversations
with a partner is a stream, in which each message has its length before it (`Correspondence`).
So what is accounted for passes windows, turns and the bound of the link, too.

Every message has a number, and is confirmed by the program. A conversation tells its program when
the partner's *link* has read a message, which is not yet the partner's program. So here the program
that receives confirms what it has, as any program must that has to know.
"""

import asyncio
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from isfc.cli.live.loops import run_live
from isfc.link.events import LinkUp, Severed
from isfc.live.connection import Attached, LiveEvent
from isfc.live.memory import keep_memory
from isfc.live.partner_conversations import PartnerConversations
from isfc.live.session import Conversation, ConversationSevered, open_node
from isfc.programs.verification import filler
from isfc.system.link_end import LinkEnd
from tools.chaos.book import CONVERSATIONS, Book, Entry, HeardEpoch

WINDOW: Final = 8
"""Messages of a conversation that may be sent and not confirmed."""
LENGTHS: Final = (100, 4_000, 30_000, 200_000)
"""Messages are up to so long, in bytes, each as often: within a package, and in segments."""

_HEADER: Final = struct.Struct(">IcIIQ")
"""How many bytes follow, which of the two, the sender's life and epoch, and a number: for data, the
message's; for a confirmation, how many of the receiver's have arrived."""
_DATA, _CONFIRM = b"D", b"C"


class Correspondence:
    """What one life of a node sends a partner and hears of it, written down in its book."""

    def __init__(self, life: int, book: Book, random: Random) -> None:
        self._life = life
        self._book = book
        self._random = random
        self._begin()

    def _begin(self) -> None:
        self._epoch = self._book.entries[Entry.EPOCHS]
        self._own = self._book.begin_epoch()
        self._heard: HeardEpoch | None = None
        self._rest = [bytearray() for _ in range(CONVERSATIONS)]
        self._confirm: dict[int, int] = {}
        """How many messages have arrived of conversations of which that is to be said."""

    def due(self, *, quiet: bool) -> Iterator[tuple[int, bytes]]:
        """What is to be sent now, by conversation: confirmations, unless ``quiet`` a message."""
        for conversation, count in self._confirm.items():
            assert self._heard is not None
            life, epoch = self._heard.life, self._heard.epoch
            yield conversation, _HEADER.pack(0, _CONFIRM, life, epoch, count)
        self._confirm.clear()
        conversation = self._random.randrange(CONVERSATIONS)
        number = self._own.sent[conversation]
        if not quiet and number - self._own.confirmed[conversation] < WINDOW:
            self._own.sent[conversation] = number + 1
            length = self._random.randint(1, self._random.choice(LENGTHS))
            header = _HEADER.pack(length, _DATA, self._life, self._epoch, number)
            yield conversation, b"".join((header, filler(length, number)))

    def sever(self, reason: str) -> None:
        """What is not confirmed is reported undelivered; an epoch ends."""
        own = self._own
        for conversation in range(CONVERSATIONS):
            own.told[conversation] = own.sent[conversation] - own.confirmed[conversation]
        if reason.endswith("has restarted"):
            self._book.entries[Entry.PARTNER_RESTARTED] += 1
        elif reason.startswith("the link was down"):
            self._book.entries[Entry.DOWN_TOO_LONG] += 1
        else:
            self._book.entries[Entry.OTHER_SEVERS] += 1
        self._begin()

    def hear(self, conversation: int, data: bytes) -> None:
        """Write down what has arrived, or that it is wrong; a message may come in pieces."""
        rest = self._rest[conversation]
        rest += data
        while len(rest) >= _HEADER.size:
            length, kind, life, epoch, number = _HEADER.unpack_from(rest)
            if len(rest) < _HEADER.size + length:
                break
            del rest[: _HEADER.size + length]
            arrive = self._be_confirmed if kind == _CONFIRM else self._take
            is_right = arrive(conversation, life, epoch, number)
            self._book.entries[Entry.WRONG] += not is_right

    def _be_confirmed(self, conversation: int, life: int, epoch: int, count: int) -> bool:
        """The partner's program has so many of our messages, if that can be."""
        is_own = (life, epoch) == (self._life, self._epoch)
        if is_own and count <= self._own.sent[conversation]:
            self._own.confirmed[conversation] = count
            return True
        return False

    def _take(self, conversation: int, life: int, epoch: int, number: int) -> bool:
        """A message of the partner's, if it is the next of its conversation."""
        if self._heard is None:
            self._heard = self._book.begin_heard(life, epoch)
        heard = self._heard
        if (heard.life, heard.epoch, heard.delivered[conversation]) != (life, epoch, number):
            return False
        heard.delivered[conversation] = self._confirm[conversation] = number + 1
        return True


RECONNECT_S: Final = 3.0
"""A link that was down for so long severs its conversations."""
MESSAGES_PER_S: Final = 100.0
"""To each partner, at most."""


class Life(msgspec.Struct):
    """What one life is to be."""

    layout: str
    name: str
    listen: str = ""
    """The Unix socket where it listens, or nothing."""
    connect: dict[str, str] = {}
    """Those to which it connects, by partner."""
    number: int = 0
    """Every life of either node has another one."""
    books: dict[str, str] = {}
    """The files of its books, which are there already, by partner."""


class Conversing:
    """The conversations of one life with a partner: new ones whenever the link has restarted."""

    def __init__(self, exchange: PartnerConversations, life: int, book: Book) -> None:
        self._exchange = exchange
        self._random = Random(f"{life} {exchange.definition.partner}")
        self._correspondence = Correspondence(life, book, self._random)
        self._book = book
        self._restarts = 0
        self._speaking: list[asyncio.Task[None]] = []
        self._queues: list[asyncio.Queue[bytes]] = []
        assert exchange.engine is not None, "an open node"
        exchange.engine.listeners.append(self._hear)
        for number in range(CONVERSATIONS):
            exchange.serve(f"C{number}", self._listen)
        self._begin()

    async def run(self, stop: asyncio.Event, quiet: asyncio.Event) -> None:
        """Send what is due in uneven steps, until told to stop; raise what went wrong."""
        verifying = self._exchange.verifying
        assert verifying is not None, "it verifies"
        while not stop.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._random.expovariate(MESSAGES_PER_S)):
                    await stop.wait()
            self._book.entries[Entry.DOUBLED] = verifying.doubled_count
            for conversation, data in self._correspondence.due(quiet=quiet.is_set()):
                self._queues[conversation].put_nowait(data)
        for task in self._speaking:
            task.cancel()
        for ended in await asyncio.gather(*self._speaking, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended

    def _begin(self) -> None:
        for task in self._speaking:
            task.cancel()
        self._queues = [asyncio.Queue() for _ in range(CONVERSATIONS)]
        self._speaking = [
            asyncio.create_task(self._speak(number, queue))
            for number, queue in enumerate(self._queues)
        ]

    def _hear(self, _end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        """Of the link, before its conversations hear of it."""
        if isinstance(event, Attached):
            self._book.entries[Entry.ATTACHED] += 1
        elif isinstance(event, LinkUp):
            self._book.entries[Entry.LINK_UPS] += 1
        elif isinstance(event, Severed):
            self._correspondence.sever(event.reason)
            self._restarts += 1
            self._begin()

    async def _speak(self, number: int, queue: asyncio.Queue[bytes]) -> None:
        """Send what is due on one; when it is severed, whatever is due waits for the restart."""
        with suppress(ConversationSevered):
            conversation = await self._exchange.connect(f"C{number}")
            while True:
                await conversation.send(await queue.get())

    async def _listen(self, conversation: Conversation) -> None:
        """Receive what the partner sends on one; nothing of before a restart is heard after it."""
        number, restarts = int(conversation.service[1:]), self._restarts
        with suppress(ConversationSevered):
            async for data in conversation:
                if restarts != self._restarts:
                    return
                self._correspondence.hear(number, data)


async def live(life: Life, stop: asyncio.Event) -> int:
    """Live until told to end; raise what is wrong."""
    quiet = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, quiet.set)
    loop.add_reader(sys.stdin.fileno(), stop.set)
    keep_memory()
    async with (
        open_node(
            life.layout,
            life.name,
            listen=f"unix:{life.listen}" if life.listen else None,
            connect={partner: f"unix:{path}" for partner, path in life.connect.items()},
            verify=True,
            reconnect_s=RECONNECT_S,
        ) as node,
        asyncio.TaskGroup() as conversing,
    ):
        for partner, path in life.books.items():
            each = Conversing(node.exchange(partner), life.number, Book.open(Path(path)))
            conversing.create_task(each.run(stop, quiet))
    for exchange in node.exchanges.values():
        assert exchange.verifying is not None, "it verifies"
        exchange.verifying.expect_intact()
    return 0


if __name__ == "__main__":
    its_life = msgspec.json.decode(sys.argv[1], type=Life)
    sys.exit(run_live(lambda stop: live(its_life, stop)))
