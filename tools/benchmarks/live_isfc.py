"""Two isfc nodes with ``--pace none``: one process each, one connection for each of eight CTCs."""

import asyncio
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Final

import msgspec
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
from isfc.live.link_port import LinkPort, NodePort
from isfc.live.memory import keep_memory
from isfc.live.pace import unpaced
from tools.benchmarks.contenders import (
    PAYLOAD_LENGTH,
    PING_LENGTH,
    LiveCase,
    Part,
    Stopwatch,
    await_path,
)

TRANSPORT: Final = Traffic.TRANSPORT

WAITING_LENGTH: Final = 16 * PAYLOAD_LENGTH
"""Bytes handed to the link and not yet read: what seven CTCs carry, and as much again."""

PAIRS: Final = 100
"""Conversations that messages of one way are of, in turn."""


class Counted:
    """A program's count: what a case has to be measured, after its warm-up."""

    def __init__(self, case: LiveCase, meter: Stopwatch, done: "asyncio.Future[None]") -> None:
        self._meter = meter
        self._done = done
        self._message = case.message
        self._passed = 0
        self._start = case.warmup * case.messages
        self._stop = (case.warmup + case.count) * case.messages

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
        return [(now_ns, [Message(0, PING_LENGTH, TRANSPORT, self._message)])]


class Ponger(Counted):
    """Sends back what has come."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """The ping is there."""
        if not isinstance(event, Delivered):
            return ()
        self._count(1)
        return [(now_ns, [Message(0, PING_LENGTH, TRANSPORT, self._message)])]


async def play(part: Part, meter: Stopwatch) -> None:
    """One node, until all is counted."""
    done = asyncio.get_running_loop().create_future()
    programs = (Pinger, Ponger) if part.case.replies else (Sender, CountingReceiver)
    layout = load_layout("published-8")
    definition = unpaced(define_link_end(layout, layout.nodes[part.far], LinkParameters()))
    engine = LiveEngine(definition, programs[part.far](part.case, meter, done), Clock())
    attachments = LinkPort(engine, NodePort(Random(part.role)))
    gone = asyncio.Event()
    engine.listeners.append(
        lambda _end, event, _now_ns: gone.set() if isinstance(event, LinkDown) else None
    )
    path = Path(part.folder, "link")
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


if __name__ == "__main__":
    watch = Stopwatch()
    uvloop.run(play(msgspec.json.decode(sys.argv[1], type=Part), watch))
    watch.report()
