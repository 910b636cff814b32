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

from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.link.events import Delivered, LinkDown, LinkEvent, Offer, Sent
from isfc.link.message import Message, Traffic
from isfc.link.parameters import LinkParameters
from isfc.live.endpoint import UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.link_port import LinkPort, NodePort
from isfc.live.memory import keep_memory
from isfc.live.pace import Clock, unpaced
from tools.benchmarks.contenders import PAYLOAD_LENGTH, ContenderPart, Stopwatch, await_path

WAITING_LENGTH: Final = 16 * PAYLOAD_LENGTH
"""Bytes handed to the link and not yet read: what seven CTCs carry, and as much again."""

PAIRS: Final = 100
"""Conversations that messages of one way are of, in turn."""


class Counted:
    """A program that counts messages: what a case has to be measured, after its warm-up."""

    def __init__(self, part: ContenderPart, meter: Stopwatch, done: asyncio.Event) -> None:
        case = part.case
        self.meter = meter
        self.done = done
        self.far = part.far
        self.message = case.message
        self._passed = 0
        self._start = case.warmup * case.messages
        self._stop = (case.warmup + case.count) * case.messages

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nothing to begin with."""
        return ()

    def count(self, messages: int) -> bool:
        """So many messages more; return whether that is enough."""
        before = self._passed
        self._passed = after = before + messages
        if before < self._start <= after:
            self.meter.start()
        if before < self._stop <= after:
            self.meter.stop()
        return after >= self._stop

    def offer(self, count: int, now_ns: int) -> Iterable[Offer]:
        """So many messages, to be sent now."""
        data, length, traffic = self.message, len(self.message), Traffic.TRANSPORT
        return [(now_ns, [Message(at % PAIRS, length, traffic, data) for at in range(count)])]


class CountingSender(Counted):
    """Keeps messages waiting; what the partner has read makes room for as many again."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The first messages."""
        self._unread = WAITING_LENGTH // len(self.message)
        return self.offer(self._unread, now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Some were read. When enough were, let the rest be read too: some overtake others."""
        if not isinstance(event, Sent):
            return ()
        count = len(event.messages)
        if not self.count(count):
            return self.offer(count, now_ns)
        self._unread -= count
        if not self._unread:
            self.done.set()
        return ()


class CountingReceiver(Counted):
    """Counts what arrives."""

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Messages."""
        if isinstance(event, Delivered) and self.count(len(event.messages)):
            self.done.set()
        return ()


class Trips(Counted):
    """One message under way at a time, which either end sends back; times the round trips."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The near end begins; the time its first message waits for the link is in the warm-up."""
        self._sent_ns = time.perf_counter_ns()
        return () if self.far else self.offer(1, now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """The message is back."""
        if not isinstance(event, Delivered):
            return ()
        self.meter.trips_ns.append(time.perf_counter_ns() - self._sent_ns)
        if self.count(1):
            self.done.set()
        self._sent_ns = time.perf_counter_ns()
        return self.offer(1, now_ns)


async def play(part: ContenderPart, meter: Stopwatch) -> None:
    """One node, until all is counted."""
    done, gone = asyncio.Event(), asyncio.Event()
    program = Trips if part.case.replies else CountingReceiver if part.far else CountingSender
    layout = load_layout("published-8")
    definition = unpaced(define_link_end(layout, layout.nodes[part.far], LinkParameters()))
    engine = LiveEngine(definition, program(part, meter, done), Clock())
    attachments = LinkPort(engine, NodePort(Random(part.role)))
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
    counted = asyncio.ensure_future(done.wait())
    broken = asyncio.ensure_future(engine.wait_closed())
    await asyncio.wait([counted, broken], return_when=asyncio.FIRST_COMPLETED)
    if broken.done():
        broken.result()
    if part.far:  # the near node may still have to hear the last of it
        await gone.wait()
    await attachments.close()
    broken.cancel()


if __name__ == "__main__":
    watch = Stopwatch()
    uvloop.run(play(msgspec.json.decode(sys.argv[1], type=ContenderPart), watch))
    watch.report()
