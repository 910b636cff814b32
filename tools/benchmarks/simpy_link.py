"""A logical link as a SimPy user would write it: processes, resources, stores and timeouts.

The physics is that of `ctc` and `isfc`, with the same parameters; what those write as state
machines is told here as SimPy likes it. A guest is a process with a `Store` for an inbox, the
link lock is a `PriorityResource`, and each I/O is a process that waits for the partner's. The
model is made for one purpose, to run: nothing fails here but writes that collide, no CTC is
lost, and messages are never cut.
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import simpy
from simpy.events import ProcessGenerator

from isfc.engine.virtual import PROPAGATION_NS
from isfc.link.costs import LinkCosts
from isfc.link.message import Message
from isfc.link.package import BLOCK_LENGTH, Package
from isfc.link.parameters import LinkParameters
from tools.benchmarks.simpy_chpid import Chpid

SEND_ALONE: Final = -1
RECEIVE: Final = 0
SEND: Final = 1
"""Priorities at the link lock: what interrupts brought goes first, but on a single-CTC link."""


@dataclass(slots=True)
class Traffic:
    """What the client's system has written (out) and read (in): lengths in bytes."""

    packages_out: int = 0
    packages_in: int = 0
    messages_out: int = 0
    messages_in: int = 0
    length_out: int = 0
    length_in: int = 0
    collisions: int = 0


@dataclass(slots=True)
class Write:
    """A write that is outstanding: SSCH has been, the end or a collision is to come."""

    package: Package
    started_ns: float
    departed_ns: float = math.inf


@dataclass(slots=True, eq=False)
class Ctc:
    """One system's end of one CTC, and the times of its I/Os."""

    chpid: Chpid
    mate: "Ctc" = field(init=False)
    write: Write | None = None
    held: Package | None = None
    """Collided, and to be written again here in its turn."""
    turn: bool = False
    written: Package | None = None
    """Written, and still to be released."""
    pend_ns: float = 0.0
    disc_ns: float = 0.0
    conn_ns: float = 0.0

    def count_io(
        self, started_ns: float, departed_ns: float, matched_ns: float, ended_ns: float
    ) -> None:
        """Add an I/O: from SSCH to the fibre, to the partner's answer, to its end."""
        self.pend_ns += departed_ns - started_ns
        self.disc_ns += matched_ns - departed_ns
        self.conn_ns += ended_ns - matched_ns


class System:
    """One end of the logical link, with an inbox for each guest.

    A guest has several conversations, numbered so that modulo the number of inboxes they are
    the number of the guest's own.
    """

    partner: "System"

    def __init__(
        self,
        env: simpy.Environment,
        parameters: LinkParameters,
        ctcs: Sequence[Ctc],
        write_order: Sequence[Ctc],
        inbox_count: int,
        *,
        lesser: bool,
    ) -> None:
        self.ctcs = ctcs
        self.traffic = Traffic()
        self.inboxes = [simpy.Store(env) for _ in range(inbox_count)]
        self._env = env
        self._parameters = parameters
        self._costs = LinkCosts(parameters)
        self._limit, _ = parameters.limits(alone=len(ctcs) == 1)
        self._open_lengths = parameters.opening_rule.lengths()
        self._lesser = lesser
        self._lock = simpy.PriorityResource(env)
        self._write_order = write_order
        self._free = set(write_order)
        self._ours: set[Ctc] = set()
        self._waiting: deque[Message] = deque()
        self._waiting_length = 0
        self._again: deque[Package] = deque()
        self._package_numbers = count()
        self._sent_serials: defaultdict[int, int] = defaultdict(int)
        self._next_serials: defaultdict[int, int] = defaultdict(int)
        self._early: dict[tuple[int, int], Message] = {}
        self._sending = False

    def send(self, conversation: int, length: int) -> None:
        """A guest hands over a message."""
        message = Message(conversation, length)
        message.serial = self._sent_serials[conversation]
        self._sent_serials[conversation] += 1
        self._waiting.append(message)
        self._waiting_length += length
        self._wake_sender()

    def _wake_sender(self) -> None:
        if not self._sending and self._opens():
            self._sending = True
            self._env.process(self._send_packages())

    def _opens(self) -> bool:
        """Whether a CTC is to be given to what waits."""
        if not self._free or not (self._waiting or self._again):
            return False
        count = len(self._ours)
        return (
            not count
            or bool(self._again)
            or len(self._waiting) >= self._parameters.open_backlog_count
            or self._waiting_length >= self._open_lengths[count]
            or (count == 1 and self._waiting[0].length >= BLOCK_LENGTH)
        )

    def _send_packages(self) -> ProcessGenerator:
        """Build one package after the other, whenever nothing received wants the lock."""
        while self._opens():
            with self._lock.request(SEND if len(self.ctcs) > 1 else SEND_ALONE) as turn:
                if not turn.triggered:
                    yield turn
                if not self._opens():
                    break
                ctc = next(ctc for ctc in self._write_order if ctc in self._free)
                self._free.remove(ctc)
                self._ours.add(ctc)
                package = self._pack()
                yield self._env.timeout(self._costs.build_ns(package))
            if ctc in self._ours:
                self._env.process(self._write(ctc, package))
            else:
                self._again.append(package)  # the partner's write came first
        self._sending = False

    def _pack(self) -> Package:
        """Whatever waits, oldest first, as far as the limit lets it."""
        if self._again:
            return self._again.popleft()
        waiting, limit = self._waiting, self._limit
        length_max = limit.length
        if self._free:
            share_length = self._waiting_length // (len(self._free) + 1)
            length_max = min(length_max, max(self._parameters.share_length, share_length))
        messages = [waiting.popleft()]
        length = messages[0].length
        counted_length = length + limit.message_length
        while waiting:
            counted_length += waiting[0].length + limit.message_length
            if counted_length > length_max:
                break
            message = waiting.popleft()
            messages.append(message)
            length += message.length
        self._waiting_length -= length
        return Package(next(self._package_numbers), messages, length)

    def _write(self, ctc: Ctc, package: Package) -> ProcessGenerator:
        """Write a package; the partner reads it, unless it writes here too."""
        env, mate = self._env, ctc.mate
        write = ctc.write = Write(package, env.now)
        yield from ctc.chpid.start_io()
        write.departed_ns = env.now
        yield env.timeout(PROPAGATION_NS)
        if mate.write is not None:
            self.partner.collide(mate, mate.write)
            return
        matched_ns = yield env.process(self.partner.read(mate, package))
        yield env.timeout(PROPAGATION_NS)
        ctc.write = None
        ctc.count_io(write.started_ns, write.departed_ns, matched_ns, env.now)
        yield env.timeout(ctc.chpid.interrupt_ns)
        self._finish_write(package)
        ctc.written = package
        if len(self.ctcs) == 1:
            with self._lock.request(RECEIVE) as turn:
                yield turn
                yield env.timeout(self._costs.single_ctc_release_ns(package))
        if ctc.written is not package:
            return  # the partner wrote here meanwhile
        ctc.written = None
        if ctc.turn:
            ctc.turn = False  # the partner's package is next
        else:
            self._release(ctc)

    def _finish_write(self, package: Package) -> None:
        self.traffic.packages_out += 1
        self.traffic.messages_out += package.message_count
        self.traffic.length_out += package.length

    def read(self, ctc: Ctc, package: Package) -> ProcessGenerator:
        """Answer the attention: SENSE COMMAND BYTE, then READ. Return when the data began."""
        env, chpid = self._env, ctc.chpid
        ctc.turn = False
        ctc.written = None
        self._free.discard(ctc)
        self._ours.discard(ctc)
        with self._lock.request(RECEIVE) as turn:
            yield turn
            yield env.timeout(self._costs.attention_ns)
        started_ns = env.now
        yield from chpid.start_io()
        ctc.count_io(started_ns, env.now, env.now, env.now)
        chpid.observe(package, +1)
        started_ns = env.now
        yield from chpid.start_io()
        departed_ns = env.now
        yield env.timeout(PROPAGATION_NS)
        matched_ns = env.now
        yield ctc.mate.chpid.transfer(package)
        yield env.timeout(PROPAGATION_NS)
        chpid.observe(package, -1)
        ctc.count_io(started_ns, departed_ns, departed_ns, env.now)
        self._env.process(self._finish_read(ctc, package))
        return matched_ns

    def _finish_read(self, ctc: Ctc, package: Package) -> ProcessGenerator:
        yield self._env.timeout(ctc.chpid.interrupt_ns)
        self.traffic.packages_in += 1
        self.traffic.messages_in += package.count
        self.traffic.length_in += package.length
        self._env.process(self._receive(package))
        if ctc.held is None:
            self._release(ctc)
        else:
            package, ctc.held = ctc.held, None
            self._env.process(self._write(ctc, package))

    def _receive(self, package: Package) -> ProcessGenerator:
        """Receive what was read, and hand the messages to their guests in order."""
        with self._lock.request(RECEIVE) as turn:
            yield turn
            yield self._env.timeout(self._costs.receive_ns(package))
        for message in package.messages:
            for ready in self._in_order(message):
                self.inboxes[ready.conversation % len(self.inboxes)].put(ready)

    def _in_order(self, message: Message) -> Iterator[Message]:
        """The messages that can be delivered now that ``message`` is here."""
        conversation, serial = message.conversation, message.serial
        if serial != self._next_serials[conversation]:
            self._early[conversation, serial] = message
            return
        ready: Message | None = message
        while ready is not None:
            yield ready
            serial += 1
            ready = self._early.pop((conversation, serial), None) if self._early else None
        self._next_serials[conversation] = serial

    def _release(self, ctc: Ctc) -> None:
        self._ours.discard(ctc)
        if ctc in self._write_order:
            self._free.add(ctc)
        self._wake_sender()

    def collide(self, ctc: Ctc, write: Write) -> None:
        """Our write fails; the lesser end writes again first."""
        now_ns = self._env.now
        ctc.write = None
        ctc.count_io(write.started_ns, min(write.departed_ns, now_ns), now_ns, now_ns)
        self.traffic.collisions += 1
        ctc.held = write.package
        ctc.turn = self._lesser
        if ctc.turn:
            self._env.process(self._write_again(ctc, ctc.held, self._parameters.recovery_ns))

    def _write_again(self, ctc: Ctc, package: Package, delay_ns: int) -> ProcessGenerator:
        yield self._env.timeout(delay_ns)
        ctc.held = None
        yield from self._write(ctc, package)
