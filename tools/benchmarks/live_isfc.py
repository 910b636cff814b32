"""Two isfc nodes with ``--pace none``: one process each, one connection for each CTC."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

import uvloop

from isfc.engine.program import Offer
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.link.events import Delivered, LinkDown, LinkEvent, Sent
from isfc.link.message import Message, Traffic
from isfc.link.parameters import LinkParameters
from isfc.live.clock import Clock
from isfc.live.endpoint import UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.link_port import LinkPort
from isfc.live.memory import keep_memory
from isfc.live.pace import unpaced
from isfc.system.definition import LinkEndDefinition
from tools.benchmarks.live_peer import (
    CASES,
    HL_REPLY,
    HL_WINDOW,
    HS_REPLY,
    PAYLOAD_LENGTH,
    PING_LENGTH,
    WINDOW,
    PeerPart,
    Stopwatch,
    await_path,
    hl_messages,
    hs_messages,
    read_part,
)

TRANSPORT: Final = Traffic.TRANSPORT

WAITING_LENGTH: Final = 16 * PAYLOAD_LENGTH
"""Bytes handed to the link and not yet read: what seven CTCs carry, and as much again."""

PAIRS: Final = 100
"""Conversations that messages of one way are of, in turn."""


class Counted:
    """A program's count: ``count`` of something are measured after ``warmup`` of it."""

    def __init__(self, part: PeerPart, meter: Stopwatch, done: "asyncio.Future[None]") -> None:
        self._meter = meter
        self._done = done
        self._message = bytes(part.message_length)
        self._passed = 0
        self._start = part.warmup * part.of.messages
        self._stop = (part.warmup + part.count) * part.of.messages

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nothing to begin with."""
        return ()

    def _count(self, messages: int) -> None:
        """So many messages more."""
        before = self._passed
        self._passed = after = before + messages
        if before < self._start <= after:
            self._meter.start()
        if before < self._stop <= after:
            self._meter.stop()
            self._end()

    def _end(self) -> None:
        """Enough was counted."""
        self._done.set_result(None)


class Sender(Counted):
    """Keeps messages waiting; what the partner has read makes room for as many again."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first messages."""
        self._unread = 0
        return self._more(WAITING_LENGTH // len(self._message), now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Some were read. When enough were, let the rest be read too: some overtake others."""
        if not isinstance(event, Sent):
            return ()
        count = len(event.messages)
        self._unread -= count
        self._count(count)
        if self._passed < self._stop:
            return self._more(count, now_ns)
        if not self._unread:
            self._done.set_result(None)
        return ()

    def _more(self, count: int, now_ns: int) -> Iterable[Offer]:
        data, length = self._message, len(self._message)
        self._unread += count
        return [(now_ns, [Message(at % PAIRS, length, TRANSPORT, data) for at in range(count)])]

    def _end(self) -> None:
        """Not yet."""


class CountingReceiver(Counted):
    """Counts what arrives."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Messages."""
        if isinstance(event, Delivered):
            self._count(len(event.messages))
        return ()


class Asker(Counted):
    """Keeps a window of exchanges under way, each in a conversation of its own."""

    messages = hs_messages()
    window = WINDOW

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The window."""
        self._index = self.window
        data = self.messages
        return [
            (now_ns, [Message(c, len(data[c]), TRANSPORT, data[c]) for c in range(self.window)])
        ]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Each reply releases the next message of its conversation."""
        if not isinstance(event, Delivered):
            return ()
        data, index = self.messages, self._index
        messages = []
        for reply in event.messages:
            index = (index + 1) % len(data)
            message = data[index]
            messages.append(Message(reply.conversation, len(message), TRANSPORT, message))
        self._index = index
        self._count(len(messages))
        return [(now_ns, messages)]


class Answerer(Counted):
    """Answers each message immediately."""

    reply = HS_REPLY

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """One reply to each."""
        if not isinstance(event, Delivered):
            return ()
        self._count(len(event.messages))
        reply, length = self.reply, len(self.reply)
        messages = [Message(m.conversation, length, TRANSPORT, reply) for m in event.messages]
        return [(now_ns, messages)]


class HlAsker(Asker):
    """The suite HL."""

    messages = hl_messages()
    window = HL_WINDOW


class HlAnswerer(Answerer):
    """The suite HL."""

    reply = HL_REPLY


class Pinger(Counted):
    """One message under way at a time, there and back; times the round trip."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first ping; the time it waits for the link is in the warm-up."""
        return self._ping(now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """The pong is there: send the next ping."""
        if not isinstance(event, Delivered):
            return ()
        self._meter.trips_ns.append(time.perf_counter_ns() - self._sent_ns)
        self._count(1)
        return self._ping(now_ns)

    def _ping(self, now_ns: int) -> Iterable[Offer]:
        self._sent_ns = time.perf_counter_ns()
        return [(now_ns, [Message(0, PING_LENGTH, TRANSPORT, _PING)])]


_PING: Final = bytes(PING_LENGTH)


class Ponger(Answerer):
    """Sends back what has come."""

    reply = _PING


PROGRAMS: Final[
    Mapping[str, tuple[type[Sender | Asker | Pinger], type[CountingReceiver | Answerer]]]
] = {
    **dict.fromkeys(CASES, (Sender, CountingReceiver)),
    "messages": (Asker, Answerer),
    "pingpong": (Pinger, Ponger),
    "memory": (HlAsker, HlAnswerer),
}
"""By case: what runs on the near node, and on the far one."""


def define(part: PeerPart) -> LinkEndDefinition:
    """This end of the published layout with as many CTCs as the case has."""
    layout = load_layout(f"published-{part.of.ctcs}")
    return unpaced(define_link_end(layout, layout.nodes[part.far], LinkParameters()))


async def play(part: PeerPart, meter: Stopwatch) -> None:
    """One node, until all is counted."""
    done = asyncio.get_running_loop().create_future()
    program = PROGRAMS[part.case][part.far](part, meter, done)
    engine = LiveEngine(define(part), program, Clock())
    attachments = LinkPort(engine, Random(f"{part.far}"))
    gone = asyncio.Event()
    engine.listeners.append(
        lambda _end, event, _now_ns: gone.set() if isinstance(event, LinkDown) else None
    )
    path = part.folder / "link"
    if part.far:
        await attachments.listen(UnixEndpoint(str(path)))
    else:
        await_path(path)
        attachments.connect(UnixEndpoint(str(path)))
    keep_memory()
    broken = asyncio.ensure_future(engine.wait_closed())
    await asyncio.wait([done, broken], return_when=asyncio.FIRST_COMPLETED)
    if broken.done():
        broken.result()
    if part.far:  # the near node may still have to hear the last of it
        await gone.wait()
    await attachments.close()
    broken.cancel()


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_isfc"), Stopwatch()
    uvloop.run(play(part, meter))
    meter.report()


if __name__ == "__main__":
    main()
