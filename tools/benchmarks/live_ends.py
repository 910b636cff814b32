"""Ends of links without programs: ``python -m tools.benchmarks.live_ends isfc|pyzmq PART``.

isfc's are two nodes with ``--pace none``, one connection for each of eight CTCs. pyzmq's are PAIR
sockets: packages over eight of them, all other messages over one. Packages and long messages are
not copied between Python and that library. The buffers of its sockets are as it sets them: with
larger ones packages are slower, messages alike.
"""

import asyncio
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import uvloop
import zmq

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

SOCKET_LENGTH_MAX: Final = 4 * PAYLOAD_LENGTH
"""Bytes that may wait in each of pyzmq's sockets either way, which its high-water mark sees to;
with pyzmq's own, of 1,000 messages, all packages would wait."""

COPIED_LENGTH_MAX: Final = 65_536
"""Shorter messages are copied, as pyzmq does if not told otherwise: that is quicker for them."""


class Counted:
    """A program that counts messages: what a case has to be measured, after its warm-up.

    Of a stream the near end keeps messages waiting; what the partner has read makes room for as
    many again. Else one message is under way at a time, which either end sends back.
    """

    def __init__(self, part: ContenderPart, meter: Stopwatch) -> None:
        case = part.case
        self.done = asyncio.Event()
        self._meter, self._far, self._replies = meter, part.far, case.replies
        self._message = case.message
        self._passed = 0
        self._start = case.warmup * case.messages
        self._stop = (case.warmup + case.count) * case.messages

    def start(self, now_ns: int) -> Iterable[Offer]:
        """The near end begins; the time its first message waits for the link is in the warm-up."""
        self._sent_ns = time.perf_counter_ns()
        self._unread = 1 if self._replies else WAITING_LENGTH // len(self._message)
        return () if self._far else self._offer(self._unread, now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A message is back, some were read by the partner, or some have arrived."""
        if self._replies:
            return self._turn(now_ns) if isinstance(event, Delivered) else ()
        if self._far:
            if isinstance(event, Delivered) and self._count(len(event.messages)):
                self.done.set()
        elif isinstance(event, Sent):
            return self._go_on(len(event.messages), now_ns)
        return ()

    def _turn(self, now_ns: int) -> Iterable[Offer]:
        """Time a round trip, and begin another."""
        self._meter.trips_ns.append(time.perf_counter_ns() - self._sent_ns)
        if self._count(1):
            self.done.set()
        self._sent_ns = time.perf_counter_ns()
        return self._offer(1, now_ns)

    def _go_on(self, count: int, now_ns: int) -> Iterable[Offer]:
        """When enough were read, let the rest be read too: some overtake others."""
        if not self._count(count):
            return self._offer(count, now_ns)
        self._unread -= count
        if not self._unread:
            self.done.set()
        return ()

    def _count(self, messages: int) -> bool:
        """So many messages more; return whether that is enough."""
        before = self._passed
        self._passed = after = before + messages
        if before < self._start <= after:
            self._meter.start()
        if before < self._stop <= after:
            self._meter.stop()
        return after >= self._stop

    def _offer(self, count: int, now_ns: int) -> Iterable[Offer]:
        """So many messages, to be sent now."""
        data, length, traffic = self._message, len(self._message), Traffic.TRANSPORT
        return [(now_ns, [Message(at % PAIRS, length, traffic, data) for at in range(count)])]


async def play_isfc(part: ContenderPart, meter: Stopwatch) -> None:
    """One node, until all is counted."""
    gone = asyncio.Event()
    program = Counted(part, meter)
    layout = load_layout("published-8")
    definition = unpaced(define_link_end(layout, layout.nodes[part.far], LinkParameters()))
    engine = LiveEngine(definition, program, Clock())
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
    counted = asyncio.ensure_future(program.done.wait())
    broken = asyncio.ensure_future(engine.wait_closed())
    await asyncio.wait([counted, broken], return_when=asyncio.FIRST_COMPLETED)
    if broken.done():
        broken.result()
    if part.far:  # the near node may still have to hear the last of it
        await gone.wait()
    await attachments.close()
    broken.cancel()


Pairs = list[zmq.Socket[bytes]]


def open_pairs(context: zmq.Context[zmq.Socket[bytes]], part: ContenderPart) -> Pairs:
    """The sockets of one end: the far one binds, the near one connects."""
    pairs = []
    for index in range(part.case.connections):
        pair = context.socket(zmq.PAIR)
        if not part.case.replies:
            pair.set_hwm(SOCKET_LENGTH_MAX // part.case.length)
        path = Path(part.folder, str(index))
        if part.far:
            pair.bind(f"ipc://{path}")
        else:
            await_path(path)
            pair.connect(f"ipc://{path}")
        pairs.append(pair)
    return pairs


def play_pyzmq(part: ContenderPart, meter: Stopwatch) -> None:
    """One end: a stream goes one way, socket by socket; else round trips are timed."""
    case, far, replies = part.case, part.far, part.case.replies
    message, copies = bytes(case.length), len(case.message) < COPIED_LENGTH_MAX
    with zmq.Context() as context:
        pairs = open_pairs(context, part)
        for index in meter.counted(case):
            pair = pairs[index % len(pairs)]
            if replies and far:
                pair.send(pair.recv())
            elif replies:
                sent_ns = time.perf_counter_ns()
                pair.send(message)
                pair.recv()
                meter.trips_ns.append(time.perf_counter_ns() - sent_ns)
            elif far:
                pair.recv(copy=copies)
            else:
                pair.send(message, 0, copies)
        for pair in pairs:
            pair.close()


def main(peer: str, part: ContenderPart) -> None:
    """Play one end of a peer."""
    meter = Stopwatch()
    if peer == "isfc":
        uvloop.run(play_isfc(part, meter))
    else:
        play_pyzmq(part, meter)
    meter.report()


if __name__ == "__main__":
    main(sys.argv[1], msgspec.json.decode(sys.argv[2], type=ContenderPart))
