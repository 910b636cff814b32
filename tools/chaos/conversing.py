"""One life of a node whose numbered messages go by conversations, as programs send them.

So what is accounted for passes windows, turns and the bound of the link, too. Each of the node's
conversations with a partner is one of `tools.chaos.traffic`; a stream, in which each message
has its length before it.
"""

import asyncio
import struct
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final

from isfc.link.events import Delivered, LinkUp, Severed
from isfc.link.message import Message
from isfc.live.events import Attached, LiveEvent
from isfc.live.partner_conversations import PartnerConversations
from isfc.live.session import Conversation, ConversationSevered, open_node
from isfc.system.link_end import LinkEnd
from tools.chaos.book import CONVERSATIONS, Book, Entry
from tools.chaos.traffic import Correspondence

if TYPE_CHECKING:
    from tools.chaos.node import Life

_LENGTH: Final = struct.Struct(">I")


class Conversing:
    """The conversations of one life with a partner: new ones whenever the link has restarted."""

    def __init__(
        self, exchange: PartnerConversations, correspondence: Correspondence, book: Book
    ) -> None:
        self._exchange = exchange
        self._correspondence = correspondence
        self._book = book
        self._restarts = 0
        self._speaking: list[asyncio.Task[None]] = []
        self._queues: list[asyncio.Queue[bytes]] = []
        assert exchange.engine is not None, "an open node"
        exchange.engine.listeners.append(self._hear)
        for number in range(CONVERSATIONS):
            exchange.serve(f"C{number}", self._listen)
        self._begin()

    def send(self, messages: list[Message]) -> None:
        """Send each in its conversation."""
        for message in messages:
            assert message.data is not None, "numbered messages have data"
            self._queues[message.conversation].put_nowait(bytes(message.data))

    async def close(self) -> None:
        """Send nothing more; raise what went wrong with any of them."""
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

    def _hear(self, _end: LinkEnd, event: LiveEvent, now_ns: int) -> None:
        """Of the link, before its conversations hear of it."""
        if isinstance(event, Attached):
            self._book[Entry.ATTACHED] += 1
        elif isinstance(event, LinkUp | Severed):
            self._correspondence.receive(event, now_ns)
        if isinstance(event, Severed):
            self._restarts += 1
            self._begin()

    async def _speak(self, number: int, queue: asyncio.Queue[bytes]) -> None:
        """Send what is due on one; when it is severed, whatever is due waits for the restart."""
        with suppress(ConversationSevered):
            conversation = await self._exchange.connect(f"C{number}")
            while True:
                data = await queue.get()
                await conversation.send(_LENGTH.pack(len(data)) + data)

    async def _listen(self, conversation: Conversation) -> None:
        """Receive what the partner sends on one; nothing of before a restart is heard after it."""
        number, restarts = int(conversation.service[1:]), self._restarts
        rest = bytearray()
        with suppress(ConversationSevered):
            async for data in conversation:
                if restarts != self._restarts:
                    return
                rest += data
                while len(rest) >= _LENGTH.size:
                    (length,) = _LENGTH.unpack_from(rest)
                    end = _LENGTH.size + length
                    if len(rest) < end:
                        break
                    message = Message(number, length, data=bytes(rest[_LENGTH.size : end]))
                    self._correspondence.receive(Delivered([message]), 0)
                    del rest[:end]


async def converse(
    life: "Life", stop: asyncio.Event, quiet: asyncio.Event, books: dict[str, Book]
) -> None:
    """Live until told to end; raise what is wrong."""
    async with (
        open_node(
            life.layout,
            life.name,
            listen=f"unix:{life.listen}" if life.listen else None,
            connect={partner: f"unix:{path}" for partner, path in life.connect.items()},
            verify=True,
            reconnect_s=life.reconnect_s,
        ) as node,
        asyncio.TaskGroup() as conversing,
    ):
        for partner, book in books.items():
            exchange = node.exchange(partner)
            conversing.create_task(_converse_with(exchange, life, stop, quiet, book))
    for exchange in node.exchanges.values():
        assert exchange.verifying is not None, "it verifies"
        exchange.verifying.expect_intact()


async def _converse_with(
    exchange: PartnerConversations,
    life: "Life",
    stop: asyncio.Event,
    quiet: asyncio.Event,
    book: Book,
) -> None:
    """The conversations with one partner, of which no number is another partner's too."""
    random = Random(f"{life.number} {exchange.definition.partner}")
    correspondence = Correspondence(life.number, book, random)
    conversing = Conversing(exchange, correspondence, book)
    verifying = exchange.verifying
    assert verifying is not None, "it verifies"
    while not stop.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(random.expovariate(life.messages_per_s)):
                await stop.wait()
        book[Entry.DOUBLED] = verifying.doubled_count
        conversing.send(correspondence.due(quiet=quiet.is_set()))
    await conversing.close()
